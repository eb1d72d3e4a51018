package bench

import (
	"fmt"
	"testing"
	"time"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report/board"
	"groundhog/report/sweep"
)

// thousand is the sweep of three limits of the preset at 10 values each.
func thousand(t testing.TB) ([]replay.Config, []replay.Axis, int) {
	p := preset(t, current)
	var axes []replay.Axis
	for _, spec := range []string{"exact_duplicate.nudge=2..11", "consecutive_duplicate.nudge=2..11", "no_progress.nudge=4..13"} {
		a, err := replay.ParseAxis(p.Params(), spec)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	configs, grid, now, err := replay.Grid(replay.Config{Preset: p}, axes)
	if err != nil {
		t.Fatal(err)
	}
	return configs, grid, now
}

// TestThousandPoints prints what a sweep of 1,000 points over 1,000 sessions
// costs, from files to the finished report, as a multiple of one replay in the
// same round. Time is that of the processor (spent).
func TestThousandPoints(t *testing.T) {
	if !*report {
		t.Skip("no -report")
	}
	in := write(t, Spec{Sessions: 1000, Seed: 1}, Shapes[1])
	units := in.find(t)
	single := plan(t, replay.Config{Preset: preset(t, current)})
	configs, grid, now := thousand(t)
	objective, err := sweep.ParseObjective(sweep.DefaultObjective)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		began := spent()
		replayed(t, single, units, 1, func(*replay.Outcome) {})
		alone := spent() - began
		began = spent()
		points, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		planned := spent() - began
		groups := 0
		labels := everyThird(t, units)
		b := board.New(points, labels, "session")
		replayed(t, points, units, 1, func(o *replay.Outcome) {
			seen := make(map[*replay.PointOutcome]bool)
			for _, p := range o.Points {
				seen[p] = true
			}
			groups += len(seen)
			b.Add(o)
		})
		judged := spent() - began
		sw := &sweep.Sweep{Board: b, Grid: grid, Current: now, Objective: objective, Level: detectors.ForceStop, Levels: board.Levels[:], Prevalence: board.Prevalences}
		sw.Report()
		all := spent() - began
		t.Logf("%d points over %d sessions: %.2f times one replay (planned %.2f, replayed and judged %.2f, reported %.2f); %.1f groups of points a session",
			len(configs), len(units), times(all, alone), times(planned, alone), times(judged-planned, alone), times(all-judged, alone), float64(groups)/float64(len(units)))
	}
}

func times(a, b time.Duration) float64 { return float64(a) / float64(b) }

// everyThird calls a third of the sessions loops and the rest work, so that a
// report has rates to compute. The labels mean nothing.
func everyThird(t testing.TB, units []*formats.Unit) *corpus.Labels {
	labels := &corpus.Labels{}
	for i, u := range units {
		yaml := "{reviewed: full}"
		if i%3 == 0 {
			yaml = "{reviewed: full, spans: [{onset: 1, end: 1}]}"
		}
		if err := labels.AddCarried([]byte(yaml), u.Session.ID, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	return labels
}
