package openai_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/openai"
	"groundhog/replay/transcript"
)

// FuzzSteps feeds bytes to both passes. Whatever they are: nothing panics,
// every error is one of syntax, a result stands once and after its call, a
// second reading gives what the first gave, and a reading can be given up.
func FuzzSteps(f *testing.F) {
	data, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(data), "=== ")[1:] {
		_, rest, _ := strings.Cut(c, "\n")
		input, _, _ := strings.Cut(rest, "---\n")
		f.Add([]byte(input), uint16(0))
		f.Add([]byte(input[:len(input)*2/3]), uint16(100))
	}
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		text, o := string(data), formats.Options{MaxRecord: int64(limit)}
		syntax := func(err error) {
			var s *formats.SyntaxError
			if !errors.As(err, &s) {
				t.Errorf("not a syntax error: %v", err)
			} else if s.Line < 1 || s.Line > strings.Count(text, "\n")+1 {
				t.Errorf("line %d: %v", s.Line, err)
			}
		}
		for u, err := range openai.Format.Find(file(text), o) {
			if err != nil {
				syntax(err)
				continue
			}
			if u.Session.ID == "" || u.Size <= 0 || u.Size > int64(len(text)) {
				t.Errorf("session %q of %d bytes", u.Session.ID, u.Size)
			}
			records, results := 0, 0
			for s, err := range u.Steps() {
				if err != nil {
					syntax(err)
					continue
				}
				records++
				if len(s.Calls) > 0 && s.Kind != transcript.Response {
					t.Errorf("step of kind %d with calls", s.Kind)
				}
				for i := range s.Calls {
					if r := &s.Calls[i].Result; r.Status != transcript.ResultMissing {
						results++
						if r.Line < s.Calls[i].Line {
							t.Errorf("result on line %d, call on line %d", r.Line, s.Calls[i].Line)
						}
					} else if r.Text != "" || r.Line != 0 {
						t.Errorf("missing result with text %q", r.Text)
					}
				}
			}
			if records+results > u.Records {
				t.Errorf("%d steps and %d results from %d records", records, results, u.Records)
			}
			for range u.Steps() {
				break
			}
		}
		if dump(text, o) != dump(text, o) {
			t.Error("two readings differ")
		}
		for range openai.Format.Find(file(text), o) {
			break
		}
	})
}
