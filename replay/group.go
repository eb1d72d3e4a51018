package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Most points of a sweep behave alike in most sessions: a limit of 5 and one of
// 6 differ only where something is counted to 5. So points share a group, with
// one arbiter and one list of fires, for as long as every detector has given
// all of them the same verdicts; where the verdicts differ the group splits, and
// the parts go on from copies of the same state. A thousand points over a quiet
// session cost what one costs, and what follows of an outcome has to be computed
// once for each group: alike points share the PointOutcome itself.
//
// (One arbiter a point was the first form: a step then visits every point, and a
// thousand of them cost more than reading the session.)

// A group is a set of points that have behaved alike so far.
type group struct {
	members []int // points, in order
	rules   []detectors.Point
	panel   int
	// heard lists, by detector of the panel, the distinct variants of limits
	// among the members; nil where the detector is in none of them.
	heard [][]int
	lanes []*seat
	out   *PointOutcome
}

// A seat is where a group stands in one lane.
type seat struct {
	arbiters []*detectors.Arbiter
	step     []stepFire // of the current step
	vetoed   bool       // the current step, so that its calls do not run
	standing
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
			varied[det] = []int{0, 0} // until they have been looked at
		}
	}
	g.take(p, members, varied)
	return g
}

// take makes the points the members of the group. Detectors that were the same
// for a larger group are the same for this one.
func (g *group) take(p *Plan, members []int, larger [][]int) {
	first := &p.Points[members[0]]
	g.members, g.rules, g.panel = members, first.rules, first.panel
	g.heard = make([][]int, len(larger))
	for det, variants := range larger {
		if len(variants) < 2 {
			g.heard[det] = variants
			continue
		}
		for _, j := range members {
			if v := p.Points[j].rules[0].Variant[det]; !slices.Contains(g.heard[det], v) {
				g.heard[det] = append(g.heard[det], v)
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

func (s *seat) begin() {
	for _, a := range s.arbiters {
		a.RunBegins()
	}
	*s = seat{arbiters: s.arbiters, step: s.step[:0]}
}

// hear lets a group speak at one frame, in parts if its members do not agree.
func (t *tally) hear(l *lane, g *group, f *detectors.Frame) {
	for det, variants := range g.heard {
		row := f.Rows[det]
		if row == nil || len(variants) < 2 {
			continue
		}
		for _, v := range variants[1:] {
			if !row.Alike(variants[0], v) {
				t.hear(l, t.split(g, det, row, variants[0]), f)
				t.hear(l, g, f)
				return
			}
		}
	}
	t.decide(l, g, f)
}

// split moves those members into a group of their own for which a detector says
// something else than under one variant of its limits.
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
	g.out.Fires = slices.Clip(g.out.Fires) // neither may write into what both have
	part.take(t.plan, other, g.heard)
	for _, s := range g.lanes {
		part.lanes = append(part.lanes, s.copy(part.rules))
	}
	g.take(t.plan, same, g.heard)
	for _, s := range g.lanes {
		for k, a := range s.arbiters {
			a.Follow(&g.rules[k])
		}
	}
	t.join(part)
	return part
}

// copy is the same state under rules that have agreed until now.
func (s *seat) copy(rules []detectors.Point) *seat {
	c := *s
	c.arbiters = make([]*detectors.Arbiter, len(s.arbiters))
	for k, a := range s.arbiters {
		c.arbiters[k] = a.Copy(&rules[k])
	}
	c.step = make([]stepFire, len(s.step))
	for i, f := range s.step {
		fire := *f.Fire // delivery is noted in it at the end of the step
		c.step[i] = stepFire{&fire, f.arbiter}
	}
	return &c
}

// decide lets a group speak at one frame.
func (t *tally) decide(l *lane, g *group, f *detectors.Frame) {
	s := g.lanes[l.index]
	for k, a := range s.arbiters {
		d, ok := a.Add(f)
		if !ok {
			continue
		}
		fire := t.fire(s, g, k, f, d)
		s.step = append(s.step, stepFire{fire, k})
		if d.Delivery.Verdict > detectors.Continue { // at once, and not at the end of the step
			t.delivered(l, g, fire, d.Delivery)
			for _, other := range s.arbiters {
				other.Delivered(d.Detector)
			}
		}
	}
}

// fire is a decision as it will be shown.
func (t *tally) fire(s *seat, g *group, k int, f *detectors.Frame, d detectors.Decision) *Fire {
	list := t.plan.Points[g.members[0]].list
	fire := &Fire{Kind: f.Kind, Batch: t.plan.Configs[t.plan.Points[g.members[0]].Config].Preset.BatchVeto}
	s.place(fire)
	if t.plan.Brief {
		fire.Fire = detectors.Fire{Detector: list[d.Detector].Name, Verdict: d.Verdict, Phase: detectors.PhaseOf(f.Kind), Pos: f.Pos,
			Part: f.Delta.Index, Offset: f.Delta.End, Recorded: f.Delta.Recorded}
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

// deliver ends the step for one group.
func (t *tally) deliver(l *lane, g *group, pos transcript.Pos) {
	s := g.lanes[l.index]
	for k, a := range s.arbiters {
		d, ok := a.StepEnds(pos)
		if !ok {
			continue
		}
		var heard *Fire // as the arbiter chooses: the most severe that waits, the first on a tie
		for _, f := range s.step {
			if f.arbiter == k && f.Delivered == detectors.Continue && (heard == nil || f.Verdict > heard.Verdict) {
				heard = f.Fire
			}
		}
		t.delivered(l, g, heard, d)
	}
	for _, f := range s.step {
		first(&g.out.Runs[l.run], f.Fire)
		if !t.plan.Brief || t.plan.Points[g.members[0]].View() != Standalone {
			g.out.Fires = append(g.out.Fires, f.Fire)
		}
	}
	s.step, s.vetoed = s.step[:0], false
}

// delivered notes what reached the model, and what that means for the run.
func (t *tally) delivered(l *lane, g *group, f *Fire, d detectors.Delivery) {
	s := g.lanes[l.index]
	f.Delivered, f.Ladder = d.Verdict, d.Ladder
	s.vetoed = s.vetoed || f.Verdict == detectors.Block
	if s.heard(f) {
		run, out := &t.out.Runs[l.run], &g.out.Runs[l.run]
		out.CallsLeft, out.TokensLeft = run.Calls, run.Tokens // completed by finish
	}
}
