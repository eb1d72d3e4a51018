package native

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// session is a decoded session with what was wrong with it.
type session struct {
	Head  *transcript.Session
	Steps []*transcript.Step
	Errs  []string
}

func read(t testing.TB, src string) (list []session, errs []string) {
	t.Helper()
	for u, err := range find(formattest.File(src), formats.Options{MaxRecord: 4 << 20}) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		s := session{Head: u.Session}
		for step, err := range u.Steps() {
			if err != nil {
				s.Errs = append(s.Errs, err.Error())
				continue
			}
			s.Steps = append(s.Steps, step)
		}
		list = append(list, s)
	}
	return list, errs
}

const sample = `{"t":"session","v":1,"sid":"a","agent":"x","started_at":"2026-01-31T07:34:51.681Z","labels":{"trial":0,"reward":1,"success":true}}
{"t":"step","sid":"a","i":0,"turn":1,"kind":"user","text":"fix the test"}
{"t":"attempt","sid":"a","i":1,"n":1,"max":10,"status":529,"error_type":"overloaded_error","headers":{"x-should-retry":"true"},"delay_ms":545,"outcome":"retry"}
{"t":"step","sid":"a","i":1,"turn":1,"kind":"assistant","mid":"m1","text":"Looking.","reasoning":"hm","finish":"tool_calls","usage":{"in":6,"out":1,"cr":37652,"cw":94,"cost":0.0116},"calls":[{"id":"c1","name":"Bash","args":{"b": 1,"a":2},"result":"ok","is_error":false,"dur_ms":812},{"id":"c2","name":"apply_patch","args_raw":"*** Begin","missing":true}]}
{"t":"delta","sid":"a","i":1,"seq":0,"ch":"text","text":"Look","ms":12}
{"t":"delta","sid":"a","i":1,"seq":1,"ch":"text","text":"ing."}
{"t":"end","sid":"a","ended_at":"2026-01-31T07:35:00Z","end":"completed","steps":2,"calls":2}
`

func TestRead(t *testing.T) {
	list, errs := read(t, sample)
	if len(errs) > 0 || len(list) != 1 || len(list[0].Errs) > 0 {
		t.Fatalf("errors %v, sessions %+v", errs, list)
	}
	s := list[0]
	reward, success := 1.0, true
	if diff := cmp.Diff(transcript.Recorded{Trial: "0", Reward: &reward, Success: &success}, s.Head.Recorded); diff != "" {
		t.Error(diff)
	}
	if s.Head.End != transcript.EndCompleted || s.Head.Ended.IsZero() || s.Head.Agent != "x" {
		t.Errorf("head %+v", s.Head)
	}
	want := []*transcript.Step{
		{Kind: transcript.Prompt, Parts: []transcript.Part{{Text: "fix the test"}}, Line: 2},
		{
			ID:       "m1",
			Finish:   transcript.FinishToolCalls,
			Usage:    transcript.Usage{Known: true, Input: 6, Output: 1, CacheRead: 37652, CacheWrite: 94, Cost: 0.0116},
			Attempts: []transcript.Attempt{{N: 1, Max: 10, Status: 529, Type: "overloaded_error", Headers: []transcript.Header{{Name: "x-should-retry", Value: "true"}}, Delay: 545 * time.Millisecond, RetryAfter: -1, Outcome: "retry", Line: 3}},
			Parts: []transcript.Part{
				{Kind: transcript.Thinking, Text: "hm"},
				{Text: "Looking.", Cuts: []transcript.Cut{{End: 4, At: 12 * time.Millisecond}, {End: 8, At: -1}}},
			},
			Calls: []transcript.Call{
				{ID: "c1", Tool: "Bash", Args: `{"b": 1,"a":2}`, Took: 812 * time.Millisecond, Line: 4, Result: transcript.Result{Status: transcript.ResultOK, Text: "ok", Line: 4}},
				{ID: "c2", Tool: "apply_patch", Args: "*** Begin", ArgsInvalid: true, Took: -1, Line: 4},
			},
			Line: 4,
		},
	}
	if diff := cmp.Diff(want, s.Steps); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]transcript.Note{{Text: formats.NoteMissingResult, Line: 4, N: 1}}, s.Head.Notes); diff != "" {
		t.Error(diff)
	}
}

