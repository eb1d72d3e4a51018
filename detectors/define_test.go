package detectors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// good is a rule with nothing wrong about it.
func good() detectors.Rule[ear, threshold, said] {
	return detectors.Rule[ear, threshold, said]{
		Name:    "toy/good",
		Doc:     "title\n\nand more",
		Origin:  detectors.Origin{Incident: "2026-05-01: something"},
		Needs:   detectors.Needs{Errors: true},
		New:     func(*detectors.Inputs) *ear { return &ear{} },
		Limits:  (*threshold).bind,
		OnCall:  func(e *ear, c *transcript.Call) (said, bool) { return e.hear(c.Args) },
		Judge:   func(said, threshold) detectors.Verdict { return detectors.Nudge },
		Explain: func(said, threshold, detectors.Verdict) (reason, text string) { return "", "" },
	}
}

func TestDefine(t *testing.T) {
	d := detectors.Define(good())
	if d.Title() != "title" || !d.Needs.Errors || d.Needs.Results || !cmp.Equal(d.Measures, []string{"verdict", "episode"}) {
		t.Errorf("title %q, needs %v, measures %v", d.Title(), d.Needs, d.Measures)
	}
	if d.Params[0].ID != "toy/good.least" || d.Params[0].Doc == "" || d.Params[0].Lo != 1 || d.Params[0].Hi != 4 {
		t.Errorf("params %+v", d.Params)
	}
}

// A rule that is malformed is a detector that says so, to whoever would run it.
func TestMalformedRules(t *testing.T) {
	type rule = detectors.Rule[ear, threshold, said]
	counting := func(r *rule) {
		r.Judge, r.Explain = nil, nil
		r.Count = func(m said) detectors.Count { return detectors.Count{N: m.Verdict} }
		r.Against = func(l threshold, _ string) detectors.Limits { return detectors.Limits{Nudge: l.least} }
		r.Text = func(said) string { return "something" }
	}
	for _, test := range []struct {
		name  string
		spoil func(*rule)
		want  string // "" if nothing is wrong
	}{
		{"nothing wrong", func(*rule) {}, ""},
		{"nothing wrong with a count", counting, ""},
		{"no name", func(r *rule) { r.Name = "" }, "detector without a name: its Name must be FAMILY/OWN_NAME"},
		{"no family", func(r *rule) { r.Name = "good" }, "detector good: its Name must be FAMILY/OWN_NAME"},
		{"capitals", func(r *rule) { r.Name = "toy/Good" }, "detector toy/Good: its Name must be FAMILY/OWN_NAME"},
		{"three parts", func(r *rule) { r.Name = "toy/good/x" }, "detector toy/good/x: its Name must be FAMILY/OWN_NAME"},
		{"no doc", func(r *rule) { r.Doc = "" }, "detector toy/good: Doc is required"},
		{"no origin", func(r *rule) { r.Origin = detectors.Origin{} }, "detector toy/good: Origin is required"},
		{"no New", func(r *rule) { r.New = nil }, "detector toy/good: New is required"},
		{"nothing is measured", func(r *rule) { r.OnCall = nil }, "detector toy/good: nothing is measured: OnRequest,"},
		{"no Judge", func(r *rule) { r.Judge = nil }, "exactly one of Count and Judge is required"},
		{"no Explain", func(r *rule) { r.Explain = nil }, "Explain is required with Judge"},
		{"a Text beside a Judge", func(r *rule) { r.Text = func(said) string { return "" } }, "Text and Verb belong to Count"},
		{"Passes without Why", func(r *rule) {
			counting(r)
			r.Passes = func(said, threshold, detectors.Verdict) bool { return true }
		}, "Passes and Why are required together"},
		{"Count and Judge", func(r *rule) {
			judge := r.Judge
			counting(r)
			r.Judge = judge
		}, "exactly one of Count and Judge is required"},
		{"Count and Gauge", func(r *rule) {
			counting(r)
			r.Gauge = func(said, threshold) detectors.Gauge { return detectors.Gauge{} }
		}, "Gauge and Case belong to Judge"},
		{"Count without Against", func(r *rule) { counting(r); r.Against = nil }, "Against is required with Count"},
		{"nothing wrong with a count without a sentence", func(r *rule) { counting(r); r.Text = nil }, ""},
		{"two sentences", func(r *rule) {
			explain := r.Explain
			counting(r)
			r.Explain = explain
		}, "Explain takes the place of Text"},
		{"a default that is no choice", func(r *rule) {
			r.Limits = func(l *threshold, p *detectors.Params) {
				var word string
				p.Choice(&word, "word", "c", []string{"a", "b"}, "a word")
			}
		}, `a default is not legal: toy/good.word: "c" is not one of a, b`},
		{"a default that is no whole number", func(r *rule) {
			r.Shape = func(e *ear, p *detectors.Params) {
				var n int
				p.Int(&n, "size", -1, 0, 1, "a size")
			}
		}, `a default is not legal: toy/good.size: "-1" is not a whole number from 0 to 1000000`},
	} {
		r := good()
		test.spoil(&r)
		refused(t, test.name, detectors.Define(r), test.want)
	}
	refused(t, "a detector of nobody's", &detectors.Detector{Name: "toy/good"}, `detector "toy/good" was not made by detectors.Define`)
	refused(t, "nil", nil, "a detector is nil")
}

