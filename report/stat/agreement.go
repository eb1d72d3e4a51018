package stat

import "slices"

// Kappa is Cohen's kappa of two annotators, whose classes of one session go
// together by index (E3.4). It is undefined where both use one class only, the
// same, as for no sessions. Two that each use one class, but not the same, agree
// on nothing: that is 0, and earns its caution.
func Kappa(a, b []string) (float64, bool) {
	n := min(len(a), len(b))
	same := 0
	ofA, ofB := make(map[string]int), make(map[string]int)
	for i := range n {
		ofA[a[i]]++
		ofB[b[i]]++
		if a[i] == b[i] {
			same++
		}
	}
	// In whole numbers, times n²: the order of the map is of no account.
	chance := 0
	for class, count := range ofA {
		chance += count * ofB[class]
	}
	if chance == n*n {
		return 0, false
	}
	return float64(n*same-chance) / float64(n*n-chance), true
}

// Caution is the kappa below which rates that use the labels carry a caution
// (E3.4).
const Caution = 0.6

// MedianDifference is the median absolute difference of two annotators' onsets,
// in calls (E3.4), the lower one of two. It sets how far label edges are moved
// (E8.4). It is undefined for no onsets.
func MedianDifference(a, b []int) (int, bool) {
	n := min(len(a), len(b))
	if n == 0 {
		return 0, false
	}
	apart := make([]int, n)
	for i := range n {
		apart[i] = max(a[i], b[i]) - min(a[i], b[i])
	}
	slices.Sort(apart)
	return Median(apart), true
}
