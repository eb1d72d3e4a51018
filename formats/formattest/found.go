package formattest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"groundhog/formats"
	"groundhog/formats/record"
)

// Found makes sure that a file is told by its content among all formats, with
// the same sessions whatever its name is, however it is packed, and whether a
// byte order mark stands before it or not.
func Found(t *testing.T, all []*formats.Format, f *formats.Format, text string) {
	t.Helper()
	want := found(t, all, f, "plain", text)
	if want == "" {
		t.Errorf("no sessions in %.60q", text)
	}
	for name, data := range map[string]string{
		"renamed.txt": text,
		"0":           text,
		"x.json.gz":   Gzip(t, text),
		"packed":      Gzip(t, text),
		"packed.zst":  Zstd(t, text),
	} {
		if got := found(t, all, f, name, data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	// The mark is part of the bytes that a session without a name is named by.
	if got := found(t, all, f, "mark", record.Mark+text); strings.Count(got, "\n") != strings.Count(want, "\n") {
		t.Errorf("after a byte order mark: got\n%s\nwant\n%s", got, want)
	}
}

// found lists the sessions of a file by their ids, after making sure of its format.
func found(t *testing.T, all []*formats.Format, f *formats.Format, name, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	files := formats.Files{Paths: []string{path}, Formats: all}
	list, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for _, skip := range list.Skipped {
		t.Errorf("%s: %s", name, skip.Why)
	}
	var ids strings.Builder
	for _, u := range list.Units {
		if u.Session.Origin.Format != f.Name {
			t.Errorf("%s: read as %s, want %s", name, u.Session.Origin.Format, f.Name)
		}
		if u.Session.ID == "" {
			t.Errorf("%s: a session without an id", name)
		}
		ids.WriteString(u.Session.ID + "\n")
	}
	return ids.String()
}

// Gzip packs data.
func Gzip(t testing.TB, data string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Zstd packs data.
func Zstd(t testing.TB, data string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(data), nil))
}
