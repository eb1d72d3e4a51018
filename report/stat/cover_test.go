package stat_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"groundhog/report/stat"
)

func TestSmallestCovers(t *testing.T) {
	for _, test := range []struct {
		name        string
		sets        []uint64
		n           int
		size, count int
		every, some uint64
	}{
		{"nothing to cover", nil, 3, 0, 1, 0, 0},
		{"one way", []uint64{0b001, 0b010}, 3, 2, 1, 0b011, 0b011},
		{"either of two", []uint64{0b011}, 3, 1, 2, 0, 0b011},
		{"a set that another implies", []uint64{0b001, 0b111}, 3, 1, 1, 0b001, 0b001},
		{"two of three", []uint64{0b011, 0b110, 0b101}, 3, 2, 3, 0, 0b111},
		{"an empty set is left out", []uint64{0, 0b100}, 3, 1, 1, 0b100, 0b100},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := stat.SmallestCovers(test.sets, test.n)
			if c.Size != test.size || c.Count != test.count || c.Every != test.every || c.Some != test.some || !c.Exact {
				t.Errorf("SmallestCovers(%b, %d) = %+v", test.sets, test.n, c)
			}
		})
	}
}

// A minimal cover covers, and no smaller set does. The greedy one, for
// many members, covers as well.
func TestCoversCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "members")
		shift := rapid.SampledFrom([]int{0, 0, 30}).Draw(t, "shift") // members so far up that every set cannot be tried
		var sets []uint64
		for _, s := range rapid.SliceOfN(rapid.Uint64Range(1, 1<<n-1), 0, 12).Draw(t, "sets") {
			sets = append(sets, s<<shift)
		}
		c := stat.SmallestCovers(sets, n+shift)
		if c.Exact != (n+shift <= 20) {
			t.Fatalf("%d members: exact is %v", n+shift, c.Exact)
		}
		for _, cover := range c.Sets {
			for _, s := range sets {
				if s&cover == 0 {
					t.Fatalf("%b covers nothing of %b", cover, s)
				}
			}
			if bits.OnesCount64(cover) != c.Size || c.Every&^cover != 0 || cover&^c.Some != 0 {
				t.Fatalf("%b is none of %+v", cover, c)
			}
		}
		if len(c.Sets) == 0 {
			t.Fatalf("no cover of %b", sets)
		}
		if !c.Exact {
			return
		}
		for set := range uint64(1) << n {
			all := bits.OnesCount64(set) < c.Size
			for _, s := range sets {
				all = all && s&set != 0
			}
			if all {
				t.Fatalf("%b is smaller than %d and covers %b", set, c.Size, sets)
			}
		}
	})
}
