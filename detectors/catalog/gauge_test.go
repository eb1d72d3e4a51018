package catalog_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
)

// countless are the detectors that do not count towards a limit.
var countless = []string{
	"kocoro/tool_mode_switch", "kocoro/success_after_error",
	"mimo/step_class_text_tool_call", "mimo/step_class_think_only", "mimo/step_class_invalid", "mimo/step_class_failed",
	"mimo/thinking_streak", "mimo/step_class_filtered", "mimo/step_length_continuation", "mimo/empty_tool_call",
}

// A gauge shows what the judge decides by: under any limits, and for every
// measurement of every session there is, it is at its limit exactly where the
// judge speaks.
func TestGaugesAgreeWithJudges(t *testing.T) {
	lanes := heard(t)
	for _, d := range catalog.Detectors {
		t.Run(d.Name, func(t *testing.T) {
			counted, seen := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				set := detectors.Settings{"kocoro.revision": rapid.SampledFrom([]string{"2026-03", "4ec6772", "head"}).Draw(t, "revision")}
				for _, q := range d.Params {
					if q.Kind == detectors.Int && !q.Shape && rapid.Bool().Draw(t, q.ID) {
						set[q.ID] = strconv.Itoa(rapid.IntRange(0, q.Hi).Draw(t, "value"))
					}
				}
				judge, err := d.Bind(set)
				if err != nil {
					t.Skip(err) // a length of 0
				}
				panel, err := detectors.NewPanel([]*detectors.Detector{d}, set, [][]detectors.Settings{{set}})
				if err != nil {
					t.Fatal(err)
				}
				panel.Record(func(m *detectors.Measurement) {
					seen++
					g, ok := judge.Gauge(m.Values)
					if !ok {
						return
					}
					counted++
					v := judge.Verdict(m.Values)
					speaks := g.Passes == "" && g.First > 0 && g.Count >= g.First
					if speaks != (v > detectors.Continue) || (speaks && g.Stop > 0 && g.Count >= g.Stop) != (v == detectors.ForceStop) {
						t.Fatalf("%v of %v under %v: gauge %+v, verdict %v", m.Values, d.Measures, set, g, v)
					}
				})
				for _, l := range pick(t, lanes, 6) {
					for _, ev := range l.events {
						panel.Observe(ev)
					}
				}
			})
			if want := !slices.Contains(countless, d.Name); seen > 0 && (counted > 0) != want {
				t.Errorf("%d of %d measurements are counts; want some: %v", counted, seen, want)
			}
		})
	}
}

// pick draws some lanes.
func pick(t *rapid.T, all []lane, n int) (list []lane) {
	for range n {
		list = append(list, rapid.SampledFrom(all).Draw(t, "lane"))
	}
	return list
}
