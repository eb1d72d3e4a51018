package replay_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// grid draws many points of one preset that differ in two to four limits.
func grid(r *rand.Rand, p *detectors.Preset, points int) (list []replay.Config) {
	var axes []detectors.Param
	for _, q := range p.Params() {
		if !q.Shape && q.Kind == detectors.Int {
			axes = append(axes, q)
		}
	}
	r.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	axes = axes[:min(len(axes), 2+r.IntN(3))]
	for range points {
		set := detectors.Settings{}
		for _, q := range axes {
			set[q.ID] = strconv.Itoa(q.Lo + r.IntN(q.Hi-q.Lo+1))
		}
		list = append(list, replay.Config{Preset: p, Set: set})
	}
	return list
}

// Points that share a group say what each says with a group of its own, which
// is how points are kept whose fires are explained.
func TestGroupsChangeNothing(t *testing.T) {
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	for seed, p := range catalog.Presets {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		q := replay.Question{Configs: grid(r, p, 40), Alone: seed%2 == 0}
		units := append(many(t, 20), demo.Units...)
		r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		explained := run(t, &replay.Engine{Plan: newPlan(t, q), Split: transcript.Words}, units)
		q.Brief = true
		plan := newPlan(t, q)
		apart, shared := 0, 0
		for i, o := range run(t, &replay.Engine{Plan: plan, Split: transcript.Words}, units) {
			distinct := make(map[*replay.PointOutcome]bool)
			for j, got := range o.Points {
				distinct[got] = true
				if d := diff(brief(explained[i].Points[j], plan.Points[j].View()), brief(got, plan.Points[j].View())); d != "" {
					t.Fatalf("%s, %s %v %s (-apart +shared):\n%s", o.Session.ID, p.Name, plan.Configs[plan.Points[j].Config].Set, plan.Points[j].Detector, d)
				}
			}
			apart += len(o.Points)
			shared += len(distinct)
		}
		if shared*2 > apart {
			t.Errorf("%s: %d points made %d groups: nothing was shared", p.Name, apart, shared)
		}
	}
}

// brief is what stays of an outcome where fires are not explained.
func brief(p *replay.PointOutcome, view replay.View) replay.PointOutcome {
	out := replay.PointOutcome{Runs: slices.Clone(p.Runs)}
	plain := func(f *replay.Fire) *replay.Fire {
		if f == nil {
			return nil
		}
		c := *f
		c.Wanted = nil
		c.Fire = detectors.Fire{Detector: f.Detector, Verdict: f.Verdict, Phase: f.Phase, Pos: f.Pos, Part: f.Part, Offset: f.Offset, Recorded: f.Recorded}
		return &c
	}
	for i := range out.Runs {
		r := &out.Runs[i]
		r.FirstNudge, r.FirstStop, r.LadderStop = plain(r.FirstNudge), plain(r.FirstStop), plain(r.LadderStop)
	}
	if view != replay.Standalone {
		for _, f := range p.Fires {
			out.Fires = append(out.Fires, plain(f))
		}
	}
	return out
}
