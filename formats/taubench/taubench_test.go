package taubench_test

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/taubench"
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
// step, call or error is one line below it.
func dump(text string, o formats.Options) string {
	var b strings.Builder
	for u, err := range taubench.Format.Find(file(text), o) {
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
		fmt.Fprintf(&b, "%s\n%s", dumpSession(u.Session), steps)
		for _, n := range u.Session.Notes {
			fmt.Fprintf(&b, "  note %d: %s x%d\n", n.Line, n.Text, n.N)
		}
	}
	return b.String()
}

// dumpSession hides the hash in the id; what it is made of is tested elsewhere.
func dumpSession(s *transcript.Session) string {
	id := s.ID
	if i := strings.LastIndex(id, ":"); len(id)-i == 13 {
		id = id[:i] + ":#"
	}
	id += fmt.Sprintf(" task=%s trial=%s", s.Recorded.Task, s.Recorded.Trial)
	if r := s.Recorded.Reward; r != nil {
		id += fmt.Sprintf(" reward=%v success=%v", *r, *s.Recorded.Success)
	}
	if s.End != "" {
		id += " end=" + string(s.End)
	}
	return id
}

func dumpStep(b *strings.Builder, s *transcript.Step) {
	kinds := [...]string{"response", "prompt", "injection", "compaction", "system"}
	fmt.Fprintf(b, "  %d %s", s.Line, kinds[s.Kind])
	for _, p := range s.Parts {
		fmt.Fprintf(b, " %q", p.Text)
	}
	if s.Has(transcript.ErrorInferred) {
		b.WriteString(" inferred")
	}
	b.WriteString("\n")
	for i := range s.Calls {
		c := &s.Calls[i]
		fmt.Fprintf(b, "    %s(%s)", c.Tool, c.Args)
		if c.ID != "" {
			b.WriteString(" " + c.ID)
		}
		if c.ArgsInvalid {
			b.WriteString(" invalid")
		}
		r := &c.Result
		fmt.Fprintf(b, " -> %s", [...]string{"missing", "unflagged", "ok", "error", "denied"}[r.Status])
		if r.Status != transcript.ResultMissing {
			fmt.Fprintf(b, " %q @%d", r.Text, r.Line)
		}
		b.WriteString("\n")
	}
}

// A result is one object around messages, which are the cases of most tests.
func result(messages string) string {
	return `{"task_id":7,"reward":0.0,"info":{"task":{},"reward_info":null},"traj":[` + messages + `],"trial":0}`
}

func TestMessages(t *testing.T) {
	tests := []struct{ name, messages, want string }{
		{"a conversation", `{"role":"system","content":"policy"},{"role":"user","content":"hi"},{"content":"hello","role":"assistant"},{"role":"user","content":"###STOP###"}`, `
  1 system "policy"
  1 prompt "hi"
  1 response "hello"
  1 prompt "###STOP###"
`},
		{"a call and its result", `{"role":"user","content":"hi"},{"content":null,"role":"assistant","function_call":null,"tool_calls":[{"function":{"arguments":"{\"id\": \"a\"}","name":"get"},"id":"call_1","type":"function"}]},{"role":"tool","tool_call_id":"call_1","name":"get","content":"{\"x\": 1}"},{"content":"so","role":"assistant","tool_calls":null}`, `
  1 prompt "hi"
  1 response inferred
    get({"id": "a"}) call_1 -> ok "{\"x\": 1}" @1
  1 response "so"
`},
		{"a legacy call", `{"content":null,"role":"assistant","function_call":{"arguments":"{}","name":"get"}},{"role":"function","name":"get","content":"Error: no"}`, `
  1 response inferred
    get({}) -> error "Error: no" @1
`},
		{"what is an error", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}},{"id":"2","function":{"name":"b","arguments":"{}"}},{"id":"3","function":{"name":"c","arguments":"{}"}},{"id":"4","function":{"name":"d","arguments":"{}"}},{"id":"5","function":{"name":"e","arguments":"{}"}},{"id":"6","function":{"name":"f","arguments":""}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"Error: user not found"},{"role":"tool","tool_call_id":"2","content":"no Error: here"},{"role":"tool","tool_call_id":"3","content":"Errors"},{"role":"tool","tool_call_id":"4","content":""},{"role":"tool","tool_call_id":"5","content":"Unknown action e"},{"role":"tool","tool_call_id":"6","content":"Unknown action e"}`, `
  1 response inferred
    a({}) 1 -> error "Error: user not found" @1
    b({}) 2 -> ok "no Error: here" @1
    c({}) 3 -> ok "Errors" @1
    d({}) 4 -> ok "" @1
    e({}) 5 -> error "Unknown action e" @1
    f() 6 invalid -> ok "Unknown action e" @1
`},
		{"a flag of its own is no guess", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"Error: x","is_error":false}`, `
  1 response
    a({}) 1 -> ok "Error: x" @1
`},
		{"a missing result is no good result", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"user","content":"well?"}`, `
  1 response
    a({}) 1 -> missing
  1 prompt "well?"
  note 1: calls without a recorded result x1
