package stat

// Kappa is Cohen's kappa of two annotators: how much better they agree than by
// chance. a[i] and b[i] are their classes of session i. It is undefined without
// sessions and where both use the same one class throughout. Annotators who each use
// one class, but not the same one, agree on nothing: their kappa is 0.
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
	// In whole numbers, times n², so that the order of the map changes nothing.
	chance := 0
	for class, count := range ofA {
		chance += count * ofB[class]
	}
	if chance == n*n {
		return 0, false
	}
	return float64(n*same-chance) / float64(n*n-chance), true
}

// Caution is the kappa below which rates that use the labels carry a caution.
const Caution = 0.6
