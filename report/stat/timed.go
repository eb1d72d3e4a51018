package stat

import "math"

// A Profile weighs the three parts of the timed score.
type Profile struct{ Caught, Missed, False float64 }

// Standard weighs the three alike.
var Standard = Profile{1, 1, 1}

// HalfLife is how many wasted calls halve the credit of a caught loop by default.
const HalfLife = 10.0

// TimedScore credits each caught loop by how early it was caught: 2 to the power of
// -(wasted calls / half-life). Missed loops and episodes of false fires are
// subtracted. It is 0 for a detector that never fires, 100 for a perfect one, and
// below 0 for one that is worse than none. wasted holds the calls wasted before each
// loop that was caught. It is undefined without loops.
func TimedScore(wasted []int, missed, falseEpisodes int, p Profile, halfLife float64) (float64, bool) {
	spans := float64(len(wasted)) + float64(missed)
	if spans == 0 || missed < 0 || falseEpisodes < 0 || !positive(halfLife) || !(p.Caught+p.Missed > 0) {
		return 0, false
	}
	credit := 0.0
	for _, calls := range wasted {
		credit += math.Exp2(-float64(max(0, calls)) / halfLife)
	}
	raw := p.Caught*credit - p.Missed*float64(missed) - p.False*float64(falseEpisodes)
	return defined(100 * (raw + p.Missed*spans) / ((p.Caught + p.Missed) * spans))
}
