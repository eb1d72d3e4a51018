// Package formattest tests readers of session files.
//
// A reader that somebody adds needs four tests, and each is one call (in a package
// mine_test, as the catalog imports the reader):
//
//	func TestGolden(t *testing.T) { formattest.Golden(t, mine.Format, "testdata/golden.txt") }
//	func TestFound(t *testing.T)  { formattest.Found(t, catalog.All, mine.Format, sample) }
//	func TestBroken(t *testing.T) { formattest.Broken(t, mine.Format, sample) }
//	func FuzzSteps(f *testing.F)  { formattest.Fuzz(f, mine.Format, formattest.Inputs(f, "testdata/golden.txt")...) }
//
// Golden shows what the reader makes of small files that a person can read;
// Found, that its files are told by their content under any name and packing;
// Broken, that damage costs what is damaged and is never silent; Fuzz, that no
// input makes it panic, hang or contradict itself. Dump and Check are what they
// are made of, for tests of a reader's own.
package formattest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// File is a file named "f" that is not on disk.
func File(text string) *formats.File {
	return &formats.File{Name: "f", Size: int64(len(text)), Open: func() (formats.ReadAtCloser, error) {
		return memory{strings.NewReader(text)}, nil
	}}
}

type memory struct{ *strings.Reader }

func (memory) Close() error { return nil }

// Head is what a Sniff sees of a file.
func Head(text string) *formats.Head {
	data := []byte(text)
	n := min(len(data), formats.HeadSize)
	return formats.NewHead(data[:n], n == len(data))
}

// Units finds the sessions of a file that must have no mistakes.
func Units(t testing.TB, f *formats.Format, text string, o formats.Options) (list []*formats.Unit) {
	t.Helper()
	for u, err := range f.Find(File(text), o) {
		if err != nil {
			t.Fatalf("finding: %v", err)
		}
		list = append(list, u)
	}
	return list
}

// Unit finds the only session of a file.
func Unit(t testing.TB, f *formats.Format, text string) *formats.Unit {
	t.Helper()
	list := Units(t, f, text, formats.Options{})
	if len(list) != 1 {
		t.Fatalf("found %d sessions, want 1", len(list))
	}
	return list[0]
}

// Steps reads the steps of a session that must have no mistakes.
func Steps(t testing.TB, u *formats.Unit) (list []*transcript.Step) {
	t.Helper()
	for s, err := range u.Steps() {
		if err != nil {
			t.Fatalf("session %s: %v", u.Session.ID, err)
		}
		list = append(list, s)
	}
	return list
}

// Shared is the path of something among the shared recordings. They are no part
// of the repository: the test is skipped where GROUNDHOG_SHARED does not say where
// they are, and fails where what it asks for is missing.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	root := os.Getenv("GROUNDHOG_SHARED")
	if root == "" {
		t.Skip("GROUNDHOG_SHARED is not set: the real recordings are not part of the repository")
	}
	name := filepath.Join(append([]string{root}, path...)...)
	if _, err := os.Stat(name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Samples are the files of a folder of the shared samples.
func Samples(t testing.TB, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(Shared(t, "samples", folder), "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no samples in %s: %v", folder, err)
	}
	return names
}
