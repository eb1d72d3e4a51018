package script

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func file(src string) *formats.File {
	open := func() (formats.ReadAtCloser, error) { return memory{bytes.NewReader([]byte(src))}, nil }
	return &formats.File{Name: "x.session", Size: int64(len(src)), Open: open}
}

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
	for u, err := range Format.Find(file(src), formats.Options{}) {
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

// one reads a file with one session and no mistakes.
func one(t *testing.T, src string) play {
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

// dump writes steps on a line each, with their line numbers.
func dump(steps []*transcript.Step) string {
	var out strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&out, "%d ", s.Line)
		dumpStep(&out, s)
		out.WriteByte('\n')
	}
	return out.String()
}

func dumpStep(out io.Writer, s *transcript.Step) {
	fmt.Fprint(out, [...]string{"response", "prompt", "injection", "compaction", "system"}[s.Kind])
	for _, f := range []struct{ name, value string }{{"lane", s.Lane}, {"id", s.ID}, {"finish", string(s.Finish)}} {
		if f.value != "" {
			fmt.Fprintf(out, " %s=%s", f.name, f.value)
		}
	}
	if s.Flags != 0 {
		fmt.Fprintf(out, " flags=%b", s.Flags)
	}
	if s.Usage.Known {
		u := s.Usage
		fmt.Fprintf(out, " usage=%d/%d/%d/%d/%d", u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite)
	}
	for _, a := range s.Attempts {
		fmt.Fprintf(out, " [attempt %d: %d %q %q wait=%v after=%v @%d]", a.N, a.Status, a.Type, a.Message, a.Delay, a.RetryAfter, a.Line)
	}
	for _, p := range s.Parts {
		fmt.Fprintf(out, " %s:%q", [...]string{"text", "think", fmt.Sprint("args", p.Call)}[p.Kind], p.Text)
		for _, c := range p.Cuts {
			fmt.Fprintf(out, "|%d", c.End)
		}
	}
	for _, c := range s.Calls {
		r := c.Result
		fmt.Fprintf(out, " (%s %s", c.Tool, c.Args)
		if c.ArgsInvalid {
			fmt.Fprint(out, " invalid")
		}
		fmt.Fprintf(out, " %s", [...]string{"missing", "unflagged", "ok", "error", "denied"}[r.Status])
		if r.Text != "" {
			fmt.Fprintf(out, " %q", r.Text)
		}
		if r.ExitCode != nil {
			fmt.Fprintf(out, " exit=%d", *r.ExitCode)
		}
		if c.Took >= 0 {
			fmt.Fprintf(out, " took=%v", c.Took)
		}
		if c.Signals != nil {
			fmt.Fprintf(out, " %+v", *c.Signals)
		}
		fmt.Fprintf(out, " @%d)", c.Line)
	}
}
