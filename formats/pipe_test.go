//go:build unix

package formats_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/formats"
	"groundhog/formats/formattest"
)

// A named pipe is read like a file if it is named, and passed over in a folder:
// nobody may ever write to it.
func TestFindNamedPipe(t *testing.T) {
	dir := tree(t, map[string]string{"a.session": session("a")})
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if diff := cmp.Diff(line("a", "a.session"), listing(dir, find(t, dir, formats.Files{}, "."))); diff != "" {
		t.Errorf("in a folder (-want +got):\n%s", diff)
	}
	for _, data := range []string{session("piped"), formattest.Gzip(t, session("piped"))} {
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(pipe, []byte(data), 0o600) }()
		found := find(t, dir, formats.Files{}, "pipe")
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		// Twice: what came through the pipe is kept until Close.
		for range 2 {
			if diff := cmp.Diff(line("piped", "pipe"), listing(dir, found)); diff != "" {
				t.Errorf("named (-want +got):\n%s", diff)
			}
		}
	}
}
