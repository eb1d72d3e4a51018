package replay_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
)

// params are parameters of each kind, with two that share a short id.
var params = []detectors.Param{
	{ID: "kocoro/exact_duplicate.nudge", Kind: detectors.Int, Default: "5"},
	{ID: "kocoro.batch_tolerant", Kind: detectors.Names},
	{ID: "kocoro.admission", Kind: detectors.Bool, Default: "false"},
	{ID: "mimo/retry.rate_limit.mode", Kind: detectors.Choice, Options: []string{"bounded", "persistent"}},
	{ID: "mimo/retry.rate_limit.max_retries", Kind: detectors.Int, Default: "none"},
	{ID: "mimo/retry.rate_limit.deadline_ms", Kind: detectors.Int},
	{ID: "mimo/retry.rate_limit.deadline_ms", Kind: detectors.Int}, // of another policy of the family
	{ID: "mimo/doom_loop.calls", Kind: detectors.Int},
	{ID: "opencode/doom_loop.calls", Kind: detectors.Int},
}

func TestParseAxis(t *testing.T) {
	for _, test := range []struct{ spec, values string }{
		{"exact_duplicate.nudge=2..5", "2 3 4 5"},
		{"kocoro/exact_duplicate.nudge=5", "5"},
		{"exact_duplicate.nudge=2,9,4..6,5", "2 9 4 5 6"},
		{"exact_duplicate.nudge=2..20:5", "2 7 12 17"},
		{"exact_duplicate.nudge=2..20/5", "2 7 12 17"},
		{"exact_duplicate.nudge=2..20:x2", "2 4 8 16"},
		{"exact_duplicate.nudge=2..16/x2", "2 4 8 16"},
		{"exact_duplicate.nudge=05,+5,5", "5"},
		{"exact_duplicate.nudge=9223372036854775800..9223372036854775807:5", "9223372036854775800 9223372036854775805"},
		{"exact_duplicate.nudge=five", "five"}, // for NewPlan to refuse, which knows what is legal
		{"admission=true,false", ""},
		{"kocoro.admission=true,false", "true false"},
		{"mimo/retry.rate_limit.mode=bounded,persistent", "bounded persistent"},
		{"mimo/retry.rate_limit.max_retries=none,1..3", "none 1 2 3"},
		{"retry.rate_limit.deadline_ms=0..60000/30000", "0 30000 60000"},
		{"retry.rate_limit.deadline_ms=30s,1.5m,0.5s..1s:250ms,1000", "30000 90000 500 750 1000"},
		{"retry.rate_limit.max_retries=30s", "30s"}, // no time
	} {
		a, err := replay.ParseAxis(params, test.spec)
		if got := strings.Join(a.Values, " "); got != test.values || (err == nil) != (test.values != "") {
			t.Errorf("ParseAxis(%q) = %s, %v, want %s", test.spec, got, err, test.values)
		}
	}
}

