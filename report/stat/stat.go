// Package stat holds the statistics of the reports as pure functions, which may be
// called from any goroutine. What the numbers mean to a reader of a report stands in
// groundhog help numbers.
//
// No function returns NaN or an infinity, whatever it is given. A value that does
// not exist has ok = false; reports show it as a dash, never as 0. An interval of
// which nothing is known is as wide as it can be: [0, 1] for a proportion.
//
// A confidence level is a fraction, such as Level. For one outside (0, 1) intervals
// are as wide as they can be and ok is false.
package stat

import "math"

// Level is the confidence level of every interval unless another is set.
const Level = 0.95

// A Share is N of D: a rate before it is rendered.
type Share struct{ N, D int }

// Value is N/D. It is undefined unless 0 <= N <= D and D > 0.
func (s Share) Value() (float64, bool) {
	if s.D <= 0 || s.N < 0 || s.N > s.D {
		return 0, false
	}
	return float64(s.N) / float64(s.D), true
}

// Median is the middle of sorted values, the lower of the two in the middle of an
// even number. It is 0 for no values, which callers must not show.
func Median(sorted []int) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)/2]
}

// quantile is the z of a two-sided normal interval.
func quantile(level float64) float64 {
	if level == Level {
		return 1.959964 // to six digits, as tables have it, so that others get the same intervals
	}
	return math.Sqrt2 * math.Erfinv(level)
}

// isLevel reports whether level is a confidence level.
func isLevel(level float64) bool { return level > 0 && level < 1 }

// tail is 1-level. It is rounded to decimals, since 1-0.95 is not 0.05 in binary.
func tail(level float64) float64 {
	const digits = 1e15
	if t := math.Round((1-level)*digits) / digits; t > 1e-12 {
		return t
	}
	return 1 - level
}

// positive reports whether v is a finite number above 0.
func positive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// defined is v, or nothing where v is not finite.
func defined(v float64) (float64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}
