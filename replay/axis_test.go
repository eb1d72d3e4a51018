package replay_test

import (
	"errors"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
)

func TestParseAxis(t *testing.T) {
	p := kocoro.Presets[2]
	for _, test := range []struct{ spec, values, err string }{
		{"exact_duplicate.nudge=2..5", "2 3 4 5", ""},
		{"kocoro/exact_duplicate.nudge=5", "5", ""},
		{"exact_duplicate.nudge=2,9,4..6,5", "2 9 4 5 6", ""},
		{"exact_duplicate.nudge=2..20:5", "2 7 12 17", ""},
		{"exact_duplicate.nudge=2..20:x2", "2 4 8 16", ""},
		{"exact_duplicate.nudge=8..2", "", "from a smaller"},
		{"exact_duplicate.nudge=2..x", "", "from a smaller"},
		{"exact_duplicate.nudge=0..8:x2", "", "factor"},
		{"exact_duplicate.nudge=2..8:0", "", "step"},
		{"exact_duplicate.nudge=2,,3", "", "no value"},
		{"exact_duplicate.nudge=", "", "no value"},
		{"exact_duplicate.nudge=0..1000000", "", "more than"},
		{"kocoro.batch_tolerant=bash", "", "set and not swept"},
	} {
		a, err := replay.ParseAxis(p, test.spec)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want one with %q", test.spec, err, test.err)
			}
			continue
		}
		if err != nil || strings.Join(a.Values, " ") != test.values {
			t.Errorf("%s: %v %v, want %s", test.spec, a.Values, err, test.values)
		}
	}
	for _, spec := range []string{"traces/a=b.jsonl", "no_such.nudge=2..3", "traces/"} {
		if _, err := replay.ParseAxis(p, spec); !errors.Is(err, replay.ErrNoAxis) {
			t.Errorf("%s: %v, want ErrNoAxis", spec, err)
		}
	}
}

func TestGridHoldsTheCurrentPoint(t *testing.T) {
	p := kocoro.Presets[2]
	axis := func(spec string) replay.Axis {
		a, err := replay.ParseAxis(p, spec)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	base := replay.Config{Preset: p, Set: detectors.Settings{"kocoro/no_progress.nudge": "9"}}
	list, grid, current, err := replay.Grid(base, []replay.Axis{axis("exact_duplicate.nudge=2,8"), axis("no_progress.nudge=8,10")})
	if err != nil || len(list) != 9 || strings.Join(grid[0].Values, " ") != "2 5 8" || strings.Join(grid[1].Values, " ") != "8 9 10" {
		t.Fatalf("%d points, %v, %v", len(list), grid, err)
	}
	c := list[current]
	if c.Set["kocoro/exact_duplicate.nudge"] != "5" || c.Set["kocoro/no_progress.nudge"] != "9" {
		t.Errorf("the current point is %v", c.Set)
	}
	if len(base.Set) != 1 {
		t.Error("the base was changed")
	}
	if _, _, _, err := replay.Grid(base, []replay.Axis{axis("no_progress.nudge=8"), axis("no_progress.nudge=9")}); err == nil {
		t.Error("one parameter on two axes")
	}
}