func TestParseAxisErrors(t *testing.T) {
	const ordered = "expected a range from a smaller whole number to a larger one, such as 2..8"
	for spec, want := range map[string]string{
		"traces/":                       `"traces/": expected PARAM=VALUES, such as exact_duplicate.nudge=2..8`,
		"=2..8":                         `"=2..8": expected PARAM=VALUES, such as exact_duplicate.nudge=2..8`,
		"no_such.nudge=2..3":            `"no_such.nudge": no such parameter`,
		"doom_loop.calls=2..3":          `"doom_loop.calls" is ambiguous: mimo/doom_loop.calls or opencode/doom_loop.calls`,
		"exact_duplicate.nudge=":        "exact_duplicate.nudge=: no value: expected a range such as 2..8 or a list such as 3,5,8",
		"exact_duplicate.nudge=2,,":     "exact_duplicate.nudge=2,,: no value: expected a range such as 2..8 or a list such as 3,5,8",
		"exact_duplicate.nudge=1,8..2":  "kocoro/exact_duplicate.nudge=8..2: " + ordered,
		"exact_duplicate.nudge=2..x":    "kocoro/exact_duplicate.nudge=2..x: " + ordered,
		"exact_duplicate.nudge=-2..2":   "kocoro/exact_duplicate.nudge=-2..2: " + ordered,
		"exact_duplicate.nudge=1s..2s":  "kocoro/exact_duplicate.nudge=1s..2s: " + ordered,
		"exact_duplicate.nudge=1..2..3": "kocoro/exact_duplicate.nudge=1..2..3: " + ordered,
		"exact_duplicate.nudge=2..8:":   "kocoro/exact_duplicate.nudge=2..8:: no step: expected a range such as 10..50:10 or 2..64:x2, or leave out the colon",
		"exact_duplicate.nudge=2..8:0":  `kocoro/exact_duplicate.nudge=2..8:0: step "0": expected a whole number above 0 such as 10..50:10, or a factor such as 2..64:x2`,
		"exact_duplicate.nudge=2..8:x1": `kocoro/exact_duplicate.nudge=2..8:x1: step "x1": expected a factor of 2 or more in a range above 0, such as 2..64:x2`,
		"exact_duplicate.nudge=0..8:x2": `kocoro/exact_duplicate.nudge=0..8:x2: step "x2": expected a factor of 2 or more in a range above 0, such as 2..64:x2`,
		"exact_duplicate.nudge=0..1000000": "exact_duplicate.nudge=0..1000000: more than 10000 values: " +
			"give a step, such as exact_duplicate.nudge=0..100:10",
		"kocoro.batch_tolerant=bash":         "kocoro.batch_tolerant is a list of names, which can be set and not swept",
		"kocoro.admission=false..true":       "kocoro.admission=false..true: only a number has a range: list the values, such as true,false",
		"mimo/retry.rate_limit.mode=a..b":    "mimo/retry.rate_limit.mode=a..b: only a number has a range: list the values, such as bounded,persistent",
		"retry.rate_limit.deadline_ms=1..2s": "",
	} {
		_, err := replay.ParseAxis(params, spec)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("ParseAxis(%q): error %q, want %q", spec, got, want)
		}
		if errors.Is(err, replay.ErrNoParam) != strings.HasPrefix(spec, "no_such") {
			t.Errorf("ParseAxis(%q): %v is ErrNoParam: %v", spec, err, errors.Is(err, replay.ErrNoParam))
		}
	}
}

func TestParseSetting(t *testing.T) {
	for _, test := range []struct{ spec, id, value, err string }{
		{"exact_duplicate.nudge=5", "kocoro/exact_duplicate.nudge", "5", ""},
		{"exact_duplicate.nudge=05", "kocoro/exact_duplicate.nudge", "5", ""},
		{"exact_duplicate.nudge=5..8", "kocoro/exact_duplicate.nudge", "5..8", ""},
		{"kocoro.batch_tolerant=", "kocoro.batch_tolerant", "", ""},
		{"kocoro.batch_tolerant=a=b,c", "kocoro.batch_tolerant", "a=b,c", ""},
		{"retry.rate_limit.max_retries=none", "mimo/retry.rate_limit.max_retries", "none", ""},
		{"retry.rate_limit.deadline_ms=1m30s", "mimo/retry.rate_limit.deadline_ms", "90000", ""},
		{"retry.rate_limit.deadline_ms=90000", "mimo/retry.rate_limit.deadline_ms", "90000", ""},
		{"retry.rate_limit.deadline_ms=1.5ms", "mimo/retry.rate_limit.deadline_ms", "1.5ms", ""},
		{"retry.rate_limit.deadline_ms=-1s", "mimo/retry.rate_limit.deadline_ms", "-1s", ""},
		{"exact_duplicate.nudge", "", "", `"exact_duplicate.nudge": expected ID=VALUE, such as exact_duplicate.nudge=5`},
		{"=5", "", "", `"=5": expected ID=VALUE, such as exact_duplicate.nudge=5`},
		{"exact_duplicat.nudge=5", "", "", `"exact_duplicat.nudge": no such parameter`},
		{"doom_loop.calls=3", "", "", `"doom_loop.calls" is ambiguous: mimo/doom_loop.calls or opencode/doom_loop.calls`},
	} {
		s, err := replay.ParseSetting(params, test.spec)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if s.Param.ID != test.id || s.Value != test.value || got != test.err {
			t.Errorf("ParseSetting(%q) = %s, %q, error %q, want %s, %q, %q", test.spec, s.Param.ID, s.Value, got, test.id, test.value, test.err)
		}
	}
}

