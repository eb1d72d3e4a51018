package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// A Result is the result of one session, or of one run of it, at one level. See help
// numbers: outcomes.
type Result string

const (
	TruePositive  Result = "TP"
	Premature     Result = "PREM" // a false fire before the loop exists
	Late          Result = "LATE" // a false fire between or after the loops
	FalseNegative Result = "FN"
	Censored      Result = "CENS" // the record ends before the loop could be caught
	FalsePositive Result = "FP"
	TrueNegative  Result = "TN"
	GapHit        Result = "GAP-hit" // a fire in a known gap
	GapMiss       Result = "GAP-miss"
	UnknownFire   Result = "UNK-fire" // a fire that no label judges
	UnknownQuiet  Result = "UNK-quiet"
)

// Score is the Result of Judge, which is all that a count of sessions needs.
func Score(l *Label, o *replay.Outcome, point int, level detectors.Verdict) Result {
	return score(l, o, o.Points[point], level)
}

func score(l *Label, o *replay.Outcome, p *replay.PointOutcome, level detectors.Verdict) Result {
	if l == nil || l.Class == Unlabelled {
		return unknown(fired(p, level))
	}
	runs := make([]Result, len(o.Runs))
	for i := range o.Runs {
		runs[i] = runOf(l, o, p, i, level).result()
	}
	return rollUp(l, runs)
}

// rollUp is the result of a session: the first in order that one of its runs has, of
// those that its class can have.
func rollUp(l *Label, runs []Result) Result {
	if l == nil || l.Class == Unlabelled {
		return unknown(slices.Contains(runs, UnknownFire))
	}
	for _, r := range resultsOf[l.Class] {
		if slices.Contains(runs, r) {
			return r
		}
	}
	return defaults[l.Class]
}

// resultsOf are the results of sessions of a class, in the order in which those of their
// runs count: the first that some run has is that of the session.
var resultsOf = map[Class][]Result{
	Loop:       {TruePositive, Premature, Late, FalseNegative, Censored, UnknownFire},
	Productive: {FalsePositive, TrueNegative, UnknownFire},
	KnownGap:   {GapHit, GapMiss},
	Unlabelled: {UnknownFire, UnknownQuiet},
}

// defaults are the results of sessions without the run that the label speaks of.
var defaults = map[Class]Result{Loop: FalseNegative, Productive: TrueNegative, KnownGap: GapMiss}

// fired reports whether a session has a fire that counts at a level.
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

// Loops is the number of loop sessions that were judged, the denominator of recall.
func (t Tally) Loops() int { return t[TruePositive] + t[FalseNegative] + t[Premature] + t[Late] }

// Work is the number of productive sessions that were judged, the denominator of the
// false-positive rate.
func (t Tally) Work() int { return t[FalsePositive] + t[TrueNegative] }

// FalseStops is the number of sessions with a false fire that ends or disturbs them, of
// loops and of work.
func (t Tally) FalseStops() int { return t[FalsePositive] + t[Premature] + t[Late] }

// IsResult reports whether a word is a Result.
func IsResult(r Result) bool {
	for _, results := range resultsOf {
		if slices.Contains(results, r) {
			return true
		}
	}
	return false
}
