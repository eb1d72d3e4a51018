package mimo

import (
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

const (
	thinks   = "step\n  think \"Hm.\"\n"
	empty    = "step\n  finish stop\n"
	cutOff   = "step\n  text \"Once upon\"\n  finish length\n"
	writes   = "step\n  text \"<invoke name=\"\n  finish tool_calls\n"
	thinksOn = "step\n  think \"Hm.\"\n  finish length\n"
)

func TestStepClassLimits(t *testing.T) {
	for _, test := range []struct {
		name string
		set  detectors.Settings
		src  string
		want string
	}{
		{
			name: "the third step of thoughts ends the run, whatever lies between",
			src:  thinks + work + thinks + "inject go on\n" + work + work + thinks + thinks,
			want: "0/1 nudge step_class_think_only, 0/3 nudge step_class_think_only, 0/6 force_stop step_class_think_only, 0/7 force_stop step_class_think_only",
		},
		{
			name: "thoughts and nothing at all count together",
			src:  thinks + empty + thinks + "user b\n" + empty + thinks + empty + "user c\n" + empty + empty,
			want: "0/1 nudge step_class_think_only, 0/2 nudge step_class_invalid, 0/3 force_stop step_class_think_only, " +
				"1/1 nudge step_class_invalid, 1/2 nudge step_class_think_only, 1/3 force_stop step_class_invalid, " +
				"2/1 nudge step_class_invalid, 2/2 nudge step_class_invalid",
		},
		{
			name: "three continuations of what its length cut off",
			src:  cutOff + cutOff + work + thinksOn + cutOff + "user b\n" + cutOff,
			want: "0/1 nudge step_length_continuation, 0/2 nudge step_length_continuation, 0/4 nudge step_length_continuation, " +
				"0/5 force_stop step_length_continuation, 1/1 nudge step_length_continuation",
		},
		{
			name: "the third call that is written as text ends the run",
			src:  writes + writes + writes,
			want: "0/1 nudge step_class_text_tool_call, 0/2 nudge step_class_text_tool_call, 0/3 force_stop step_class_text_tool_call",
		},
		{
			name: "each kind has a count of its own",
			src:  thinks + cutOff + writes + empty + cutOff + writes + cutOff + thinks + cutOff + writes,
			want: "0/1 nudge step_class_think_only, 0/2 nudge step_length_continuation, 0/3 nudge step_class_text_tool_call, " +
				"0/4 nudge step_class_invalid, 0/5 nudge step_length_continuation, 0/6 nudge step_class_text_tool_call, " +
				"0/7 nudge step_length_continuation, 0/8 force_stop step_class_think_only, 0/9 force_stop step_length_continuation, " +
				"0/10 force_stop step_class_text_tool_call",
		},
		{
			name: "no retries",
			set:  detectors.Settings{"mimo.length_limit": "0", "mimo.invalid_limit": "0", "mimo.text_tool_call_limit": "0"},
			src:  cutOff + thinks + empty + writes,
			want: "0/1 force_stop step_length_continuation, 0/2 force_stop step_class_think_only, 0/3 force_stop step_class_invalid, 0/4 force_stop step_class_text_tool_call",
		},
		{
			name: "errors and filters end the run at once",
			src:  "step\n  finish error\nstep\n  text \"I\"\n  finish content_filter\nstep\n  think \"I\"\n  finish refusal\n",
			want: "0/1 force_stop step_class_failed, 0/2 force_stop step_class_filtered, 0/3 force_stop step_class_filtered",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{"mimo-2026-09", "mimo-head"} {
				if got := said(t, preset(t, name), test.set, session(t, "user a\n"+test.src), classOutcomes...); got != test.want {
					t.Errorf("%s: got  %s\nwant %s", name, got, test.want)
				}
			}
		})
	}
}

