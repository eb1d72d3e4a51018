package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Most points of a sweep behave alike in most sessions: a limit of 5 and one of 6
// differ only where something is counted to 5. So points share a group, with one
// arbiter and one list of fires, for as long as every detector gives all of them the
// same verdicts. Where the verdicts differ the group splits, and both parts go on
// from copies of the same state. A thousand points over a quiet session cost what one
// costs, and what depends on an outcome is computed once for each group, since the
// points of a group share the PointOutcome itself.
//
// One arbiter for each point was the first form: every step then visited every point,
// and a thousand of them cost more than reading the session.

// A group is a set of points that have behaved alike so far.
type group struct {
	members []int // points, in order
	rules   []detectors.Point
	panel   int
	// variants lists, by detector of the panel, the distinct variants of its limits
	// among the members; nil where the detector is in none of them.
	variants [][]int
	lanes    []*seat
	out      *PointOutcome
}

// A seat is the state of a group in one lane.
type seat struct {
	arbiters []*detectors.Arbiter
	step     []stepFire // of the current step
	vetoed   bool       // the current step, so that its calls do not run
	runState
}

// A stepFire is a fire of the current step with the arbiter that chose it.
type stepFire struct {
	*Fire
	arbiter int
}

func newGroup(p *Plan, members []int) *group {
	g := &group{out: &PointOutcome{}}
	first := &p.Points[members[0]]
	varied := make([][]int, len(first.list))
	for _, rule := range first.rules {
		for _, det := range rule.On {
			varied[det] = []int{0, 0} // take lists those that there are
		}
	}
	g.take(p, members, varied)
	return g
}

// take makes the points the members of the group. larger are the variants of a group
// that holds them all: a detector with one variant there has one here.
func (g *group) take(p *Plan, members []int, larger [][]int) {
	first := &p.Points[members[0]]
	g.members, g.rules, g.panel = members, first.rules, first.panel
	g.variants = make([][]int, len(larger))
	for det, variants := range larger {
		if len(variants) < 2 {
			g.variants[det] = variants
			continue
		}
		for _, j := range members {
			if v := p.Points[j].rules[0].Variant[det]; !slices.Contains(g.variants[det], v) {
				g.variants[det] = append(g.variants[det], v)
			}
		}
	}
}

func (g *group) newSeat() *seat {
	s := &seat{}
	for k := range g.rules {
		s.arbiters = append(s.arbiters, detectors.NewArbiter(&g.rules[k]))
	}
	return s
}

// begin starts the next run of the lane.
func (s *seat) begin() {
	for _, a := range s.arbiters {
		a.RunBegins()
	}
	*s = seat{arbiters: s.arbiters, step: s.step[:0]}
}

// judge lets a group decide at one frame, and splits it first if the verdicts of its
// members differ there.
func (t *tally) judge(l *lane, g *group, f *detectors.Frame) {
	for det, variants := range g.variants {
		row := f.Rows[det]
		if row == nil || len(variants) < 2 {
			continue
		}
		for _, v := range variants[1:] {
			if !row.Alike(variants[0], v) {
				t.judge(l, t.split(g, det, row, variants[0]), f)
				t.judge(l, g, f)
				return
			}
		}
	}
	t.decide(l, g, f)
}

// split moves the members for which a detector says something else than under one
// variant of its limits into a group of their own.
func (t *tally) split(g *group, det int, row *detectors.Row, variant int) *group {
	var same, other []int
	for _, j := range g.members {
		if row.Alike(variant, t.plan.Points[j].rules[0].Variant[det]) {
			same = append(same, j)
		} else {
			other = append(other, j)
		}
	}
	part := &group{out: &PointOutcome{
		Runs:  slices.Clone(g.out.Runs),
		Fires: slices.Clip(g.out.Fires),
	}}
	g.out.Fires = slices.Clip(g.out.Fires) // neither may append into what both have
	part.take(t.plan, other, g.variants)
	for _, s := range g.lanes {
		part.lanes = append(part.lanes, s.copy(part.rules))
	}
	g.take(t.plan, same, g.variants)
	for _, s := range g.lanes {
		for k, a := range s.arbiters {
			a.Follow(&g.rules[k])
		}
	}
	t.join(part)
	return part
}

