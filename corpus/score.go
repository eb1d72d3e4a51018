package corpus

import (
	"slices"

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

// Score is the result of a session alone: Judge says more.
func Score(l *Label, o *replay.Outcome, point int, level detectors.Verdict) Result {
	return score(l, o, o.Points[point], level)
}

func score(l *Label, o *replay.Outcome, p *replay.PointOutcome, level detectors.Verdict) Result {
	if l == nil || l.Class == Unlabelled {
		return quietOr(fired(p, level))
	}
	runs := make([]Result, len(o.Runs))
	for i := range o.Runs {
		runs[i] = runOf(l, o, p, i, level).result()
	}
	return rollUp(l, runs)
}

// rollUp is the result of the session: the first of its order that one of its
// runs has.
func rollUp(l *Label, runs []Result) Result {
	if l == nil || l.Class == Unlabelled {
		return quietOr(slices.Contains(runs, UnknownFire))
	}
	for _, r := range order {
		if counts[l.Class][r] && slices.Contains(runs, r) {
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

func fired(p *replay.PointOutcome, level detectors.Verdict) bool {
	for _, f := range p.Fires {
		if f.Verdict >= level && !f.After {
			return true
		}
	}
	return false
}

// A Tally counts sessions by their result.
type Tally map[Result]int

// Loops is the number of loop sessions that were judged (n⁺ of E5).
func (t Tally) Loops() int { return t[TruePositive] + t[FalseNegative] + t[Premature] + t[Late] }

// Work is the number of productive sessions that were judged (n⁻ of E5).
func (t Tally) Work() int { return t[FalsePositive] + t[TrueNegative] }

// FalseStops is the numerator of the false-stop rate.
func (t Tally) FalseStops() int { return t[FalsePositive] + t[Premature] + t[Late] }

// IsResult reports whether a word is one of the outcomes above.
func IsResult(r Result) bool { return slices.Contains(order[:], r) }
