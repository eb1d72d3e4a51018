package bench

import (
	"strconv"
	"testing"
	"time"

	"groundhog/detectors"
	"groundhog/replay"
)

// thousand is the preset at 10 x 10 x 10 settings of three limits.
func thousand(t testing.TB) (list []replay.Config) {
	p := preset(t, current)
	for a := range 10 {
		for b := range 10 {
			for c := range 10 {
				list = append(list, replay.Config{Preset: p, Set: detectors.Settings{
					"kocoro/exact_duplicate.nudge":       strconv.Itoa(2 + a),
					"kocoro/consecutive_duplicate.nudge": strconv.Itoa(2 + b),
					"kocoro/no_progress.nudge":           strconv.Itoa(4 + c),
				}})
			}
		}
	}
	return list
}

// TestThousandPoints prints what a sweep of 1,000 points over 1,000 sessions
// costs, as a multiple of one replay in the same round.
func TestThousandPoints(t *testing.T) {
	if !*report {
		t.Skip("no -report")
	}
	in := write(t, Spec{Sessions: 1000, Seed: 1}, Shapes[1])
	units := in.find(t)
	one := plan(t, replay.Config{Preset: preset(t, current)})
	began := time.Now()
	grid, err := replay.NewPlan(replay.Question{Configs: thousand(t), Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	planned := time.Since(began)
	for range 3 {
		began = time.Now()
		replayed(t, one, units, 1, func(*replay.Outcome) {})
		single := time.Since(began)
		began = time.Now()
		distinct := 0
		replayed(t, grid, units, 1, func(o *replay.Outcome) {
			seen := make(map[*replay.PointOutcome]bool)
			for _, p := range o.Points {
				seen[p] = true
			}
			distinct += len(seen)
		})
		t.Logf("one replay %v; 1,000 points %v, %.2f times (planning %v once); %.1f groups a session", single, time.Since(began),
			float64(time.Since(began)+planned)/float64(single), planned, float64(distinct)/float64(len(units)))
	}
}
