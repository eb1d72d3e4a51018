package stat

import (
	"math"
	"sort"
)

// maxNeeded is the largest sample size that is given.
const maxNeeded = 1 << 40

// NeededForUpper is the least n whose one-sided upper bound is at most u when k of
// the n are events: at 95 %, 299 for u = 1 % and k = 0. ok is false for u <= 0, and
// where n would be above maxNeeded.
func NeededForUpper(k int, u, level float64) (n int, ok bool) {
	if k < 0 || k > manyTrials || !(u > 0) || !isLevel(level) {
		return 0, false
	}
	if u >= 1 {
		return k, true
	}
	alpha := tail(level) * (1 + 1e-12) // the bound may be met exactly, as by 2 at 75 % and u = 1/2
	enough := func(n int) bool {
		if k == 0 {
			return math.Exp(float64(n)*math.Log1p(-u)) <= alpha
		}
		_, above := betaTails(u, float64(k+1), float64(n-k))
		return above <= alpha
	}
	high := k + 1
	for !enough(high) {
		if high *= 2; high > maxNeeded {
			return 0, false
		}
	}
	return k + 1 + sort.Search(high-k-1, func(i int) bool { return enough(k + 1 + i) }), true
}

// NeededForLower is the least n whose one-sided lower bound is at least l when all
// but k of the n are events: at 95 %, 29 for l = 90 % and k = 0. ok is false for
// l >= 1.
func NeededForLower(k int, l, level float64) (n int, ok bool) {
	return NeededForUpper(k, tail(l), level)
}

// NeededForHalfWidth is how many labels bring the interval of a rate near p to the
// half-width w. Where the rate is unknown, p = 0.5 needs the most.
func NeededForHalfWidth(p, w, level float64) (n int, ok bool) {
	if !(p >= 0 && p <= 1) || !(w > 0) || !isLevel(level) {
		return 0, false
	}
	z := quantile(level)
	need := math.Ceil(z*z*p*(1-p)/(w*w) - 1e-9)
	if !(need <= maxNeeded) {
		return 0, false
	}
	return max(1, int(need)), true
}

// FlipsNeeded is the least number of flipped pairs with which McNemar's p-value can
// be 1-level or less: 6 at 95 %.
func FlipsNeeded(level float64) (n int, ok bool) {
	if !isLevel(level) {
		return 0, false
	}
	for n = 1; McNemar(n, 0) > tail(level); n++ {
	}
	return n, true
}
