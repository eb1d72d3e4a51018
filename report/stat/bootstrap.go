package stat

import (
	"cmp"
	"math"
	"slices"
)

// The cluster bootstrap (E9.3): as many clusters as there are, drawn with
// replacement, Replicates times. Clusters come in the order of their ids,
// because the draws are of positions.

const (
	// Replicates of a bootstrap. With one less than a round number the ends of
	// the interval are replicates themselves: the 50th and the 1950th at 95 %.
	Replicates = 1999
	// NoInterval is the number of clusters below which there is none.
	NoInterval = 10
	// FewClusters is the number of clusters below which an interval is flagged.
	FewClusters = 20
)

// Part is what one cluster adds to a ratio of sums.
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

// Thin says that more than 5 % of the replicates were discarded, a flag that is
// shown beside the interval (E9.3).
func (b Bootstrapped) Thin() bool { return b.Discarded*20 > Replicates }

// Bootstrap is the cluster bootstrap of any value, which is given how often each
// of so many clusters was drawn. Discarded replicates leave the ranks to those
// that are kept. There is no interval where the value is undefined, for fewer
// than NoInterval clusters, and for a level that the replicates kept cannot
// show (one of 2,000 at most lies beyond its ends). Two values made of one
// function are of the same draws.
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

// number is a value that is there and finite.
func number(v float64, ok bool) (float64, bool) {
	if !ok {
		return 0, false
	}
	return defined(v)
}

// BootstrapRatio is the bootstrap of a ratio of sums: fires of calls, tokens of
// loops, or weighted counts, the parts times their weights (E9.3, E15.3).
func BootstrapRatio(parts []Part, level float64, r *Rand) Bootstrapped {
	return Bootstrap(len(parts), level, r, func(drawn []int) (float64, bool) { return ratio(parts, drawn) })
}

// BootstrapDifference is the bootstrap of the ratio of b less that of a, with the
// same clusters drawn for both (E10.3). Parts go together by index; it is
// undefined where the numbers of clusters differ.
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

// ratio sums in the order of the clusters, whole numbers exactly.
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

// BootstrapMedian is the bootstrap of the median of all values of all clusters,
// the lower one of two, as of latencies (E9.3). A cluster may have none.
func BootstrapMedian(clusters [][]int, level float64, r *Rand) Bootstrapped {
	type one struct{ value, cluster int }
	var all []one
	for c, values := range clusters {
		for _, v := range values {
			all = append(all, one{v, c})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(a.value, b.value) })
	return Bootstrap(len(clusters), level, r, func(drawn []int) (float64, bool) {
		n := 0
		for c, values := range clusters {
			n += drawn[c] * len(values)
		}
		left := (n - 1) / 2
		for _, o := range all {
			if left -= drawn[o.cluster]; left < 0 {
				return float64(o.value), n > 0
			}
		}
		return 0, false
	})
}