// refused checks that whatever would run a detector gives the same error.
func refused(t *testing.T, name string, d *detectors.Detector, want string) {
	t.Helper()
	list := []*detectors.Detector{d}
	_, kit := detectors.NewKit(list, nil, [][]detectors.Settings{{nil}})
	_, monitor := detectors.NewMonitor(&detectors.Preset{Name: "toys", Detectors: list}, nil)
	_, judge := d.Bind(nil)
	_, _, reach := d.Reach(nil)
	_, covers := d.Covers(nil, nil)
	for asked, err := range map[string]error{
		"Err": d.Err(), "NewKit": kit, "NewMonitor": monitor, "Bind": judge, "Reach": reach, "Covers": covers,
	} {
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %s says %v, want %q", name, asked, err, want)
		}
	}
}

// measured is a rule whose measurement is an M.
func measured[M any]() detectors.Rule[ear, threshold, M] {
	return detectors.Rule[ear, threshold, M]{
		Name: "toy/good", Doc: "title", Origin: detectors.Origin{Source: "this test"},
		New:     func(*detectors.Inputs) *ear { return &ear{} },
		OnCall:  func(*ear, *transcript.Call) (m M, ok bool) { return m, true },
		Judge:   func(M, threshold) detectors.Verdict { return detectors.Nudge },
		Explain: func(M, threshold, detectors.Verdict) (reason, text string) { return "", "" },
	}
}

// A measurement cannot hold text, so that none can leak from a session.
func TestMeasurementsAreFlatNumbers(t *testing.T) {
	type fine struct {
		Flag     bool
		N        int
		Some     int32
		LastCall int64
		Copies   [2]int32
	}
	d := detectors.Define(measured[fine]())
	if !cmp.Equal(d.Measures, []string{"flag", "n", "some", "last_call", "copies_0", "copies_1"}) {
		t.Errorf("measures %v", d.Measures)
	}
	for _, test := range []struct {
		values []int64
		want   string
	}{
		{[]int64{1, -1, 2, 1 << 40, 3, 4}, ""},
		{[]int64{1, -1, 2, 1 << 40, 3}, "a measurement of toy/good: 5 numbers, expected 6"},
		{[]int64{2, -1, 2, 1 << 40, 3, 4}, "a measurement of toy/good: flag is 2, expected 0 or 1"},
		{[]int64{1, -1, 2, 1 << 40, 3, 1 << 31}, "a measurement of toy/good: copies_1 is 2147483648, which is too large for it"},
	} {
		if err := d.Fits(test.values); fmt.Sprint(err) != test.want && (err != nil || test.want != "") {
			t.Errorf("%v: %v, want %q", test.values, err, test.want)
		}
	}
	refused(t, "a field that is not exported", detectors.Define(measured[struct{ hidden int }]()),
		"field hidden of a measurement must be exported")
	refused(t, "no struct", detectors.Define(measured[int]()), "a measurement must be a struct of numbers, and is int")
	const want = "field Text of a measurement must be a bool or an integer"
	refused(t, "string", detectors.Define(measured[struct{ Text string }]()), want)
	refused(t, "slice", detectors.Define(measured[struct{ Text []int }]()), want)
	refused(t, "pointer", detectors.Define(measured[struct{ Text *int }]()), want)
	refused(t, "struct", detectors.Define(measured[struct{ Text struct{ N int } }]()), want)
	refused(t, "float", detectors.Define(measured[struct{ Text float64 }]()), want)
	refused(t, "any", detectors.Define(measured[struct{ Text any }]()), want)
}

// words are limits of every kind.
type words struct {
	n     int
	flag  bool
	word  string
	names map[string]bool
	table map[string]string
}

func (w *words) bind(p *detectors.Params) {
	p.Int(&w.n, "n", 3, 1, 9, "a number")
	p.Bool(&w.flag, "flag", true, "a flag")
	p.Choice(&w.word, "word", "b", []string{"a", "b"}, "a word")
	p.Names(&w.names, "names", []string{"x", "y"}, "some names")
	p.Table(&w.table, "table", "names for names")
}

