package corpus

import (
	"groundhog/detectors"
	"groundhog/replay"
)

// A Result is the outcome of one session, or one run of it, at one level (E5).
type Result string

const (
	TruePositive  Result = "TP"
	Premature     Result = "PREM" // a false fire before the loop exists
	Late          Result = "LATE" // a false fire between or after the loops
	FalseNegative Result = "FN"
	Censored      Result = "CENS" // cut short by something that is no miss
	FalsePositive Result = "FP"
	TrueNegative  Result = "TN"
	GapHit        Result = "GAP-hit"
	GapMiss       Result = "GAP-miss"
	UnknownFire   Result = "UNK-fire"
	UnknownQuiet  Result = "UNK-quiet"
)

// Score judges what one configuration did to one session, at one level: Nudge
// counts fires that ask for at least a nudge, ForceStop the first stop of each
// run that a detector itself asks for.
func Score(l *Label, o *replay.Outcome, point int, level detectors.Verdict) Result {
	if l == nil || l.Class == Unlabelled {
		if fired(o, point, level) {
			return UnknownFire
		}
		return UnknownQuiet
	}
	var seen [len(order)]bool
	for i := range o.Runs {
		r := scoreRun(l, o, point, i, level)
		for j, want := range order {
			seen[j] = seen[j] || r == want
		}
	}
	for j, r := range order {
		if seen[j] && counts[l.Class][r] {
			return r
		}
	}
	return defaults[l.Class]
}

// order is how the outcomes of runs roll up to the session: the first present.
var order = [...]Result{TruePositive, Premature, Late, FalseNegative, Censored, FalsePositive, TrueNegative, GapHit, GapMiss, UnknownFire, UnknownQuiet}

// counts says which outcomes of a run may become that of a session.
var counts = map[Class]map[Result]bool{
	Loop:       {TruePositive: true, Premature: true, Late: true, FalseNegative: true, Censored: true, UnknownFire: true},
	Productive: {FalsePositive: true, TrueNegative: true, UnknownFire: true},
	KnownGap:   {GapHit: true, GapMiss: true},
}

// defaults are for sessions whose runs say nothing: the labelled run is not there.
var defaults = map[Class]Result{Loop: FalseNegative, Productive: TrueNegative, KnownGap: GapMiss}

func fired(o *replay.Outcome, point int, level detectors.Verdict) bool {
	for i := range o.Points[point].Fires {
		if f := o.Points[point].Fires[i]; f.Verdict >= level && !f.After {
			return true
		}
	}
	return false
}

// scoreRun is the outcome of one run.
func scoreRun(l *Label, o *replay.Outcome, point, i int, level detectors.Verdict) Result {
	run := o.Runs[i].Number
	first, gap := spans(l, run)
	var right, early, late, inGap, before, unknown bool
	for _, f := range fires(o, point, i, level) {
		call := int(f.Pos.Call)
		switch l.Truth(level, run, call) {
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
	stop := level == detectors.ForceStop
	switch {
	case first == noSpan && gap:
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
	case stop && inGap && before: // a loop before the gap was missed, whatever came then
		return Censored
	}
	return FalseNegative
}

const noSpan = 1 << 30

// spans gives the first onset of a run's ordinary spans, and whether it has a
// known gap.
func spans(l *Label, run int) (first int, gap bool) {
	first = noSpan
	for _, s := range l.Spans {
		switch {
		case s.Run != run:
		case s.KnownGap:
			gap = true
		default:
			first = min(first, s.Onset)
		}
	}
	return first, gap
}

// fires are those of a run that count at a level: at stop level the first stop
// alone, which ends the run.
func fires(o *replay.Outcome, point, run int, level detectors.Verdict) []*replay.Fire {
	p := o.Points[point]
	if level == detectors.ForceStop {
		if f := p.Runs[run].FirstStop; f != nil {
			return []*replay.Fire{f}
		}
		return nil
	}
	var list []*replay.Fire
	for i := range p.Fires {
		if f := p.Fires[i]; f.Verdict >= level && !f.After && int(f.Pos.Run) == o.Runs[run].Number {
			list = append(list, f)
		}
	}
	return list
}

// A Tally counts sessions by their result.
type Tally map[Result]int

// Loops is the number of loop sessions that were judged (n⁺ of E5).
func (t Tally) Loops() int { return t[TruePositive] + t[FalseNegative] + t[Premature] + t[Late] }

// Work is the number of productive sessions that were judged (n⁻ of E5).
func (t Tally) Work() int { return t[FalsePositive] + t[TrueNegative] }

// FalseStops is the numerator of the false-stop rate.
func (t Tally) FalseStops() int { return t[FalsePositive] + t[Premature] + t[Late] }
