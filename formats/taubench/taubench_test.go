package taubench_test

import (
	"regexp"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/taubench"
)

func FuzzSteps(f *testing.F) {
	call := `{"role":"assistant","content":"Action: {\"name\":\"a\",\"arguments\":{}}"},{"role":"user","content":"API output: Error: x"}`
	tool := `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","name":"a","content":"x"}`
	formattest.Fuzz(f, taubench.Format,
		"["+task(1)+",\n"+result(call)+",\n"+result(tool)+"]",
		task(1)+"\n"+`{"task_id":1,"traj":[`+"\r\n"+task(2),
		`[{"task_id":2,"reward":-Infinity,"info":{"error":"e","reward_info":{}},"traj":[{"role":"tool","content":"API output: NaN"}],"trial":NaN}]`,
		result(strings.ReplaceAll(call, "user", "tool")),
		`{"task_id":2,"traj":[{"role":"user"],"trial":0}`+task(3),
		`{"task_id":2,"traj":[{"role":"user},`+task(3)+"]")
}

func TestFound(t *testing.T) {
	formattest.Found(t, catalog.All, taubench.Format, "["+result(`{"role":"user","content":"hi"}`)+",\n"+task(2)+"]")
}

func TestBroken(t *testing.T) {
	formattest.Broken(t, taubench.Format, "["+task(1)+",\n"+task(2)+",\n"+task(3)+"]\n")
}

// counted is a part of the session's line that most tests have no use for.
var counted = regexp.MustCompile(` records=\d+`)

func dump(text string, o formats.Options) string {
	return counted.ReplaceAllString(formattest.Dump(taubench.Format, text, o), "")
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
  1 response +inferred
    1 call call_1 get {"id": "a"} -> ok "{\"x\": 1}"
  1 response "so"
`},
		{"a legacy call", `{"content":null,"role":"assistant","function_call":{"arguments":"{}","name":"get"}},{"role":"function","name":"get","content":"Error: no"}`, `
  1 response +inferred
    1 call get {} -> error "Error: no"
`},
		{"what is an error", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}},{"id":"2","function":{"name":"b","arguments":"{}"}},{"id":"3","function":{"name":"c","arguments":"{}"}},{"id":"4","function":{"name":"d","arguments":"{}"}},{"id":"5","function":{"name":"e","arguments":"{}"}},{"id":"6","function":{"name":"f","arguments":""}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"Error: user not found"},{"role":"tool","tool_call_id":"2","content":"no Error: here"},{"role":"tool","tool_call_id":"3","content":"Errors"},{"role":"tool","tool_call_id":"4","content":""},{"role":"tool","tool_call_id":"5","content":"Unknown action e"},{"role":"tool","tool_call_id":"6","content":"Unknown action e"}`, `
  1 response +inferred
    1 call 1 a {} -> error "Error: user not found"
    1 call 2 b {} -> ok "no Error: here"
    1 call 3 c {} -> ok "Errors"
    1 call 4 d {} -> ok ""
    1 call 5 e {} -> error "Unknown action e"
    1 call 6 f invalid -> ok "Unknown action e"
`},
		{"a flag of its own is no guess", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"Error: x","is_error":false}`, `
  1 response
    1 call 1 a {} -> ok "Error: x"
