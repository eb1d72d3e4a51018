package kocoro_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// goldenLines calls see with every line of a file of the shared golden folder.
func goldenLines(t *testing.T, name string, see func(line []byte)) {
	t.Helper()
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is unset: no golden data to compare with")
	}
	f, err := os.Open(filepath.Join(shared, "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		see(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

type sequence struct {
	ID            string
	Kind          string
	Mode          string
	BatchTolerant []string `json:"batch_tolerant"`
	Calls         []struct {
		Name, Args, Error, Result string
		IsError                   bool   `json:"is_error"`
		ResultSig                 string `json:"result_sig"`
		NonActionable             bool   `json:"is_non_actionable"`
		OutcomeSig                string `json:"outcome_sig"`
		ReadOnly                  bool   `json:"is_read_only"`
		TrustsProgress            bool   `json:"trusts_progress"`
	}
	Verdicts []Verdict
	Before   []Verdict // Head's answers to CheckBefore
}

func TestReferenceVerdicts(t *testing.T) {
	for _, preset := range []string{March2026, PreSleepRemoval, July2026, Head} {
		t.Run(preset, func(t *testing.T) { referenceVerdicts(t, preset) })
	}
}

func referenceVerdicts(t *testing.T, preset string) {
	sequences, agreed, calls, bad := map[string]int{}, map[string]int{}, 0, 0
	goldenLines(t, preset+".jsonl", func(line []byte) {
		var s sequence
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Calls) != len(s.Verdicts) || len(s.Calls) == 0 {
			t.Fatalf("%s: %d calls, %d verdicts", s.ID, len(s.Calls), len(s.Verdicts))
		}
		if preset == Head && len(s.Before) != len(s.Calls) {
			t.Fatalf("%s: %d calls, %d verdicts before them", s.ID, len(s.Calls), len(s.Before))
		}
		sequences[s.Mode]++
		d, same := New(preset, s.BatchTolerant), true
		for i, c := range s.Calls {
			calls++
			call := Call{c.Name, c.Args, c.IsError, c.Error, c.Result, c.ResultSig, c.NonActionable,
				c.OutcomeSig, c.ReadOnly, c.TrustsProgress}
			if c.IsError && c.Result == "" {
				call.Result = c.Error
			}
			if s.Kind != "acceptance" && !checkDerived(t, preset, s.ID, i, call) {
				same = false
			}
			want := []Verdict{{Action: "continue"}, s.Verdicts[i]}
			if preset == Head {
				want[0] = s.Before[i]
			}
			if got := answers(d, call, s.Mode == "admission"); !reflect.DeepEqual(got, want) {
				same = false
				if bad++; bad <= 20 {
					t.Errorf("%s %s call %d %s: got %v, want %v", s.ID, s.Mode, i+1, c.Name, got, want)
				}
			}
		}
		if same {
			agreed[s.Mode]++
		}
	})
	for _, mode := range []string{"", "record_all", "admission"} {
		if sequences[mode] > 0 {
			t.Logf("%d of %d sequences agree %s", agreed[mode], sequences[mode], mode)
		}
	}
	t.Logf("after %d of %d calls", calls-bad, calls)
}

// answers are the verdict before a call and the one after it. With admission, a call that was stopped before
// it ran leaves no record.
func answers(d *Detector, c Call, admission bool) []Verdict {
	before := d.CheckBefore(c.Name, c.Args, c.ReadOnly)
	if admission && before.Action == "force_stop" {
		return []Verdict{before, {Action: "blocked"}}
	}
	d.Record(c)
	return []Verdict{before, d.Check(c.Name)}
}

// checkDerived compares what the golden line says of a result with what follows from its text.
func checkDerived(t *testing.T, preset, id string, i int, c Call) bool {
	t.Helper()
	sig := ""
	if ToolFamily(preset, c.Name) != "" {
		sig = ResultSignature(c.Result)
	}
	non := preset != March2026 && NonActionable(preset, c.Name, c.Result, c.IsError)
	outcome := ""
	if c.OutcomeSig != "" { // some lines say nothing of the outcome, on purpose
		outcome = OutcomeSignature(c.Result)
	}
	if sig == c.ResultSig && non == c.NonActionable && outcome == c.OutcomeSig {
		return true
	}
	t.Errorf("%s call %d %s: derived %q %v %q, want %q %v %q",
		id, i+1, c.Name, sig, non, outcome, c.ResultSig, c.NonActionable, c.OutcomeSig)
	return false
}

func TestReferenceInputs(t *testing.T) {
	agreed, total := map[string]int{}, 0
	goldenLines(t, "kocoro-inputs.jsonl", func(line []byte) {
		var l struct {
			Fn, Rev string
			In, Out json.RawMessage
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		total++
		got := input(t, l.Fn, l.Rev, l.In)
		want := reflect.New(reflect.TypeOf(got))
		if err := json.Unmarshal(l.Out, want.Interface()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want.Elem().Interface()) {
			t.Errorf("%s(%s) = %v, want %s", l.Fn, l.In, got, l.Out)
			return
		}
		agreed[l.Fn]++
	})
	n := 0
	for _, k := range agreed {
		n += k
	}
	t.Logf("%d of %d lines agree: %v", n, total, agreed)
}

func input(t *testing.T, fn, rev string, in json.RawMessage) any {
	t.Helper()
	var s string
	var iterations []int
	var call struct {
		Name, Args, Result string
		IsError            bool `json:"is_error"`

		Source             string
		ReadOnlyChecker    *bool `json:"read_only_checker"`
		MaterialSideEffect *bool `json:"material_side_effect"`
	}
	for _, v := range []any{&s, &iterations, &call} {
		if json.Unmarshal(in, v) == nil {
			break
		}
	}
	switch fn {
	case "normalize_web_query":
		return NormalizeWebQuery(s)
	case "tool_family":
		return ToolFamily(rev, s)
	case "is_gui_tool_name":
		return IsGUIToolName(rev, s)
	case "is_repeatable_tool_name":
		return IsRepeatableToolName(rev, s)
	case "result_signature":
		return ResultSignature(s)
	case "non_actionable":
		return NonActionable(rev, call.Name, call.Result, call.IsError)
	case "hash_args":
		return HashArgs(s)
	case "error_sig":
		return ErrorSig(s)
	case "is_empty_think_input":
		return IsEmptyThinkInput(call.Name, call.Args)
	case "is_read_mcp_name":
		if rev == Head {
			return IsReadMCPNameHead(s)
		}
		return IsReadMCPName(s)
	case "arguments_string":
		return ArgumentsString(s)
	case "normalize_json":
		return NormalizeJSON(s)
	case "nudge_window_3_10":
		return NudgeWindow(iterations)
	case "sanitize_result":
		return SanitizeResult(s)
	case "outcome_signature":
		return OutcomeSignature(s)
	case "bash_command_read_only":
		return BashCommandReadOnly(s)
	case "is_loop_read_only":
		return IsLoopReadOnly(call.Name, call.Source, call.ReadOnlyChecker, call.MaterialSideEffect)
	case "is_sleep_command":
		return IsSleepCommand(s)
	}
	t.Fatalf("no function %q", fn)
	return nil
}
