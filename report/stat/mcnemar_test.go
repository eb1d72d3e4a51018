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
