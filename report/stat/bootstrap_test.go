package stat

import (
	"math"
	"slices"
	"testing"
)

// parts are clusters of 100 calls with so many fires.
func parts(fires ...float64) []Part {
	list := make([]Part, len(fires))
	for i, n := range fires {
		list[i] = Part{n, 100}
	}
	return list
}

func metric(name string) *Rand { return NewRand(1, "corpus", name) }

var spread = parts(0, 3, 1, 0, 0, 7, 2, 2, 0, 1, 4, 0, 0, 1, 9, 0, 2, 3, 0, 0, 1, 2)

// The interval is the 50th and the 1950th of 1999 ratios, by a plainer way.
func TestBootstrapRatio(t *testing.T) {
	got := BootstrapRatio(spread, 0.95, metric("m"))
	r := metric("m")
	var ratios []float64
	for range 1999 {
		var n, d float64
		for range spread {
			p := spread[r.Below(len(spread))]
			n, d = n+p.N, d+p.D
		}
		ratios = append(ratios, n/d)
	}
	slices.Sort(ratios)
	want := Bootstrapped{Value: 38.0 / 2200, Defined: true, Lo: ratios[49], Hi: ratios[1949], OK: true}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for level, rank := range map[float64]int{0.9: 100, 0.99: 10, 0.5: 500, 0.999: 1} {
		got := BootstrapRatio(spread, level, metric("m"))
		if got.Lo != ratios[rank-1] || got.Hi != ratios[1999-rank] {
			t.Errorf("at %v [%v, %v], want replicates %d and %d", level, got.Lo, got.Hi, rank, 2000-rank)
		}
	}
	if got := BootstrapRatio(spread, 0.9999, metric("m")); got.OK || !got.Defined {
		t.Errorf("an interval beyond all replicates: %+v", got)
	}
}

func TestFewClusters(t *testing.T) {
	for _, tt := range []struct {
		m       int
		few, ok bool
	}{{0, true, false}, {9, true, false}, {10, true, true}, {19, true, true}, {20, false, true}} {
		got := BootstrapRatio(spread[:tt.m], 0.95, metric("m"))
		if got.Few != tt.few || got.OK != tt.ok || got.Defined != (tt.m > 0) || got.Thin() {
			t.Errorf("%d clusters: %+v", tt.m, got)
		}
	}
}

// With exposure in one cluster of 20, 0.95^20 = 36 % of the replicates have none.
func TestDiscardedReplicates(t *testing.T) {
	rare := make([]Part, 20)
	rare[7] = Part{1, 4}
	got := BootstrapRatio(rare, 0.95, metric("m"))
	share := float64(got.Discarded) / Replicates
	if !got.Thin() || math.Abs(share-math.Pow(0.95, 20)) > 0.04 || got.Lo != 0.25 || got.Hi != 0.25 {
		t.Errorf("%+v", got)
	}
	if got := BootstrapRatio(make([]Part, 20), 0.95, metric("m")); got.Defined || got.OK {
		t.Errorf("a ratio of no exposure: %+v", got)
	}
}

func TestBootstrapDifference(t *testing.T) {
	better := slices.Clone(spread)
	for i := range better {
		better[i].N = max(0, better[i].N-1)
	}
	got := BootstrapDifference(spread, better, 0.95, metric("m"))
	if !got.OK || got.Value >= 0 || got.Hi >= 0 || got.Lo > got.Value || got.Value > got.Hi {
		t.Errorf("one fire fewer in most clusters: %+v", got)
	}
	// Paired: the same clusters are drawn for both, so a constant gain is certain.
	more := slices.Clone(spread)
	for i := range more {
		more[i].N += 100
	}
	got = BootstrapDifference(spread, more, 0.95, metric("m"))
	if math.Abs(got.Lo-1) > 1e-12 || math.Abs(got.Hi-1) > 1e-12 {
		t.Errorf("one fire more each call: %+v", got)
	}
	if got := BootstrapDifference(spread, spread[1:], 0.95, metric("m")); got.Defined || got.OK {
		t.Errorf("clusters that do not pair: %+v", got)
	}
}

// Intervals hold the truth about as often as they say: 30 clusters that fire
// with probability 0.3 each, 300 times.
func TestBootstrapCoverage(t *testing.T) {
	draw, held := metric("draw"), 0
	for range 300 {
		sample := make([]Part, 30)
		for i := range sample {
			sample[i].D = 1
			if draw.Below(10) < 3 {
				sample[i].N = 1
			}
		}
		if b := BootstrapRatio(sample, 0.95, metric("m")); b.Lo <= 0.3 && 0.3 <= b.Hi {
			held++
		}
	}
	if held < 270 || held > 297 {
		t.Errorf("held the truth %d times of 300", held)
	}
}
