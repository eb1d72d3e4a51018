// Package stat holds the statistics of the reports, as pure functions. Section
// numbers are those of the evaluation method (E9).
package stat

import "math"

// Level is the confidence level of every interval.
const Level = 0.95

// z is the normal quantile of a two-sided interval at Level.
const z = 1.959964

// Wilson is the interval that is shown beside a proportion x of n (E9.1). Its
// ends are exactly 0 and 1 where x is 0 or n; it is [0, 1] for n = 0.
func Wilson(x, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	p, m := float64(x)/float64(n), float64(n)
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

// UpperZero is the one-sided bound on a proportion of which nothing was seen in
// n (E9.1). It is 1 for n = 0.
func UpperZero(n int) float64 {
	if n == 0 {
		return 1
	}
	return 1 - math.Pow(1-Level, 1/float64(n))
}

// GarwoodZero is the one-sided bound on a rate of which nothing was seen in so
// much exposure, per unit of it (E9.3). It takes the units for independent.
func GarwoodZero(exposure float64) float64 {
	return -math.Log(1-Level) / exposure
}

// Median is the middle of sorted values, the lower one of two.
func Median(sorted []int) int { return sorted[(len(sorted)-1)/2] }