// bound gives the limits that a detector judges with under some settings.
func bound(set detectors.Settings) (words, error) {
	var seen words
	r := detectors.Rule[ear, words, said]{
		Name: "toy/kinds", Doc: "title", Origin: detectors.Origin{Source: "this test"},
		New:    func(*detectors.Inputs) *ear { return &ear{"kinds"} },
		Limits: (*words).bind,
		OnCall: func(*ear, *transcript.Call) (said, bool) { return said{}, true },
		Judge: func(_ said, l words) detectors.Verdict {
			seen = l
			return detectors.Continue
		},
		Explain: func(said, words, detectors.Verdict) (reason, text string) { return "", "" },
	}
	p := preset(nil, detectors.Define(r))
	m, err := detectors.NewMonitor(p, set)
	if err != nil {
		return words{}, err
	}
	var cur transcript.Cursor
	for ev := range cur.Events(step("")) {
		m.Observe(ev)
	}
	return seen, nil
}

func TestParams(t *testing.T) {
	defaults := words{3, true, "b", map[string]bool{"x": true, "y": true}, map[string]string{}}
	for _, test := range []struct {
		set  detectors.Settings
		want func(*words)
	}{
		{nil, func(*words) {}},
		{detectors.Settings{"toy/other.n": "9", "n": "9"}, func(*words) {}},
		{detectors.Settings{"toy/kinds.n": "0"}, func(w *words) { w.n = 0 }},
		{detectors.Settings{"toy/kinds.n": "1000000"}, func(w *words) { w.n = 1000000 }},
		{detectors.Settings{"toy/kinds.flag": "false", "toy/kinds.word": "a"}, func(w *words) { w.flag, w.word = false, "a" }},
		{detectors.Settings{"toy/kinds.names": ""}, func(w *words) { w.names = map[string]bool{} }},
		{detectors.Settings{"toy/kinds.names": " a, b ,,a,"}, func(w *words) { w.names = map[string]bool{"a": true, "b": true} }},
		{detectors.Settings{"toy/kinds.table": "a=b, c = d ,"}, func(w *words) { w.table = map[string]string{"a": "b", "c": "d"} }},
		{detectors.Settings{"toy/kinds.table": "a=b=c"}, func(w *words) { w.table = map[string]string{"a": "b=c"} }},
	} {
		want := defaults
		test.want(&want)
		got, err := bound(test.set)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(words{})); err != nil || diff != "" {
			t.Errorf("%v: %v (-want +got):\n%s", test.set, err, diff)
		}
	}
}

func TestParamErrors(t *testing.T) {
	const number = " is not a whole number from 0 to 1000000"
	for _, test := range []struct{ id, value, want string }{
		{"n", "", `""` + number},
		{"n", "x", `"x"` + number},
		{"n", "-1", `"-1"` + number},
		{"n", "1.5", `"1.5"` + number},
		{"n", " 2", `" 2"` + number},
		{"n", "1000001", `"1000001"` + number},
		{"n", "99999999999999999999", `"99999999999999999999"` + number},
		{"flag", "yes", `"yes" is neither true nor false`},
		{"flag", "TRUE", `"TRUE" is neither true nor false`},
		{"word", "c", `"c" is not one of a, b`},
		{"table", "a", `"a": expected FROM=TO`},
		{"table", "a=b,=c", `"=c": expected FROM=TO`},
		{"table", "a=", `"a=": expected FROM=TO`},
	} {
		_, err := bound(detectors.Settings{"toy/kinds." + test.id: test.value})
		if want := "toy/kinds." + test.id + ": " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s=%q: %v, want %s", test.id, test.value, err, want)
		}
	}
	_, err := bound(detectors.Settings{"toy/kinds.word": "c", "toy/kinds.n": "x"})
	if want := `toy/kinds.n: "x"` + number; err == nil || err.Error() != want {
		t.Errorf("two mistakes: %v, want the first, %s", err, want)
	}
}

func TestSettingsWith(t *testing.T) {
	base := detectors.Settings{"a": "1", "b": "2"}
	if got := base.With(detectors.Settings{"b": "3", "c": "4"}); !cmp.Equal(got, detectors.Settings{"a": "1", "b": "3", "c": "4"}) {
		t.Errorf("got %v", got)
	}
	if !cmp.Equal(base, detectors.Settings{"a": "1", "b": "2"}) {
		t.Errorf("the base became %v", base)
	}
	if got := detectors.Settings(nil).With(nil); got == nil {
		t.Error("nothing with nothing is nil, which cannot be written to")
	}
}

func TestVerdicts(t *testing.T) {
	names := []string{"continue", "annotate", "nudge", "block", "force_stop"}
	for i, name := range names {
		v, err := detectors.ParseVerdict(name)
		if err != nil || int(v) != i || v.String() != name {
			t.Errorf("%s is %d (%v), %v", name, v, v, err)
		}
	}
	_, err := detectors.ParseVerdict("stop")
	if want := `unknown verdict "stop": expected one of continue, annotate, nudge, block, force_stop`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
