// Package boardtest replays the embedded corpus onto a board, for tests of what
// reads boards.
package boardtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report/board"
)

// Demo replays the sessions of the embedded corpus that keep lets through; nil lets
// all through.
func Demo(t testing.TB, configs []replay.Config, keep func(*formats.Unit) bool) *board.Board {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	labels := &corpus.Labels{}
	units := slices.DeleteFunc(slices.Clone(found.Units), func(u *formats.Unit) bool { return keep != nil && !keep(u) })
	for _, u := range units {
		if err := labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File); err != nil {
			t.Fatal(err)
		}
	}
	b := board.New(plan, labels, "session")
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), units, func(o *replay.Outcome) error {
		b.Add(o)
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Settle()
	return b
}

// KocoroAt is the preset kocoro-4ec6772, once for each of some settings.
func KocoroAt(sets ...detectors.Settings) (list []replay.Config) {
	for _, set := range sets {
		list = append(list, replay.Config{Preset: kocoro.Presets[2], Set: set})
	}
	return list
}

// NudgeAt are the settings in which exact_duplicate nudges at n calls.
func NudgeAt(n int) detectors.Settings {
	return detectors.Settings{"kocoro/exact_duplicate.nudge": fmt.Sprint(n)}
}

// Judgements are what a board holds for one point, by session and level.
func Judgements(b *board.Board, point int) map[string][len(board.Levels)]corpus.Judgement {
	out := make(map[string][len(board.Levels)]corpus.Judgement)
	for _, r := range b.Rows {
		var js [len(board.Levels)]corpus.Judgement
		for k, level := range board.Levels {
			js[k] = *r.Under(point, level)
		}
		out[r.ID] = js
	}
	return out
}
