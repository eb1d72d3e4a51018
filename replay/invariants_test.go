package replay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
)

// asPublished asks about every preset.
func asPublished() (list []replay.Config) {
	for _, p := range kocoro.Presets {
		list = append(list, replay.Config{Preset: p})
	}
	return list
}

// settings draws some changes of a preset's parameters, inside their ranges.
func settings(r *rand.Rand, p *detectors.Preset) detectors.Settings {
	set := detectors.Settings{}
	for _, q := range p.Params() {
		if r.IntN(4) > 0 {
			continue
		}
		switch q.Kind {
		case detectors.Int:
			set[q.ID] = strconv.Itoa(q.Lo + r.IntN(q.Hi-q.Lo+1))
		case detectors.Bool:
			set[q.ID] = strconv.FormatBool(r.IntN(2) == 0)
		case detectors.Choice:
			set[q.ID] = q.Options[r.IntN(len(q.Options))]
		}
	}
	return set
}

// configs draws configurations of the presets. Few of them share a panel, some do.
func configs(r *rand.Rand) (list []replay.Config) {
	for range 1 + r.IntN(4) {
		p := kocoro.Presets[r.IntN(len(kocoro.Presets))]
		c := replay.Config{Preset: p}
		if r.IntN(3) > 0 {
			c.Set = settings(r, p)
		}
		list = append(list, c)
		if r.IntN(2) == 0 { // the same shape with other limits
			again := c.Set.With(nil)
			for _, q := range p.Params() {
				if !q.Shape && q.Kind == detectors.Int && r.IntN(2) == 0 {
					again[q.ID] = strconv.Itoa(q.Lo + r.IntN(q.Hi-q.Lo+1))
				}
			}
			list = append(list, replay.Config{Preset: p, Set: again})
		}
	}
	return list
}

// Neither the number of workers nor the memory they may use nor who happens to
// go first changes an outcome or its place.
func TestSchedulingChangesNothing(t *testing.T) {
	p := newPlan(t, replay.Question{Configs: asPublished(), Alone: true, DropOne: true})
	want := run(t, &replay.Engine{Plan: p, Workers: 1}, many(t, 30))
	for _, e := range []replay.Engine{
		{Workers: 2}, {Workers: 8}, {Workers: 8, Memory: 1}, {Workers: 3, Memory: 5000}, {},
	} {
		e.Plan = p
		units := many(t, 30)
		for i := range units {
			units[i] = yielding(units[i], uint64(i)+uint64(e.Workers))
		}
		got := run(t, &e, units)
		if d := diff(want, got); d != "" {
			t.Errorf("%d workers, %d bytes (-want +got):\n%s", e.Workers, e.Memory, d)
		}
	}
}