// A GPT model may think and say no more in both variants. That it may say
// nothing at all is new in the newest.
func TestStepClassGPT(t *testing.T) {
	const goesOn = "0/3 nudge step_length_continuation"
	const thought = "0/1 nudge step_class_think_only, "
	const nothing = "0/2 nudge step_class_invalid, "
	for _, test := range []struct{ model, article, head string }{
		{"gpt-5", nothing + goesOn, goesOn},
		{"openai/GPT-4.1-mini", nothing + goesOn, goesOn},
		{"gpt-oss-120b", thought + nothing + goesOn, thought + nothing + goesOn},
		{"my-gpt-5", thought + nothing + goesOn, thought + nothing + goesOn},
		{"", thought + nothing + goesOn, thought + nothing + goesOn},
	} {
		src := "user a\n" + thinks + empty + cutOff
		if test.model != "" {
			src = "model " + test.model + "\n" + src
		}
		steps := session(t, src)
		for name, want := range map[string]string{"mimo-2026-09": test.article, "mimo-head": test.head} {
			if got := said(t, preset(t, name), nil, steps, classOutcomes...); got != want {
				t.Errorf("%q, %s: got %s, want %s", test.model, name, got, want)
			}
		}
	}
}

// The variants differ in what a call that is done, or failed, says about its step.
func TestStepClassVariants(t *testing.T) {
	failed := transcript.Result{Status: transcript.ResultError, Text: "no"}
	done := transcript.Result{Status: transcript.ResultOK}
	for _, test := range []struct {
		name string
		call transcript.Call
		want map[string]string // by variant; "" where the run goes on
	}{
		{"it failed", transcript.Call{Result: failed}, map[string]string{"article": "nudge", "head": "nudge", "inflight": "nudge"}},
		{"a person stopped it", transcript.Call{Result: failed, Interrupted: true}, map[string]string{"article": "nudge", "head": "nudge", "inflight": "nudge", "interrupted": "nudge"}},
		{"the provider ran it", transcript.Call{Result: done, Provider: true}, map[string]string{"article": "nudge", "head": "nudge", "inflight": "nudge", "interrupted": "nudge"}},
		{"it worked", transcript.Call{Result: done}, nil},
		{"no result is recorded", transcript.Call{}, nil},
	} {
		test.call.Tool = "bash"
		steps := []*transcript.Step{{Finish: transcript.FinishStop, Calls: []transcript.Call{test.call},
			Parts: []transcript.Part{{Kind: transcript.Thinking, Text: "Hm."}}}}
		for variant := range variants {
			want := ""
			if v := test.want[variant]; v != "" {
				want = "0/1 " + v
			}
			set := detectors.Settings{"mimo.class_variant": variant}
			if got := said(t, preset(t, "mimo-head"), set, steps, StepThinkOnly); got != want {
				t.Errorf("%s, %s: got %q, want %q", test.name, variant, got, want)
			}
		}
	}
}

// A text that the model never saw was not said.
func TestStepClassIgnoredText(t *testing.T) {
	for flags, want := range map[transcript.Flags]string{0: "", transcript.Ignored: "0/1 nudge"} {
		steps := []*transcript.Step{{Finish: transcript.FinishStop, Flags: flags, Parts: []transcript.Part{
			{Kind: transcript.Thinking, Text: "Hm."}, {Kind: transcript.Text, Text: "Yes."}}}}
		if got := said(t, preset(t, "mimo-2026-09"), nil, steps, StepThinkOnly); got != want {
			t.Errorf("flags %d: got %q, want %q", flags, got, want)
		}
	}
}

// A call that a recording repeats is one call, and a response begins anew.
func TestFloodCountsDifferentCalls(t *testing.T) {
	response := func(ids string) *transcript.Step {
		s := &transcript.Step{}
		for _, id := range strings.Fields(ids) {
			s.Calls = append(s.Calls, transcript.Call{ID: id, Tool: "bash"})
		}
		return s
	}
	steps := []*transcript.Step{response("a b c d e f g h a b"), response("a b c d e f g h i a i"), response("a")}
	const want = "0/2 block, 0/2 block" // both of i
	if got := said(t, preset(t, "mimo-head"), nil, steps, ToolCallFlooding); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Presets use what the family lists.
func TestPresetsUseTheFamily(t *testing.T) {
	for _, p := range Presets {
		for _, d := range p.Detectors {
			if !slices.Contains(Detectors, d) {
				t.Errorf("%s has %s, which is not in the list", p.Name, d.Name)
			}
		}
	}
	for n, want := range map[int]string{1: "first", 3: "third", 4: "4th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %s, want %s", n, got, want)
		}
	}
}