`},
		{"a missing result is no good result", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"user","content":"well?"}`, `
  1 response
    1 call 1 a {} -> missing
  1 prompt "well?"
  note 1: calls without a recorded result x1
`},
		{"a result without a call", `{"role":"tool","tool_call_id":"1","content":"x"},{"role":"user","content":"well?"}`, `
  1 prompt "well?"
  note 1: results without a recorded call x1
`},
		{"ids that come again", `{"role":"assistant","tool_calls":[{"id":"0","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"0","content":"x"},{"role":"assistant","tool_calls":[{"id":"0","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"0","content":"y"}`, `
  1 response +inferred
    1 call 0 a {} -> ok "x"
  1 response +inferred
    1 call 0 a {} -> ok "y"
`},
		{"no message", `7,{"role":"user","content":"hi"}`, `
  ! f:1: expected a message, found number
  1 prompt "hi"
`},
		{"text actions", `{"role":"system","content":"Action:\n{\"name\": <The name of the action>}"},{"role":"user","content":"hi"},{"role":"assistant","content":"Thought:\nlook\nAction:\n{\"name\": \"get\", \"arguments\": {\"id\": 1.0}}"},{"role":"user","content":"API output: Error: no"},` +
			`{"role":"assistant","content":"{\"name\": \"get\", \"arguments\": {}}"},{"role":"user","content":"API output: {}"},{"role":"assistant","content":"Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"there\"}}"},{"role":"user","content":"thanks"},{"role":"assistant","content":"Action: {\"name\": \"nope\", \"arguments\": {}}"},{"role":"user","content":"API output: Unknown action nope"}`, `
  1 system "Action:\n{\"name\": <The name of the action>}"
  1 prompt "hi"
  1 response +inferred "Thought:\nlook\nAction:\n{\"name\": \"get\", \"arguments\": {\"id\": 1.0}}"
    1 call get {"id": 1.0} -> error "Error: no"
  1 response +inferred "{\"name\": \"get\", \"arguments\": {}}"
    1 call get {} -> ok "{}"
  1 response "Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"there\"}}"
  1 prompt "thanks"
  1 response +inferred "Action: {\"name\": \"nope\", \"arguments\": {}}"
    1 call nope {} -> error "Unknown action nope"
`},
		{"text actions without results", `{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}}"},{"role":"user","content":"hm"},{"role":"assistant","content":"Action: {\"name\": \"b\", \"arguments\": {}}"}`, `
  1 response "Action: {\"name\": \"a\", \"arguments\": {}}"
    1 call a {} -> missing
  1 prompt "hm"
  1 response "Action: {\"name\": \"b\", \"arguments\": {}}"
    1 call b {} -> missing
  note 1: calls without a recorded result x2
`},
		{"text actions whose results come from a tool", `{"role":"assistant","content":"Action: {\"name\": \"a\", \"arguments\": {}}"},{"role":"tool","name":"a","content":"API output: x"},{"content":"API output: y","role":"tool"}`, `
  1 response +inferred "Action: {\"name\": \"a\", \"arguments\": {}}"
    1 call a {} -> ok "x"
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
  1 response +inferred
    1 call 1 a {} -> error "API output: Error: x"
`},
		{"lone surrogates and numbers in texts stay", `{"role":"user","content":"a\ud83d NaN"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"x\": NaN, \"n\": 12345678901234567890}"}}]}`, `
  1 prompt "a\xed\xa0\xbd NaN"
  1 response
    1 call 1 a {"x": NaN, "n": 12345678901234567890} invalid -> missing
  note 1: texts with invalid UTF-8 or lone surrogates, kept as they are x1
  note 1: calls without a recorded result x1
`},
	}
	for _, tt := range tests {
		got := dump("["+result(tt.messages)+"]", formats.Options{})
		want := "session tau-bench:7/0:# task=7 trial=0 reward=0 success=false" + tt.want
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
		{`{"task_id":3,"reward":1.0,"info":{"reward_info":{"reward":1.0}},` + traj + `,"trial":2}`, "session tau-bench:3/2:# task=3 trial=2 reward=1 success=true" + prompt + "  end completed\n"},
		{`{` + traj + `,"trial":"b","task_id":"a/c","reward":1}`, "session tau-bench:a/c/b:# task=a/c trial=b reward=1 success=true" + prompt},
		{`{"task_id":3,"reward":0.93,` + traj + `}`, "session tau-bench:3:# task=3 reward=0.93 success=false" + prompt},
		{`{"task_id":3,"reward":0.9999999999,` + traj + `}`, "session tau-bench:3:# task=3 reward=0.9999999999 success=true" + prompt},
		{`{"task_id":null,"reward":"1","info":[],"trial":{},` + traj + `}`, "session tau-bench:#" + prompt},
		{`{"task_id":3,"reward":NaN,"info":{"user_cost":-Infinity,"x":[Infinity,NaN]},` + traj + `,"trial":0}`, "session tau-bench:3/0:# task=3 trial=0" + prompt + "  note 1: NaN and infinite numbers, read as null x4\n"},
		{`{"task_id":3,"reward":0,"info":{},"traj":[{"role":"user","content":NaN},{"role":"user","content":"NaN"}],"trial":0}`, "session tau-bench:3/0:# task=3 trial=0 reward=0 success=false\n  1 prompt\n  1 prompt \"NaN\"\n  note 1: NaN and infinite numbers, read as null x1\n"},
		{`{"task_id":3,"reward":0.0,"info":{"error":"rate limit","traceback":"..."},"traj":[],"trial":0}`, "session tau-bench:3/0:# task=3 trial=0 reward=0 success=false\n  end error\n  note 1: the run broke off with an error and kept no messages x1\n"},
		{`{"task_id":3,"task_id":4,` + traj + `,"traj":[{"role":"user","content":"other"}]}`, "session tau-bench:4:# task=4" + prompt},
	}
	for _, tt := range tests {
		if got := dump(tt.in, formats.Options{}); got != tt.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", tt.in, got, tt.want)
		}
	}
}