func TestTraps(t *testing.T) {
	step := func(sid string, i int, calls string) string {
		return fmt.Sprintf(`{"t":"step","sid":%q,"i":%d,"kind":"assistant","calls":[%s]}`, sid, i, calls)
	}
	call := `{"id":"c","name":"x","args":{},"result":"r"}`
	for _, tt := range []struct{ name, src, want string }{
		{"interleaved sessions", step("b", 0, call) + "\n" + step("a", 0, call) + "\n" + step("b", 1, call) + "\n", "b: x=1 | x=1; a: x=1"},
		{"no flag is unflagged, flags are flags", step("a", 0, `{"name":"p","result":""},{"name":"q","result":"","is_error":false},{"name":"r","is_error":true},{"name":"s","state":"denied","is_error":true},{"name":"t","result":"","is_error":null},{"name":"u","state":"cancelled","result":"x"}`), "a: p=1 q=2 r=3 s=4 t=1 u=5"},
		{"late result", step("a", 0, `{"id":"c","name":"x"}`) + "\n" + step("a", 1, call) + "\n" + `{"t":"result","sid":"a","id":"c","result":"late","is_error":true}`, "a: x=3 | x=1"},
		{"orphan result", `{"t":"result","sid":"a","id":"zz","result":"late"}` + "\n" + step("a", 0, call), "a: x=1 (results without a recorded call 1)"},
		{"a prompt ends the wait", step("a", 0, `{"id":"c","name":"x"}`) + "\n" + `{"t":"step","sid":"a","i":1,"kind":"user","text":"go"}`, "a: x=0 | user (calls without a recorded result 1)"},
		{"cut last line", step("a", 0, call) + "\n" + `{"t":"step","sid":"a","i":1,"kind":"assi`, "a: x=1 (the last line is cut off 1)"},
		{"bad line in the middle", step("a", 0, call) + "\n{oops}\n" + step("a", 1, call), `a: x=1 | x=1 !f:2: not valid JSON at byte 2: invalid character 'o' at start of string (expecting '"')`},
		{"unknown kind", `{"t":"step","sid":"a","kind":"robot"}`, `a: !f:1: step of kind "robot": expected assistant, user, system, compaction or note`},
		{"wrong type", `{"t":"step","sid":"a","kind":"user","text":5}`, "a: !f:1: field text: expected a string, found number"},
		{"no sid", `{"t":"step","kind":"user"}`, `!f:1: no "sid": every line of transcript/1 names its session`},
		{"newer version", `{"t":"session","v":2,"sid":"a"}`, "a: !f:1: transcript version 2: this build reads version 1"},
		{"unknown kinds and keys are ignored", `{"t":"future","sid":"a","x":1}` + "\n" + step("a", 0, call), "a: x=1"},
		{"t not first", `{"sid":"a","kind":"user","t":"step"}`, "a: user"},
		{"glued records", step("a", 0, call) + step("a", 1, call), "a: x=1 | x=1"},
		{"CRLF, blank lines, mark", "\ufeff" + step("a", 0, call) + "\r\n\r\n" + step("a", 1, call) + "\r\n", "a: x=1 | x=1"},
		{"synthetic user is an injection", `{"t":"step","sid":"a","kind":"user","text":"x","flags":["synthetic"]}`, "a: injection"},
		{"attempts without a response", `{"t":"attempt","sid":"a","i":0,"status":500}`, "a: synthetic(500)"},
		{"long line", `{"t":"step","sid":"a","i":0,"kind":"user"}` + "\n" + `{"t":"step","sid":"a","text":"` + strings.Repeat("x", 5<<20) + `"}` + "\n" + step("a", 1, call), "a: user | x=1 (records over the size limit were skipped 1) !f:2: the record is over the size limit; --max-record raises it"},
		{"2 MB line", `{"t":"step","sid":"a","kind":"user","text":"` + strings.Repeat("x", 2<<20) + `"}`, "a: user"},
		{"too deep", `{"t":"step","sid":"a","x":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + "}\n" + step("a", 1, call), "a: x=1 !f:1: not valid JSON at byte 10026: exceeded max depth"},
		{"delta beyond the text", `{"t":"step","sid":"a","i":0,"kind":"assistant","text":"ab"}` + "\n" + `{"t":"delta","sid":"a","i":0,"ch":"text","text":"abc"}`, "a: step !f:2: delta 0 goes beyond the text of its step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, errs := read(t, tt.src)
			var out []string
			for _, s := range list {
				out = append(out, s.dump())
			}
			for _, e := range errs {
				out = append(out, "!"+e)
			}
			if got := strings.Join(out, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func (s *session) dump() string {
	var steps []string
	for _, st := range s.Steps {
		var w []string
		for _, c := range st.Calls {
			w = append(w, fmt.Sprintf("%s=%d", c.Tool, c.Result.Status))
		}
		switch {
		case st.Kind == transcript.Prompt:
			w = append(w, "user")
		case st.Kind == transcript.Injection:
			w = append(w, "injection")
		case st.Has(transcript.Synthetic):
			w = append(w, fmt.Sprintf("synthetic(%d)", st.Attempts[0].Status))
		case len(w) == 0:
			w = append(w, "step")
		}
		steps = append(steps, strings.Join(w, " "))
	}
	out := s.Head.ID + ": " + strings.Join(steps, " | ")
	for _, n := range s.Head.Notes {
		out += fmt.Sprintf(" (%s %d)", n.Text, n.N)
	}
	for _, e := range s.Errs {
		out = strings.TrimSuffix(out, " ") + " !" + e
	}
	return out
}

// write is the canonical form of sessions.
func write(t testing.TB, list []session) string {
	t.Helper()
	var buf bytes.Buffer
	w := newWriter(&buf)
	for _, s := range list {
		if err := w.Begin(s.Head); err != nil {
			t.Fatal(err)
		}
		for _, st := range s.Steps {
			if err := w.Step(st); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(s.Head); err != nil {
			t.Fatal(err)
		}
	}
	return buf.String()
}

func TestWriteIsWhatWasRead(t *testing.T) {
	src := sample + `{"t":"step","sid":"b","kind":"assistant","parts":[{"ch":"text","text":"a"},{"ch":"args","text":"{}","call":0},{"ch":"text","text":"\ud83d"}],"calls":[{"id":"c","name":"n\ud800","args":{ "k" : "\u2028" },"result":"\udfff\u0000","signals":{"result_sig":"s","read_only":true},"exit_code":2,"media":[{"mime":"image/png","bytes":7,"sha256":"00"}]}]}` + "\n"
	list, _ := read(t, src)
	if got := list[1].Steps[0].Parts[2].Text; got != "\xed\xa0\xbd" {
		t.Errorf("a lone surrogate is read as %q", got)
	}
	once := write(t, list)
	again, errs := read(t, once)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff(list, again, ignoreLines); diff != "" {
		t.Error(diff)
	}
	if twice := write(t, again); twice != once {
		t.Errorf("written again it differs:\n%s\n%s", once, twice)
	}
}

// ignoreLines: positions in the source change when a session is written anew.
var ignoreLines = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" || p.Last().String() == ".Origin" }, cmp.Ignore())

func TestLabelledSessions(t *testing.T) {
	files := &formats.Files{
		Paths:   []string{formattest.Shared(t, "labelled", "sessions.jsonl.gz")},
		Formats: []*formats.Format{Format},
	}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	calls := 0
	for _, u := range found.Units {
		for step, err := range u.Read() {
			if err != nil {
				t.Fatal(err)
			}
			calls += len(step.Calls)
		}
	}
	if len(found.Units) != 74 || calls != 4262 {
		t.Errorf("%d sessions with %d calls, want 74 with 4262", len(found.Units), calls)
	}
}

func FuzzSteps(f *testing.F) {
	for line := range strings.Lines(sample) {
		f.Add(line)
	}
	f.Add(sample)
	f.Fuzz(func(t *testing.T, src string) {
		formattest.Check(t, Format, src, formats.Options{})
		list, _ := read(t, src)
		once := write(t, list)
		again, _ := read(t, once)
		if twice := write(t, again); twice != once {
			t.Errorf("written again it differs:\n%q\n%q", once, twice)
		}
	})
}
