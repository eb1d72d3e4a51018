package kocoro

import (
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

func TestChanges(t *testing.T) {
	changes := Changes(detectors.Settings{"kocoro.tool_names": "run_shell=bash"})
	for _, c := range []struct {
		tool, args string
		want       bool
	}{
		{"file_read", `{"path":"a"}`, false},
		{"Read", `{"file_path":"a"}`, false},
		{"file_write", `{"path":"a"}`, true},
		{"Bash", `{"command":"ls"}`, false},
		{"Bash", `{"command":"rm a"}`, true},
		{"run_shell", `{"command":"git log"}`, false},
		{"run_shell", `{"command":"make"}`, true},
		{"WebFetch", `{"url":"https://a.example"}`, false},
		{"mcp__db__list_rows", `{}`, false},
		{"mcp__db__delete_rows", `{}`, true},
		{"get_user_details", `{"id":1}`, false},
		{"cancel_order", `{"id":1}`, true},
		{"get_access_token", `{}`, true}, // a getter that hands something out
	} {
		if _, got := changes(&transcript.Call{Tool: c.tool, Args: c.args}); got != c.want {
			t.Errorf("%s %s changes something: %v", c.tool, c.args, got)
		}
	}
	id := func(tool, args string) uint64 {
		n, _ := changes(&transcript.Call{Tool: tool, Args: args})
		return n
	}
	if id("Write", `{"a":1,"b":2}`) != id("file_write", ` {"b":2, "a":1}`) {
		t.Error("the same write under two names, and with its keys in another order, is two")
	}
	if id("Write", `{"a":1}`) == id("Write", `{"a":2}`) || id("Write", `{}`) == id("Edit", `{}`) {
		t.Error("two calls are one")
	}
	if _, ok := changes(&transcript.Call{Tool: "odd", Args: "{}", Signals: &transcript.Signals{ReadOnly: true}}); ok {
		t.Error("an instrumented agent says that the call only reads")
	}
}
