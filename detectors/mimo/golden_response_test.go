package mimo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A class is seen by what the rules say, alone in its run.
func TestGoldenClassify(t *testing.T) {
	outcomes := map[string]string{
		"continue": "", "final": "", "text-tool-call": "0/1 nudge step_class_text_tool_call", "failed": "0/1 force_stop step_class_failed",
		"filtered": "0/1 force_stop step_class_filtered", "think-only": "0/1 nudge step_class_think_only", "invalid": "0/1 nudge step_class_invalid",
	}
	for name, variant := range map[string]string{"mimo-2026-09": "article", "mimo-head": "head"} {
		t.Run(variant, func(t *testing.T) {
			seen := make(map[string]int)
			golden(t, "mimo-classify", "classify", func(raw []byte) (got, want string, err error) {
				var r struct {
					Input struct {
						LastUser  struct{ ID string }
						Assistant struct {
							ID, ModelID, Finish string
							Error               *struct{ Name string }
							Structured          json.RawMessage
							Summary             bool
						}
						Parts []goldenPart
						Phase string
					}
					Out map[string]struct{ Type string }
				}
				if err := json.Unmarshal(raw, &r); err != nil {
					return "", "", err
				}
				a := &r.Input.Assistant
				switch {
				case r.Input.LastUser.ID >= a.ID && (a.Finish == "tool-calls" || r.Input.Phase == "existing-assistant"):
					return "", "", inexpressible("with a later message of the user that matters")
				case a.Structured != nil:
					return "", "", inexpressible("with structured output")
				case a.Summary:
					return "", "", inexpressible("with a summary")
				}
				s, err := responseOf(a.Finish, r.Input.Parts)
				if err != nil {
					return "", "", err
				}
				s.Model = a.ModelID
				if a.Error != nil {
					s.Flags |= transcript.ErrorMessage
				}
				class := r.Out[variant].Type
				want, ok := outcomes[class]
				if !ok {
					return "", "", fmt.Errorf("class %q", class)
				}
				if a.Finish == "length" && a.Error == nil && !slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return !c.Provider }) {
					// The loop lets it go on and does not ask for its class.
					class, want = "length", "0/1 nudge step_length_continuation"
				}
				seen[class]++
				return said(t, preset(t, name), nil, []*transcript.Step{s}, classOutcomes...), want, nil
			})
			t.Logf("%v", seen)
			for class := range outcomes {
				if seen[class] == 0 {
					t.Errorf("no record is %s", class)
				}
			}
		})
	}
}

func TestGoldenEmptyStep(t *testing.T) {
	golden(t, "mimo-classify", "empty_step", func(raw []byte) (got, want string, err error) {
		var r struct {
			Parts []goldenPart
			Out   bool
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		s, err := responseOf("tool-calls", r.Parts)
		if err != nil {
			return "", "", err
		}
		if r.Out {
			want = "0/1 annotate"
		}
		return said(t, preset(t, "mimo-head"), nil, []*transcript.Step{s}, EmptyToolCall), want, nil
	})
}

// A record is the events of one response. It is a response if the arguments of
// each part are complete before the next part begins.
func TestGoldenDoomLoop(t *testing.T) {
	golden(t, "mimo-doomloop", "doom_loop", func(raw []byte) (got, want string, err error) {
		var r struct {
			Events []struct {
				T, ID, Name string
				Input       json.RawMessage
			}
			Asks []string
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		s := &transcript.Step{Finish: transcript.FinishToolCalls}
		open, called := "", make(map[string]bool)
		for i, ev := range r.Events {
			switch ev.T {
			case "result", "error":
				continue
			}
			if open != "" && (ev.T != "call" || ev.ID != open) {
				return "", "", inexpressible("with a part that begins before the call in front of it is complete")
			}
			switch ev.T {
			case "step-start":
				if i > 0 {
					return "", "", inexpressible("with a second step in its message")
				}
			case "text":
				s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Text, Text: "So."})
			case "reasoning":
				s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Thinking, Text: "Hm."})
			case "start":
				open = ev.ID
			case "call":
				if called[ev.ID] {
					return "", "", inexpressible("with a call that is completed twice")
				}
				open, called[ev.ID] = "", true
				s.Parts = append(s.Parts, transcript.Part{Kind: transcript.ToolInput, Call: len(s.Calls)})
				s.Calls = append(s.Calls, transcript.Call{ID: ev.ID, Tool: ev.Name, Args: string(ev.Input)})
			default:
				return "", "", fmt.Errorf("event %q", ev.T)
			}
		}
		if open != "" {
			return "", "", inexpressible("with a call that is never complete")
		}
		asks := []string{}
		for _, a := range alarms(t, preset(t, "opencode-1.14.19"), nil, nil, []*transcript.Step{s}) {
			asks = append(asks, s.Calls[a.Pos.Call-1].ID)
		}
		return fmt.Sprint(asks), fmt.Sprint(r.Asks), nil
	})
}

// A record is the stream of one response. The rule knows the calls in the order
// in which they began; it may not let those run that the original forwards.
func TestGoldenFlooding(t *testing.T) {
	golden(t, "mimo-doomloop", "tool_call_flooding", func(raw []byte) (got, want string, err error) {
		var r struct {
			Limit     int
			Events    []struct{ Type, ID, ToolCallID string }
			Forwarded []string
			Flooded   bool
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		s := &transcript.Step{Finish: transcript.FinishToolCalls}
		complete := make(map[string]bool)
		for _, ev := range r.Events {
			id := ev.ID + ev.ToolCallID
			switch ev.Type {
			case "tool-input-start", "tool-call":
				if !slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return c.ID == id }) {
					s.Calls = append(s.Calls, transcript.Call{ID: id, Tool: "bash"})
				}
				complete[id] = complete[id] || ev.Type == "tool-call"
			case "error":
				return "", "", inexpressible("with an error in its stream")
			}
		}
		for _, c := range s.Calls {
			if !complete[c.ID] {
				return "", "", inexpressible("with a call that is never complete")
			}
		}
		blocked := make(map[string]bool)
		set := detectors.Settings{"mimo/tool_call_flooding.limit": strconv.Itoa(r.Limit)}
		for _, a := range alarms(t, preset(t, "mimo-head"), set, nil, []*transcript.Step{s}) {
			if a.Detector == ToolCallFlooding.Name && a.Delivered == detectors.Block {
				blocked[s.Calls[a.Pos.Call-1].ID] = true
			}
		}
		var run, forwarded []string
		for _, c := range s.Calls {
			if !blocked[c.ID] {
				run = append(run, c.ID)
			}
		}
		for _, f := range r.Forwarded {
			if id, ok := strings.CutPrefix(f, "tool-call:"); ok && !slices.Contains(forwarded, id) {
				forwarded = append(forwarded, id)
			}
		}
		slices.Sort(run)
		slices.Sort(forwarded)
		return fmt.Sprint(run, len(blocked) > 0), fmt.Sprint(forwarded, r.Flooded), nil
	})
}
