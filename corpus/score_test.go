package corpus_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// told is a detector that asks for what a call's arguments say.
var told = func() *detectors.Detector {
	type none struct{}
	type ask struct{ Verdict int }
	return detectors.Define(detectors.Rule[none, none, ask]{
		Name: "toy/told", Doc: "asks for what it is told to", Origin: detectors.Origin{Source: "this test"},
		New: func(*detectors.Inputs) *none { return &none{} },
		OnCall: func(_ *none, c *transcript.Call) (ask, bool) {
			v, err := detectors.ParseVerdict(c.Args)
			return ask{int(v)}, err == nil
		},
		Judge:   func(m ask, _ none) detectors.Verdict { return detectors.Verdict(m.Verdict) },
		Explain: func(ask, none, detectors.Verdict) (reason, text string) { return "", "" },
	})
}()

// outcome replays runs that are written with a letter for each call, one call a
// step: n for a nudge, a for an annotation, b for a block, s for a stop, and -
// for silence. Each run begins with a prompt.
func outcome(t testing.TB, runs ...string) *replay.Outcome {
	t.Helper()
	verdicts := map[rune]string{'-': "", 'n': "nudge", 'a': "annotate", 'b': "block", 's': "force_stop"}
	var steps []*transcript.Step
	for _, run := range runs {
		steps = append(steps, &transcript.Step{Kind: transcript.Prompt})
		for _, c := range run {
			steps = append(steps, &transcript.Step{Calls: []transcript.Call{{Tool: "t", Args: verdicts[c]}}})
		}
	}
	u := &formats.Unit{Session: &transcript.Session{ID: "s"}, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, s := range steps {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
	preset := &detectors.Preset{Name: "toys", Detectors: []*detectors.Detector{told}, Set: detectors.Settings{}}
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: preset}}})
	if err != nil {
		t.Fatal(err)
	}
	var out *replay.Outcome
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
		out = o
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestScore(t *testing.T) {
	const (
		loop       = `{reviewed: full, spans: [{onset: 4, end: 6}]}`
		productive = `{reviewed: full}`
		gap        = `{reviewed: full, spans: [{onset: 4, end: 6, known_gap: true}]}`
		tolerated  = `{reviewed: full, tolerate: [{from: 1, to: 3}], spans: [{onset: 4, end: 6}]}`
		peaceful   = `{reviewed: full, tolerate: [{from: 1, to: 3}]}`
		gapFirst   = `{reviewed: full, spans: [{onset: 2, end: 3, known_gap: true}, {onset: 6, end: 8}]}`
		gapLast    = `{reviewed: full, spans: [{onset: 2, end: 3}, {onset: 6, end: 8, known_gap: true}]}`
		twoSpans   = `{reviewed: full, spans: [{onset: 2, end: 3}, {onset: 6, end: 8}]}`
		second     = `{reviewed: full, spans: [{run: 1, onset: 2, end: 4}]}`
		both       = `{reviewed: full, spans: [{run: 0, onset: 2, end: 4}, {run: 1, onset: 2, end: 4}]}`
		partial    = `{reviewed: partial, spans: [{onset: 4, end: 6}]}`
		nothing    = `{reviewed: none}`
		elsewhere  = `{reviewed: full, spans: [{run: 7, onset: 4, end: 6}]}`
		elseGap    = `{reviewed: full, spans: [{run: 7, onset: 4, end: 6, known_gap: true}]}`
	)
	for _, test := range []struct {
		name, label string
		runs        []string
		nudge, stop corpus.Result
	}{
		{"a quiet loop", loop, []string{"--------"}, "FN", "FN"},
		{"a nudge in the loop", loop, []string{"----n---"}, "TP", "FN"},
		{"a stop in the loop", loop, []string{"----s---"}, "TP", "TP"},
		{"at its first call", loop, []string{"---s----"}, "TP", "TP"},
		{"at its last call", loop, []string{"-----s--"}, "TP", "TP"},
		{"a block is no stop", loop, []string{"----b---"}, "TP", "FN"},
		{"an annotation is no nudge", loop, []string{"----a---"}, "FN", "FN"},
		{"too early", loop, []string{"--n-----"}, "PREM", "FN"},
		{"stopped too early", loop, []string{"--s-----"}, "PREM", "PREM"},
		{"a stop too early hides the one that is right", loop, []string{"--s-s---"}, "PREM", "PREM"},
		{"a nudge too early does not", loop, []string{"--n-s---"}, "TP", "TP"},
		{"too late", loop, []string{"------n-"}, "LATE", "FN"},
		{"stopped too late", loop, []string{"------s-"}, "LATE", "LATE"},
		{"early and late", loop, []string{"n------n"}, "PREM", "FN"},
		{"between two loops", twoSpans, []string{"----s---"}, "LATE", "LATE"},
		{"in the second of two loops", twoSpans, []string{"------s-"}, "TP", "TP"},
		{"work in peace", productive, []string{"--------"}, "TN", "TN"},
		{"work disturbed", productive, []string{"--n-----"}, "FP", "TN"},
		{"work stopped", productive, []string{"--s-----"}, "FP", "FP"},
		{"a gap that stays one", gap, []string{"--------"}, "GAP-miss", "GAP-miss"},
		{"a gap that closes", gap, []string{"----s---"}, "GAP-hit", "GAP-hit"},
		{"a gap with a nudge", gap, []string{"----n---"}, "GAP-hit", "GAP-miss"},
		{"a fire before a gap is not in it", gap, []string{"-s------"}, "GAP-miss", "GAP-miss"},
		{"a stop in a gap hides the loop after it", gapFirst, []string{"-s----s-"}, "FN", "CENS"},
		{"a nudge in a gap is nothing", gapFirst, []string{"-n------"}, "FN", "FN"},
		{"a nudge in a gap, and the loop", gapFirst, []string{"-n----n-"}, "TP", "FN"},
		{"a stop in a gap does not excuse the loop before it", gapLast, []string{"------s-"}, "FN", "FN"},
		{"a tolerated stop", tolerated, []string{"-s------"}, "FN", "UNK-fire"},
		{"a tolerated nudge", tolerated, []string{"-n--n---"}, "TP", "FN"},
		{"a tolerated stop in work", peaceful, []string{"-s------"}, "TN", "UNK-fire"},
		{"a tolerated nudge in work", peaceful, []string{"-n------"}, "TN", "TN"},
		{"a label in part, outside", partial, []string{"-s------"}, "FN", "UNK-fire"},
		{"a label in part, inside", partial, []string{"-n--s---"}, "TP", "TP"},
		{"nobody said anything", nothing, []string{"---n----"}, "UNK-fire", "UNK-quiet"},
		{"nobody said anything, stopped", nothing, []string{"---s----"}, "UNK-fire", "UNK-fire"},
		{"no label", "", []string{"--------", "---s"}, "UNK-fire", "UNK-fire"},
		{"no label, quiet", "", []string{"--------"}, "UNK-quiet", "UNK-quiet"},
		{"the loop is in the second run", second, []string{"----", "--s-"}, "TP", "TP"},
		{"a fire in the run before it is no hit", second, []string{"-s--", "----"}, "FN", "FN"},
		{"a stop ends its run, not the session", second, []string{"-s--", "--s-"}, "TP", "TP"},
		{"one loop of two is enough", both, []string{"----", "--s-"}, "TP", "TP"},
		{"early in one, missed in the other", both, []string{"s---", "----"}, "PREM", "PREM"},
		{"late in one, missed in the other", both, []string{"----", "----s"}, "LATE", "LATE"},
		{"work of two runs, one disturbed", productive, []string{"----", "-s--"}, "FP", "FP"},
		{"work of two runs", productive, []string{"----", "----"}, "TN", "TN"},
		{"the run is not there", elsewhere, []string{"----"}, "FN", "FN"},
		{"the run of the gap is not there", elseGap, []string{"----"}, "GAP-miss", "GAP-miss"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l *corpus.Label
			if test.label != "" {
				l = carried(t, test.label)
			}
			o := outcome(t, test.runs...)
			if got := corpus.Score(l, o, 0, detectors.Nudge); got != test.nudge {
				t.Errorf("nudge: %s, want %s", got, test.nudge)
			}
			if got := corpus.Score(l, o, 0, detectors.ForceStop); got != test.stop {
				t.Errorf("stop: %s, want %s", got, test.stop)
			}
		})
	}
}

