package stat

import (
	"slices"
	"testing"
)

// The stream was computed with a second implementation, in another language,
// from the definition of PCG-64 DXSM and Lemire's method. Intervals in published
// reports rest on it: if this test fails, it is the code that is wrong.
func TestGenerator(t *testing.T) {
	r := NewRand(1, "c0ffee", "false_per_1k")
	for i, want := range []uint64{0xe0ee1117f8716d59, 0xda63822af736443a, 0x184c9c57e863656f, 0x1ef499b688ec0efe} {
		if got := r.pcg.Uint64(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
	for n, want := range map[int][]int{
		7: {6, 5, 0, 0, 6, 1, 0, 3, 3, 2, 4, 0, 1, 4, 0, 5, 5, 3, 2, 0, 3, 5, 6, 6},
		// A quarter of the draws below this one is rejected.
		3 << 61: {
			6077966588851161345, 5901211741503904149, 656604846193198601, 836466271768315295, 6788857550016808838, 1575480818666492134,
			35019783369563963, 2983644202077116299, 3876441527950409969, 2315903325115365992, 4442913013834686338, 532644159512826936,
			4488577469255499922, 5126187056758847738, 5851431469424170825, 3584154927094240511, 424957456071919967, 3784002230768242548,
			6718054442132582483, 6310906083737805595, 1713740093187444635, 2730265598185551520, 6557818737772665476, 1100295165865001389,
		},
		0: {0, 0},
	} {
		r := NewRand(1, "c0ffee", "false_per_1k")
		var got []int
		for range want {
			got = append(got, r.Below(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("below %d: %v, want %v", n, got, want)
		}
	}
}

// Each of the parts of the seed makes another stream.
func TestSeed(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, r := range []*Rand{NewRand(1, "c", "m"), NewRand(2, "c", "m"), NewRand(1, "d", "m"), NewRand(1, "c", "n")} {
		seen[r.pcg.Uint64()] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d streams, want 4", len(seen))
	}
}

func TestFold(t *testing.T) {
	for cluster, want := range map[string]int{"case-001": 2, "case-002": 3, "case-003": 1} {
		if got := Fold(1, cluster, 5); got != want {
			t.Errorf("fold of %s is %d, want %d", cluster, got, want)
		}
	}
	if got := Fold(1, "case-001", 0); got != 0 {
		t.Errorf("fold of none is %d", got)
	}
}
