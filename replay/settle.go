package replay

import (
	"cmp"
	"iter"
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// This file merges fires that were found in different tallies. Where every detector
// delivers for itself, who fires does not depend on the other detectors; only which
// fires are open and which is the first of a run do.

// join is what a configuration would have done under another splitter: the fires that
// were found under it, with those of detectors that no splitter moves.
func (o *otherTallies) join(out *Outcome, p *PointOutcome, i int, under *PointOutcome) PointOutcome {
	var fires []*Fire
	for _, f := range under.Fires {
		c := *f
		fires = append(fires, &c)
	}
	for _, f := range p.Fires {
		if o.detector(i, f.Detector) == nil {
			c := *f
			fires = append(fires, &c)
		}
	}
	slices.SortStableFunc(fires, func(x, y *Fire) int {
		return cmp.Or(
			cmp.Compare(x.Pos.Run, y.Pos.Run), cmp.Compare(x.Pos.Step, y.Pos.Step), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Part, y.Part), cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Pos.Call, y.Pos.Call),
		)
	})
	return settle(out, fires)
}

// settle computes what follows from the order of fires: which are open, which come
// after a stop, which tier each has, which is the first of its run, and what is left
// of the run then.
func settle(out *Outcome, fires []*Fire) PointOutcome {
	p := PointOutcome{Runs: make([]RunOutcome, len(out.Runs)), Fires: fires}
	sameRun := func(x, y *Fire) bool { return x.Pos.Run == y.Pos.Run }
	for list := range chunk(fires, sameRun) {
		i := slices.IndexFunc(out.Runs, func(r Run) bool { return r.Number == int(list[0].Pos.Run) })
		p.Runs[i].settle(out, &out.Runs[i], list)
	}
	return p
}

func (r *RunOutcome) settle(out *Outcome, run *Run, fires []*Fire) {
	var s runState
	deliver := func(f *Fire) {
		if s.deliver(f) {
			r.CallsLeft, r.TokensLeft = run.after(f)
		}
	}
	reminders := out.Recorded
	sameStep := func(x, y *Fire) bool { return x.Pos.Step == y.Pos.Step }
	for step := range chunk(fires, sameStep) {
		for len(reminders) > 0 && (reminders[0].Run != run.Number || reminders[0].Step < int(step[0].Pos.Step)) {
			if reminders[0].Run == run.Number {
				s.recorded(int32(reminders[0].Step))
			}
			reminders = reminders[1:]
		}
		var late []*Fire // delivered at the end of the step
		for _, f := range step {
			s.place(f)
			switch {
			case f.Delivered == detectors.Continue:
			case f.Kind == transcript.Called || f.Kind == transcript.StepEnds:
				late = append(late, f)
			default:
				deliver(f)
			}
		}
		for _, f := range late {
			deliver(f)
		}
		for _, f := range step {
			r.note(f)
		}
	}
}

// after is what the run holds after a fire, which includes the step of the fire if its
// response was not complete by then.
func (r *Run) after(f *Fire) (calls int, tokens Tokens) {
	for _, m := range r.Trail {
		if m.Step > int(f.Pos.Step) || m.Step == int(f.Pos.Step) && f.Kind < transcript.Responded {
			calls += m.Calls
			tokens.Add(m.Usage)
		}
	}
	return calls, tokens
}

// chunk yields the longest stretches of a list whose members are the same.
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
