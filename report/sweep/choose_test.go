package sweep

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report/board"
	"groundhog/report/board/boardtest"
)

func TestObjectives(t *testing.T) {
	for spec, want := range map[string]string{
		DefaultObjective: "max recall s.t. fpr95<=1 %",
		"min  waste":     "min waste",
		"max f s.t. fpr95 <= 2%, false_per_1k<=3": "max f s.t. fpr95<=2 %, false_per_1k<=3",
		"min cost s.t. recall95>=0.9,waste<=0.5":  "min cost s.t. recall95>=90 %, waste<=0.5",
	} {
		o, err := ParseObjective(spec)
		if err != nil || o.String() != want {
			t.Errorf("%q: %q, %v; want %q", spec, o.String(), err, want)
			continue
		}
		again, err := ParseObjective(o.String())
		if err != nil || !reflect.DeepEqual(o, again) {
			t.Errorf("%q does not read back: %+v, %v", o, again, err)
		}
	}
	for _, spec := range []string{"", "recall", "max", "max beauty", "max recall s.t.", "max recall s.t. fpr95", "max recall s.t. fpr95<=x", "max recall s.t. fpr95<=-1", "max recall s.t. fpr95<=NaN"} {
		if o, err := ParseObjective(spec); err == nil {
			t.Errorf("%q was taken for %s", spec, o)
		}
	}
}

// The axes of a grid and the line through the current point.
func TestLines(t *testing.T) {
	p := kocoro.Presets[2]
	axis := func(spec string) replay.Axis {
		a, err := replay.ParseAxis(p.Params(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	list, grid, current, err := replay.Grid(replay.Config{Preset: p}, []replay.Axis{axis("exact_duplicate.nudge=3..6"), axis("no_progress.nudge=8..12:2"), axis("consecutive_duplicate.nudge=2..3")})
	if err != nil {
		t.Fatal(err)
	}
	s := &Sweep{Board: &board.Board{}, Grid: grid, Current: current}
	for k, a := range grid {
		line := s.line(k)
		if !slices.Contains(line, current) || len(line) != len(a.Values) {
			t.Errorf("axis %d: %v does not go through %d", k, line, current)
		}
		for i, point := range line {
			for m, other := range grid {
				want := list[current].Set[other.Param.ID]
				if m == k {
					want = a.Values[i]
				}
				if got := list[point].Set[other.Param.ID]; got != want {
					t.Errorf("axis %d, point %d: %s = %s, want %s", k, point, other.Param.ID, got, want)
				}
			}
		}
	}
	c := &chooser{grid: grid, current: current}
	if changed, steps := c.distance(current); changed != 0 || steps != 0 {
		t.Error("the current point is away from itself")
	}
}

// The choice depends on no order of sessions, and every point of a class leads to
// the same numbers.
func TestTheChoiceIsTheBestOfAll(t *testing.T) {
	var sets []detectors.Settings
	for n := 2; n <= 8; n++ {
		sets = append(sets, boardtest.NudgeAt(n))
	}
	b := boardtest.Demo(t, boardtest.KocoroAt(sets...), nil)
	axis, err := replay.ParseAxis(kocoro.Presets[2].Params(), "exact_duplicate.nudge=2..8")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom([]string{"max recall", "min waste", "max f", "min fpr", "max recall s.t. fpr95<=30%", "min waste s.t. fpr<=15%", "max recall s.t. fpr95<=1%"}).Draw(rt, "objective")
		o, err := ParseObjective(spec)
		if err != nil {
			rt.Fatal(err)
		}
		c := newChooser(b, detectors.ForceStop, o, nil, []replay.Axis{axis}, 3)
		c.among([]int{0, 1, 2, 3, 4, 5, 6})
		var out []*board.Row
		keep := func(r *board.Row) bool { return !slices.Contains(out, r) }
		if rapid.Bool().Draw(rt, "half") {
			for _, r := range b.Rows {
				if r.ClusterAt%2 == 1 {
					out = append(out, r)
				}
			}
		}
		best := c.choose(out)
		for _, p := range c.points {
			s := c.showing(p, keep)
			if c.feasible(&s) && !best.feasible {
				rt.Errorf("%s: %d keeps every bound, and %d was chosen", spec, p, best.point)
			}
			if c.feasible(&s) == best.feasible && best.feasible && c.better(&s, &best.showing) < 0 {
				rt.Errorf("%s: %d is better than %d", spec, p, best.point)
			}
		}
		shuffled := *c
		shuffled.among(rapid.Permutation(c.points).Draw(rt, "order of points"))
		if again := shuffled.choose(out); again.point != best.point {
			rt.Errorf("%s: %d in one order, %d in another", spec, best.point, again.point)
		}
	})
}

// A session more changes no other's outcome, and no other's fold.
func TestASessionMoreChangesNoOther(t *testing.T) {
	all := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(5)), nil)
	without := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(5)), func(u *formats.Unit) bool { return u.Session.ID != "zero-byte-write" })
	want := boardtest.Judgements(all, 0)
	delete(want, "zero-byte-write")
	if !reflect.DeepEqual(want, boardtest.Judgements(without, 0)) {
		t.Error("outcomes moved")
	}
	fold := func(b *board.Board) map[string]int {
		c := &chooser{board: b}
		out := make(map[string]int)
		for _, r := range b.Rows {
			out[r.ID] = c.fold(r, Folds)
		}
		delete(out, "zero-byte-write")
		return out
	}
	if !reflect.DeepEqual(fold(all), fold(without)) {
		t.Error("folds moved")
	}
}
