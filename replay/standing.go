package replay

import "groundhog/detectors"

// A standing is what was delivered in a run so far, as far as it says something
// about later fires.
type standing struct {
	diverged bool  // the agent has heard something that is not in the record
	open     bool  // after the run's first delivered stop
	stopped  bool  // by a detector itself
	owed     int32 // the step after which the record may show what was delivered; 0 for none
	before   bool  // diverged, before that
}

// place says where in the run a fire stands.
func (s *standing) place(f *Fire) {
	f.Open, f.After, f.Tier = s.open, s.stopped, Exact
	if s.diverged {
		f.Tier = Conditional
	}
}

// heard takes in that a fire was delivered, and reports whether it is the first
// stop of the run that a detector itself asked for.
func (s *standing) heard(f *Fire) bool {
	if f.Ladder {
		f.Tier = Hypothetical
	}
	if s.owed != f.Pos.Step {
		s.owed, s.before = f.Pos.Step, s.diverged
	}
	// No record shows a change of the context that nobody is told of.
	s.before = s.before || f.Delivered < detectors.Nudge
	s.diverged = true
	s.open = s.open || f.Delivered == detectors.ForceStop
	if f.Verdict != detectors.ForceStop || s.stopped {
		return false
	}
	s.stopped = true
	return true
}

// shown takes in that the record itself holds a nudge after a step. What was
// delivered at the same place is no divergence from it; a nudge that was not is
// one (evaluation.md E11.1).
func (s *standing) shown(step int32) {
	if s.owed > 0 && s.owed == step {
		s.owed, s.diverged = 0, s.before
	} else {
		s.diverged = true
	}
}

// first notes the first fire of each kind in a run.
func first(r *RunOutcome, f *Fire) {
	if f.After {
		return
	}
	if r.FirstNudge == nil && f.Verdict >= detectors.Nudge {
		r.FirstNudge = f
	}
	if r.FirstStop == nil && f.Verdict == detectors.ForceStop {
		r.FirstStop = f
	}
	if r.LadderStop == nil && f.Ladder {
		r.LadderStop = f
	}
}
