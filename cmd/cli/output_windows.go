package cli

import (
	"errors"
	"os"
	"path/filepath"
)

// open opens a temporary file beside the one that it will replace. The rename is
// the system's, which replaces a file that nobody holds open.
func (f *outFile) open(path string) error {
	path = resolved(path)
	p, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	f.Writer, f.temp = p, p.Name()
	f.commit = func() error {
		if err := errors.Join(p.Sync(), p.Close()); err != nil {
			os.Remove(p.Name())
			return err
		}
		return os.Rename(p.Name(), path)
	}
	f.abort = func() error { return errors.Join(p.Close(), os.Remove(p.Name())) }
	return nil
}
