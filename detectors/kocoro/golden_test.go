package kocoro

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A goldenCall is one call as the golden data gives it: past the derivation of
// its arguments, with the signals that the original derived.
type goldenCall struct {
	Name          string
	Args          string
	Result        *string
	Error         string
	IsError       bool   `json:"is_error"`
	ResultSig     string `json:"result_sig"`
	NonActionable bool   `json:"is_non_actionable"`
	OutcomeSig    string `json:"outcome_sig"`
	ReadOnly      bool   `json:"is_read_only"`
	Trusts        bool   `json:"trusts_progress"`
}

// A goldenVerdict is what the original said after a call.
type goldenVerdict struct {
	Action, Path, Variant string
	Numbers               []int64
}

// Signalled is the call of an instrumented agent.
func (c *goldenCall) Signalled() transcript.Call {
	out := c.Plain()
	out.Signals = &transcript.Signals{ResultSig: c.ResultSig, NonActionable: c.NonActionable,
		OutcomeSig: c.OutcomeSig, ReadOnly: c.ReadOnly, TrustsProgress: c.Trusts}
	return out
}

// Plain is the call with everything left to derive.
func (c *goldenCall) Plain() transcript.Call {
	out := transcript.Call{Tool: c.Name, Args: c.Args, Result: transcript.Result{Status: transcript.ResultOK, Text: c.Error}}
	if c.IsError {
		out.Result.Status = transcript.ResultError
	}
	if c.Result != nil {
		out.Result.Text = *c.Result
	}
	return out
}

// verdicts replays calls, one a step, and gives what the preset said after each.
func verdicts(t testing.TB, p *detectors.Preset, set detectors.Settings, calls []transcript.Call) []goldenVerdict {
	t.Helper()
	post, _ := replayCalls(t, p, set, calls, false)
	return post
}

// replayCalls gives what the preset said before and after each call. In
// admission mode a vetoed call never comes back.
func replayCalls(t testing.TB, p *detectors.Preset, set detectors.Settings, calls []transcript.Call, admission bool) (post, pre []goldenVerdict) {
	t.Helper()
	all := p.Set.With(set)
	point := &detectors.Point{Variant: make([]int, len(p.Detectors))}
	variants := make([][]detectors.Settings, len(p.Detectors))
	for i := range p.Detectors {
		point.On = append(point.On, i)
		variants[i] = []detectors.Settings{all}
	}
	panel, err := detectors.NewPanel(p.Detectors, all, variants)
	if err != nil {
		t.Fatal(err)
	}
	arbiter := detectors.NewArbiter(point)
	out, before := make([]goldenVerdict, len(calls)), make([]goldenVerdict, len(calls))
	var cur transcript.Cursor
	for i := range calls {
		step := &transcript.Step{Calls: calls[i : i+1]}
		before[i].Action, out[i].Action = "continue", "continue"
		for ev := range cur.Events(step) {
			if ev.Kind == transcript.Called && admission && before[i].Action == "block" {
				out[i].Action = "blocked"
				break
			}
			f := panel.Observe(ev)
			if f == nil {
				continue
			}
			if d, ok := arbiter.Add(f); ok {
				fire := f.Explain(point, d, p.Detectors)
				at := &out[i]
				if fire.Phase == detectors.BeforeCall {
					at = &before[i]
				}
				*at = goldenVerdict{Action: fire.Verdict.String(), Path: strings.TrimPrefix(fire.Detector, "kocoro/"), Variant: fire.Reason, Numbers: numbers(p, &calls[i], fire)}
			}
		}
	}
	return out, before
}

