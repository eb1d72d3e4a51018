package replay_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/transcript"
)

func tracePlan(t testing.TB) *replay.Plan {
	t.Helper()
	q := replay.Question{Alone: true, Calls: replay.Calls{Changes: kocoro.Changes(nil), Empty: contract.Empty(kocoro.Name(nil), kocoro.Required)}}
	for _, p := range catalog.Presets {
		q.Configs = append(q.Configs, replay.Config{Preset: p})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// traces runs f over the traced demo corpus.
func traces(t *testing.T, f func(t *testing.T, u *formats.Unit, e *replay.Engine, tr *replay.Trace)) {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: tracePlan(t), Split: transcript.Words}
	for _, u := range found.Units {
		tr, err := e.Trace(context.Background(), u)
		if err != nil || tr.Outcome.Err != nil {
			t.Fatal(err, tr.Outcome.Err)
		}
		f(t, u, e, tr)
	}
}

// A trace says what a replay says. It listens more closely to streams, and so may
// have cut more text into deltas.
func TestTraceIsAReplay(t *testing.T) {
	traces(t, func(t *testing.T, u *formats.Unit, e *replay.Engine, tr *replay.Trace) {
		err := e.Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
			got := *tr.Outcome
			got.Deltas = o.Deltas
			if diff := cmp.Diff(o, &got); diff != "" {
				t.Errorf("%s (-replay +trace):\n%s", u.Session.ID, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Every fire was measured, and its judge says again what it said.
func TestTraceKeepsWhatFired(t *testing.T) {
	fires := 0
	traces(t, func(t *testing.T, u *formats.Unit, _ *replay.Engine, tr *replay.Trace) {
		for _, p := range tr.Paths {
			_, alone := tr.Of(p.Config, p.Detector.Name)
			for _, f := range alone.Fires {
				fires++
				m := p.At(f.Phase, f.Pos)
				if m == nil || p.Judge.Verdict(m.Values) != f.Verdict {
					t.Errorf("%s: %s at %v: kept %v", u.Session.ID, f.Detector, f.Pos, m)
				}
			}
		}
	})
	if fires < 500 {
		t.Errorf("%d fires: too few to say much", fires)
	}
}

// Asked about the session as it was, a path speaks where it does alone.
func TestAskAboutTheSessionAsItWas(t *testing.T) {
	spoke := 0
	traces(t, func(t *testing.T, u *formats.Unit, _ *replay.Engine, tr *replay.Trace) {
		for config := range tr.Plan.Configs {
			var paths []*replay.Path
			for _, p := range tr.Paths {
				if p.Config == config && !p.Streams {
					paths = append(paths, p)
				}
			}
			answers, err := tr.Ask(paths, replay.WhatIf{})
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range paths {
				_, alone := tr.Of(config, p.Detector.Name)
				var want replay.Answer
				if len(alone.Fires) > 0 {
					f := alone.Fires[0]
					want = replay.Answer{Verdict: f.Verdict, Pos: f.Pos}
					spoke++
				}
				got := answers[i]
				got.Pos.Line, want.Pos.Line = 0, 0
				if got.Verdict == detectors.Continue {
					got.Pos = transcript.Pos{}
				}
				if got != want {
					t.Errorf("%s: %s of %s: %+v, want %+v", u.Session.ID, p.Detector.Name, tr.Plan.Configs[config].Preset.Name, got, want)
				}
			}
		}
	})
	if spoke < 100 {
		t.Errorf("%d paths spoke: too few to say much", spoke)
	}
}
