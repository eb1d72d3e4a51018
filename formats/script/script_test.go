package script

import (
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// play is a session that has been read.
type play struct {
	session *transcript.Session
	unit    *formats.Unit
	steps   []*transcript.Step
	errs    []string
}

// read reads all sessions of a file, at most so many steps and calls in all.
func read(tb testing.TB, src string, most int) (list []play, whole bool) {
	tb.Helper()
	whole = true
	n := 0
	for u, err := range Format.Find(formattest.File(src), formats.Options{}) {
		if err != nil {
			tb.Fatalf("finding: %v", err)
		}
		p := play{session: u.Session, unit: u}
		for s, err := range u.Steps() {
			if (s == nil) == (err == nil) {
				tb.Fatalf("step %v with error %v", s, err)
			}
			if err != nil {
				if _, ok := err.(*formats.SyntaxError); !ok {
					tb.Fatalf("reading: %v", err)
				}
				p.errs = append(p.errs, err.Error())
				continue
			}
			if n += 1 + len(s.Calls); n > most {
				whole = false
				break
			}
			p.steps = append(p.steps, s)
		}
		list = append(list, p)
	}
	return list, whole
}

// single reads a file with one session and no mistakes.
func single(t *testing.T, src string) play {
	t.Helper()
	list, _ := read(t, src, 1000)
	if len(list) != 1 {
		t.Fatalf("%d sessions, want 1", len(list))
	}
	if len(list[0].errs) > 0 {
		t.Fatalf("errors: %s", strings.Join(list[0].errs, "\n"))
	}
	return list[0]
}
