package report

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/replay"
)

// demo replays the embedded corpus.
func demo(t testing.TB, configs []replay.Config, keep func(*formats.Unit) bool) *Board {
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
	b := NewBoard(plan, labels, "session")
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), units, func(o *replay.Outcome) error {
		b.Add(o)
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.settle()
	return b
}

func kocoroAt(sets ...detectors.Settings) (list []replay.Config) {
	for _, set := range sets {
		list = append(list, replay.Config{Preset: kocoro.Presets[2], Set: set})
	}
	return list
}

func nudgeAt(n int) detectors.Settings {
	return detectors.Settings{"kocoro/exact_duplicate.nudge": fmt.Sprint(n)}
}

// judgements are what a board holds for one point, by session and level.
func judgements(b *Board, point int) map[string][len(Levels)]corpus.Judgement {
	out := make(map[string][len(Levels)]corpus.Judgement)
	for _, r := range b.rows {
		var js [len(Levels)]corpus.Judgement
		for k, level := range Levels {
			js[k] = *r.under(point, level)
		}
		out[r.id] = js
	}
	return out
}

// A cell of a sweep equals a run with that setting.
func TestACellEqualsARun(t *testing.T) {
	var sets []detectors.Settings
	for n := 2; n <= 8; n++ {
		sets = append(sets, nudgeAt(n))
	}
	sweep := demo(t, kocoroAt(sets...), nil)
	for i, set := range sets {
		alone := demo(t, kocoroAt(set), nil)
		if got, want := judgements(sweep, i), judgements(alone, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: the sweep's cell differs from a run", set)
		}
	}
}

// Two points are of one class exactly where no session tells them apart.
func TestClassesAreThoseWithTheSameFires(t *testing.T) {
	sets := []detectors.Settings{nudgeAt(5), nudgeAt(6), nudgeAt(5), {"kocoro/search_escalation.force": "19"}, {"kocoro/search_escalation.force": "18"}}
	b := demo(t, kocoroAt(sets...), nil)
	if b.class[0] != b.class[2] || b.class[0] == b.class[1] {
		t.Errorf("classes %v: 5 and 5 are the same, 5 and 6 are not", b.class)
	}
	if b.class[3] != b.class[4] {
		t.Errorf("classes %v: no session of the demo searches 18 times", b.class)
	}
}

// Outcomes partition the sessions (E18.1).
func TestOutcomesPartition(t *testing.T) {
	b := demo(t, kocoroAt(nudgeAt(3), nudgeAt(5)), nil)
	classes, _ := b.labelled()
	for p := range 2 {
		for _, level := range Levels {
			n := b.totals(p, level, nil).Tally
			loops := n.Loops() + n[corpus.Censored]
			unknown := n[corpus.UnknownFire]
			if d := classes[corpus.Loop] + classes[corpus.Productive] - loops - n.Work() - unknown; d != 0 {
				t.Errorf("point %d, %s level: %d sessions are in no outcome", p, levelName(level), d)
			}
			if n[corpus.GapHit]+n[corpus.GapMiss] != classes[corpus.KnownGap] {
				t.Errorf("known gaps: %d and %d of %d", n[corpus.GapHit], n[corpus.GapMiss], classes[corpus.KnownGap])
			}
		}
	}
}

// A session more changes no other's outcome, and no other's fold (E18.4).
func TestASessionMoreChangesNoOther(t *testing.T) {
	all := demo(t, kocoroAt(nudgeAt(5)), nil)
	without := demo(t, kocoroAt(nudgeAt(5)), func(u *formats.Unit) bool { return u.Session.ID != "zero-byte-write" })
	want := judgements(all, 0)
	delete(want, "zero-byte-write")
	if !reflect.DeepEqual(want, judgements(without, 0)) {
		t.Error("outcomes moved")
	}
	fold := func(b *Board) map[string]int {
		c := &chooser{board: b}
		out := make(map[string]int)
		for _, r := range b.rows {
			out[r.id] = c.fold(r, Folds)
		}
		delete(out, "zero-byte-write")
		return out
	}
	if !reflect.DeepEqual(fold(all), fold(without)) {
		t.Error("folds moved")
	}
}

// A against A has no flips, and B against A is A against B the other way (E18.9).
func TestComparisonsMirror(t *testing.T) {
	b := demo(t, kocoroAt(nudgeAt(3), nudgeAt(5), nudgeAt(5)), nil)
	for _, level := range Levels {
		if list := b.flips(1, 2, level); len(list) != 0 {
			t.Errorf("A against A: %s", flipText(list))
		}
		there, back := b.flips(0, 1, level), b.flips(1, 0, level)
		if len(there) == 0 || len(there) != len(back) {
			t.Fatalf("%d flips there, %d back", len(there), len(back))
		}
		for i := range there {
			if there[i].from != back[i].to || there[i].to != back[i].from || there[i].gained() != back[i].lost() || there[i].lost() != back[i].gained() {
				t.Errorf("%+v does not mirror %+v", there[i], back[i])
			}
		}
		w1, g1 := b.paired(there, isLoop)
		w2, g2 := b.paired(back, isLoop)
		if w1 != g2 || g1 != w2 {
			t.Errorf("pairs %d, %d there and %d, %d back", w1, g1, w2, g2)
		}
	}
}

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
	s := &Sweep{Board: &Board{}, Grid: grid, Current: current}
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
		sets = append(sets, nudgeAt(n))
	}
	b := demo(t, kocoroAt(sets...), nil)
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
		c := newChooser(b, detectors.ForceStop, o, []replay.Axis{axis}, 3)
		c.among([]int{0, 1, 2, 3, 4, 5, 6})
		var out []*row
		keep := func(r *row) bool { return !slices.Contains(out, r) }
		if rapid.Bool().Draw(rt, "half") {
			for _, r := range b.rows {
				if r.at%2 == 1 {
					out = append(out, r)
				}
			}
		}
		best := c.choose(out)
		for _, p := range c.points {
			s := b.showing(p, c.level, keep)
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

// Clusters are what counts where sessions come in clusters.
func TestClustersCount(t *testing.T) {
	b := demo(t, kocoroAt(nudgeAt(5)), nil)
	single := b.rate(0, detectors.ForceStop, isWork, isFalse, nil)
	if single.clusters != nil {
		t.Fatal("sessions are clusters of their own")
	}
	for i, r := range b.rows {
		r.cluster = fmt.Sprintf("label:%02d", i/2)
	}
	b.settle()
	paired := b.rate(0, detectors.ForceStop, isWork, isFalse, nil)
	if paired.n != single.n || paired.d != single.d || len(paired.clusters) == 0 || len(paired.clusters) > single.d {
		t.Errorf("%+v, alone %+v", paired, single)
	}
	if paired.upper() < single.upper() {
		t.Errorf("a bound over %d clusters, %.3f, is below the one over %d sessions, %.3f", len(paired.clusters), paired.upper(), single.d, single.upper())
	}
	if notes := strings.Join(b.notes(), "\n"); !strings.Contains(notes, "clusters") {
		t.Errorf("the notes do not say so: %s", notes)
	}
}
