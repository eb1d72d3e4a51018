package stat

import (
	"cmp"
	"math"
	"slices"
)

// Point is what one setting of a sweep does (E12.6): False (the false-positive
// rate, or false fires per 1,000 calls) and Waste (calls a loop) are better
// lower, Recall is better higher. An axis that is not looked at is 0 in all.
type Point struct{ False, Recall, Waste float64 }

// finite says whether a point can be compared: undefined is neither better nor
// worse than anything, so the caller gives NaN for it, and it is on no front.
func (p Point) finite() bool {
	_, f := defined(p.False)
	_, r := defined(p.Recall)
	_, w := defined(p.Waste)
	return f && r && w
}

// dominates says whether p is nowhere worse than q and somewhere better.
func (p Point) dominates(q Point) bool {
	return p != q && p.False <= q.False && p.Recall >= q.Recall && p.Waste <= q.Waste
}

// Front is the Pareto front: the positions of the points that no other point
// dominates, from the lowest False up (E12.6). Equal points are one group, in the
// order given.
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
	// What dominates a point sorts before it, and what dominates that is on the
	// front, so a point is only held against the front so far.
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

// Knee is the point of the front of False and Recall that is farthest from the
// chord between its ends, both axes scaled to [0, 1]; of equally far ones the
// lowest False (E12.6). It is the first of equal points. There is none with
// fewer than three distinct points on that front, nor where they lie on the
// chord. It is a hint.
func Knee(points []Point) (at int, ok bool) {
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
			at, ok, farthest = g[0], true, d
		}
	}
	return at, ok
}
