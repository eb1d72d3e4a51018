package stat

import (
	"math"
	"math/big"
	"testing"
)

func TestMcNemar(t *testing.T) {
	for _, tt := range []struct {
		b, c int
		want float64
	}{{0, 0, 1}, {5, 0, 0.0625}, {6, 0, 0.03125}, {7, 1, 0.0703}, {9, 2, 0.0654}} {
		if got := McNemar(tt.b, tt.c); !near(got, tt.want, 4) || got != McNemar(tt.c, tt.b) {
			t.Errorf("McNemar(%d, %d) = %.5f, want %v", tt.b, tt.c, got, tt.want)
		}
	}
}

func TestMcNemarAgainstExactSums(t *testing.T) {
	check := func(b, c int) {
		sum := new(big.Int)
		for i := 0; i <= min(b, c); i++ {
			sum.Add(sum, new(big.Int).Binomial(int64(b+c), int64(i)))
		}
		p := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(b+c)))
		want, _ := p.Float64()
		want = min(1, 2*want)
		if got := McNemar(b, c); math.Abs(got-want) > 1e-12*want {
			t.Errorf("McNemar(%d, %d) = %v, want %v", b, c, got, want)
		}
	}
	for b := range 40 {
		for c := range 40 {
			check(b, c)
		}
	}
	check(400, 500)
	check(1000, 1001)
	check(3, 900)
}

func TestClusterSigns(t *testing.T) {
	b, c := ClusterSigns([]int{3, 0, 1, 0, 2}, []int{1, 2, 1, 0, 0})
	if b != 2 || c != 1 {
		t.Errorf("%d better, %d worse, want 2, 1", b, c)
	}
}

func TestHolm(t *testing.T) {
	for _, tt := range []struct{ p, want []float64 }{
		{[]float64{0.03125, 0.004, 0.02, 0.5}, []float64{0.0625, 0.016, 0.06, 0.5}},
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}}, // the second may not fall below the third
		{[]float64{0.9, 0.8}, []float64{1, 1}},
		{[]float64{math.NaN(), 0.01}, []float64{1, 0.02}},
		{nil, nil},
	} {
		got := Holm(tt.p)
		for i, want := range tt.want {
			if !near(got[i], want, 12) {
				t.Errorf("Holm(%v) = %v, want %v", tt.p, got, tt.want)
				break
			}
		}
	}
}

func TestWilcoxon(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []int
		want float64
	}{
		{"all longer", []int{1, 2, 3, 4, 5, 6}, []int{2, 4, 6, 8, 10, 12}, 2.0 / 64},
		{"nothing differs", []int{1, Never}, []int{1, Never}, 1},
		{"six never", []int{1, 2, 3, 4, 5, 6}, []int{Never, Never, Never, Never, Never, Never}, 2.0 / 64},
		// Ranks 1, 2, 3, 4, 5 with 2 falling: the sums up to 2 are {}, {1}, {2}.
		{"one shorter", []int{0, 5, 0, 0, 0}, []int{1, 3, 3, 4, 5}, 2 * 3.0 / 32},
		// Three ties share rank 2, before 4 and 5; one falls: {} and three of one.
		{"ties", []int{0, 0, 3, 0, 0}, []int{3, 3, 0, 4, 5}, 2 * 4.0 / 32},
		// Never is as far from 1 as from 7000: three ties, of which one falls.
		{"never ties", []int{1, 5000, Never}, []int{Never, Never, 7000}, 1},
	} {
		if got := Wilcoxon(tt.a, tt.b); !near(got, tt.want, 12) || got != Wilcoxon(tt.b, tt.a) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Exact and normal meet at the border between them: ranks 1 to n, of which every
// second and fifth of five falls.
func TestWilcoxonOfMany(t *testing.T) {
	for _, n := range []int{exactPairs, exactPairs + 1} {
		a, b := make([]int, n), make([]int, n)
		fall := 0.0
		for i := range b {
			b[i] = i + 1
			if i%5 == 1 || i%5 == 4 {
				b[i] = -i - 1
				fall += float64(i + 1)
			}
		}
		m := float64(n)
		z := (m*(m+1)/4 - fall) / math.Sqrt(m*(m+1)*(2*m+1)/24)
		if got, want := Wilcoxon(a, b), math.Erfc(z/math.Sqrt2); math.Abs(got-want) > 2e-4 {
			t.Errorf("%d pairs: %v, normal %v", n, got, want)
		}
	}
}
