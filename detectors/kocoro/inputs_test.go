package kocoro

import (
	"encoding/json"
	"fmt"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// TestGoldenInputs compares what is derived from a call with what the original
// derives, for every function that these presets use. Two are left out, because
// no verdict depends on them: sanitize_result cuts pictures out of a result, and
// error_sig is the head of an error text, of which only the first word counts.
func TestGoldenInputs(t *testing.T) {
	type line struct {
		Fn, Rev string
		In      json.RawMessage
		Out     json.RawMessage
	}
	counts := make(map[string]int)
	eachLine(t, "inputs", func(l line) {
		rev := revisions["4ec6772"]
		head := l.Rev == "kocoro-head"
		var text string
		json.Unmarshal(l.In, &text)
		var call struct {
			Name, Args, Result string
			IsError            bool `json:"is_error"`
		}
		json.Unmarshal(l.In, &call)
		var known struct {
			Source  *string
			Checker *bool `json:"read_only_checker"`
			Effect  *bool `json:"material_side_effect"`
		}
		json.Unmarshal(l.In, &known)
		var got any
		switch l.Fn {
		case "normalize_web_query":
			got = normalizeWebQuery(text)
		case "tool_family":
			got = familyNames[rev.family(text)]
		case "is_gui_tool_name":
			got = rev.isGUI(text)
		case "is_repeatable_tool_name":
			got = rev.isRepeatable(text)
		case "result_signature":
			got = resultSignature(text)
		case "non_actionable":
			got = rev.family(call.Name) == search && isFruitless(call.Result, call.IsError, false)
		case "hash_args":
			got = fmt.Sprintf("%016x", hash([]byte(text)))
		case "is_empty_think_input":
			got = isEmptyThink(call.Name, call.Args)
		case "is_read_mcp_name":
			if got = isReadMCPName(text); head {
				got = isReadMCPNameAtHead(text)
			}
		case "outcome_signature":
			got = fmt.Sprintf("%016x", hash(appendOutcome(nil, text)))
		case "bash_command_read_only":
			got = commandReadsOnly(text)
		case "is_loop_read_only":
			got = known.Source != nil && loopReadOnly(call.Name, origins[*known.Source], known.Checker, known.Effect)
		case "arguments_string":
			got = argumentsString(text)
		case "normalize_json":
			got = normalizeJSON(text)
		case "is_sleep_command":
			got = isSleep("bash", text)
		case "nudge_window_3_10":
			var steps []int32
			json.Unmarshal(l.In, &steps)
			got = escalations(t, steps)
		case "sanitize_result", "error_sig":
			return
		default:
			t.Fatalf("no function for %q", l.Fn)
		}
		counts[l.Fn]++
		text2, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		json.Unmarshal(l.Out, &want)
		if have := any(nil); json.Unmarshal(text2, &have) != nil || fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s(%s) = %v, want %v", l.Fn, l.In, got, want)
		}
	})
	if len(counts) < 16 {
		t.Errorf("only %d functions were compared: %v", len(counts), counts)
	}
}

var origins = map[string]origin{"none": local, "local": local, "mcp": mcp, "gateway": "gateway", "integration": "integration"}

var familyNames = map[toolFamily]string{noFamily: "", web: "web", browser: "browser", gui: "gui", search: "search"}

// escalations drives the nudge window with one nudge in each of the given steps.
func escalations(t *testing.T, steps []int32) []bool {
	t.Helper()
	rungs, err := NudgeWindow.Rungs(nil)
	if err != nil {
		t.Fatal(err)
	}
	arbiter := detectors.NewArbiter(&detectors.Point{On: []int{0}, Variant: []int{0}, Ladders: []detectors.Rungs{rungs}})
	var out []bool
	for _, s := range steps {
		pos := transcript.Pos{Step: s, Call: s}
		arbiter.Add(&detectors.Frame{Kind: transcript.Called, Pos: pos, Rows: []*detectors.Row{{Verdicts: []detectors.Verdict{detectors.Nudge}}}})
		d, ok := arbiter.StepEnds(pos)
		out = append(out, ok && d.Ladder)
	}
	return out
}
