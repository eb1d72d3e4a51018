package stat

import (
	"cmp"
	"math"
	"slices"
)

// Never is the latency of a span that was not caught: longer than any (E10.4).
const Never = math.MaxInt

// exactPairs is the most pairs that Wilcoxon counts out exactly.
const exactPairs = 200

// Wilcoxon is the two-sided p-value of the signed-rank test on latencies paired
// by index (E10.4). Pairs that do not differ are dropped, Never twice among them;
// equal differences share their mean rank, and against Never every difference is
// the largest. The distribution is counted out given the ranks, up to 200 pairs,
// and normal beyond. It is 1 where nothing differs.
func Wilcoxon(a, b []int) float64 {
	type pair struct {
		size float64
		up   bool
	}
	var pairs []pair
	for i := range min(len(a), len(b)) {
		size := math.Abs(float64(a[i]) - float64(b[i]))
		if (a[i] == Never) != (b[i] == Never) {
			size = math.MaxFloat64
		}
		if a[i] != b[i] {
			pairs = append(pairs, pair{size, b[i] > a[i]})
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(p.size, q.size) })
	// Ranks are doubled, so that the mean of two is whole.
	ranks := make([]int, len(pairs))
	total, up := 0, 0
	for i := 0; i < len(pairs); {
		j := i
		for j < len(pairs) && pairs[j].size == pairs[i].size {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			total += ranks[k]
			if pairs[k].up {
				up += ranks[k]
			}
		}
		i = j
	}
	least := min(up, total-up)
	if len(ranks) > exactPairs {
		squares := 0.0
		for _, r := range ranks {
			squares += float64(r) * float64(r)
		}
		return math.Erfc((float64(total)/2 - float64(least)) / math.Sqrt(squares/4) / math.Sqrt2)
	}
	// chance[s] is the probability that the ranks with a rise add up to s.
	chance := make([]float64, total+1)
	chance[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			chance[s] /= 2
			if s >= r {
				chance[s] += chance[s-r] / 2
			}
		}
	}
	p := 0.0
	for _, c := range chance[:least+1] {
		p += c
	}
	return min(1, 2*p)
}
