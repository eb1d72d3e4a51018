//go:build !windows

package cli

import "github.com/google/renameio/v2"

// open opens a temporary file beside the one that it will replace.
func (f *outFile) open(path string) error {
	p, err := renameio.NewPendingFile(resolved(path), renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	f.Writer, f.temp, f.commit, f.abort = p, p.Name(), p.CloseAtomicallyReplace, p.Cleanup
	return nil
}
