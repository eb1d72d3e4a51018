package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// counts draws x of n.
func counts(t *rapid.T) (x, n int) {
	n = rapid.IntRange(1, 5000).Draw(t, "n")
	return rapid.IntRange(0, n).Draw(t, "x"), n
}

var levels = rapid.SampledFrom([]float64{0.5, 0.8, 0.9, 0.95, 0.99, 0.999})

// Intervals hold their estimate, lie in [0, 1], and do not
// widen when all counts double.
func TestIntervalsHoldTheirEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, n := counts(t)
		level := levels.Draw(t, "level")
		for name, interval := range map[string]func(x, n int, level float64) (lo, hi float64){
			"Wilson": wilson, "clopperPearson": clopperPearson,
		} {
			lo, hi := interval(x, n, level)
			if p := float64(x) / float64(n); lo < 0 || lo > p || p > hi || hi > 1 {
				t.Fatalf("%s(%d, %d, %v) = %v, %v", name, x, n, level, lo, hi)
			}
			if lo2, hi2 := interval(2*x, 2*n, level); hi2-lo2 > hi-lo+1e-12 {
				t.Fatalf("%s(%d, %d, %v) is narrower than of twice as many", name, x, n, level)
			}
		}
		if Upper(2*x, 2*n, level) > Upper(x, n, level)+1e-12 || Lower(2*x, 2*n, level) < Lower(x, n, level)-1e-12 {
			t.Fatalf("bounds of %d of %d at %v are nearer than of twice as many", x, n, level)
		}
	})
}

// Bounds of events and of the others are each other's mirror image.
func TestBoundsMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, n := counts(t)
		level := levels.Draw(t, "level")
		if u, l := Upper(x, n, level), Lower(n-x, n, level); math.Abs(u+l-1) > 1e-12 {
			t.Fatalf("Upper(%d, %d, %v) = %v, the mirrored Lower %v", x, n, level, u, l)
		}
	})
}

func drawParts(t *rapid.T, n int, name string) []Part {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Part {
		return Part{float64(rapid.IntRange(0, 9).Draw(t, "fires")), float64(rapid.IntRange(0, 300).Draw(t, "calls"))}
	}), n, n).Draw(t, name)
}

// A against A differs in nothing; A against B and B against A mirror each other.
func TestComparisonsMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 400).Draw(t, "n")
		b := rapid.IntRange(0, n).Draw(t, "b")
		c := rapid.IntRange(0, n-b).Draw(t, "c")
		level := levels.Draw(t, "level")
		if McNemar(b, b) != 1 || McNemar(b, c) != McNemar(c, b) {
			t.Fatalf("McNemar(%d, %d) = %v, mirrored %v", b, c, McNemar(b, c), McNemar(c, b))
		}
		lo, hi := DifferenceInterval(b, c, n, level)
		if lo2, hi2 := DifferenceInterval(c, b, n, level); lo2 != -hi || hi2 != -lo || n > 0 && (lo > float64(b-c)/float64(n) || hi < float64(b-c)/float64(n)) {
			t.Fatalf("DifferenceInterval(%d, %d, %d) = %v, %v, mirrored %v, %v", b, c, n, lo, hi, lo2, hi2)
		}
		m := rapid.IntRange(0, 25).Draw(t, "clusters")
		p, q := drawParts(t, m, "A"), drawParts(t, m, "B")
		if d := BootstrapDifference(p, p, level, metric("m")); d.Value != 0 || d.Lo != 0 || d.Hi != 0 {
			t.Fatalf("A against A: %+v", d)
		}
		d, mirrored := BootstrapDifference(p, q, level, metric("m")), BootstrapDifference(q, p, level, metric("m"))
		if d.Value != -mirrored.Value || d.Lo != -mirrored.Hi || d.Hi != -mirrored.Lo || d.OK != mirrored.OK {
			t.Fatalf("A against B: %+v, mirrored %+v", d, mirrored)
		}
	})
}

// Holm raises no p-value above 1, lowers none, and keeps their order.
func TestHolmKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Fatalf("%v became %v", p[i], adjusted[i])
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Fatalf("%v and %v changed places", p[i], p[j])
				}
			}
		}
	})
}

// No input makes NaN or an infinity, and none hangs.
func TestAlwaysFinite(t *testing.T) {
	edges := []float64{0, 1, -1, 0.5, 0.95, 1e-320, 1e-300, 1e300, math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1), math.Nextafter(1, 0)}
	sizes := []int{0, 1, 2, 7, 1000, 1 << 31, math.MaxInt, -1, math.MinInt}
	number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Float64())
	size := rapid.OneOf(rapid.SampledFrom(sizes), rapid.Int(), rapid.IntRange(0, 100))
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string) float64 { return number.Draw(t, name) }
		n := func(name string) int { return size.Draw(t, name) }
		finite := func(name string, values ...float64) {
			for _, v := range values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s is %v", name, values)
				}
			}
		}
		x, y, z := n("x"), n("y"), n("z")
		a, b, c := f("a"), f("b"), f("c")
		lo, hi := wilson(x, y, a)
		finite("wilson", lo, hi)
		lo, hi = clopperPearson(x, y, a)
		finite("clopperPearson", lo, hi, Upper(x, y, b), Lower(x, y, b))
		lo, hi = DifferenceInterval(x, y, z, a)
		finite("DifferenceInterval", lo, hi)
		only := func(v float64, _ bool) float64 { return v }
		finite("GarwoodUpper", only(GarwoodUpper(x, a, b)))
		NeededForUpper(x, a, b)
		NeededForLower(x, a, b)
		NeededForHalfWidth(a, b, c)
		FlipsNeeded(a)
		finite("McNemar", McNemar(x, y))
		r, s := Share{x, y}, Share{y, z}
		finite("rates", only(r.Value()), only(LoopOverall(r, s)), only(PPV(r, s, a)),
			only(FBeta(x, y, z, a)), only(TotalCostRatio(x, y, z, a)), only(Costs{a, b, c, a, b}.PerSession(r, s, b, c)))
		finite("TimedScore", only(TimedScore([]int{x, y}, z, x, Profile{a, b, c}, a)))
		finite("Holm", Holm([]float64{a, b, c})...)
		parts := make([]Part, 12)
		for i := range parts {
			parts[i] = Part{[]float64{a, b}[i%2], []float64{b, c, 1}[i%3]}
		}
		for _, boot := range []Bootstrapped{BootstrapRatio(parts, a, metric("m")), BootstrapDifference(parts, parts, b, metric("m"))} {
			finite("Bootstrap", boot.Value, boot.Lo, boot.Hi)
		}
		points := []Point{{a, b, c}, {b, c, a}, {c, a, b}, {0, 0, 0}, {a, c, b}}
		Front(points)
		Knee(points)
		curve := KaplanMeier([]Spell{{int64(x), true}, {int64(y), false}, {int64(z), true}}, a)
		for _, step := range curve.Steps {
			finite("KaplanMeier", step.S, step.Lo, step.Hi)
		}
		finite("curve", only(curve.At(int64(y))), only(curve.EndsBy(int64(x), int64(z))))
		Fold(uint64(x), "c", y)
		metric("m").Below(z)
	})
}
