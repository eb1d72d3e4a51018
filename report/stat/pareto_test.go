package stat

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFront(t *testing.T) {
	points := []Point{
		{0.10, 0.90, 3}, // on
		{0.02, 0.50, 5}, // on
		{0.10, 0.80, 3}, // dominated by the first
		{0.02, 0.50, 5}, // equal to the second
		{0.02, 0.50, 9}, // dominated by it
		{0.05, 0.50, 1}, // on, by its waste
		{math.NaN(), 1, 0},
		{0.00, 0.10, 9}, // on
	}
	if got := fmt.Sprint(Front(points)); got != "[[7] [1 3] [5] [0]]" {
		t.Errorf("front %s", got)
	}
	if Front(nil) != nil {
		t.Error("a front of nothing")
	}
}

func TestKnee(t *testing.T) {
	for _, tt := range []struct {
		name   string
		points []Point
		want   int // -1: none
	}{
		{"elbow", []Point{{0, 0, 0}, {0.1, 0.8, 0}, {0.5, 0.9, 0}, {1, 1, 0}}, 1},
		{"waste is not looked at", []Point{{0, 0, 0}, {0.1, 0.8, 50}, {0.1, 0.7, 0}, {1, 1, 0}}, 1},
		{"first of equals", []Point{{1, 1, 0}, {0.1, 0.8, 7}, {0.1, 0.8, 2}, {0, 0, 0}}, 1},
		{"tie takes the lower", []Point{{0, 0, 0}, {0.5, 0.75, 0}, {0.25, 0.5, 0}, {1, 1, 0}}, 2},
		{"tie but for rounding", []Point{{0, 0, 0}, {0.2, 0.5, 0}, {0.5, 0.8, 0}, {1, 1, 0}}, 1},
		{"two points", []Point{{0, 0, 0}, {1, 1, 0}, {1, 1, 0}, {1, 0.5, 0}}, -1},
		{"a straight line", []Point{{0, 0, 0}, {0.1, 0.1, 0}, {0.3, 0.3, 0}, {1, 1, 0}}, -1},
	} {
		at, ok := Knee(tt.points)
		if ok != (tt.want >= 0) || ok && at != tt.want {
			t.Errorf("%s: %d %v, want %d", tt.name, at, ok, tt.want)
		}
	}
}

// A point is on the front exactly if no other dominates it, and its equals are
// with it.
func TestFrontHoldsWhatNothingDominates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axis := rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) / 4 })
		points := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Point {
			return Point{axis.Draw(t, "false"), axis.Draw(t, "recall"), axis.Draw(t, "waste")}
		})).Draw(t, "points")
		group := make(map[int]int)
		for g, members := range Front(points) {
			for _, i := range members {
				group[i] = g
			}
		}
		for i, p := range points {
			dominated := false
			for j, q := range points {
				dominated = dominated || q.dominates(p)
				if gi, on := group[i]; on && p == q && group[j] != gi {
					t.Fatalf("%v and its equal are apart", p)
				}
			}
			if _, on := group[i]; on == dominated {
				t.Fatalf("%v: on the front %v, dominated %v", p, on, dominated)
			}
		}
	})
}
