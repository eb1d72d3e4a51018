package steps

import (
	"fmt"
	"strings"
	"testing"
)

// what says an Outcome in a word or two.
func what(o Outcome) string {
	s := [...]string{"go", "remind", "compact", "end"}[o.Do]
	if o.Class != Unclassified {
		s = o.Class.String() + ": " + s
	}
	if o.Why != "" {
		s += " " + o.Why
	}
	if o.N > 0 {
		s += fmt.Sprint(" ", o.N)
	}
	return s
}

func TestHandler(t *testing.T) {
	said := []Part{{Kind: Text, Text: "done"}}
	thought := []Part{{Kind: Reasoning, Text: "hm"}}
	tool := []Part{{Kind: Tool, Tool: "bash", Input: "{}", State: Completed}}
	written := []Part{{Kind: Text, Text: `<invoke name="bash">`}}
	type step struct {
		Response
		result Result
		want   string
	}
	plain := func(finish string, parts []Part, want string) step {
		return step{Response: Response{Finish: finish, Parts: parts}, want: want}
	}
	for _, test := range []struct {
		name   string
		schema bool
		steps  []step
	}{
		{name: "work, then the end", steps: []step{
			plain("tool-calls", tool, "continue: go"),
			plain("stop", said, "final: end final"),
		}},
		{name: "thoughts and nothing share a counter", steps: []step{
			plain("stop", thought, "think-only: remind think-only 1"),
			plain("tool-calls", tool, "continue: go"),
			plain("stop", nil, "invalid: remind invalid 2"),
			plain("stop", thought, "think-only: end InvalidOutputError"),
		}},
		{name: "length", steps: []step{
			plain("length", said, "remind length 1"),
			plain("length", thought, "remind length 2"),
			plain("length", nil, "remind length 3"),
			plain("length", tool, "continue: go"),
			plain("length", said, "end OutputLengthError"),
		}},
		{name: "length with an error or in a full context is no length", steps: []step{
			{Response: Response{Finish: "length", Failed: true, Error: "APIError", Parts: said}, want: "failed: end APIError"},
			{Response: Response{Finish: "length", Parts: said}, result: Overflowed, want: "final: compact"},
		}},
		{name: "a summary is never continued", steps: []step{
			{Response: Response{Finish: "length", Summary: true, Parts: said}, want: "final: end final"},
		}},
		{name: "calls as text", steps: []step{
			plain("tool-calls", written, "text-tool-call: remind text-tool-call 1"),
			plain("stop", thought, "think-only: remind think-only 1"),
			plain("tool-calls", written, "text-tool-call: remind text-tool-call 2"),
			plain("tool-calls", written, "text-tool-call: end TextToolCallError"),
		}},
		{name: "filtered", steps: []step{plain("content-filter", said, "filtered: end ContentFilterError")}},
		{name: "failed", steps: []step{plain("error", said, "failed: end ModelError")}},
		{name: "stopped", steps: []step{{Response: Response{Finish: "stop", Parts: said}, result: Stopped, want: "end stop"}}},
		{name: "stopped by an error", steps: []step{{Response: Response{Failed: true, Error: "APIError"}, result: Stopped, want: "end APIError"}}},
		{name: "repeated text is not classified", steps: []step{{result: Repeated, want: "go text-repeat"}}},
		{name: "structured output", schema: true, steps: []step{
			plain("stop", said, "final: remind structured 1"),
			plain("tool-calls", tool, "continue: go"),
			plain("stop", thought, "think-only: remind structured 2"),
			{Response: Response{Finish: "tool-calls", Structured: true, Parts: tool}, want: "final: end final"},
			plain("stop", said, "final: end StructuredOutputError"),
		}},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			h := Handler{Limits: DefaultLimits(), Schema: test.schema}
			for range 2 { // a reset run is a new run
				for i, s := range test.steps {
					if got := what(h.Step(&s.Response, s.result)); got != s.want {
						t.Errorf("step %d: %s, want %s", i, got, s.want)
					}
				}
				h.Reset()
			}
		})
	}
}

func TestNoLimits(t *testing.T) {
	var h Handler
	if got := what(h.Step(&Response{Finish: "stop"}, Proceed)); got != "invalid: end InvalidOutputError" {
		t.Error(got)
	}
}

// What only one stored variant, or one flag, tells apart.
func TestClassifyVariants(t *testing.T) {
	done := Part{Kind: Tool, State: Completed}
	failed := Part{Kind: Tool, State: Failed}
	stopped := Part{Kind: Tool, State: Failed, Interrupted: true}
	hosted := Part{Kind: Tool, State: Running, Provider: true}
	mark := "x <function_calls>"
	for _, test := range []struct {
		finish, model string
		parts         []Part
		want          string // article, head, interrupted, inflight
	}{
		{"stop", "m", []Part{done, {Text: "ok"}}, "continue continue continue final"},
		{"length", "m", []Part{done, {Text: "ok"}}, "continue continue continue continue"},
		{"stop", "m", []Part{done, {Text: "ok", Ignored: true}}, "continue continue continue continue"},
		{"stop", "m", []Part{failed, {Text: "ok"}}, "final final continue final"},
		{"stop", "m", []Part{stopped, {Text: "ok"}}, "final final final final"},
		{"stop", "m", []Part{hosted, {Text: "ok"}}, "final final final final"},
		{"stop", "gpt-5", nil, "invalid final invalid invalid"},
		{"stop", "gpt-5", []Part{{Text: "x", Ignored: true}}, "invalid final invalid invalid"},
		{"tool-calls", "m", []Part{{Text: mark}}, "text-tool-call text-tool-call text-tool-call text-tool-call"},
		{"tool-calls", "m", []Part{{Text: mark, Synthetic: true}}, "continue continue continue continue"},
		{"tool-calls", "m", []Part{{Text: mark, Ignored: true}}, "continue continue continue continue"},
		{"tool-calls", "m", []Part{{Kind: Reasoning, Text: mark}}, "continue continue continue continue"},
		{"tool-calls", "m", []Part{{Text: mark}, stopped}, "continue continue continue continue"},
	} {
		var got []string
		for _, v := range []Variant{Article, Head, Interrupted, InFlight} {
			r := Response{Finish: test.finish, Model: test.model, Parts: test.parts}
			got = append(got, Classify(&r, v, AfterProcess).Class.String())
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s, %s, %+v: %s, want %s", test.finish, test.model, test.parts, s, test.want)
		}
	}
}

func TestGPT(t *testing.T) {
	for id, want := range map[string]bool{
		"gpt-5": true, "GPT-4o": true, "openai/gpt-4.1": true, "x/y/gPt-3": true,
		"gpt-oss-120b": false, "my-gpt-5": false, "gpt-": false, "": false, "gpt-5/claude": true, "g/pt-5": false,
	} {
		if gpt(id) != want {
			t.Errorf("gpt(%q) = %v", id, !want)
		}
	}
}
