package stat

import "math"

// McNemar is the exact two-sided p-value of n = b+c flipped pairs: b where A was
// wrong and B right, c the reverse (E10.2). It is 1 where nothing flipped.
func McNemar(b, c int) float64 {
	b, c = min(b, c), max(b, c)
	if b < 0 || b == c {
		return 1
	}
	if b == 0 {
		return min(1, 2*half(c))
	}
	if b > manyTrials {
		// Normal, continuity corrected: the same in all digits that are printed.
		x, y := float64(b), float64(c)
		return math.Erfc((y - x - 1) / math.Sqrt(x+y) / math.Sqrt2)
	}
	// P(X <= b) of b+c fair tosses.
	below, _ := betaTails(0.5, float64(c), float64(b)+1)
	return min(1, 2*below)
}

// half is 2 to the power of -n.
func half(n int) float64 {
	p := 1.0
	for ; n > 0 && p > 0; n-- {
		p /= 2
	}
	return p
}

// ClusterSigns reduces every cluster to its sign, for McNemar on clustered
// sessions: b clusters have more sessions improved than worsened, c the reverse,
// and ties are dropped (E10.2). The slices go together by index.
func ClusterSigns(improved, worsened []int) (b, c int) {
	for i := range min(len(improved), len(worsened)) {
		switch {
		case improved[i] > worsened[i]:
			b++
		case improved[i] < worsened[i]:
			c++
		}
	}
	return b, c
}
