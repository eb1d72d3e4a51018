package stat

import "math"

// The tails of the binomial distribution are regularised incomplete beta
// functions: P(X >= x) in n trials of probability p is I_p(x, n-x+1). The
// continued fraction converges in about sqrt(min(a, b)) steps. Its leading
// factor is where precision is lost, if log-gammas of large numbers are
// subtracted; it is computed as Loader's binomial term instead ("Fast and
// accurate computation of binomial probabilities", 2000), which holds full
// precision for any size. Both tails are kept, so that a small one is never
// the difference of two numbers near 1.

// fractionSteps bounds the continued fraction, which takes far fewer for
// parameters up to manyTrials.
const fractionSteps = 1 << 20

// betaTails is the mass of the beta distribution with a, b >= 1 below x and
// above it: I_x(a, b) and 1 - I_x(a, b).
func betaTails(x, a, b float64) (below, above float64) {
	switch {
	case x <= 0:
		return 0, 1
	case x >= 1:
		return 1, 0
	case x > (a+1)/(a+b+2):
		above = betaTail(1-x, x, b, a)
		return 1 - above, above
	}
	below = betaTail(x, 1-x, a, b)
	return below, 1 - below
}

// betaTail is I_x(a, b) by its continued fraction, for x left of the mean; y is
// 1-x.
func betaTail(x, y, a, b float64) float64 {
	front := b / (a + b) * binomialTerm(a, b, x, y)
	if front == 0 {
		return 0
	}
	// Lentz's method: c and d are the ratios of successive numerators and
	// denominators, kept off 0.
	const tiny = 1e-300
	off := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/off(1-(a+b)*x/(a+1))
	f := d
	for i := 1; i < fractionSteps; i++ {
		m := float64(i)
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/off(1+even*d), off(1+even/c)
		f *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/off(1+odd*d), off(1+odd/c)
		f *= c * d
		if math.Abs(c*d-1) < 5e-16 { // two units in the last place: rounding may never settle
			break
		}
	}
	return min(1, max(0, front*f))
}

// betaWithBelow is the x that has the mass p below it, and betaWithAbove the x
// that has it above.
func betaWithBelow(p, a, b float64) float64 {
	return bisect(0, 1, func(x float64) bool { below, _ := betaTails(x, a, b); return below >= p })
}

func betaWithAbove(p, a, b float64) float64 {
	return bisect(0, 1, func(x float64) bool { _, above := betaTails(x, a, b); return above <= p })
}

// bisect is where reached turns true between lo and hi, to the last bit. It was
// chosen before Newton's method: it cannot leave the interval, and the speed
// makes no difference here.
func bisect(lo, hi float64, reached func(float64) bool) float64 {
	for range 2100 { // more halvings than a float64 has
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if reached(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// binomialTerm is the probability of k events and rest others in k+rest trials
// of probability p = 1-q, for real k and rest above 0. The rest is passed, since
// k may be so large that it vanishes in the sum.
func binomialTerm(k, rest, p, q float64) float64 {
	n := k + rest
	e := stirlingError(n) - stirlingError(k) - stirlingError(rest) - deviance(k, n*p) - deviance(rest, n*q)
	return math.Exp(e) * math.Sqrt(n/(2*math.Pi*k)/rest)
}

// poissonTerm is the probability of k events where mean are expected.
func poissonTerm(k, mean float64) float64 {
	if k == 0 {
		return math.Exp(-mean)
	}
	return math.Exp(-stirlingError(k)-deviance(k, mean)) / math.Sqrt(2*math.Pi*k)
}

// stirlingError is ln(n!) less Stirling's approximation of it.
func stirlingError(n float64) float64 {
	if n <= 16 {
		g, _ := math.Lgamma(n + 1)
		return g - (n+0.5)*math.Log(n) + n - math.Log(2*math.Pi)/2
	}
	s := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-1.0/1188/s)/s)/s)/s) / n
}

// deviance is k ln(k/m) + m - k, by its series where k is near m and the
// formula would cancel.
func deviance(k, m float64) float64 {
	if math.Abs(k-m) >= 0.1*(k+m) {
		return k*math.Log(k/m) + m - k
	}
	v := (k - m) / (k + m)
	sum, term := (k-m)*v, 2*k*v
	for j := 1; j < 1000; j++ {
		term *= v * v
		next := sum + term/float64(2*j+1)
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}

// poissonBelow is the probability of k or fewer events where mean are expected.
// Terms are added away from the mean, so that they shrink.
func poissonBelow(k int, mean float64) float64 {
	sum := 0.0
	if mean < float64(k) {
		term := poissonTerm(float64(k+1), mean)
		for i := k + 1; term > sum*1e-17; i++ {
			sum += term
			term *= mean / float64(i+1)
		}
		return 1 - sum
	}
	term := poissonTerm(float64(k), mean)
	for i := k; i >= 0 && term > sum*1e-17; i-- {
		sum += term
		term *= float64(i) / mean
	}
	return sum
}
