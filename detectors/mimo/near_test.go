package mimo

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// closest is how close a response comes to a fire of one detector.
func closest(t rapid.TB, d *detectors.Detector, set detectors.Settings, s *transcript.Step) detectors.Near {
	t.Helper()
	panel, err := detectors.NewPanel([]*detectors.Detector{d}, set, [][]detectors.Settings{{set}})
	if err != nil {
		t.Fatal(err)
	}
	n, ok := panel.Near(s, 0, 0)
	if !ok || n.Detector != d.Name {
		t.Fatalf("%s knows no distance", d.Name)
	}
	return n
}

// What is enough fires, and what fires is enough, at the deltas both look at.
func TestNearIsEnoughWhereItFires(t *testing.T) {
	for _, d := range []*detectors.Detector{TextNgramRepeat, OutputLoopKMP} {
		t.Run(d.Name, func(t *testing.T) {
			p := &detectors.Preset{Name: "near", Detectors: []*detectors.Detector{d}, Every: true}
			enough, short := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				s := streaming(t)
				set := detectors.Settings{
					"mimo/text_ngram_repeat.threshold": rapid.SampledFrom([]string{"2", "3", "5", "20"}).Draw(t, "threshold"),
					"mimo/text_ngram_repeat.n":         rapid.SampledFrom([]string{"1", "2", "4", "12"}).Draw(t, "n"),
					"mimo/text_ngram_repeat.window":    rapid.SampledFrom([]string{"20", "100", "500"}).Draw(t, "window"),
					"mimo/output_loop_kmp.percent":     rapid.SampledFrom([]string{"50", "77", "100"}).Draw(t, "percent"),
				}
				n := closest(t, d, set, s)
				m, err := detectors.NewMonitor(p, set)
				if err != nil {
					t.Fatal(err)
				}
				fired := false
				cur := transcript.Cursor{Split: transcript.Words}
				for ev := range cur.Events(s) {
					_, ok := m.Observe(ev)
					fired = fired || ok
				}
				if fired != (n.Have >= n.Need && n.Have > 0) {
					t.Fatalf("fires: %v; %+v", fired, n)
				}
				if fired && (n.Never || n.Block == "" || n.Period < 1) {
					t.Fatalf("%+v of a response that fires", n)
				}
				if fired {
					enough++
				} else if n.Have > 0 {
					short++
				}
			})
			if enough == 0 || short == 0 {
				t.Errorf("%d fire, %d fall short: too few", enough, short)
			}
		})
	}
}

// The nearest of a response, with what keeps it quiet.
func TestNear(t *testing.T) {
	said := func(text string) *transcript.Step {
		return &transcript.Step{Parts: []transcript.Part{{Kind: transcript.Text, Text: text}}}
	}
	table := strings.Repeat("| a | b | c | d |\n", 30)
	for _, test := range []struct {
		name, text         string
		have, need, period int64
		never              bool
		why, block         string
	}{
		{"nineteen copies", strings.Repeat(block(11), 19) + "and that is it", 19, 20, 11, false, "", strings.TrimSuffix(block(11), " ")},
		{"a block of 25", strings.Repeat(block(25), 7), 7, 20, 25, false, "", strings.TrimSuffix(block(25), " ")},
		{"a block of 26", strings.Repeat(block(26), 60), 19, 20, 26, true, "20 copies of 26 tokens do not fit the window of 500", ""},
		{"one word", strings.Repeat("no ", 60), 0, 20, 0, false, "", ""},
		{"nothing twice", block(200), 0, 20, 0, false, "", ""},
		{"a table", table, 30, 20, 9, false, "the text is mostly a table", "| a | b | c | d |"},
		{"nothing", "", 0, 20, 0, false, "", ""},
	} {
		n := closest(t, TextNgramRepeat, detectors.Settings{"mimo/text_ngram_repeat.table_exempt": "true"}, said(test.text))
		if n.Have != test.have || n.Need != test.need || n.Period != test.period || n.Never != test.never || n.Why != test.why || test.block != "" && n.Block != test.block {
			t.Errorf("%s: %+v", test.name, n)
		}
	}
	n := closest(t, OutputLoopKMP, detectors.Settings{}, said("and so "+strings.Repeat("=", 290)))
	if n.Have < 200 || n.Need != 300 || n.Period != 1 || n.Block != "=" || n.Never {
		t.Errorf("characters: %+v", n)
	}
}
