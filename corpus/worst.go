package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// Worst is Score under the least favourable way of cutting text without recorded
// deltas (evaluation.md E8.5): for work the harsher answer, for a loop and a known
// gap the weaker. Where no label says what would be bad it is that of the chosen
// way. It is Score itself where the ways agree.
func Worst(l *Label, o *replay.Outcome, point int, level detectors.Verdict) Result {
	worst := Score(l, o, point, level)
	if l == nil || l.Class == Unlabelled {
		return worst
	}
	other := *o
	other.Points = slices.Clone(o.Points)
	for _, u := range o.Points[point].Under {
		other.Points[point] = u.PointOutcome
		if r := Score(l, &other, point, level); slices.Index(badness, r) > slices.Index(badness, worst) {
			worst = r
		}
	}
	return worst
}

// badness orders the outcomes of a class, the best first. A premature fire misses
// the loop and does harm besides; a late one harms less.
var badness = []Result{
	TrueNegative, TruePositive, GapHit,
	Censored, UnknownQuiet, UnknownFire,
	GapMiss, FalseNegative, Late, Premature, FalsePositive,
}
