package stat

import (
	"math"
	"testing"
)

// The vectors of the evaluation method, E20.

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		x, n   int
		lo, hi float64
	}{
		{0, 5, 0, 0.4345}, {0, 13, 0, 0.2281}, {6, 6, 0.6097, 1}, {2, 50, 0.0110, 0.1346},
		{17, 138, 0.0784, 0.1884}, {1, 233, 0.0008, 0.0239}, {0, 0, 0, 1},
	} {
		lo, hi := Wilson(tt.x, tt.n)
		if math.Abs(lo-tt.lo) > 5e-5 || math.Abs(hi-tt.hi) > 5e-5 {
			t.Errorf("Wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", tt.x, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestWilsonHoldsItsEstimate(t *testing.T) {
	for n := 1; n < 200; n++ {
		for x := 0; x <= n; x++ {
			lo, hi := Wilson(x, n)
			lo2, hi2 := Wilson(2*x, 2*n)
			if p := float64(x) / float64(n); lo > p || p > hi || lo < 0 || hi > 1 || hi2-lo2 > hi-lo+1e-12 {
				t.Fatalf("Wilson(%d, %d) = %v, %v", x, n, lo, hi)
			}
		}
	}
}

func TestUpperZero(t *testing.T) {
	for n, want := range map[int]float64{5: 0.4507, 10: 0.2589, 120: 0.0247, 400: 0.0075, 0: 1} {
		if got := UpperZero(n); math.Abs(got-want) > 5e-5 {
			t.Errorf("UpperZero(%d) = %.4f, want %.4f", n, got, want)
		}
	}
}

func TestGarwoodZero(t *testing.T) {
	if got := 1000 * GarwoodZero(12000); math.Abs(got-0.2496) > 5e-5 {
		t.Errorf("%.4f per 1,000, want 0.2496", got)
	}
}
