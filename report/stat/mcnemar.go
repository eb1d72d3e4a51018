package stat

import "math"

// McNemar is the exact two-sided p-value of b+c flipped pairs: on b of them A is
// wrong and B right, on c the reverse. It is 1 where nothing flipped.
func McNemar(b, c int) float64 {
	b, c = min(b, c), max(b, c)
	if b < 0 || b == c {
		return 1
	}
	if b == 0 {
		return min(1, 2*halved(c))
	}
	if b > manyTrials {
		// The normal approximation with continuity correction has the same digits as
		// far as they are printed.
		x, y := float64(b), float64(c)
		return math.Erfc((y - x - 1) / math.Sqrt(x+y) / math.Sqrt2)
	}
	// P(X <= b) of b+c fair tosses.
	below, _ := betaTails(0.5, float64(c), float64(b)+1)
	return min(1, 2*below)
}

// halved is 2 to the power of -n.
func halved(n int) float64 {
	p := 1.0
	for ; n > 0 && p > 0; n-- {
		p /= 2
	}
	return p
}

// ClusterSigns counts the clusters in which more sessions improved than worsened, b,
// and the reverse, c, as McNemar takes them for clustered sessions. Ties are
// dropped. improved[i] and worsened[i] belong to one cluster.
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