`},
		{"a result without a call", `{"role":"tool","tool_call_id":"1","content":"x"},{"role":"user","content":"well?"}`, `
  1 prompt "well?"
  note 1: results without a recorded call x1
`},
		{"ids that come again", `{"role":"assistant","tool_calls":[{"id":"0","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"0","content":"x"},{"role":"assistant","tool_calls":[{"id":"0","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"0","content":"y"}`, `
  1 response inferred
    a({}) 0 -> ok "x" @1
  1 response inferred
    a({}) 0 -> ok "y" @1
`},
		{"no message", `7,{"role":"user","content":"hi"}`, `
  ! f:1: expected a message, found number
  1 prompt "hi"
`},
		{"text actions", `{"role":"system","content":"Action:\n{\"name\": <The name of the action>}"},{"role":"user","content":"hi"},{"role":"assistant","content":"Thought:\nlook\nAction:\n{\"name\": \"get\", \"arguments\": {\"id\": 1.0}}"},{"role":"user","content":"API output: Error: no"},` +
			`{"role":"assistant","content":"{\"name\": \"get\", \"arguments\": {}}"},{"role":"user","content":"API output: {}"},{"role":"assistant","content":"Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"there\"}}"},{"role":"user","content":"thanks"},{"role":"assistant","content":"Action: {\"name\": \"nope\", \"arguments\": {}}"},{"role":"user","content":"API output: Unknown action nope"}`, `
  1 system "Action:\n{\"name\": <The name of the action>}"
  1 prompt "hi"
  1 response "Thought:\nlook\nAction:\n{\"name\": \"get\", \"arguments\": {\"id\": 1.0}}" inferred
    get({"id": 1.0}) -> error "Error: no" @1
  1 response "{\"name\": \"get\", \"arguments\": {}}" inferred
    get({}) -> ok "{}" @1
  1 response "Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"there\"}}"
  1 prompt "thanks"
  1 response "Action: {\"name\": \"nope\", \"arguments\": {}}" inferred
    nope({}) -> error "Unknown action nope" @1
`},
		{"text actions without results", `{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}}"},{"role":"user","content":"hm"},{"role":"assistant","content":"Action: {\"name\": \"b\", \"arguments\": {}}"}`, `
  1 response "Action: {\"name\": \"a\", \"arguments\": {}}"
    a({}) -> missing
  1 prompt "hm"
  1 response "Action: {\"name\": \"b\", \"arguments\": {}}"
    b({}) -> missing
  note 1: calls without a recorded result x2
`},
		{"text actions whose results come from a tool", `{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}}"},{"role":"tool","name":"a","content":"API output: x"},{"content":"API output: y","role":"tool"}`, `
  1 response "Action: {\"name\": \"a\", \"arguments\": {}}" inferred
    a({}) -> ok "x" @1
  1 prompt "API output: y"
