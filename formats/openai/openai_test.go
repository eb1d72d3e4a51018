package openai_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/openai"
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

// dump reads a file to its end. A session is its id and what was recorded, a
// step or an error is one line below it.
func dump(text string, o formats.Options) string {
	var b strings.Builder
	for u, err := range openai.Format.Find(file(text), o) {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			continue
		}
		steps := &strings.Builder{}
		for s, err := range u.Steps() {
			if err != nil {
				fmt.Fprintf(steps, "  ! %v\n", err)
				continue
			}
			dumpStep(steps, s)
		}
		fmt.Fprintf(&b, "session %s%s\n%s", mask(u.Session.ID), dumpSession(u.Session), steps)
		for _, n := range u.Session.Notes {
			fmt.Fprintf(&b, "  note %d: %s x%d\n", n.Line, n.Text, n.N)
		}
	}
	return b.String()
}

// mask hides a hash; that it is stable is tested elsewhere.
func mask(id string) string {
	if kind, hash, ok := strings.Cut(id, ":"); ok && len(hash) == 16 {
		return kind + ":#"
	}
	return id
}

func dumpSession(s *transcript.Session) string {
	var b strings.Builder
	put := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	put("model", s.Model)
	if !s.Started.IsZero() {
		put("started", s.Started.Format("2006-01-02T15:04:05.999999Z07:00"))
	}
	put("task", s.Recorded.Task)
	put("set", s.Recorded.TaskSet)
	put("trial", s.Recorded.Trial)
	if r := s.Recorded.Reward; r != nil {
		put("reward", fmt.Sprint(*r))
	}
	if ok := s.Recorded.Success; ok != nil {
		put("success", fmt.Sprint(*ok))
	}
	put("exit", s.Recorded.ExitStatus)
	put("end", string(s.End))
	return b.String()
}

func dumpStep(b *strings.Builder, s *transcript.Step) {
	kinds := [...]string{"response", "prompt", "injection", "compaction", "system"}
	fmt.Fprintf(b, "  %d %s", s.Line, kinds[s.Kind])
	if s.ID != "" {
		fmt.Fprintf(b, " id=%s", mask(s.ID))
	}
	if s.Model != "" {
		fmt.Fprintf(b, " model=%s", s.Model)
	}
	for _, p := range s.Parts {
		if p.Kind == transcript.Thinking {
			b.WriteString(" thinking")
		}
		fmt.Fprintf(b, " %q", p.Text)
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		fmt.Fprintf(b, "\n      %s(%s)", c.Tool, c.Args)
		if c.ID != "" {
			fmt.Fprintf(b, " %s", c.ID)
		}
		if c.ArgsInvalid {
			b.WriteString(" invalid")
		}
		r := &c.Result
		fmt.Fprintf(b, " -> %s", [...]string{"missing", "", "ok ", "error ", "denied "}[r.Status])
		if r.Status != transcript.ResultMissing {
			fmt.Fprintf(b, "%q @%d", r.Text, r.Line)
		}
		for _, m := range r.Media {
			fmt.Fprintf(b, " %s %d %.8s", m.MIME, m.Bytes, m.SHA256)
		}
	}
	if s.Finish != "" || s.FinishRaw != "" {
		fmt.Fprintf(b, " finish=%s/%s", s.Finish, s.FinishRaw)
	}
	if u := s.Usage; u.Known {
		fmt.Fprintf(b, " usage=%d+%d/%d cache=%d,%d cost=%v", u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite, u.Cost)
	}
	b.WriteString("\n")
}

// TestGolden runs the cases of testdata/golden.txt: a line "===" with a title,
// input, a line "---", and what it must give. UPDATE=1 rewrites the last.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(data), "=== ")[1:]
	update := os.Getenv("UPDATE") != ""
	var out strings.Builder
	for _, c := range cases {
		title, rest, _ := strings.Cut(c, "\n")
		input, want, _ := strings.Cut(rest, "---\n")
		got := dump(input, formats.Options{})
		fmt.Fprintf(&out, "=== %s\n%s---\n%s", title, input, got)
		if got != want && !update {
			t.Errorf("%s: got\n%s\nwant\n%s", title, got, want)
		}
	}
	if update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
