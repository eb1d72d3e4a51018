package bench

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"groundhog/detectors/catalog"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/cut"
	"groundhog/report/render"
	"groundhog/report/review"
)

// longSession is a generated session of some 500 calls, as steps in memory.
func longSession(t testing.TB) *formats.Unit {
	t.Helper()
	spec := Spec{Sessions: 400, Seed: 1}
	best, off := 0, 1<<30
	i := 0
	for s := range spec.All() {
		if d := max(s.Calls-500, 500-s.Calls); d < off {
			best, off = i, d
		}
		i++
	}
	if off > 100 {
		t.Fatalf("no session of some 500 calls: %d away", off)
	}
	return modelUnits(spec)[best]
}

// reviewPlan asks the presets that a review asks where none is named.
func reviewPlan(t testing.TB) *replay.Plan {
	t.Helper()
	q := replay.Question{Alone: true, Calls: replay.Calls{Changes: kocoro.Changes(nil), Empty: contract.Empty(kocoro.Name(nil), kocoro.Required)}}
	for _, name := range catalog.Default {
		q.Configs = append(q.Configs, replay.Config{Preset: preset(t, name)})
	}
	p, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// screen is the first screen of a session, as text.
func screen(t testing.TB, p *replay.Plan, u *formats.Unit) []byte {
	e := &replay.Engine{Plan: p, Workers: 1, Split: cut.All()[0].Cut}
	trace, err := e.Trace(context.Background(), u)
	if err != nil || trace.Outcome.Err != nil {
		t.Fatal(err, trace.Outcome.Err)
	}
	rev, err := review.New(trace, nil, review.Options{Splitter: cut.All()[0].Name})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := render.Review(&out, rev, render.Style{Width: 120}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestReviewCost prints what the screen of a session of some 500 calls costs, as a
// multiple of its replay in the same round.
func TestReviewCost(t *testing.T) {
	if !*report {
		t.Skip("no -report")
	}
	u, p := longSession(t), reviewPlan(t)
	screen(t, p, u) // the vocabulary of the splitter
	var ratios, times []float64
	for range 7 {
		began := time.Now()
		replayed(t, p, []*formats.Unit{u}, 1, func(*replay.Outcome) {})
		single := time.Since(began)
		began = time.Now()
		screen(t, p, u)
		times = append(times, time.Since(began).Seconds())
		ratios = append(ratios, times[len(times)-1]/single.Seconds())
	}
	slices.Sort(ratios)
	slices.Sort(times)
	t.Logf("the screen of a session costs %.1f times its replay (%.1f to %.1f); %.0f ms", ratios[3], ratios[0], ratios[6], 1000*times[3])
}

func BenchmarkReview(b *testing.B) {
	u, p := longSession(b), reviewPlan(b)
	b.Run("replay", func(b *testing.B) {
		for b.Loop() {
			replayed(b, p, []*formats.Unit{u}, 1, func(*replay.Outcome) {})
		}
	})
	b.Run("screen", func(b *testing.B) {
		for b.Loop() {
			screen(b, p, u)
		}
	})
}
