// Package stat holds the statistics of the reports, as pure functions. Section
// numbers are those of the evaluation method (E1 to E20).
//
// No function returns NaN or an infinity, whatever it is given. A value that
// does not exist is ok = false, and is shown as a dash, never as 0. An interval
// of which nothing is known is as wide as it can be: [0, 1] of a proportion.
//
// A confidence level is a fraction, such as Level. One outside (0, 1) claims
// nothing, so that its interval is the widest or its ok is false.
package stat

import "math"

// Level is the confidence level of every interval unless another is set (E9.5).
const Level = 0.95

// Share is N of D: a rate before it is rendered.
type Share struct{ N, D int }

// Value is N/D. It is undefined unless 0 <= N <= D and D > 0.
func (s Share) Value() (float64, bool) {
	if s.D <= 0 || s.N < 0 || s.N > s.D {
		return 0, false
	}
	return float64(s.N) / float64(s.D), true
}

// Median is the middle of sorted values, the lower one of two. There is none of
// no values: it is 0 then, which the caller must not show.
func Median(sorted []int) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)/2]
}

// quantile is the z of a two-sided normal interval.
func quantile(level float64) float64 {
	if level == Level {
		return 1.959964 // as E9.1 writes it
	}
	return math.Sqrt2 * math.Erfinv(level)
}

// isLevel says whether a confidence level claims something.
func isLevel(level float64) bool { return level > 0 && level < 1 }

// tail is 1-level, rounded to what a level written in decimals means: 1-0.95 is
// not 0.05 in binary.
func tail(level float64) float64 {
	const digits = 1e15
	if t := math.Round((1-level)*digits) / digits; t > 1e-12 {
		return t
	}
	return 1 - level
}

// positive says whether v is a finite number above 0.
func positive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// defined is v, or nothing where v is not finite.
func defined(v float64) (float64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}
