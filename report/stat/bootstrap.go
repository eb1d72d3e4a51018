package stat

import (
	"math"
	"slices"
)

// The cluster bootstrap draws as many clusters as there are, with replacement,
// Replicates times, and computes the value of each draw. What is drawn are indices,
// so callers pass clusters in the order of their ids.

const (
	// Replicates of a bootstrap. With one less than a round number the ends of
	// the interval are replicates themselves: the 50th and the 1950th at 95 %.
	Replicates = 1999
	// NoInterval is the number of clusters below which there is no interval.
	NoInterval = 10
	// FewClusters is the number of clusters below which an interval is marked as
	// resting on few clusters.
	FewClusters = 20
)

// A Part is what one cluster adds to the numerator and the denominator of a ratio
// of sums.
type Part struct{ N, D float64 }

// Bootstrapped is a value and its percentile interval.
type Bootstrapped struct {
	Value     float64
	Defined   bool // whether there is a value
	Lo, Hi    float64
	OK        bool // whether there is an interval
	Few       bool // "few clusters": fewer than FewClusters
	Discarded int  // replicates in which the value was undefined
}

// Thin reports whether more than 5 % of the replicates were discarded. Reports show
// that with the interval.
func (b Bootstrapped) Thin() bool { return b.Discarded*20 > Replicates }

// Bootstrap is the cluster bootstrap of any value. value is given how often each of
// the clusters was drawn. Replicates without a value are discarded, and the ends of
// the interval are ranks among those kept. There is no interval where the value is
// undefined, for fewer than NoInterval clusters, and for a level so near 1 that
// less than one replicate would lie beyond each end. A value that is a difference
// of two others compares them on the same draws.
func Bootstrap(clusters int, level float64, r *Rand, value func(drawn []int) (float64, bool)) Bootstrapped {
	clusters = max(0, clusters)
	drawn := make([]int, clusters)
	for i := range drawn {
		drawn[i] = 1
	}
	b := Bootstrapped{Few: clusters < FewClusters}
	b.Value, b.Defined = number(value(drawn))
	if !b.Defined || clusters < NoInterval || !isLevel(level) {
		return b
	}
	kept := make([]float64, 0, Replicates)
	for range Replicates {
		clear(drawn)
		for range clusters {
			drawn[r.Below(clusters)]++
		}
		if v, ok := number(value(drawn)); ok {
			kept = append(kept, v)
		}
	}
	b.Discarded = Replicates - len(kept)
	// 1e-6 takes back what the product lost: 0.9 is the 100th of 2,000.
	rank := int(math.Floor(tail(level)/2*float64(len(kept)+1) + 1e-6))
	if rank < 1 {
		return b
	}
	slices.Sort(kept)
	b.Lo, b.Hi, b.OK = kept[rank-1], kept[len(kept)-rank], true
	return b
}

// number is v, or nothing where v does not exist or is not finite.
func number(v float64, ok bool) (float64, bool) {
	if !ok {
		return 0, false
	}
	return defined(v)
}

// BootstrapRatio is the bootstrap of a ratio of sums, such as fires per call or
// tokens per loop.
func BootstrapRatio(parts []Part, level float64, r *Rand) Bootstrapped {
	return Bootstrap(len(parts), level, r, func(drawn []int) (float64, bool) { return ratio(parts, drawn) })
}

// BootstrapDifference is the bootstrap of the ratio of b minus that of a, with the
// same clusters drawn for both. a[i] and b[i] belong to one cluster; the difference
// is undefined where the numbers of clusters differ.
func BootstrapDifference(a, b []Part, level float64, r *Rand) Bootstrapped {
	if len(a) != len(b) {
		return Bootstrapped{Few: true}
	}
	return Bootstrap(len(a), level, r, func(drawn []int) (float64, bool) {
		of, okA := ratio(a, drawn)
		to, okB := ratio(b, drawn)
		return to - of, okA && okB
	})
}

// ratio is the ratio of the sums of what was drawn. It adds in the order of the
// clusters, so that equal draws give equal bits.
func ratio(parts []Part, drawn []int) (float64, bool) {
	var n, d float64
	for i, p := range parts {
		n += float64(drawn[i]) * p.N
		d += float64(drawn[i]) * p.D
	}
	if d == 0 {
		return 0, false
	}
	return n / d, true
}
