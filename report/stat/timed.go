package stat

import "math"

// Profile weighs the timed score (E8.2).
type Profile struct{ Caught, Missed, False float64 }

// The profiles of E8.2.
var (
	Standard = Profile{1, 1, 1}
	LowFP    = Profile{1, 1, 4}
	LowFN    = Profile{1, 2, 0.5}
)

// HalfLife is the default of the wasted calls that halve a span's credit (E8.2).
const HalfLife = 10.0

// TimedScore is the optional score of E8.2: 0 for a detector that never fires,
// 100 for a perfect one, below 0 for worse than none. wasted holds the calls
// wasted before each span that was caught. It is undefined without spans.
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
