package stat

import (
	"fmt"
	"math"
	"testing"
)

// value checks a number with its ok: a want of NaN is undefined.
func value(t *testing.T, what string, got float64, ok bool, want float64, decimals int) {
	t.Helper()
	if math.IsNaN(want) {
		if ok || got != 0 {
			t.Errorf("%s = %v, want undefined", what, got)
		}
	} else if !ok || !near(got, want, decimals) {
		t.Errorf("%s = %v %v, want %v", what, got, ok, want)
	}
}

var undefined = math.NaN()

func TestRates(t *testing.T) {
	r, f, none := Share{17, 138}, Share{1, 233}, Share{0, 0}
	got, ok := LoopOverall(r, f)
	value(t, "L/O", got, ok, 0.9663, 4)
	got, ok = LoopOverall(Share{0, 5}, Share{0, 5})
	value(t, "L/O of silence", got, ok, undefined, 0)
	for pi, want := range map[float64]float64{0.01: 0.2248, 0.05: 0.6017, 0: 0, 1: 1, 2: undefined, -1: undefined} {
		got, ok = PPV(r, f, pi)
		value(t, fmt.Sprint("PPV at ", pi), got, ok, want, 4)
	}
	got, ok = PPV(r, none, 0.01)
	value(t, "PPV without work", got, ok, undefined, 0)
	for _, tt := range []struct {
		caught, missed, wrong int
		beta, want            float64
	}{
		{8, 2, 4, 1, 16.0 / 22}, {8, 2, 4, 0.5, 10 / (10 + 0.25*2 + 4)}, {8, 2, 4, 2, 40 / (40 + 8 + 4.0)},
		{0, 0, 0, 1, undefined}, {0, 3, 0, 1, 0}, {1, 1, 1, 0, undefined}, {8, 2, 4, 1e200, 0.8},
	} {
		got, ok = FBeta(tt.caught, tt.missed, tt.wrong, tt.beta)
		value(t, fmt.Sprint("F-beta ", tt), got, ok, tt.want, 12)
	}
	got, ok = TotalCostRatio(10, 1, 2, 4)
	value(t, "TCR", got, ok, 10.0/6, 12)
	got, ok = TotalCostRatio(10, 0, 0, 4)
	value(t, "TCR without errors", got, ok, undefined, 0)
	// 0.1*(0.25*20 + 0.75*1*4) + 0.9*(0.1*50 + 2*0.5)
	got, ok = Costs{Prevalence: 0.1, Miss: 20, WastedCall: 1, FalseStop: 50, OneNudge: 0.5}.PerSession(Share{3, 4}, Share{1, 10}, 4, 2)
	value(t, "cost", got, ok, 6.2, 12)
}

func TestTimedScore(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		wasted                []int
		missed, falseEpisodes int
		profile               Profile
		want                  float64
	}{
		{"perfect", []int{0, 0}, 0, 0, Standard, 100},
		{"silent", nil, 3, 0, Profile{1, 2, 0.5}, 0},
		{"one half-life late", []int{10}, 0, 0, Standard, 75},
		{"no credit above one", []int{-10}, 0, 0, Standard, 100},
		{"one of two, two false", []int{0}, 1, 2, Profile{1, 1, 4}, 100 * (1 - 1 - 8 + 2) / 4.0},
		{"low-fn", []int{0}, 1, 2, Profile{1, 2, 0.5}, 100 * (1 - 2 - 1 + 4) / 6.0},
		{"no spans", nil, 0, 2, Standard, undefined},
		{"weightless", []int{1}, 0, 0, Profile{}, undefined},
	} {
		got, ok := TimedScore(tt.wasted, tt.missed, tt.falseEpisodes, tt.profile, HalfLife)
		value(t, tt.name, got, ok, tt.want, 12)
	}
}

func TestKappa(t *testing.T) {
	// The textbook table: 20 both yes, 15 both no, 5 and 10 apart.
	var a, b []string
	for _, c := range []struct {
		n    int
		a, b string
	}{{20, "loop", "loop"}, {5, "loop", "productive"}, {10, "productive", "loop"}, {15, "productive", "productive"}} {
		for range c.n {
			a, b = append(a, c.a), append(b, c.b)
		}
	}
	got, ok := Kappa(a, b)
	value(t, "kappa", got, ok, 0.4, 12)
	got, ok = Kappa(a, a)
	value(t, "kappa of one annotator", got, ok, 1, 12)
	got, ok = Kappa([]string{"loop", "loop"}, []string{"loop", "loop"})
	value(t, "kappa of one class", got, ok, undefined, 0)
	got, ok = Kappa([]string{"loop"}, []string{"productive"})
	value(t, "kappa of opposites", got, ok, 0, 12)
	got, ok = Kappa(nil, nil)
	value(t, "kappa of none", got, ok, undefined, 0)
}

func TestClusters(t *testing.T) {
	clusters := []Share{{0, 3}, {1, 3}, {2, 2}, {0, 0}}
	if any, all := AnyEvent(clusters), AllEvents(clusters); any != (Share{2, 3}) || all != (Share{1, 3}) {
		t.Errorf("any %v, all %v", any, all)
	}
}
