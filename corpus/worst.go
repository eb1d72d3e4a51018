package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// Worst is Score under the splitter that gives the worst result: for work the harsher
// one, for a loop and a known gap the weaker one. Without a label, and where splitters
// agree, it is that of the chosen splitter.
func Worst(l *Label, o *replay.Outcome, point int, level detectors.Verdict) Result {
	p := o.Points[point]
	worst := score(l, o, p, level)
	if l == nil || l.Class == Unlabelled {
		return worst
	}
	for i := range p.Under {
		if r := score(l, o, &p.Under[i].PointOutcome, level); worse(r, worst) {
			worst = r
		}
	}
	return worst
}

// JudgeWorst is Judge under the same splitter: everything in it belongs to the one that
// gives the worst result, the chosen one if none is worse.
func JudgeWorst(l *Label, o *replay.Outcome, p *replay.PointOutcome, level detectors.Verdict) *Judgement {
	worst := Judge(l, o, p, level)
	if l == nil || l.Class == Unlabelled {
		return worst
	}
	for i := range p.Under {
		if j := Judge(l, o, &p.Under[i].PointOutcome, level); worse(j.Result, worst.Result) {
			worst = j
		}
	}
	return worst
}

func worse(a, b Result) bool { return slices.Index(badness, a) > slices.Index(badness, b) }

// badness orders the results of a class, the best first. A premature fire misses the loop
// and destroys work as well; a late one destroys less.
var badness = []Result{
	TrueNegative, TruePositive, GapHit,
	Censored, UnknownQuiet, UnknownFire,
	GapMiss, FalseNegative, Late, Premature, FalsePositive,
}
