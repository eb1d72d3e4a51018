package stat

import "math/bits"

// A Cover is the smallest sets that hold a member of every one of some sets
// (E13.2): bit i stands for member i.
type Cover struct {
	Size  int      // of each smallest set
	Count int      // of smallest sets
	Sets  []uint64 // the first of them, in order of their bits as a number
	Every uint64   // members of every smallest set
	Some  uint64   // members of some smallest set
	Exact bool     // all sets were tried; else one was found greedily, and is no more than a good guess
}

const (
	maxExact = 20 // members up to which every set is tried
	maxSets  = 20 // smallest sets that are listed
)

// SmallestCovers finds them among n members, 64 at most. Sets without a member
// can have no cover and are left out: the caller says so.
func SmallestCovers(sets []uint64, n int) Cover {
	sets = minimal(sets)
	if n > maxExact {
		return greedy(sets)
	}
	for size := range n + 1 {
		c := Cover{Size: size, Every: ^uint64(0), Exact: true}
		ofSize(n, size, func(set uint64) {
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
	return Cover{Exact: true} // a set holds no member below n: nothing covers it
}

// minimal drops empty sets, and those that hold another one.
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

func hits(set uint64, sets []uint64) bool {
	for _, s := range sets {
		if s&set == 0 {
			return false
		}
	}
	return true
}

// ofSize visits the sets of so many of n members, smallest number first.
func ofSize(n, size int, visit func(uint64)) {
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

// greedy takes the member of most of what is left, the first on a tie.
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
