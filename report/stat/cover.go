package stat

import "math/bits"

// A Cover describes the smallest sets that hit all given sets: the fewest detectors
// that together still catch every loop, where each given set lists the detectors
// that catch one loop. Bit i of a set stands for member i.
type Cover struct {
	Size  int      // of each smallest set
	Count int      // of smallest sets
	Sets  []uint64 // the first of them, in order of their bits as a number
	Every uint64   // members of every smallest set
	Some  uint64   // members of some smallest set
	Exact bool     // every set was tried; otherwise the one set was found greedily and may not be smallest
}

const (
	maxExact = 20 // members up to which every set is tried
	maxSets  = 20 // smallest sets that are listed
)

// SmallestCovers finds the smallest covers of sets among n members, at most 64.
// Empty sets cannot be covered and are left out.
func SmallestCovers(sets []uint64, n int) Cover {
	sets = minimal(sets)
	if n > maxExact {
		return greedy(sets)
	}
	for size := range n + 1 {
		c := Cover{Size: size, Every: ^uint64(0), Exact: true}
		eachOfSize(n, size, func(set uint64) {
			if !hits(set, sets) {
				return
			}
			c.Count++
			c.Every &= set
			c.Some |= set
			if len(c.Sets) < maxSets {
				c.Sets = append(c.Sets, set)
			}
		})
		if c.Count > 0 {
			return c
		}
	}
	return Cover{Exact: true} // some set has no member below n, so nothing covers it
}

// minimal drops empty sets, and sets that contain another one.
func minimal(sets []uint64) (list []uint64) {
	for i, s := range sets {
		keep := s != 0
		for j, other := range sets {
			if other != 0 && s&other == other && (s != other || j < i) {
				keep = false
				break
			}
		}
		if keep {
			list = append(list, s)
		}
	}
	return list
}

// hits reports whether set has a member in common with each of sets.
func hits(set uint64, sets []uint64) bool {
	for _, s := range sets {
		if s&set == 0 {
			return false
		}
	}
	return true
}

// eachOfSize visits all sets of size members out of n, the smallest as a number first.
func eachOfSize(n, size int, visit func(uint64)) {
	if size == 0 {
		visit(0)
		return
	}
	for set := uint64(1)<<size - 1; set < 1<<n; {
		visit(set)
		low := set & -set // the next number with as many bits
		next := set + low
		set = (set^next)>>2/low | next
	}
}

// greedy adds the member that hits most of the sets left, the first on a tie, until
// all are hit.
func greedy(sets []uint64) Cover {
	c := Cover{Count: 1}
	var set uint64
	for left := sets; len(left) > 0; {
		best, most := 0, 0
		for m := range 64 {
			n := 0
			for _, s := range left {
				n += int(s >> m & 1)
			}
			if n > most {
				best, most = m, n
			}
		}
		set |= 1 << best
		var rest []uint64
		for _, s := range left {
			if s>>best&1 == 0 {
				rest = append(rest, s)
			}
		}
		left = rest
	}
	c.Size, c.Sets, c.Every, c.Some = bits.OnesCount64(set), []uint64{set}, set, set
	return c
}