// The order of sessions changes nothing but the order of outcomes, and a
// session's outcome does not depend on the others.
func TestSessionsAreApart(t *testing.T) {
	p := newPlan(t, replay.Question{Configs: asPublished(), Alone: true})
	all := run(t, &replay.Engine{Plan: p}, many(t, 10))
	r := rand.New(rand.NewPCG(1, 1))
	order := r.Perm(len(all))[:40]
	units := many(t, 10)
	var some []*replay.Outcome
	shuffled := units[:0:0]
	for _, i := range order {
		shuffled = append(shuffled, units[i])
		some = append(some, all[i])
	}
	if d := diff(some, run(t, &replay.Engine{Plan: p}, shuffled)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// ofConfig are the outcomes of one configuration's points.
func ofConfig(p *replay.Plan, o *replay.Outcome, config int) (list []*replay.PointOutcome) {
	for i, point := range p.Points {
		if point.Config == config {
			list = append(list, o.Points[i])
		}
	}
	return list
}

// A sweep equals re-runs: several configurations in one plan say what each says
// in a plan of its own.
func TestAPlanEqualsAPlanForEach(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		q := replay.Question{Configs: configs(r), Alone: r.IntN(2) == 0, DropOne: r.IntN(3) == 0, Brief: r.IntN(4) == 0}
		p := newPlan(t, q)
		u := random(seed)
		got := replayOne(t, q, u)
		for i, c := range q.Configs {
			alone := q
			alone.Configs = []replay.Config{c}
			want := replayOne(t, alone, u)
			if d := diff(want.Points, ofConfig(p, got, i)); d != "" {
				t.Fatalf("seed %d: config %d of %d, %s %v (-alone +together):\n%s", seed, i, len(q.Configs), c.Preset.Name, c.Set, d)
			}
			counts := *got
			want.Points, counts.Points = nil, nil
			if d := diff(*want, counts); d != "" {
				t.Fatalf("seed %d: numbers that depend on no detector (-alone +together):\n%s", seed, d)
			}
		}
	}
}

// with is a preset with other detectors.
func with(p *detectors.Preset, list ...*detectors.Detector) *detectors.Preset {
	out := *p
	out.Detectors = list
	return &out
}

// A detector alone is a preset with nothing else in it, and production without a
// detector is a preset that lacks it.
func TestViewsArePresets(t *testing.T) {
	units := many(t, 40)
	for _, p := range kocoro.Presets {
		whole := newPlan(t, replay.Question{Configs: []replay.Config{{Preset: p}}, Alone: true, DropOne: true})
		got := run(t, &replay.Engine{Plan: whole}, units)
		views := make(map[replay.View]int)
		for i, point := range whole.Points {
			views[point.View()]++
			var other *detectors.Preset
			for j, d := range p.Detectors {
				switch d.Name {
				case point.Detector:
					other = with(p, d)
				case point.Without:
					other = with(p, slices.Delete(slices.Clone(p.Detectors), j, j+1)...)
				}
			}
			if other == nil {
				continue
			}
			want := run(t, &replay.Engine{Plan: newPlan(t, replay.Question{Configs: []replay.Config{{Preset: other}}})}, units)
			for k := range want {
				if d := diff(want[k].Points[0], got[k].Points[i]); d != "" {
					t.Errorf("%s, %s %s%s (-a preset of its own +view):\n%s", units[k].Session.ID, p.Name, point.Detector, point.Without, d)
				}
			}
		}
		n := len(p.Detectors)
		if views[replay.Production] != 1 || views[replay.Standalone] != n || views[replay.Ablated] != n {
			t.Errorf("%s: views %v of %d detectors", p.Name, views, n)
		}
	}
}

// Who wins asked for it; who asked and did not win is named, in order of
// precedence; and nothing that a point says lies outside the session.
func TestAttributedIsWanted(t *testing.T) {
	p := newPlan(t, replay.Question{Configs: asPublished(), Alone: true})
	fires := 0
	for _, o := range run(t, &replay.Engine{Plan: p}, many(t, 60)) {
		for i := range o.Points {
			order := kocoro.Presets[p.Points[i].Config].Detectors
			stopped := make(map[int32]int32) // by run: the step of its first stop
			for _, f := range o.Points[i].Fires {
				fires++
				if len(f.Wanted) == 0 || !cmp.Equal(f.Wanted[0].Detector, f.Detector) || f.Wanted[0].Verdict != f.Verdict {
					t.Fatalf("%s: %s won without asking: %+v", o.Session.ID, f.Detector, f)
				}
				last := -1
				for j, w := range f.Wanted {
					at := slices.IndexFunc(order, func(d *detectors.Detector) bool { return d.Name == w.Detector })
					if at <= last || w.Verdict == detectors.Continue || w.Pos != f.Pos {
						t.Fatalf("%s: wanted %+v at %+v", o.Session.ID, w, f.Pos)
					}
					last = at
					if j > 0 && f.Masked[j-1] != w.Detector {
						t.Fatalf("%s: masked %v, wanted %+v", o.Session.ID, f.Masked, f.Wanted)
					}
				}
				run := slices.IndexFunc(o.Runs, func(r replay.Run) bool { return r.Number == int(f.Pos.Run) })
				step, after := stopped[f.Pos.Run]
				after = after && step < f.Pos.Step
				if run < 0 || f.After != after {
					t.Fatalf("%s: %s at %+v, after the stop is %v, want %v", o.Session.ID, f.Detector, f.Pos, f.After, after)
				}
				if first := o.Points[i].Runs[run].FirstStop; f.Verdict == detectors.ForceStop && !after {
					stopped[f.Pos.Run] = f.Pos.Step
					if first == nil || first.Pos.Step != f.Pos.Step {
						t.Fatalf("%s: a stop at %+v, but the first is %+v", o.Session.ID, f.Pos, first)
					}
				}
			}
		}
	}
	if fires < 1000 {
		t.Errorf("only %d fires were looked at", fires)
	}
}

// A path without a memory of its own wants the same whoever else takes part: its
// fires alone are what it wanted in production.
func TestAloneEqualsWanted(t *testing.T) {
	remember := map[string]bool{"kocoro/tool_mode_switch": true, "kocoro/success_after_error": true}
	p := newPlan(t, replay.Question{Configs: asPublished(), Alone: true})
	for _, o := range run(t, &replay.Engine{Plan: p}, many(t, 60)) {
		wanted := make(map[string][]string)
		for i, point := range p.Points {
			var alone []string
			for _, f := range o.Points[i].Fires {
				if point.View() == replay.Standalone {
					alone = append(alone, line(f.Fire))
					continue
				}
				for _, w := range f.Wanted {
					key := fmt.Sprint(point.Config, w.Detector)
					wanted[key] = append(wanted[key], line(w))
				}
			}
			if point.View() == replay.Standalone && !remember[point.Detector] {
				if d := cmp.Diff(wanted[fmt.Sprint(point.Config, point.Detector)], alone); d != "" {
					t.Errorf("%s: %s (-wanted +alone):\n%s", o.Session.ID, point.Detector, d)
				}
			}
		}
	}
}

func line(f detectors.Fire) string {
	return fmt.Sprintf("%d/%d/%d %s %v %s", f.Pos.Run, f.Pos.Step, f.Pos.Call, f.Detector, f.Verdict, f.Text)
}

// Numbers of runs add up to those of the session, and what a point leaves is
// part of its run.
func TestNumbersAddUp(t *testing.T) {
	p := newPlan(t, replay.Question{Configs: asPublished(), Alone: true})
	for _, o := range run(t, &replay.Engine{Plan: p}, many(t, 60)) {
		steps, calls, toolCalls := 0, 0, 0
		var tokens replay.Tokens
		for _, r := range o.Runs {
			steps, calls = steps+r.Steps, calls+r.Calls
			tokens.N, tokens.Unknown = tokens.N+r.Tokens.N, tokens.Unknown+r.Tokens.Unknown
		}
		for _, tool := range o.Tools {
			toolCalls += tool.Calls
		}
		if steps != o.Steps || calls != o.Calls || toolCalls != o.Calls || tokens != o.Tokens {
			t.Errorf("%s: runs hold %d steps, %d calls, %v, tools %d calls; the session %d, %d, %v", o.Session.ID, steps, calls, tokens, toolCalls, o.Steps, o.Calls, o.Tokens)
		}
		if o.Inferred > o.Errors || o.Errors+o.Missing > o.Calls {
			t.Errorf("%s: %d errors, %d inferred, %d missing, %d calls", o.Session.ID, o.Errors, o.Inferred, o.Missing, o.Calls)
		}
		for i := range o.Points {
			if len(o.Points[i].Runs) != len(o.Runs) {
				t.Fatalf("%s: a point has %d runs, want %d", o.Session.ID, len(o.Points[i].Runs), len(o.Runs))
			}
			for j, r := range o.Points[i].Runs {
				if r.CallsLeft < 0 || r.CallsLeft > o.Runs[j].Calls || r.TokensLeft.N < 0 || r.TokensLeft.N > o.Runs[j].Tokens.N {
					t.Errorf("%s run %d: %d of %d calls left, %v of %v", o.Session.ID, j, r.CallsLeft, o.Runs[j].Calls, r.TokensLeft, o.Runs[j].Tokens)
				}
				if r.FirstStop == nil && (r.CallsLeft != 0 || r.TokensLeft != replay.Tokens{}) {
					t.Errorf("%s run %d: no stop, but %d calls and %v left", o.Session.ID, j, r.CallsLeft, r.TokensLeft)
				}
			}
		}
	}
}

// A brief answer says the same with fewer words.
func TestBriefSaysTheSame(t *testing.T) {
	q := replay.Question{Configs: asPublished(), Alone: true, DropOne: true}
	p := newPlan(t, q)
	q.Brief = true
	units := many(t, 40)
	full := run(t, &replay.Engine{Plan: p}, units)
	brief := run(t, &replay.Engine{Plan: newPlan(t, q)}, units)
	short := func(f *replay.Fire) *replay.Fire {
		if f == nil {
			return nil
		}
		out := *f
		out.Wanted, out.Reason, out.Text, out.Evidence, out.Case = nil, "", "", nil, detectors.Case{}
		return &out
	}
	for k, o := range full {
		for i := range o.Points {
			for j := range o.Points[i].Runs {
				r := &o.Points[i].Runs[j]
				r.FirstNudge, r.FirstStop, r.LadderStop = short(r.FirstNudge), short(r.FirstStop), short(r.LadderStop)
			}
			for j := range o.Points[i].Fires {
				o.Points[i].Fires[j] = short(o.Points[i].Fires[j])
			}
			if p.Points[i].View() == replay.Standalone {
				o.Points[i].Fires = nil
			}
		}
		if d := diff(o, brief[k]); d != "" {
			t.Fatalf("%s (-full +brief):\n%s", o.Session.ID, d)
		}
	}
}

// Taking out a path that never won changes nothing but the lists of who else
// wanted to speak.
func TestAPathThatNeverWinsMayGo(t *testing.T) {
	p := newPlan(t, replay.Question{Configs: asPublished(), DropOne: true})
	silent := 0
	for _, o := range run(t, &replay.Engine{Plan: p}, many(t, 60)) {
		var whole []string
		won := make(map[string]bool)
		for i, point := range p.Points {
			var fires []string
			for _, f := range o.Points[i].Fires {
				fires = append(fires, fmt.Sprintf("%s %v %v %v %s", line(f.Fire), f.Delivered, f.Ladder, f.Open, f.Tier))
			}
			if point.View() == replay.Production {
				whole = fires
				clear(won)
				for _, f := range o.Points[i].Fires {
					won[f.Detector] = true
				}
				continue
			}
			if won[point.Without] {
				continue
			}
			silent++
			if diff := cmp.Diff(whole, fires); diff != "" {
				t.Errorf("%s: without %s, which never won (-with +without):\n%s", o.Session.ID, point.Without, diff)
			}
		}
	}
	if silent < 100 {
		t.Errorf("only %d paths were silent", silent)
	}
}

// A raised threshold makes no silent run speak, and no run speak earlier
// where the path is alone.
func TestThresholdsAreMonotone(t *testing.T) {
	preset := kocoro.Presets[2]
	units := many(t, 30)
	never := int32(1 << 30)
	at := func(f *replay.Fire) int32 {
		if f == nil {
			return never
		}
		return f.Pos.Call
	}
	for i, d := range preset.Detectors {
		for _, q := range d.Params {
			if q.Kind != detectors.Int || q.ID == "kocoro/no_progress.unique_percent" {
				continue // more distinct arguments asked for is fewer batches that pass
			}
			question := replay.Question{}
			for n := q.Lo; n <= q.Hi; n++ {
				question.Configs = append(question.Configs, replay.Config{Preset: with(preset, preset.Detectors[i]), Set: detectors.Settings{q.ID: strconv.Itoa(n)}})
			}
			for _, o := range run(t, &replay.Engine{Plan: newPlan(t, question)}, units) {
				for j := 1; j < len(o.Points); j++ {
					for k := range o.Runs {
						before, after := &o.Points[j-1].Runs[k], &o.Points[j].Runs[k]
						if at(after.FirstStop) < at(before.FirstStop) || at(after.FirstNudge) < at(before.FirstNudge) {
							t.Errorf("%s run %d: %s raised to %d speaks earlier: %d and %d, it was %d and %d", o.Session.ID, k, q.ID, q.Lo+j,
								at(after.FirstNudge), at(after.FirstStop), at(before.FirstNudge), at(before.FirstStop))
						}
					}
				}
			}
		}
	}
}