`},
		{"texts that are no actions", `{"role":"assistant","content":"{\"name\": \"a\", \"arguments\": {}}"},{"role":"user","content":"API output: x"},{"role":"assistant","content":"Action: go on"},{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}} and more"},{"role":"assistant","content":"Action: {\"name\": 1, \"arguments\": {}}"},{"role":"assistant","content":"Action: {\"name\": \"a\"}"},{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}} Action: none"}`, `
  1 response "{\"name\": \"a\", \"arguments\": {}}"
  1 prompt "API output: x"
  1 response "Action: go on"
  1 response "Action: {\"name\": \"a\", \"arguments\": {}} and more"
  1 response "Action: {\"name\": 1, \"arguments\": {}}"
  1 response "Action: {\"name\": \"a\"}"
  1 response "Action: {\"name\": \"a\", \"arguments\": {}} Action: none"
`},
		{"texts are only texts where there are calls", `{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}}"},{"role":"user","content":"API output: x"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"API output: Error: x"}`, `
  1 response "Action: {\"name\": \"a\", \"arguments\": {}}"
  1 prompt "API output: x"
  1 response inferred
    a({}) 1 -> error "API output: Error: x" @1
`},
		{"lone surrogates and numbers in texts stay", `{"role":"user","content":"a\ud83d NaN"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"x\": NaN, \"n\": 12345678901234567890}"}}]}`, `
  1 prompt "a\xed\xa0\xbd NaN"
  1 response
    a({"x": NaN, "n": 12345678901234567890}) 1 invalid -> missing
  note 1: texts with invalid UTF-8 or lone surrogates, kept as they are x1
  note 1: calls without a recorded result x1
`},
	}
	for _, tt := range tests {
		got := dump("["+result(tt.messages)+"]", formats.Options{})
		want := "tau-bench:7/0:# task=7 trial=0 reward=0 success=false" + tt.want
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

// TestRecorded: what stands around the messages, whatever its order and types.
func TestRecorded(t *testing.T) {
	const traj = `"traj":[{"role":"user","content":"hi"}]`
	const prompt = "\n  1 prompt \"hi\"\n"
	tests := []struct{ in, want string }{
		{`{"task_id":3,"reward":1.0,"info":{"reward_info":{"reward":1.0}},` + traj + `,"trial":2}`, "tau-bench:3/2:# task=3 trial=2 reward=1 success=true end=completed" + prompt},
		{`{` + traj + `,"trial":"b","task_id":"a/c","reward":1}`, "tau-bench:a/c/b:# task=a/c trial=b reward=1 success=true" + prompt},
		{`{"task_id":3,"reward":0.93,` + traj + `}`, "tau-bench:3:# task=3 trial= reward=0.93 success=false" + prompt},
		{`{"task_id":3,"reward":0.9999999999,` + traj + `}`, "tau-bench:3:# task=3 trial= reward=0.9999999999 success=true" + prompt},
		{`{"task_id":null,"reward":"1","info":[],"trial":{},` + traj + `}`, "tau-bench:# task= trial=" + prompt},
		{`{"task_id":3,"reward":NaN,"info":{"user_cost":-Infinity,"x":[Infinity,NaN]},` + traj + `,"trial":0}`, "tau-bench:3/0:# task=3 trial=0" + prompt + "  note 1: NaN and infinite numbers, read as null x4\n"},
		{`{"task_id":3,"reward":0,"info":{},"traj":[{"role":"user","content":NaN},{"role":"user","content":"NaN"}],"trial":0}`, "tau-bench:3/0:# task=3 trial=0 reward=0 success=false\n  1 prompt\n  1 prompt \"NaN\"\n  note 1: NaN and infinite numbers, read as null x1\n"},
		{`{"task_id":3,"reward":0.0,"info":{"error":"rate limit","traceback":"..."},"traj":[],"trial":0}`, "tau-bench:3/0:# task=3 trial=0 reward=0 success=false end=error\n  note 1: the run broke off with an error and kept no messages x1\n"},
		{`{"task_id":3,"task_id":4,` + traj + `,"traj":[{"role":"user","content":"other"}]}`, "tau-bench:4:# task=4 trial=" + prompt},
	}
	for _, tt := range tests {
		if got := dump(tt.in, formats.Options{}); got != tt.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", tt.in, got, tt.want)
		}
	}
}
