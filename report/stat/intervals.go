package stat

import "math"

// manyTrials bounds the exact intervals: where both the events and the others are
// more, Clopper-Pearson differs from Wilson in the tenth digit, and Wilson is used.
const manyTrials = 1 << 30

// Wilson is the score interval of a proportion x of n at Level, which reports show
// with the proportion. Its ends are exactly 0 and 1 where x is 0 or n; it is [0, 1]
// for n = 0.
func Wilson(x, n int) (lo, hi float64) { return wilson(x, n, Level) }

// wilson is Wilson at another confidence level.
func wilson(x, n int, level float64) (lo, hi float64) {
	p, ok := Share{x, n}.Value()
	if !ok || !isLevel(level) {
		return 0, 1
	}
	z, m := quantile(level), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	lo, hi = max(0, centre-half), min(1, centre+half)
	if x == 0 {
		lo = 0
	}
	if x == n {
		hi = 1
	}
	return lo, hi
}

// clopperPearson is the exact two-sided interval of a proportion x of n. It is
// [0, 1] for n = 0.
func clopperPearson(x, n int, level float64) (lo, hi float64) {
	if !isLevel(level) {
		return 0, 1
	}
	return lower(x, n, tail(level)/2), upper(x, n, tail(level)/2)
}

// Upper is the exact one-sided upper bound of a proportion x of n, 1 for n = 0.
func Upper(x, n int, level float64) float64 {
	if !isLevel(level) {
		return 1
	}
	return upper(x, n, tail(level))
}

// Lower is the exact one-sided lower bound of a proportion x of n, 0 for n = 0.
func Lower(x, n int, level float64) float64 {
	if !isLevel(level) {
		return 0
	}
	return lower(x, n, tail(level))
}

// UpperZero is the one-sided upper bound at Level of a proportion 0 of n: some 3/n.
// It is 1 for n = 0.
func UpperZero(n int) float64 { return Upper(0, n, Level) }

// upper is the probability at which x or fewer of n are as rare as alpha.
func upper(x, n int, alpha float64) float64 {
	_, ok := Share{x, n}.Value()
	switch {
	case !ok || x == n:
		return 1
	case x == 0:
		return 1 - math.Pow(alpha, 1/float64(n))
	case x > manyTrials && n-x > manyTrials:
		_, hi := wilson(x, n, 1-2*alpha)
		return hi
	}
	return betaWithAbove(alpha, float64(x+1), float64(n-x))
}

// lower is the probability at which x or more of n are as rare as alpha.
func lower(x, n int, alpha float64) float64 {
	_, ok := Share{x, n}.Value()
	switch {
	case !ok || x == 0:
		return 0
	case x == n:
		return math.Pow(alpha, 1/float64(n))
	case x > manyTrials && n-x > manyTrials:
		lo, _ := wilson(x, n, 1-2*alpha)
		return lo
	}
	return betaWithBelow(alpha, float64(x), float64(n-x+1))
}

// GarwoodUpper is the exact one-sided upper bound of a rate of events per unit of
// exposure. It takes the units to be independent, which calls of one session are
// not, so reports mark it as optimistic. It is undefined without exposure, and above
// manyTrials events.
func GarwoodUpper(events int, exposure, level float64) (float64, bool) {
	if events < 0 || events > manyTrials || !positive(exposure) || !isLevel(level) {
		return 0, false
	}
	alpha := tail(level)
	if events == 0 {
		return defined(-math.Log(alpha) / exposure)
	}
	high := float64(events) + 1
	for poissonBelow(events, high) > alpha {
		high *= 2
	}
	mean := bisect(0, high, func(mean float64) bool { return poissonBelow(events, mean) <= alpha })
	return defined(mean / exposure)
}

// DifferenceInterval is a conservative exact interval of (b-c)/n, the gain of B over
// A on n paired sessions: on b of them A is wrong and B right, on c the reverse. For
// rates of errors the caller changes the sign. It is no single point where nothing
// flipped, and is [-1, 1] for n = 0.
func DifferenceInterval(b, c, n int, level float64) (lo, hi float64) {
	if n <= 0 || b < 0 || c < 0 || b > n-c || !isLevel(level) {
		return -1, 1
	}
	each := 1 - tail(level)/2
	bLo, bHi := clopperPearson(b, n, each)
	cLo, cHi := clopperPearson(c, n, each)
	return bLo - cHi, bHi - cLo
}
