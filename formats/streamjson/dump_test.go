package streamjson_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/streamjson"
	"groundhog/replay/transcript"
)

// memory is a file that is not on disk.
type memory struct{ *strings.Reader }

func (memory) Close() error { return nil }

func file(text string) *formats.File {
	return &formats.File{Name: "f", Size: int64(len(text)), Open: func() (formats.ReadAtCloser, error) {
		return memory{strings.NewReader(text)}, nil
	}}
}

// dump reads a file to its end: a session, then a line for each step and for
// each of its attempts, parts and calls. The pieces of a part are its deltas.
func dump(text string, o formats.Options) string {
	var b strings.Builder
	for u, err := range streamjson.Format.Find(file(text), o) {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			continue
		}
		steps := &strings.Builder{}
		for s, err := range u.Steps() {
			if err != nil {
				fmt.Fprintf(steps, "! %v\n", err)
				continue
			}
			dumpStep(steps, s)
		}
		id, _, _ := strings.Cut(u.Session.ID, ":")
		fmt.Fprintf(&b, "session %s model=%s version=%s exit=%s end=%s records=%d messages=%d\n%s",
			id, u.Session.Model, u.Session.AgentVersion, u.Session.Recorded.ExitStatus, u.Session.End, u.Records, len(u.Messages), steps)
		for _, n := range u.Session.Notes {
			fmt.Fprintf(&b, "note %d: %s x%d\n", n.Line, n.Text, n.N)
		}
	}
	return b.String()
}

func dumpStep(b *strings.Builder, s *transcript.Step) {
	fmt.Fprintf(b, "%d %s", s.Line, [...]string{"response", "prompt", "injection", "compaction", "system"}[s.Kind])
	if s.Lane != "" {
		fmt.Fprintf(b, " @%s", s.Lane)
	}
	put := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, " %s=%s", name, value)
		}
	}
	put("id", s.ID)
	put("finish", string(s.Finish))
	put("raw", s.FinishRaw)
	if s.Flags != 0 {
		fmt.Fprintf(b, " flags=%d", s.Flags)
	}
	if u := s.Usage; u.Known {
		fmt.Fprintf(b, " usage=%d+%d/%d cache=%d,%d", u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite)
	}
	b.WriteString("\n")
	for _, a := range s.Attempts {
		fmt.Fprintf(b, "  attempt %d/%d: %d %s %q %s %s after %v", a.N, a.Max, a.Status, a.Type, a.Message, a.Phase, a.Outcome, a.Delay)
		if a.AfterCall {
			b.WriteString(" after a call")
		}
		b.WriteString("\n")
	}
	for _, p := range s.Parts {
		fmt.Fprintf(b, "  %s", [...]string{"text", "thinking", "input"}[p.Kind])
		from := 0
		for _, c := range p.Cuts {
			fmt.Fprintf(b, " %q", p.Text[from:c.End])
			if c.At >= 0 {
				fmt.Fprintf(b, "@%v", c.At)
			}
			from = c.End
		}
		if from < len(p.Text) {
			fmt.Fprintf(b, " whole %q", p.Text[from:])
		}
		b.WriteString("\n")
	}
	for _, c := range s.Calls {
		fmt.Fprintf(b, "  call %s(%s) %s", c.Tool, c.Args, c.ID)
		if c.ArgsInvalid {
			b.WriteString(" invalid")
		}
		if c.Provider {
			b.WriteString(" provider")
		}
		if c.State != "" {
			fmt.Fprintf(b, " %s", c.State)
		}
		fmt.Fprintf(b, " -> %s", [...]string{"missing", "", "ok ", "error ", "denied "}[c.Result.Status])
		if c.Result.Status != transcript.ResultMissing {
			fmt.Fprintf(b, "%q", c.Result.Text)
		}
		b.WriteString("\n")
	}
}

// TestGolden runs the cases of testdata: a line "===" with a title, input, a
// line "---", and what it must give. UPDATE=1 rewrites the last.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	update := os.Getenv("UPDATE") != ""
	for _, c := range strings.Split(string(data), "=== ")[1:] {
		title, rest, _ := strings.Cut(c, "\n")
		input, want, _ := strings.Cut(rest, "---\n")
		got := dump(input, formats.Options{})
		fmt.Fprintf(&out, "=== %s\n%s---\n%s", title, input, got)
		if got != want && !update {
			t.Errorf("%s: got\n%s\nwant\n%s", title, got, want)
		}
		// Line ends and marks of Windows change nothing.
		windows := "\ufeff" + strings.TrimSuffix(strings.ReplaceAll(input, "\n", "\r\n"), "\r\n")
		if again := dump(windows, formats.Options{}); again != got && !strings.Contains(title, "cut") {
			t.Errorf("%s: with CRLF and BOM\n%s\nwithout\n%s", title, again, got)
		}
	}
	if update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