// The outcomes of a class are those that may stand for it, so that all sessions
// of a class add up; and a run more without a fire changes nothing.
func TestScoreStaysInItsClass(t *testing.T) {
	may := map[corpus.Class]string{
		corpus.Loop:       "TP PREM LATE FN CENS UNK-fire",
		corpus.Productive: "FP TN UNK-fire",
		corpus.KnownGap:   "GAP-hit GAP-miss",
		corpus.Unlabelled: "UNK-fire UNK-quiet",
	}
	rapid.Check(t, func(rt *rapid.T) {
		var spans, tolerate []string
		for range rapid.IntRange(0, 3).Draw(rt, "spans") {
			onset := rapid.IntRange(1, 6).Draw(rt, "onset")
			spans = append(spans, fmt.Sprintf("{run: %d, onset: %d, end: %d, known_gap: %v}", rapid.IntRange(0, 1).Draw(rt, "run"), onset, onset+rapid.IntRange(0, 3).Draw(rt, "length"), rapid.Bool().Draw(rt, "gap")))
		}
		if rapid.Bool().Draw(rt, "tolerate") {
			tolerate = append(tolerate, "{from: 2, to: 4}")
		}
		yaml := fmt.Sprintf("{reviewed: %s, spans: [%s], tolerate: [%s]}", rapid.SampledFrom([]string{"full", "partial", "none"}).Draw(rt, "reviewed"), strings.Join(spans, ", "), strings.Join(tolerate, ", "))
		l := carried(t, yaml)
		calls := rapid.StringOfN(rapid.SampledFrom([]rune("----nas")), 0, 9, -1)
		runs := []string{calls.Draw(rt, "first run"), calls.Draw(rt, "second run")}
		o := outcome(t, runs...)
		for _, level := range []detectors.Verdict{detectors.Nudge, detectors.ForceStop} {
			got := corpus.Score(l, o, 0, level)
			if !strings.Contains(" "+may[l.Class]+" ", " "+string(got)+" ") {
				rt.Errorf("%s with %q is %s, which is no outcome of %s", yaml, runs, got, l.Class)
			}
			quiet := corpus.Score(l, outcome(t, append(runs, "---")...), 0, level)
			if quiet != got && !(l.Class == corpus.Productive && got == corpus.UnknownFire) {
				rt.Errorf("%s with %q is %s, and %s with a quiet run more", yaml, runs, got, quiet)
			}
		}
	})
}

func TestTally(t *testing.T) {
	tally := corpus.Tally{
		corpus.TruePositive: 1, corpus.FalseNegative: 2, corpus.Premature: 4, corpus.Late: 8, corpus.Censored: 16,
		corpus.FalsePositive: 32, corpus.TrueNegative: 64, corpus.GapHit: 128, corpus.GapMiss: 256, corpus.UnknownFire: 512, corpus.UnknownQuiet: 1024,
	}
	if tally.Loops() != 15 || tally.Work() != 96 || tally.FalseStops() != 44 {
		t.Errorf("loops %d, work %d, false stops %d; want 15, 96, 44", tally.Loops(), tally.Work(), tally.FalseStops())
	}
}
