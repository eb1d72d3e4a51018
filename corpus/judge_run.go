package corpus

import (
	"groundhog/detectors"
	"groundhog/replay"
)

// A judgedRun is one run while it is judged.
type judgedRun struct {
	label   *Label // nil if there is none
	o       *replay.Outcome
	run     *replay.Run
	out     *replay.RunOutcome
	level   detectors.Verdict
	fires   []*replay.Fire // those that count at the level: at stop level the first stop alone
	truth   []Truth        // by fire
	windows []Span
	gaps    []Span
	cut     bool // the record ends with the run, by a recorded intervention
}

func runOf(l *Label, o *replay.Outcome, p *replay.PointOutcome, i int, level detectors.Verdict) *judgedRun {
	r := &judgedRun{label: l, o: o, run: &o.Runs[i], out: &p.Runs[i], level: level}
	if l != nil {
		r.windows, r.gaps = l.Windows(r.run.Number, false), l.Windows(r.run.Number, true)
	}
	r.cut = o.Intervened && i == len(o.Runs)-1
	switch {
	case level == detectors.ForceStop && r.out.FirstStop != nil:
		r.fires = []*replay.Fire{r.out.FirstStop}
	case level < detectors.ForceStop:
		for _, f := range p.Fires {
			if f.Verdict >= level && !f.After && int(f.Pos.Run) == r.run.Number {
				r.fires = append(r.fires, f)
			}
		}
	}
	for _, f := range r.fires {
		t := Unknown
		if l != nil {
			t = l.Truth(level, r.run.Number, CallOf(r.run, f))
		}
		r.truth = append(r.truth, t)
	}
	return r
}

// result is the result of the run. See help numbers: outcomes.
func (r *judgedRun) result() Result {
	first := noSpan
	if len(r.windows) > 0 {
		first = r.windows[0].Onset
	}
	var right, early, late, inGap, before, unknown bool
	for i, f := range r.fires {
		call := CallOf(r.run, f)
		switch r.truth[i] {
		case Right:
			right = true
		case InGap:
			inGap, before = true, call < first
		case Unknown:
			unknown = true
		case Wrong:
			if call < first {
				early = true
			} else {
				late = true
			}
		}
	}
	stop := r.level == detectors.ForceStop
	switch {
	case first == noSpan && len(r.gaps) > 0:
		if inGap {
			return GapHit
		}
		return GapMiss
	case first == noSpan:
		switch {
		case early || late:
			return FalsePositive
		case stop && unknown:
			return UnknownFire
		}
		return TrueNegative
	case right:
		return TruePositive
	case early:
		return Premature
	case late:
		return Late
	case stop && unknown:
		return UnknownFire
	case stop && inGap && before: // the stop in the gap ended the run before its first loop
		return Censored
	case len(r.fires) == 0 && r.cut && r.windows[len(r.windows)-1].End >= r.run.Calls:
		return Censored
	}
	return FalseNegative
}

// noSpan is the onset of the first loop in a run without one.
const noSpan = 1 << 30

// work counts the calls among the first exposed ones that lie in no span and in no
// tolerated stretch.
func (r *judgedRun) work(exposed int) int {
	if r.label == nil || r.label.Reviewed != "full" {
		return 0
	}
	if len(r.label.Spans) == 0 && len(r.label.Tolerate) == 0 {
		return exposed
	}
	n := 0
	for _, m := range r.run.Trail {
		for c := m.Call - m.Calls + 1; c <= m.Call && exposed > 0; c++ {
			exposed--
			if !r.label.covers(r.run.Number, c) {
				n++
			}
		}
	}
	return n
}

// caught says whether and when one loop was caught.
func (r *judgedRun) caught(s *Span) Caught {
	c := Caught{Span: *s}
	for i, f := range r.fires {
		call := CallOf(r.run, f)
		if r.truth[i] != Right || call < s.Onset || call > s.End {
			continue
		}
		c.Hit = hit(r.run, f)
		c.Latency = call - s.Onset
		step := markIndex(r.run, int(f.Pos.Step))
		c.LatencyTokens = tokens(r.run, stepOf(r.run, s.Onset), step+1)
		c.Wasted = max(0, executed(r.run, f)-s.Ideal())
		c.Proposed = max(0, proposed(r.run, f)-s.Ideal())
		c.WastedTokens = tokens(r.run, stepOf(r.run, s.Ideal())+1, step+1)
		return c
	}
	c.Censored = r.cut && s.End >= r.run.Calls
	c.Wasted = max(0, s.End-s.Ideal())
	c.Proposed = c.Wasted
	c.WastedTokens = tokens(r.run, stepOf(r.run, s.Ideal())+1, stepOf(r.run, s.End)+1)
	c.AtLeast = s.Censored || c.Censored
	return c
}
