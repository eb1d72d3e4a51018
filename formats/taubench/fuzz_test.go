package taubench_test

import (
	"errors"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/taubench"
	"groundhog/replay/transcript"
)

// FuzzSteps feeds bytes to both passes. Whatever they are: nothing panics,
// every error is one of syntax, a result stands once and after its call, a
// second reading gives what the first gave, and a reading can be given up.
func FuzzSteps(f *testing.F) {
	call := `{"role":"assistant","content":"Action: {\"name\":\"a\",\"arguments\":{}}"},{"role":"user","content":"API output: Error: x"}`
	tool := `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","name":"a","content":"x"}`
	for _, text := range []string{
		"[" + one(1) + ",\n" + result(call) + ",\n" + result(tool) + "]",
		one(1) + "\n" + `{"task_id":1,"traj":[` + "\r\n" + one(2),
		`[{"task_id":2,"reward":-Infinity,"info":{"error":"e","reward_info":{}},"traj":[{"role":"tool","content":"API output: NaN"}],"trial":NaN}]`,
		result(strings.ReplaceAll(call, "user", "tool")),
		`{"task_id":2,"traj":[{"role":"user"],"trial":0}` + one(3),
		`{"task_id":2,"traj":[{"role":"user},` + one(3) + "]",
	} {
		f.Add([]byte(text), uint16(0))
		f.Add([]byte(text[:len(text)*2/3]), uint16(100))
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
		for u, err := range taubench.Format.Find(file(text), o) {
			if err != nil {
				syntax(err)
				continue
			}
			if !strings.HasPrefix(u.Session.ID, "tau-bench:") || u.Size <= 0 || u.Size > int64(len(text)) {
				t.Errorf("session %q of %d bytes", u.Session.ID, u.Size)
			}
			checkSteps(t, u, syntax)
			for range u.Steps() {
				break
			}
		}
		if dump(text, o) != dump(text, o) {
			t.Error("two readings differ")
		}
		for range taubench.Format.Find(file(text), o) {
			break
		}
	})
}

func checkSteps(t *testing.T, u *formats.Unit, syntax func(error)) {
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
		inferred := false
		for i := range s.Calls {
			switch r := &s.Calls[i].Result; r.Status {
			case transcript.ResultMissing:
				if r.Text != "" || r.Line != 0 {
					t.Errorf("missing result with text %q", r.Text)
				}
			case transcript.ResultUnflagged:
				t.Error("a result that nothing was said about")
			default:
				results++
				inferred = true
				if r.Line < s.Calls[i].Line {
					t.Errorf("result on line %d, call on line %d", r.Line, s.Calls[i].Line)
				}
			}
		}
		if s.Has(transcript.ErrorInferred) && !inferred {
			t.Error("inferred without a result")
		}
	}
	if records+results > u.Records {
		t.Errorf("%d steps and %d results from %d records", records, results, u.Records)
	}
}
