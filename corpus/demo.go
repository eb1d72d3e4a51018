package corpus

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"path"
	"strings"

	"groundhog/formats"
	"groundhog/formats/script"
)

//go:embed data/*.session data/*.yaml
var demo embed.FS

// Demo is the embedded corpus: sessions that were written to show loops of every shape
// the detectors know, work that looks like a loop, and loops that no detector catches.
// Each carries its label. They were chosen to be hard, so rates over them say nothing
// about ordinary sessions.
func Demo() (*formats.Found, error) {
	entries, err := demo.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var units []*formats.Unit
	for _, e := range entries {
		if !isFile(e.Name()) {
			continue
		}
		src, err := demo.ReadFile(path.Join("data", e.Name()))
		if err != nil {
			return nil, err
		}
		for u, err := range script.Format.Find(memory(e.Name(), src), formats.Options{}) {
			if err != nil {
				return nil, err
			}
			u.Session.Origin.File = e.Name()
			u.Session.Origin.Format = script.Format.Name
			units = append(units, u)
		}
	}
	return formats.NewFound(units), nil
}

// AboutFailures reports whether a demo session is there for its failed requests. Rates
// leave such sessions out, since they are easy work for a detector of loops.
func AboutFailures(session string) bool { return strings.HasPrefix(session, "retry-") }

// memory is a file held in memory.
func memory(name string, src []byte) *formats.File {
	return &formats.File{Name: name, Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(src), io.NopCloser(nil)}, nil
	}}
}

// DemoSource is the text of a demo session.
func DemoSource(session string) (string, error) {
	src, err := demo.ReadFile(path.Join("data", session+".session"))
	if err != nil {
		return "", fmt.Errorf("no demo session %q", session)
	}
	return string(src), nil
}
