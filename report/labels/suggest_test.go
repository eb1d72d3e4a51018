package labels_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report/labels"
)

// twoPresets is a plan of two configurations.
func twoPresets(t testing.TB) *replay.Plan {
	t.Helper()
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: kocoro.Presets[0]}, {Preset: kocoro.Presets[1]}}, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// seen is the outcome of a session for two presets: q for quiet, n for a nudge,
// s for a stop, l for a stop that a ladder makes after a nudge.
func seen(id, presets string) *replay.Outcome {
	o := &replay.Outcome{Session: &transcript.Session{ID: id}}
	for _, p := range presets {
		var run replay.RunOutcome
		switch p {
		case 'n':
			run.FirstNudge = &replay.Fire{}
		case 's':
			run.FirstStop = &replay.Fire{}
		case 'l':
			run.FirstNudge, run.LadderStop = &replay.Fire{}, &replay.Fire{}
		}
		o.Points = append(o.Points, &replay.PointOutcome{Runs: []replay.RunOutcome{{}, run}})
	}
	return o
}

func TestStrata(t *testing.T) {
	for presets, want := range map[string]labels.Stratum{
		"qq": labels.Quiet, "nn": labels.Quiet, "ss": labels.Stopped, "sl": labels.Stopped, "ll": labels.Stopped,
		"qn": labels.Disagree, "ns": labels.Disagree, "nl": labels.Disagree, "sq": labels.Disagree,
	} {
		s := labels.NewSuggest(twoPresets(t), &corpus.Labels{})
		s.Add(seen("a", presets))
		if next := s.Next(); len(next) != 1 || next[0].Stratum != want {
			t.Errorf("%s: %+v, want stratum %d", presets, next, want)
		}
	}
}

func TestOnlyWhatAPersonReadIsDone(t *testing.T) {
	for yaml, done := range map[string]bool{
		`{reviewed: full}`:                                      true,
		`{reviewed: full, source: synthetic}`:                   true,
		`{reviewed: full, source: weak}`:                        false,
		`{reviewed: partial}`:                                   false,
		`{reviewed: partial, spans: [{onset: 1, end: 2}]}`:      false,
		`{reviewed: full, spans: [{onset: 1, end: 2}]}`:         true,
		`{positions: [{call: 2, stop_ok: no}]}`:                 false,
		`{reviewed: full, positions: [{call: 2, stop_ok: no}]}`: true,
	} {
		var known corpus.Labels
		if err := known.AddCarried([]byte(yaml), "a", "f"); err != nil {
			t.Fatal(err)
		}
		s := labels.NewSuggest(twoPresets(t), &known)
		s.Add(seen("a", "qq"))
		if got := len(s.Next()) == 0; got != done {
			t.Errorf("%s: done %v", yaml, got)
		}
	}
}

// The sample does not depend on the order of sessions, has the size that the
// half-width asks for, and a corpus that grows moves nobody in it.
func TestTheSampleStands(t *testing.T) {
	plan := twoPresets(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "sessions")
		width := rapid.SampledFrom([]float64{0.1, 0.2, 0.3}).Draw(rt, "half-width") // 97, 25 and 11 sessions
		size := map[float64]int{0.1: 97, 0.2: 25, 0.3: 11}[width]
		seed := uint64(rapid.IntRange(0, 9).Draw(rt, "seed"))
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("session-%d", i))
		}
		names := func(list []string) []string {
			s := labels.NewSuggest(plan, &corpus.Labels{})
			s.HalfWidth, s.Seed = width, seed
			for _, id := range list {
				s.Add(seen(id, "qq"))
			}
			var next []string
			for _, g := range s.Next() {
				next = append(next, g.Session)
			}
			return next
		}
		sample := names(all)
		if len(sample) != min(n, size) {
			rt.Errorf("%d of %d sessions at ±%v, want %d", len(sample), n, width, min(n, size))
		}
		if other := names(rapid.Permutation(all).Draw(rt, "order")); !slices.Equal(sample, other) {
			rt.Errorf("in another order: %v, not %v", other, sample)
		}
		before := names(all[:(n+1)/2])
		kept := slices.DeleteFunc(slices.Clone(sample), func(id string) bool { return !slices.Contains(before, id) })
		if !slices.Equal(kept, before[:len(kept)]) {
			rt.Errorf("a corpus that grew: %v are no beginning of %v", kept, before)
		}
	})
}
