package stat

import (
	"cmp"
	"math"
	"slices"
)

// A Point is what one setting of a sweep does. False (the false-positive rate, or
// false fires per 1,000 calls) and Waste (calls per loop) are better lower, Recall is
// better higher. A field that is not compared is 0 in all points.
type Point struct{ False, Recall, Waste float64 }

// finite reports whether a point can be compared. A value that is undefined is
// neither better nor worse than any other, so callers give NaN for it, and the point
// is on no front.
func (p Point) finite() bool {
	_, f := defined(p.False)
	_, r := defined(p.Recall)
	_, w := defined(p.Waste)
	return f && r && w
}

// dominates reports whether p is nowhere worse than q and somewhere better.
func (p Point) dominates(q Point) bool {
	return p != q && p.False <= q.False && p.Recall >= q.Recall && p.Waste <= q.Waste
}

// Front is the Pareto front: the indices of the points that no other point
// dominates, from the lowest False up. Equal points are one group, in the order
// given.
func Front(points []Point) [][]int {
	order := make([]int, 0, len(points))
	for i, p := range points {
		if p.finite() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		p, q := points[i], points[j]
		return cmp.Or(cmp.Compare(p.False, q.False), cmp.Compare(q.Recall, p.Recall), cmp.Compare(p.Waste, q.Waste))
	})
	// A point that dominates another sorts before it, and is on the front or dominated
	// by one that is, so it is enough to compare with the front so far.
	var front [][]int
	for _, i := range order {
		last := len(front) - 1
		switch {
		case last >= 0 && points[front[last][0]] == points[i]:
			front[last] = append(front[last], i)
		case !slices.ContainsFunc(front, func(g []int) bool { return points[g[0]].dominates(points[i]) }):
			front = append(front, []int{i})
		}
	}
	return front
}

// Knee is the index of the point of the front of False and Recall that is farthest
// from the chord between the ends of the front, both axes scaled to [0, 1]; on a tie
// the one with the lowest False, and the first of equal points. There is none with
// fewer than three distinct points on that front, nor where all lie on the chord. It
// is a hint, not a choice.
func Knee(points []Point) (index int, ok bool) {
	flat := slices.Clone(points)
	for i := range flat {
		if flat[i].finite() {
			flat[i].Waste = 0
		}
	}
	front := Front(flat)
	if len(front) < 3 {
		return 0, false
	}
	first, last := flat[front[0][0]], flat[front[len(front)-1][0]]
	const noise = 1e-12 // of the scaled axes
	farthest := noise
	for _, g := range front {
		p := flat[g[0]]
		// The ends are (0, 0) and (1, 1) once scaled. Halves keep the widest
		// axes from overflowing.
		x := (p.False/2 - first.False/2) / (last.False/2 - first.False/2)
		y := (p.Recall/2 - first.Recall/2) / (last.Recall/2 - first.Recall/2)
		if d := math.Abs(y - x); d > farthest+noise {
			index, ok, farthest = g[0], true, d
		}
	}
	return index, ok
}
