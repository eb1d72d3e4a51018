package stat

import "testing"

func TestNeededForUpper(t *testing.T) {
	for k, want := range []int{299, 473, 628, 773} {
		if n, ok := NeededForUpper(k, 0.01, 0.95); !ok || n != want {
			t.Errorf("upper <= 1 %% with %d events: %d, want %d", k, n, want)
		}
	}
	for u, want := range map[float64]int{0.05: 59, 0.02: 149, 0.01: 299, 0.005: 598, 0.001: 2995, 1: 0} {
		if n, ok := NeededForUpper(0, u, 0.95); !ok || n != want {
			t.Errorf("upper <= %v with no events: %d, want %d", u, n, want)
		}
	}
	// Met exactly: 0.1 to the power of n, and 1/4.
	for _, tt := range []struct {
		u, level float64
		want     int
	}{{0.5, 0.75, 2}, {0.9, 0.9, 1}, {0.9, 0.99, 2}, {0.9, 0.999, 3}} {
		if n, _ := NeededForUpper(0, tt.u, tt.level); n != tt.want {
			t.Errorf("upper <= %v at %v: %d, want %d", tt.u, tt.level, n, tt.want)
		}
	}
	if n, ok := NeededForUpper(0, 1e-300, 0.95); ok {
		t.Errorf("%d sessions for 1e-300", n)
	}
}

func TestNeededForLower(t *testing.T) {
	for k, want := range []int{29, 46, 61, 76} {
		if n, ok := NeededForLower(k, 0.9, 0.95); !ok || n != want {
			t.Errorf("lower >= 90 %% with %d misses: %d, want %d", k, n, want)
		}
	}
}

// One session fewer is not enough, by the exact sum.
func TestNeededIsLeast(t *testing.T) {
	for _, k := range []int{0, 1, 4, 17} {
		for _, u := range []float64{0.02, 0.1, 0.37, 0.9} {
			for _, level := range []float64{0.8, 0.95, 0.99} {
				n, ok := NeededForUpper(k, u, level)
				if !ok || atMost(k, n, u) > 1-level || n > k+1 && atMost(k, n-1, u) <= 1-level {
					t.Errorf("NeededForUpper(%d, %v, %v) = %d", k, u, level, n)
				}
			}
		}
	}
}

func TestNeededForHalfWidth(t *testing.T) {
	for _, tt := range []struct {
		p, w float64
		want int
	}{{0.5, 0.05, 385}, {0.5, 0.1, 97}, {0.1, 0.03, 385}, {0.01, 0.01, 381}, {0, 0.1, 1}} {
		if n, ok := NeededForHalfWidth(tt.p, tt.w, 0.95); !ok || n != tt.want {
			t.Errorf("p = %v to ± %v: %d, want %d", tt.p, tt.w, n, tt.want)
		}
	}
	if n, ok := NeededForHalfWidth(0.5, 0, 0.95); ok {
		t.Errorf("half-width 0 with %d", n)
	}
}

func TestFlipsNeeded(t *testing.T) {
	if n, ok := FlipsNeeded(0.95); !ok || n != 6 {
		t.Errorf("%d flips, want 6", n)
	}
}

// At one half, P(X <= k) is a fraction of a power of two, and so are levels that
// n sessions meet exactly.
func TestNeededMetExactly(t *testing.T) {
	for k := range 6 {
		for n := k + 1; n < 40; n++ {
			alpha := atMost(k, n, 0.5)
			if alpha > 0.6 || alpha < 1e-3 {
				continue
			}
			if got, ok := NeededForUpper(k, 0.5, 1-alpha); !ok || got != n {
				t.Errorf("upper <= 1/2 with %d events at %v: %d, want %d", k, 1-alpha, got, n)
			}
		}
	}
}
