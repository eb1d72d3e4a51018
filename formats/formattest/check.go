package formattest

import (
	"errors"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// Check reads a file twice and makes sure of what holds for every reader and
// every input: an error is one of syntax and names a line that is there, sizes are
// sound, calls stand on responses, a result that is missing says
// nothing, deltas cut their text in order, and a second reading gives what the
// first gave.
func Check(t testing.TB, f *formats.Format, text string, o formats.Options) {
	t.Helper()
	c := checker{t, strings.Count(text, "\n") + 1}
	for u, err := range f.Find(File(text), o) {
		if err != nil {
			c.err(err)
			continue
		}
		if u.Size < 0 || u.Size > int64(len(text))+int64(u.Records) { // a line end may be counted that is not there
			t.Errorf("session %q of %d bytes in a file of %d", u.Session.ID, u.Size, len(text))
		}
		for s, err := range u.Steps() {
			switch {
			case (s == nil) == (err == nil):
				t.Errorf("step %v with error %v", s, err)
			case err != nil:
				c.err(err)
			default:
				if s.Line < 0 || s.Line > c.lines {
					t.Errorf("a step on line %d of %d", s.Line, c.lines)
				}
				CheckStep(t, s)
			}
		}
		for range u.Steps() {
			break
		}
	}
	for range f.Find(File(text), o) {
		break
	}
	if first, again := Dump(f, text, o), Dump(f, text, o); first != again {
		t.Errorf("two readings differ:\n%s\nand\n%s", first, again)
	}
}

type checker struct {
	testing.TB
	lines int
}

func (c checker) err(err error) {
	var syntax *formats.SyntaxError
	var unknown *formats.UnknownError
	switch {
	case errors.As(err, &unknown):
	case !errors.As(err, &syntax):
		c.Errorf("not an error of syntax: %v", err)
	case syntax.Line < 0 || syntax.Line > c.lines || syntax.File != "f":
		c.Errorf("line %d of %d in %s: %v", syntax.Line, c.lines, syntax.File, err)
	}
}

// CheckStep makes sure of what holds for every step.
func CheckStep(t testing.TB, s *transcript.Step) {
	t.Helper()
	if s.Kind != transcript.Response && (len(s.Calls) > 0 || len(s.Attempts) > 0) {
		t.Errorf("line %d: step of kind %d with calls or attempts", s.Line, s.Kind)
	}
	for i := range s.Calls {
		r := &s.Calls[i].Result
		if r.Status == transcript.ResultMissing && (r.Text != "" || r.ErrorText != "" || r.Media != nil) {
			t.Errorf("line %d: a missing result says %q", s.Line, r.Text)
		}
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Kind == transcript.ToolInput && (p.Call < 0 || p.Call >= len(s.Calls)) {
			t.Errorf("line %d: a part belongs to call %d of %d", s.Line, p.Call, len(s.Calls))
		}
		last := 0
		for _, cut := range p.Cuts {
			if cut.End < last || cut.End > len(p.Text) || cut.At < -1 {
				t.Errorf("line %d: a delta ends at %d of %d, after %d", s.Line, cut.End, len(p.Text), last)
			}
			last = cut.End
		}
		if p.Cuts != nil && last != len(p.Text) {
			t.Errorf("line %d: deltas of %d bytes, a part of %d", s.Line, last, len(p.Text))
		}
	}
}

// Fuzz feeds bytes to a reader and checks it. Every seed is given whole, and cut
// in its last third with a small limit for records.
func Fuzz(f *testing.F, format *formats.Format, seeds ...string) {
	f.Helper()
	for _, text := range seeds {
		f.Add([]byte(text), uint16(0))
		f.Add([]byte(text[:len(text)*2/3]), uint16(300))
	}
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		Check(t, format, string(data), formats.Options{MaxRecord: int64(limit)})
	})
}
