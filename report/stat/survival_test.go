package stat

import (
	"math"
	"testing"
)

// leukaemia is the remission of Freireich's 21 patients on 6-MP, the textbook
// example of the estimator.
func leukaemia() (list []Spell) {
	for _, t := range []int64{6, 6, 6, 7, 10, 13, 16, 22, 23} {
		list = append(list, Spell{t, true})
	}
	for _, t := range []int64{6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35} {
		list = append(list, Spell{t, false})
	}
	return list
}

func TestKaplanMeier(t *testing.T) {
	c := KaplanMeier(leukaemia(), 0.95)
	want := []struct {
		at               int64
		risk, ended      int
		s, standardError float64
	}{
		{6, 21, 3, 0.8571, 0.0764}, {7, 17, 1, 0.8067, 0.0869}, {10, 15, 1, 0.7529, 0.0963}, {13, 12, 1, 0.6902, 0.1068},
		{16, 11, 1, 0.6275, 0.1141}, {22, 7, 1, 0.5378, 0.1282}, {23, 6, 1, 0.4482, 0.1346},
	}
	if len(c.Steps) != len(want) || c.Last != 35 || c.Spells != 21 {
		t.Fatalf("%+v", c)
	}
	for i, w := range want {
		got := c.Steps[i]
		lo, hi := max(0, w.s-1.96*w.standardError), min(1, w.s+1.96*w.standardError)
		if got.At != w.at || got.AtRisk != w.risk || got.Ended != w.ended || !near(got.S, w.s, 4) ||
			math.Abs(got.Lo-lo) > 2e-4 || math.Abs(got.Hi-hi) > 2e-4 {
			t.Errorf("%+v, want %+v [%.4f, %.4f]", got, w, lo, hi)
		}
	}
}

func TestSurvivalAt(t *testing.T) {
	c := KaplanMeier(leukaemia(), 0.95)
	for at, want := range map[int64]float64{0: 1, 5: 1, 6: 0.8571, 12: 0.7529, 35: 0.4482, 36: undefined, -1: undefined} {
		got, ok := c.At(at)
		if math.IsNaN(want) {
			if ok {
				t.Errorf("S(%d) = %v, want unknown", at, got)
			}
			continue
		}
		value(t, "S", got, ok, want, 4)
	}
	// Given 10 has passed: 1 - 0.6275/0.7529.
	got, ok := c.EndsBy(16, 10)
	value(t, "ends by 16", got, ok, 1-0.6275/0.7529, 3)
	got, ok = c.EndsBy(5, 10)
	value(t, "ends by 5, past 10", got, ok, 0, 12)
	got, ok = c.EndsBy(40, 10)
	value(t, "ends by 40", got, ok, undefined, 0)
	got, ok = c.EndsBy(40, 39)
	value(t, "past 39", got, ok, undefined, 0)
}

// Where everything ends the curve comes down to 0, and is known for ever.
func TestSurvivalOfWhatEnds(t *testing.T) {
	c := KaplanMeier([]Spell{{2, true}, {4, true}, {-3, true}}, 0.95)
	last := c.Steps[len(c.Steps)-1]
	if c.Spells != 2 || last.S != 0 || last.Lo != 0 || last.Hi != 1 {
		t.Errorf("%+v", c)
	}
	got, ok := c.EndsBy(100, 2)
	value(t, "ends by 100", got, ok, 1, 12)
	got, ok = c.EndsBy(100, 4)
	value(t, "past the last", got, ok, undefined, 0)
	if got, ok := KaplanMeier(nil, 0.95).At(0); ok {
		t.Errorf("S of nothing = %v", got)
	}
}
