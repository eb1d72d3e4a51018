package stat

import (
	"cmp"
	"slices"
)

// Holm adjusts the p-values of a family for their number by Holm's method, in the
// order given. A value outside [0, 1] counts as 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	adjusted := make([]float64, len(p))
	for i, v := range p {
		order[i], adjusted[i] = i, v
		if !(v >= 0 && v <= 1) {
			adjusted[i] = 1
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(adjusted[i], adjusted[j]) })
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*adjusted[i]))
		adjusted[i] = least
	}
	return adjusted
}
