package replay

import (
	"cmp"
	"iter"
	"slices"

	"groundhog/detectors"
)

// This file puts fires together that were found apart. Where every detector
// delivers for itself, who fires does not depend on the others; only what stands
// open, and which fire is the first of a run, does.

// join is what a configuration would have done under another cut: the fires that
// were folded again, with those that were not.
func (b *beside) join(out *Outcome, p *PointOutcome, i int, under *PointOutcome) PointOutcome {
	var fires []*Fire
	for _, f := range under.Fires {
		c := *f
		fires = append(fires, &c)
	}
	for _, f := range p.Fires {
		if b.detector(i, f.Detector) == nil {
			c := *f
			fires = append(fires, &c)
		}
	}
	slices.SortStableFunc(fires, func(x, y *Fire) int {
		return cmp.Or(cmp.Compare(x.Pos.Run, y.Pos.Run), cmp.Compare(x.Pos.Step, y.Pos.Step),
			cmp.Compare(order(x.Phase), order(y.Phase)), cmp.Compare(x.Pos.Call, y.Pos.Call))
	})
	return settle(out, fires)
}

// order is that of the phases of a step.
func order(p detectors.Phase) int {
	return slices.Index([]detectors.Phase{detectors.InStream, detectors.BeforeCall, detectors.AfterCall, detectors.AtStepEnd}, p)
}

// settle works out anew what follows from the order of fires: what is open, what
// is after a stop, which tier each has, and which is the first of its run.
func settle(out *Outcome, fires []*Fire) PointOutcome {
	p := PointOutcome{Runs: make([]RunOutcome, len(out.Runs)), Fires: fires}
	sameRun := func(x, y *Fire) bool { return x.Pos.Run == y.Pos.Run }
	sameStep := func(x, y *Fire) bool { return x.Pos.Step == y.Pos.Step }
	for run := range chunk(fires, sameRun) {
		at := slices.IndexFunc(out.Runs, func(r Run) bool { return r.Number == int(run[0].Pos.Run) })
		var diverged, open, stopped bool
		heard := func(f *Fire) {
			if f.Ladder {
				f.Tier = Hypothetical
			}
			diverged, open = true, open || f.Delivered == detectors.ForceStop
			stopped = stopped || f.Verdict == detectors.ForceStop
		}
		for step := range chunk(run, sameStep) {
			var late []*Fire // delivered at the end of the step
			for _, f := range step {
				f.Open, f.After, f.Tier = open, stopped, Exact
				if diverged {
					f.Tier = Conditional
				}
				switch {
				case f.Delivered == detectors.Continue:
				case f.Phase == detectors.InStream || f.Phase == detectors.BeforeCall:
					heard(f)
				default:
					late = append(late, f)
				}
			}
			for _, f := range late {
				heard(f)
			}
			for _, f := range step {
				first(&p.Runs[at], f)
			}
		}
	}
	return p
}

// chunk yields the stretches of a list whose members are the same.
func chunk(list []*Fire, same func(x, y *Fire) bool) iter.Seq[[]*Fire] {
	return func(yield func([]*Fire) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && same(list[0], list[n]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}
