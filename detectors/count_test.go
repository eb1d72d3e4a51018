package detectors_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

func TestLimits(t *testing.T) {
	four := detectors.Limits{Annotate: 2, Nudge: 3, Block: 5, Stop: 6}
	once := detectors.Limits{Nudge: 3, Stop: 6, Once: true}
	for _, test := range []struct {
		limits detectors.Limits
		want   string // verdict and least count that the gauge shows, from a count of 0 on
	}{
		{detectors.Limits{}, "continue/0 continue/0 continue/0 continue/0 continue/0 continue/0 continue/0 continue/0"},
		{detectors.Limits{Nudge: 3}, "continue/3 continue/3 continue/3 nudge/3 nudge/3 nudge/3 nudge/3 nudge/3"},
		{four, "continue/2 continue/2 annotate/2 nudge/2 nudge/2 block/2 force_stop/2 force_stop/2"},
		{once, "continue/3 continue/3 continue/3 nudge/3 continue/6 continue/6 force_stop/3 force_stop/3"},
		{detectors.Limits{Nudge: 2, Once: true}, "continue/2 continue/2 nudge/2 continue/0 continue/0 continue/0 continue/0 continue/0"},
		{detectors.Limits{Nudge: 5, Stop: 4}, "continue/4 continue/4 continue/4 continue/4 force_stop/4 force_stop/4 force_stop/4 force_stop/4"},
	} {
		got := ""
		for n := range 8 {
			g := test.limits.Gauge(detectors.Count{N: n, Of: "calls"})
			if int(g.Count) != n || g.Of != "calls" || int(g.Stop) != test.limits.Stop {
				t.Errorf("%+v: the gauge of %d is %+v", test.limits, n, g)
			}
			got += fmt.Sprintf(" %v/%d", test.limits.Verdict(n), g.First)
		}
		if got[1:] != test.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", test.limits, got[1:], test.want)
		}
	}
}

// A counting rule says the same, in a panel with many sets of limits and as a
// judge of its own, as one that is written with Judge, Explain and Gauge.
func TestCountIsAShortFormOfJudge(t *testing.T) {
	short, long := detectors.Define(shortForm()), detectors.Define(longForm())
	rapid.Check(t, func(t *rapid.T) {
		var variants []detectors.Settings
		for range rapid.IntRange(1, 5).Draw(t, "variants") {
			variants = append(variants, detectors.Settings{
				"toy/rows.nudge": fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "nudge")),
				"toy/rows.stop":  fmt.Sprint(rapid.IntRange(0, 8).Draw(t, "stop")),
			})
		}
		var steps []*transcript.Step
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			steps = append(steps, step(rapid.SampledFrom([]string{"x", "x", "x", "y", "patient", "odd"}).Draw(t, "call")))
		}
		a, b := allSaid(t, short, variants, steps), allSaid(t, long, variants, steps)
		if a != b {
			t.Fatalf("under %v the short form says\n%s\nand the long form\n%s", variants, a, b)
		}
	})
}

// row counts equal calls in a row: "patient" ones have twice the limits, and an
// odd number of "odd" ones passes.
type row struct {
	last string
	n    int
}

type rowOf struct {
	Calls        int
	Patient, Odd bool
}

type rowLimits struct{ nudge, stop int }

func (l *rowLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 3, 2, 5, "calls before a nudge")
	p.Int(&l.stop, "stop", 5, 2, 8, "calls before a stop")
}

func (r *row) measure(c *transcript.Call) (rowOf, bool) {
	if c.Args != r.last {
		r.last, r.n = c.Args, 0
	}
	r.n++
	return rowOf{r.n, c.Args == "patient", c.Args == "odd" && r.n%2 == 1}, true
}

func plainRow() detectors.Rule[row, rowLimits, rowOf] {
	return detectors.Rule[row, rowLimits, rowOf]{
		Name: "toy/rows", Doc: "equal calls in a row", Origin: detectors.Origin{Source: "this test"},
		New:    func(*detectors.Inputs) *row { return &row{} },
		Limits: (*rowLimits).bind,
		OnCall: (*row).measure,
	}
}

