package replay

import "groundhog/detectors"

// A runState is what was delivered in a run so far, as far as later fires depend on it.
type runState struct {
	diverged bool  // the agent was told something that is not in the record
	open     bool  // after the first delivered stop of the run
	stopped  bool  // after the first stop that a detector itself asked for
	owed     int32 // the step after which the record may show the same delivery; 0 for none
	before   bool  // diverged, before that step
}

// place sets where in the run a fire stands.
func (s *runState) place(f *Fire) {
	f.Open, f.After, f.Tier = s.open, s.stopped, Exact
	if s.diverged {
		f.Tier = Conditional
	}
}

// deliver notes that a fire was delivered, and reports whether it is the first stop
// of the run that a detector itself asked for.
func (s *runState) deliver(f *Fire) bool {
	if f.Ladder {
		f.Tier = Hypothetical
	}
	if s.owed != f.Pos.Step {
		s.owed, s.before = f.Pos.Step, s.diverged
	}
	// No record shows a silent edit of the context (annotate).
	s.before = s.before || f.Delivered < detectors.Nudge
	s.diverged = true
	s.open = s.open || f.Delivered == detectors.ForceStop
	if f.Verdict != detectors.ForceStop || s.stopped {
		return false
	}
	s.stopped = true
	return true
}

// recorded notes that the record itself holds a nudge after a step. A delivery at the
// same place is then no divergence from the record; without one the record has a
// nudge that the configuration would not have given, which is one.
func (s *runState) recorded(step int32) {
	if s.owed > 0 && s.owed == step {
		s.owed, s.diverged = 0, s.before
	} else {
		s.diverged = true
	}
}

// note keeps a fire that is the first of its kind in the run.
func (r *RunOutcome) note(f *Fire) {
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