// copy is the same state under other rules, which have agreed with these until now.
func (s *seat) copy(rules []detectors.Point) *seat {
	c := *s
	c.arbiters = make([]*detectors.Arbiter, len(s.arbiters))
	for k, a := range s.arbiters {
		c.arbiters[k] = a.Copy(&rules[k])
	}
	c.step = make([]stepFire, len(s.step))
	for i, f := range s.step {
		fire := *f.Fire // the end of the step notes the delivery in it
		c.step[i] = stepFire{&fire, f.arbiter}
	}
	return &c
}

// decide lets the arbiters of a group decide at one frame.
func (t *tally) decide(l *lane, g *group, f *detectors.Frame) {
	s := g.lanes[l.index]
	for k, a := range s.arbiters {
		d, ok := a.Add(f)
		if !ok {
			continue
		}
		fire := t.fire(s, g, k, f, d)
		s.step = append(s.step, stepFire{fire, k})
		if d.Delivery.Verdict > detectors.Continue { // delivered at once, not at the end of the step
			t.delivered(l, g, fire, d.Delivery)
			for _, other := range s.arbiters {
				other.Delivered(d.Detector)
			}
		}
	}
}

// fireBatch is how many fires are allocated at a time: a sweep has many.
const fireBatch = 16

// newFire is a fire to be filled in.
func (t *tally) newFire() *Fire {
	if len(t.fires) == 0 {
		t.fires = make([]Fire, fireBatch)
	}
	f := &t.fires[0]
	t.fires = t.fires[1:]
	return f
}

// fire is a decision of arbiter k as it will be shown.
func (t *tally) fire(s *seat, g *group, k int, f *detectors.Frame, d detectors.Decision) *Fire {
	point := &t.plan.Points[g.members[0]]
	list := point.list
	fire := t.newFire()
	*fire = Fire{Kind: f.Kind, Batch: t.plan.Configs[point.Config].Preset.BatchVeto}
	s.place(fire)
	if t.plan.Brief {
		fire.Fire = detectors.Fire{
			Detector: list[d.Detector].Name, Verdict: d.Verdict, Phase: detectors.PhaseOf(f.Kind), Pos: f.Pos,
			Part: f.Delta.Index, Offset: f.Delta.End, Recorded: f.Delta.Recorded,
		}
	} else {
		for _, det := range d.Wanted {
			fire.Wanted = append(fire.Wanted, f.Rows[det].Fire(g.rules[k].Variant[det]))
		}
		fire.Fire = fire.Wanted[0]
	}
	for _, det := range d.Wanted[1:] {
		fire.Masked = append(fire.Masked, list[det].Name)
	}
	return fire
}

// deliver ends a step for one group.
func (t *tally) deliver(l *lane, g *group, pos transcript.Pos) {
	s := g.lanes[l.index]
	for k, a := range s.arbiters {
		d, ok := a.StepEnds(pos)
		if !ok {
			continue
		}
		var chosen *Fire // as the arbiter chooses: the most severe that waits, the first on a tie
		for _, f := range s.step {
			if f.arbiter == k && f.Delivered == detectors.Continue && (chosen == nil || f.Verdict > chosen.Verdict) {
				chosen = f.Fire
			}
		}
		t.delivered(l, g, chosen, d)
	}
	for _, f := range s.step {
		g.out.Runs[l.run].note(f.Fire)
		if !t.plan.Brief || t.plan.Points[g.members[0]].View() != Standalone {
			g.out.Fires = append(g.out.Fires, f.Fire)
		}
	}
	s.step, s.vetoed = s.step[:0], false
}

// delivered notes what of a fire reached the model.
func (t *tally) delivered(l *lane, g *group, f *Fire, d detectors.Delivery) {
	s := g.lanes[l.index]
	f.Delivered, f.Ladder = d.Verdict, d.Ladder
	s.vetoed = s.vetoed || f.Verdict == detectors.Block
	if s.runState.deliver(f) {
		run, out := &t.out.Runs[l.run], &g.out.Runs[l.run]
		out.CallsLeft, out.TokensLeft = run.Calls, run.Tokens // what had run; finish subtracts it
	}
}
