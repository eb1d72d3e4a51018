package steps

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors/mimo/internal/js"
)

// golden calls check with every record of a golden file, by function. It
// always reads the sample, and the whole file where GROUNDHOG_SHARED says.
func golden(t *testing.T, name string, checks map[string]func(t *testing.T, raw []byte)) {
	t.Run("sample", func(t *testing.T) {
		f, err := os.Open(filepath.Join("testdata", name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		records(t, data, checks)
	})
	t.Run("all", func(t *testing.T) {
		root := os.Getenv("GROUNDHOG_SHARED")
		if root == "" {
			t.Skip("GROUNDHOG_SHARED is not set: only the sample in testdata was compared")
		}
		data, err := os.ReadFile(filepath.Join(root, "golden", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		records(t, data, checks)
	})
}

func records(t *testing.T, data []byte, checks map[string]func(t *testing.T, raw []byte)) {
	agree, total := make(map[string]int), make(map[string]int)
	for line := range bytes.Lines(data) {
		var head struct{ ID, Fn string }
		decodeJSON(t, line, &head)
		check := checks[head.Fn]
		if check == nil {
			t.Fatalf("%s: nobody checks %q", head.ID, head.Fn)
		}
		total[head.Fn]++
		if ok := t.Run(head.ID, func(t *testing.T) { check(t, line) }); ok {
			agree[head.Fn]++
		}
	}
	if len(total) < len(checks) {
		t.Errorf("%d functions in the file, %d have a check", len(total), len(checks))
	}
	var names []string
	for fn := range total {
		names = append(names, fn)
	}
	slices.Sort(names)
	for _, fn := range names {
		t.Logf("%s: %d of %d agree", fn, agree[fn], total[fn])
	}
}

func decodeJSON(t *testing.T, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
}

func fromUnits(list []uint16) string {
	var b []byte
	for _, u := range list {
		b = js.AppendRune(b, rune(u))
	}
	return string(b)
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A jsonPart is a part as the golden files write it.
type jsonPart struct {
	Type, Text, Tool   string
	Synthetic, Ignored bool
	State              struct {
		Status   string
		Input    json.RawMessage
		Metadata struct{ Interrupted bool }
	}
	Metadata struct {
		ProviderExecuted bool
		Origin           struct{ Kind, FromID, ToID, Key string }
	}
}

var states = map[string]State{"": Pending, "pending": Pending, "running": Running, "completed": Completed, "error": Failed}

func partsOf(list []jsonPart) []Part {
	kinds := map[string]Kind{"text": Text, "reasoning": Reasoning, "tool": Tool}
	parts := make([]Part, len(list))
	for i, p := range list {
		kind, ok := kinds[p.Type]
		if !ok {
			kind = Other
		}
		parts[i] = Part{
			Kind: kind, Text: p.Text, Tool: p.Tool, Synthetic: p.Synthetic, Ignored: p.Ignored,
			Input: string(p.State.Input), State: states[p.State.Status],
			Provider: p.Metadata.ProviderExecuted, Interrupted: p.State.Metadata.Interrupted,
		}
	}
	return parts
}

func TestGoldenTextLoop(t *testing.T) {
	golden(t, "mimo-textloop", map[string]func(*testing.T, []byte){
		"textloop_normalize": func(t *testing.T, raw []byte) {
			var r struct {
				Limit  int
				Text   string
				Pieces [][2]any
				Out    string
				// in place of a string with a lone surrogate
				TextU16 []uint16 `json:"text_u16"`
				OutU16  []uint16 `json:"out_u16"`
			}
			decodeJSON(t, raw, &r)
			r.Text += fromUnits(r.TextU16)
			r.Out += fromUnits(r.OutU16)
			for _, p := range r.Pieces {
				r.Text += strings.Repeat(p[0].(string), int(p[1].(float64)))
			}
			equal(t, "key", Normalize(r.Text, r.Limit), r.Out)
		},
		"textloop_key": func(t *testing.T, raw []byte) {
			var r struct {
				Limit int
				Parts []jsonPart
				Key   *string
			}
			decodeJSON(t, raw, &r)
			key, ok := TextKey(partsOf(r.Parts), r.Limit)
			equal(t, "has a key", ok, r.Key != nil)
			if r.Key != nil {
				equal(t, "key", key, *r.Key)
			}
		},
		"textloop_ladder": textLadder,
		"textrepeat_ladder": func(t *testing.T, raw []byte) {
			var r struct {
				MaxRecovery     int `json:"max_recovery"`
				Events, Actions []string
			}
			decodeJSON(t, raw, &r)
			ladder := Ladder{Max: r.MaxRecovery}
			stopped := false
			for i, ev := range r.Events {
				got := "none"
				switch {
				case ev == "new_user_turn":
					ladder.Reset()
					stopped, got = false, "reset"
				case stopped:
					got = "after_stop"
				case ev == "hit":
					rung, ok := ladder.Next()
					switch {
					case !ok:
						stopped, got = true, "stop"
					case rung == 0:
						got = "remind"
					default:
						got = "replan"
					}
				}
				equal(t, fmt.Sprintf("event %d", i), got, r.Actions[i])
			}
		},
	})
}

// textLadder compares the closed simulation, and the open meter with an arbiter's pause.
func textLadder(t *testing.T, raw []byte) {
	var r struct {
		Limit, Buffer, Trigger int
		MaxRecovery            int  `json:"max_recovery"`
		ClearOnRecovery        bool `json:"clear_on_recovery"`
		Steps                  []struct {
			Parts       []jsonPart
			Cropped     bool
			NewUserTurn bool `json:"new_user_turn"`
		}
		Actions []string
	}
	decodeJSON(t, raw, &r)
	run := TextLoopRun{Limit: r.Limit, Buffer: r.Buffer, Trigger: r.Trigger, MaxRecovery: r.MaxRecovery, ClearOnRecovery: r.ClearOnRecovery}
	open := openTextLoop{TextLoop: TextLoop{Limit: r.Limit}, trigger: r.Trigger, recoveries: r.MaxRecovery, clears: r.ClearOnRecovery}
	words := map[TextAction]string{TextNone: "none", TextSkip: "skip", TextMild: "mild", TextStrong: "strong", TextStop: "stop", TextEnded: "after_stop"}
	for i, s := range r.Steps {
		if s.NewUserTurn {
			run.Reset()
			open.reset()
			equal(t, fmt.Sprintf("step %d", i), "reset", r.Actions[i])
			continue
		}
		parts := partsOf(s.Parts)
		equal(t, fmt.Sprintf("step %d, closed", i), words[run.Step(parts, s.Cropped)], r.Actions[i])
		equal(t, fmt.Sprintf("step %d, open", i), words[open.step(parts, s.Cropped)], r.Actions[i])
	}
}

func TestGoldenClassify(t *testing.T) {
	variants := map[string]Variant{"article": Article, "head": Head, "interrupted": Interrupted, "inflight": InFlight}
	golden(t, "mimo-classify", map[string]func(*testing.T, []byte){
		"classify": func(t *testing.T, raw []byte) {
			var r struct {
				Input struct {
					LastUser  struct{ ID string }
					Assistant struct {
						ID, ModelID, Finish string
						Error               *struct{ Name string }
						Structured          json.RawMessage
						Summary             bool
					}
					Parts []jsonPart
					Phase string
				}
				Out map[string]struct {
					Type, Reason string
					Degraded     bool
				}
			}
			decodeJSON(t, raw, &r)
			a := &r.Input.Assistant
			in := Response{
				Model: a.ModelID, Finish: a.Finish, Failed: a.Error != nil, Structured: a.Structured != nil,
				Summary: a.Summary, UserNewer: r.Input.LastUser.ID >= a.ID, Parts: partsOf(r.Input.Parts),
			}
			if a.Error != nil {
				in.Error = a.Error.Name
			}
			phase := AfterProcess
			if r.Input.Phase == "existing-assistant" {
				phase = ExistingResponse
			}
			equal(t, "variants", len(r.Out), len(variants))
			for name, want := range r.Out {
				got := Classify(&in, variants[name], phase)
				equal(t, name, []any{got.Class.String(), got.Reason, got.Degraded}, []any{want.Type, want.Reason, want.Degraded})
			}
		},
		"empty_step": func(t *testing.T, raw []byte) {
			var r struct {
				Parts []jsonPart
				Out   bool
			}
			decodeJSON(t, raw, &r)
			equal(t, "empty", EmptyToolCall(partsOf(r.Parts)), r.Out)
		},
		"auto_resume": func(t *testing.T, raw []byte) {
			var r struct {
				Input struct {
					RetrySafe    bool
					Decision     struct{ Retryable bool }
					ToolParts    []jsonPart
					Finish       string
					HasFinalText bool
					Aborted      bool
				}
				Out bool
			}
			decodeJSON(t, raw, &r)
			in := &r.Input
			h := Halt{ReplaySafe: in.RetrySafe, Aborted: in.Aborted, Retryable: in.Decision.Retryable, Finish: in.Finish, FinalText: in.HasFinalText}
			for _, p := range partsOf(in.ToolParts) {
				h.States = append(h.States, p.State)
			}
			equal(t, "resumes", AutoResume(&h), r.Out)
		},
	})
}

func TestGoldenDoomLoop(t *testing.T) {
	golden(t, "mimo-doomloop", map[string]func(*testing.T, []byte){
		"doom_loop": func(t *testing.T, raw []byte) {
			var r struct {
				Events []struct {
					T, ID, Name string
					Input       json.RawMessage
				}
				Asks []string
			}
			decodeJSON(t, raw, &r)
			const threshold = 3
			var meter Doom
			var literal literalDoom
			asks, literalAsks := []string{}, []string{}
			for _, ev := range r.Events {
				switch ev.T {
				case "text", "reasoning", "step-start":
					meter.Break()
					literal.add(literalPart{})
				case "start":
					meter.Start(ev.ID)
					literal.add(literalPart{id: ev.ID, tool: true, call: Part{Tool: ev.Name}})
				case "call":
					call := Part{Kind: Tool, Tool: ev.Name, Input: string(ev.Input)}
					if meter.Call(ev.ID, &call) >= threshold {
						asks = append(asks, ev.ID)
					}
					if literal.call(ev.ID, call, threshold) {
						literalAsks = append(literalAsks, ev.ID)
					}
				case "result", "error": // the part is no longer running, and that changes nothing
				default:
					t.Fatalf("event %q", ev.T)
				}
			}
			equal(t, "meter", asks, append([]string{}, r.Asks...))
			equal(t, "literal", literalAsks, append([]string{}, r.Asks...))
		},
		"tool_call_flooding": func(t *testing.T, raw []byte) {
			var r struct {
				Limit     int
				Events    []struct{ Type, ID, ToolCallID string }
				Forwarded []string
				Flooded   bool
			}
			decodeJSON(t, raw, &r)
			kinds := map[string]FloodKind{"tool-input-start": FloodStart, "tool-input-delta": FloodDelta, "tool-call": FloodCall, "error": FloodError}
			names := map[FloodKind]string{FloodStart: "tool-input-start", FloodDelta: "tool-input-delta", FloodCall: "tool-call"}
			f := Flood{Limit: r.Limit}
			forwarded := []string{}
			for _, ev := range r.Events {
				for _, out := range f.Event(FloodEvent{Kind: kinds[ev.Type], ID: ev.ID + ev.ToolCallID}) {
					if name := names[out.Kind]; name != "" {
						forwarded = append(forwarded, name+":"+out.ID)
					} else {
						forwarded = append(forwarded, ev.Type)
					}
				}
			}
			f.End()
			equal(t, "forwarded", forwarded, append([]string{}, r.Forwarded...))
			equal(t, "flooded", f.Flooded(), r.Flooded)
		},
	})
}