// numbers are the integers of the original's message, which a
// measurement must be able to give.
func numbers(p *detectors.Preset, c *transcript.Call, f detectors.Fire) []int64 {
	v := make(map[string]int64)
	for _, field := range f.Evidence {
		v[field.Name] = field.Value
	}
	switch f.Detector {
	case "kocoro/validation_error":
		return []int64{v["calls"]}
	case "kocoro/consecutive_duplicate", "kocoro/exact_duplicate":
		if v["read_only"] == 1 {
			return []int64{v["same"]}
		}
		return []int64{v["calls"]}
	case "kocoro/no_progress", "kocoro/ping_pong", "kocoro/before_stable_read_only", "kocoro/before_stable_web":
		return []int64{v["calls"]}
	case "kocoro/before_ping_pong":
		return []int64{8} // the original reports its constant
	case "kocoro/same_tool_error":
		return []int64{v["errors"]}
	case "kocoro/search_escalation":
		return []int64{v["streak"]}
	case "kocoro/sleep":
		return []int64{v["sleeps"]}
	case "kocoro/family_no_progress":
		pageFirst := p.Name != "kocoro-2026-03" && revisions["4ec6772"].family(c.Tool) != web && revisions["4ec6772"].family(c.Tool) != search
		switch {
		case f.Reason == "fallback":
			return []int64{v["calls"]}
		case f.Reason == "stable_web":
			return []int64{v["stable"]}
		case f.Verdict < detectors.ForceStop:
			return []int64{v["progress"]}
		case pageFirst:
			return []int64{v["progress"], v["family"]}
		}
		return []int64{v["family"], v["progress"]}
	}
	return nil
}

// eachLine decodes the lines of a golden file: the sample beside this test, and
// the whole file where GROUNDHOG_SHARED names its folder.
func eachLine[T any](t *testing.T, name string, see func(T)) {
	t.Helper()
	sample, err := os.Open(filepath.Join("testdata", "golden", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer sample.Close()
	z, err := gzip.NewReader(sample)
	if err != nil {
		t.Fatal(err)
	}
	decodeLines(t, z, see)
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Log("GROUNDHOG_SHARED is not set: only the sample of the golden data was compared")
		return
	}
	whole := name
	if name == "inputs" {
		whole = "kocoro-inputs"
	}
	f, err := os.Open(filepath.Join(shared, "golden", whole+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decodeLines(t, f, see)
}

func decodeLines[T any](t *testing.T, r io.Reader, see func(T)) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		see(v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestGoldenVerdicts(t *testing.T) {
	type line struct {
		ID            string
		BatchTolerant []string `json:"batch_tolerant"`
		Mode          string
		Calls         []goldenCall
		Verdicts      []goldenVerdict
		Before        []goldenVerdict
	}
	for _, p := range Presets {
		t.Run(p.Name, func(t *testing.T) {
			compared, wrong := 0, 0
			eachLine(t, p.Name, func(l line) {
				set := detectors.Settings{"kocoro.batch_tolerant": strings.Join(l.BatchTolerant, ",")}
				forms := [][]transcript.Call{nil, nil}
				for i := range l.Calls {
					forms[0] = append(forms[0], l.Calls[i].Signalled())
					forms[1] = append(forms[1], l.Calls[i].Plain())
				}
				// Read-only and trusted tools are a matter of Kocoro's own tool table, which the
				// generated names are not in.
				if l.Mode != "" || strings.HasPrefix(l.ID, "acceptance/") || slices.ContainsFunc(l.Calls, func(c goldenCall) bool { return argumentsString(c.Args) != c.Args }) {
					forms = forms[:1] // hand-written signals, or arguments that are no provider's
				}
				for _, calls := range forms {
					got, before := replayCalls(t, p, set, calls, l.Mode == "admission")
					for i, want := range l.Before {
						if want.Action == "force_stop" {
							want.Action = "block"
						}
						compared++
						if !before[i].Equal(want) {
							if wrong++; wrong <= 5 {
								t.Errorf("%s before call %d: got %v, want %v", l.ID, i+1, before[i], want)
							}
						}
					}
					for i, want := range l.Verdicts {
						compared++
						if !got[i].Equal(want) {
							if wrong++; wrong <= 5 {
								t.Errorf("%s call %d: got %v, want %v", l.ID, i+1, got[i], want)
							}
						}
					}
				}
			})
			t.Logf("%d of %d verdicts agree", compared-wrong, compared)
		})
	}
}

func (v goldenVerdict) Equal(w goldenVerdict) bool {
	return v.Action == w.Action && v.Path == w.Path && v.Variant == w.Variant && slices.Equal(v.Numbers, w.Numbers)
}
