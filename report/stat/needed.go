package stat

import (
	"math"
	"sort"
)

// maxNeeded is the most sessions that a sample size is given for.
const maxNeeded = 1 << 40

// NeededForUpper is the least n whose one-sided upper bound is at most u when k
// of the n are events (E9.1, E12.5): at 95 %, 299 for u = 1 % and k = 0. There
// is none for u <= 0, and it is not given above a million million.
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

// NeededForLower is the least n whose one-sided lower bound is at least l when
// all but k of the n are events (E9.1): at 95 %, 29 for l = 90 % and k = 0.
// There is none for l >= 1.
func NeededForLower(k int, l, level float64) (n int, ok bool) {
	return NeededForUpper(k, tail(l), level)
}

// NeededForHalfWidth is how many labels bring the interval of a rate near p to
// the half-width w (E15.3). p is 0.5 when unknown.
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

// Missed is the estimate of missed loops among quiet sessions, of which a simple
// random sample was labelled: loops of the sample were loops (E15.3). The bounds
// are those of ClopperPearson, so far as the sample itself leaves room.
func Missed(loops, sample, quiet int, level float64) (estimate, lo, hi float64, ok bool) {
	p, ok := Share{loops, sample}.Value()
	if !ok || sample > quiet {
		return 0, 0, 0, false
	}
	m := float64(quiet)
	lo, hi = ClopperPearson(loops, sample, level)
	// What was looked at is known: at least the loops found, at most those and
	// all that was not looked at.
	return m * p, max(m*lo, float64(loops)), min(m*hi, float64(quiet-sample+loops)), true
}

// FlipsNeeded is the least number of flipped pairs with which McNemar's test can
// reach 1-level (E10.2): 6 at 95 %.
func FlipsNeeded(level float64) (n int, ok bool) {
	if !isLevel(level) {
		return 0, false
	}
	for n = 1; McNemar(n, 0) > tail(level); n++ {
	}
	return n, true
}