func shortForm() detectors.Rule[row, rowLimits, rowOf] {
	r := plainRow()
	r.Cases = []string{"patient calls"}
	r.Count = func(m rowOf) detectors.Count {
		if m.Patient {
			return detectors.Count{N: m.Calls, Of: "patient calls", Case: "patient calls"}
		}
		return detectors.Count{N: m.Calls, Of: "calls"}
	}
	r.Against = func(l rowLimits, kind string) detectors.Limits {
		if kind == "patient calls" {
			return detectors.Limits{Nudge: 2 * l.nudge, Stop: 2 * l.stop}
		}
		return detectors.Limits{Nudge: l.nudge, Stop: l.stop}
	}
	r.Passes = func(m rowOf, _ rowLimits, _ detectors.Verdict) bool { return m.Odd }
	r.Why = func(m rowOf, _ rowLimits) string { return fmt.Sprintf("%d is odd", m.Calls) }
	r.Text = func(m rowOf) string { return fmt.Sprintf("%d equal calls", m.Calls) }
	r.Verb = "warns"
	return r
}

func longForm() detectors.Rule[row, rowLimits, rowOf] {
	at := func(m rowOf, l rowLimits) (nudge, stop int) {
		if m.Patient {
			return 2 * l.nudge, 2 * l.stop
		}
		return l.nudge, l.stop
	}
	r := plainRow()
	r.Judge = func(m rowOf, l rowLimits) detectors.Verdict {
		switch nudge, stop := at(m, l); {
		case m.Odd:
		case stop > 0 && m.Calls >= stop:
			return detectors.ForceStop
		case nudge > 0 && m.Calls >= nudge:
			return detectors.Nudge
		}
		return detectors.Continue
	}
	r.Explain = func(m rowOf, l rowLimits, _ detectors.Verdict) (reason, text string) {
		nudge, stop := at(m, l)
		text = fmt.Sprintf("%d equal calls (", m.Calls)
		switch {
		case nudge > 0 && stop > 0:
			text += fmt.Sprintf("warns at %d, stops at %d)", nudge, stop)
		case nudge > 0:
			text += fmt.Sprintf("warns at %d)", nudge)
		default:
			text += fmt.Sprintf("stops at %d)", stop)
		}
		return "", text
	}
	r.Gauge = func(m rowOf, l rowLimits) detectors.Gauge {
		nudge, stop := at(m, l)
		g := detectors.Gauge{Count: int64(m.Calls), Of: "calls", First: int64(nudge), Stop: int64(stop)}
		if m.Patient {
			g.Of = "patient calls"
		}
		if stop > 0 && (nudge == 0 || stop < nudge) {
			g.First = int64(stop)
		}
		if m.Odd {
			g.Passes = fmt.Sprintf("%d is odd", m.Calls)
		}
		return g
	}
	r.Case = func(m rowOf, _ rowLimits) (c detectors.Case) {
		if m.Patient {
			c.Name = "patient calls"
		}
		return c
	}
	return r
}

// allSaid is what a detector says of a session: fires under each set of limits,
// and what judges of its measurements say.
func allSaid(t *rapid.T, d *detectors.Detector, variants []detectors.Settings, steps []*transcript.Step) (out string) {
	panel, err := detectors.NewPanel([]*detectors.Detector{d}, nil, [][]detectors.Settings{variants})
	if err != nil {
		t.Fatal(err)
	}
	judges := make([]*detectors.Judge, len(variants))
	for i, set := range variants {
		if judges[i], err = d.Bind(set); err != nil {
			t.Fatal(err)
		}
	}
	panel.Record(func(m *detectors.Measurement) {
		for i, j := range judges {
			g, counts := j.Gauge(m.Values)
			v := j.Verdict(m.Values)
			out += fmt.Sprintf("%d: %v %+v %t %v\n", i, v, g, counts, j.Case(m.Values))
			if v > detectors.Continue {
				_, text := j.Explain(m.Values, v)
				out += text + "\n"
			}
		}
	})
	var cur transcript.Cursor
	for _, s := range steps {
		for ev := range cur.Events(s) {
			f := panel.Observe(ev)
			if f == nil {
				continue
			}
			for i, v := range f.Rows[0].Verdicts {
				if v > detectors.Continue {
					out += fmt.Sprintf("%d %+v\n", i, f.Rows[0].Fire(i))
				}
			}
		}
	}
	return out
}
