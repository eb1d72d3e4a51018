package stat

import (
	"math"
	"math/big"
	"testing"
)

// near says whether got is want to so many printed decimals.
func near(got, want float64, decimals int) bool {
	return math.Abs(got-want) <= 0.5000001*math.Pow10(-decimals)
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		x, n   int
		lo, hi float64
	}{
		{0, 5, 0, 0.4345}, {0, 13, 0, 0.2281}, {6, 6, 0.6097, 1}, {2, 50, 0.0110, 0.1346},
		{17, 138, 0.0784, 0.1884}, {1, 233, 0.0008, 0.0239}, {0, 0, 0, 1}, {3, 2, 0, 1}, {-1, 2, 0, 1},
	} {
		lo, hi := Wilson(tt.x, tt.n)
		if !near(lo, tt.lo, 4) || !near(hi, tt.hi, 4) {
			t.Errorf("Wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", tt.x, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestClopperPearson(t *testing.T) {
	for _, tt := range []struct {
		x, n   int
		lo, hi float64
	}{
		{0, 5, 0, 0.5218}, {17, 138, 0.0734, 0.1899}, {1, 233, 0.0001, 0.0237}, {68, 230, 0.2375, 0.3592},
		{0, 0, 0, 1}, {3, 2, 0, 1},
	} {
		lo, hi := clopperPearson(tt.x, tt.n, 0.95)
		if !near(lo, tt.lo, 4) || !near(hi, tt.hi, 4) {
			t.Errorf("clopperPearson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", tt.x, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestOneSided(t *testing.T) {
	for _, tt := range []struct {
		x, n int
		want float64
	}{
		{0, 5, 0.4507}, {0, 10, 0.2589}, {0, 120, 0.0247}, {0, 400, 0.0075},
		{1, 233, 0.0202}, {3, 233, 0.0329}, {1, 400, 0.0118}, {2, 120, 0.0515}, {7, 7, 1}, {0, 0, 1},
	} {
		if got := Upper(tt.x, tt.n, 0.95); !near(got, tt.want, 4) {
			t.Errorf("Upper(%d, %d) = %.4f, want %.4f", tt.x, tt.n, got, tt.want)
		}
		if got := UpperZero(tt.n); tt.x == 0 && got != Upper(0, tt.n, 0.95) {
			t.Errorf("UpperZero(%d) = %v", tt.n, got)
		}
	}
	for _, tt := range []struct {
		x, n int
		want float64
	}{{6, 6, 0.6070}, {58, 60, 0.8988}, {0, 7, 0}, {0, 0, 0}} {
		if got := Lower(tt.x, tt.n, 0.95); !near(got, tt.want, 4) {
			t.Errorf("Lower(%d, %d) = %.4f, want %.4f", tt.x, tt.n, got, tt.want)
		}
	}
}

// The corpus of Kocoro: 5 productive traces without a false signal and 6 loops
// without a miss carry no more than this.
func TestKocoroCorpusShape(t *testing.T) {
	if got := 100 * Upper(0, 5, 0.95); !near(got, 45.1, 1) {
		t.Errorf("FPR <= %.1f %%, want 45.1", got)
	}
	if got := 100 * Lower(6, 6, 0.95); !near(got, 60.7, 1) {
		t.Errorf("recall >= %.1f %%, want 60.7", got)
	}
}

// atMost is P(X <= k) of n trials of probability p, summed in 400 bits.
func atMost(k, n int, p float64) float64 {
	float := func() *big.Float { return new(big.Float).SetPrec(400) }
	success := float().SetFloat64(p)
	failure := float().Sub(float().SetInt64(1), success)
	powers := make([]*big.Float, n+1) // of failure
	powers[0] = float().SetInt64(1)
	for i := 1; i <= n; i++ {
		powers[i] = float().Mul(powers[i-1], failure)
	}
	sum, power := float(), float().SetInt64(1)
	for i := 0; i <= k; i++ {
		term := float().SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		sum.Add(sum, term.Mul(term, power).Mul(term, powers[n-i]))
		power.Mul(power, success)
	}
	f, _ := sum.Float64()
	return f
}

// Bounds are where the exact sum of binomial terms crosses alpha: within 1e-10.
func TestBoundsAgainstExactSums(t *testing.T) {
	const eps = 1e-10
	for _, n := range []int{1, 2, 5, 13, 60, 233} {
		for _, x := range []int{0, 1, 2, n / 3, n / 2, n - 1, n} {
			if x < 0 || x > n {
				continue
			}
			for _, level := range []float64{0.5, 0.8, 0.95, 0.99, 0.999999} {
				alpha := 1 - level
				if u := Upper(x, n, level); x < n && (atMost(x, n, u-eps) < alpha || atMost(x, n, min(1, u+eps)) > alpha) {
					t.Errorf("Upper(%d, %d, %v) = %v leaves %v", x, n, level, u, atMost(x, n, u))
				}
				// X >= x successes are X <= n-x failures.
				if l := Lower(x, n, level); x > 0 && (atMost(n-x, n, 1-l+eps) > alpha || atMost(n-x, n, min(1, 1-l-eps)) < alpha) {
					t.Errorf("Lower(%d, %d, %v) = %v leaves %v", x, n, level, l, atMost(n-x, n, 1-l))
				}
				lo, hi := clopperPearson(x, n, level)
				if lo != Lower(x, n, 1-alpha/2) && math.Abs(lo-Lower(x, n, 1-alpha/2)) > 1e-9 || math.Abs(hi-Upper(x, n, 1-alpha/2)) > 1e-9 {
					t.Errorf("clopperPearson(%d, %d, %v) = %v, %v is no pair of one-sided bounds", x, n, level, lo, hi)
				}
			}
		}
	}
}

// Tails of large samples against sums in floating point from the far end, whose
// terms come from a recurrence.
func TestLargeTails(t *testing.T) {
	for _, tt := range []struct {
		k, n int
		p    float64
	}{{9_900, 1_000_000, 0.01}, {10_100, 1_000_000, 0.01}, {499_000, 1_000_000, 0.5}, {3, 1_000_000, 1e-5}, {29_000, 100_000, 0.3}} {
		// log P(X = k), by sums of logarithms.
		log := float64(tt.k)*math.Log(tt.p) + float64(tt.n-tt.k)*math.Log1p(-tt.p)
		for i := 1; i <= tt.k; i++ {
			log += math.Log(float64(tt.n-tt.k+i) / float64(i))
		}
		want, term := 0.0, math.Exp(log)
		for i := tt.k; i >= 0; i-- {
			want += term
			term *= float64(i) / float64(tt.n-i+1) * (1 - tt.p) / tt.p
		}
		_, got := betaTails(tt.p, float64(tt.k+1), float64(tt.n-tt.k))
		if math.Abs(got/want-1) > 1e-7 {
			t.Errorf("P(X <= %d of %d at %v) = %v, want %v", tt.k, tt.n, tt.p, got, want)
		}
	}
}

// The series of large numbers continues the formula of small ones.
func TestStirlingError(t *testing.T) {
	for _, n := range []float64{16.0001, 17, 20} {
		g, _ := math.Lgamma(n + 1)
		want := g - (n+0.5)*math.Log(n) + n - math.Log(2*math.Pi)/2
		if got := stirlingError(n); math.Abs(got-want) > 2e-14 {
			t.Errorf("stirlingError(%v) = %v, want %v", n, got, want)
		}
	}
}

// Where the exact interval hands over to Wilson's, nobody can tell.
func TestHandOver(t *testing.T) {
	n := 2*manyTrials + 2
	lo, hi := clopperPearson(n/2, n, 0.95) // x > manyTrials on neither side by one
	wLo, wHi := Wilson(n/2, n)
	exactLo, exactHi := clopperPearson(manyTrials, n, 0.95)
	if math.Abs(lo-wLo) > 1e-12 || math.Abs(hi-wHi) > 1e-12 || math.Abs(exactLo-lo) > 2e-9 || math.Abs(exactHi-hi) > 2e-9 {
		t.Errorf("%v, %v; Wilson %v, %v; exact %v, %v", lo, hi, wLo, wHi, exactLo, exactHi)
	}
}

func TestGarwood(t *testing.T) {
	if got, ok := GarwoodUpper(0, 12000, 0.95); !ok || !near(1000*got, 0.2496, 4) {
		t.Errorf("%.4f per 1,000, want 0.2496", 1000*got)
	}
	for events, want := range map[int]float64{0: 2.9957, 1: 4.7439, 2: 6.2958, 5: 10.5130, 10: 16.9622} {
		got, ok := GarwoodUpper(events, 1, 0.95)
		if !ok || !near(got, want, 4) {
			t.Errorf("GarwoodUpper(%d) = %.4f, want %.4f", events, got, want)
		}
	}
	for _, events := range []int{1, 3, 40, 120} {
		for _, level := range []float64{0.1, 0.5, 0.9, 0.999} {
			mean, _ := GarwoodUpper(events, 1, level)
			sum, term := 0.0, math.Exp(-mean)
			for i := 0; i <= events; i++ {
				sum += term
				term *= mean / float64(i+1)
			}
			if math.Abs(sum/(1-level)-1) > 1e-9 {
				t.Errorf("GarwoodUpper(%d, 1, %v) = %v leaves %v", events, level, mean, sum)
			}
		}
	}
	for _, exposure := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if got, ok := GarwoodUpper(0, exposure, 0.95); ok || got != 0 {
			t.Errorf("a bound for an exposure of %v: %v", exposure, got)
		}
	}
}

func TestDifferenceInterval(t *testing.T) {
	lo, hi := DifferenceInterval(0, 0, 40, 0.95)
	want := Upper(0, 40, 1-0.05/4) // each at 97.5 %, two-sided
	if math.Abs(hi-want) > 1e-9 || math.Abs(lo+want) > 1e-9 {
		t.Errorf("no flips of 40: %v, %v, want ± %v", lo, hi, want)
	}
	if lo, hi := DifferenceInterval(20, 2, 40, 0.95); lo <= 0 || hi <= 18.0/40 || hi > 1 {
		t.Errorf("20 and 2 flips of 40: %v, %v", lo, hi)
	}
	for _, bad := range [][3]int{{0, 0, 0}, {3, 3, 5}, {-1, 0, 5}} {
		if lo, hi := DifferenceInterval(bad[0], bad[1], bad[2], 0.95); lo != -1 || hi != 1 {
			t.Errorf("%v: %v, %v", bad, lo, hi)
		}
	}
}