// What was typed as an axis can be typed again as the list of its values, each of
// them can be set, and neither grows without bound.
func FuzzParseAxis(f *testing.F) {
	for _, values := range []string{"2..8", "10..50:10", "2..64:x2", "3,5,8", "0..60000/5000", "10s..1m:10s", "none,1..3", "true,false",
		"9223372036854775807..9223372036854775807:9223372036854775807", "1..9223372036854775807:x9223372036854775807"} {
		for i := range params {
			f.Add(params[i].ID + "=" + values)
		}
	}
	f.Fuzz(func(t *testing.T, spec string) {
		a, err := replay.ParseAxis(params, spec)
		if err != nil {
			return
		}
		if n := len(a.Values); n == 0 || n > 10_000 {
			t.Fatalf("%q: %d values", spec, n)
		}
		again, err := replay.ParseAxis(params, a.Param.ID+"="+strings.Join(a.Values, ","))
		if err != nil || !slices.Equal(again.Values, a.Values) {
			t.Errorf("%q gives %q, and typed again %q, %v", spec, a.Values, again.Values, err)
		}
		for _, v := range a.Values[:min(len(a.Values), 100)] {
			if s, err := replay.ParseSetting(params, a.Param.ID+"="+v); err != nil || s.Value != v {
				t.Errorf("%q has the value %q, which is set as %q, %v", spec, v, s.Value, err)
			}
		}
	})
}

func TestGridHoldsTheCurrentPoint(t *testing.T) {
	p := kocoro.Presets[2]
	axis := func(spec string) replay.Axis {
		a, err := replay.ParseAxis(p.Params(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	base := replay.Config{Preset: p, Set: detectors.Settings{"kocoro/no_progress.nudge": "9"}}
	list, grid, current, err := replay.Grid(base, []replay.Axis{axis("exact_duplicate.nudge=2,8"), axis("no_progress.nudge=8,10")})
	if err != nil || len(list) != 9 || strings.Join(grid[0].Values, " ") != "2 5 8" || strings.Join(grid[1].Values, " ") != "8 9 10" {
		t.Fatalf("%d points, %v, %v", len(list), grid, err)
	}
	c := list[current]
	if c.Set["kocoro/exact_duplicate.nudge"] != "5" || c.Set["kocoro/no_progress.nudge"] != "9" {
		t.Errorf("the current point is %v", c.Set)
	}
	if len(base.Set) != 1 {
		t.Error("the base was changed")
	}
}

func TestCombinations(t *testing.T) {
	x, y := replay.Axis{Param: params[0], Values: []string{"1", "2"}}, replay.Axis{Param: params[4], Values: []string{"none", "3"}}
	sets, err := replay.Combinations([]replay.Axis{x, y})
	var got []string
	for _, s := range sets {
		got = append(got, s[x.Param.ID]+" "+s[y.Param.ID])
	}
	if want := []string{"1 none", "1 3", "2 none", "2 3"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Combinations = %q, %v, want %q", got, err, want)
	}
	if sets, err := replay.Combinations(nil); err != nil || len(sets) != 1 || !maps.Equal(sets[0], detectors.Settings{}) {
		t.Errorf("Combinations of no axes = %v, %v, want one that sets nothing", sets, err)
	}
	if _, err := replay.Combinations([]replay.Axis{x, x}); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("one parameter on two axes: %v", err)
	}
	wide := replay.Axis{Param: params[7], Values: slices.Repeat([]string{"1"}, 10_000)}
	if _, err := replay.Combinations([]replay.Axis{x, y, wide, {Param: params[8], Values: wide.Values}}); err == nil || !strings.Contains(err.Error(), "100000 points") {
		t.Errorf("a grid without bound: %v", err)
	}
}
