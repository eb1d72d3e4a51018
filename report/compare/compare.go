package compare

import (
	"fmt"
	"strings"

	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A Compare puts two configurations side by side over the same sessions: A, the
// base, and B, the candidate.
type Compare struct {
	*board.Board
	A, B       int // points
	NameA      string
	NameB      string
	Levels     []detectors.Verdict
	Prevalence []float64
	Remarks    []string // what else is to be said of the sessions
}

// Report says which sessions flip, as facts, and what the flips say about future
// sessions, as tests.
func (c *Compare) Report() *report.Report {
	c.Settle()
	r := &report.Report{Title: fmt.Sprintf("compare %s with %s", c.NameA, c.NameB), Notes: append(c.Notes(), c.Remarks...)}
	var tests []float64
	for _, level := range c.Levels {
		s, ps := c.numbers(level)
		tests = append(tests, ps...)
		r.Sections = append(r.Sections, s, c.flipped(level))
	}
	if len(tests) > 1 {
		r.Sections = append(r.Sections, c.family(tests))
	}
	r.Sections = append(r.Sections, report.Section{Key: "footer", Title: "rests on", Lines: []string{c.Footer()}})
	return r
}

// numbers is the table in benchstat's layout. It gives the p-values it shows.
func (c *Compare) numbers(level detectors.Verdict) (report.Section, []float64) {
	s := report.Section{
		Key: board.LevelName(level), Title: fmt.Sprintf("%s level%s", board.LevelName(level), c.Against()),
		Doc: "~: may be noise. Exact McNemar on the sessions that flip; differences of rates with a conservative exact " +
			"interval, of ratios with a paired cluster bootstrap.",
		Columns: report.Cols("what", "", "a", "A", "b", "B", "change", "CHANGE (B − A)"),
	}
	flips := c.Flips(c.A, c.B, level)
	a, b := c.Sample(c.A, level, nil), c.Sample(c.B, level, nil)
	var tests []float64
	for _, m := range c.Headline(level, c.Prevalence) {
		change := report.Null
		switch {
		case m.Flips != nil:
			change, tests = c.paired(&m, a, flips, tests)
		case m.Unit == board.PerLoop || m.Unit == board.PerK:
			change = c.difference(&m, a, b)
		}
		s.Add(rowName(m.Name), m.Allowed(c.Selection, a), m.Allowed(c.Selection, b), change)
	}
	return s, tests
}

// rowName is a column's name as a row.
func rowName(name string) string { return strings.ToLower(name) }

// paired is a change of a rate: the flips, their p, and an interval of the difference.
func (c *Compare) paired(m *board.Metric, a *board.Sample, flips []board.Flip, tests []float64) (report.Cell,
	[]float64) {
	worse, better := c.Board.Paired(flips, m.Flips)
	units := a.Rate(m.N, m.D).Units()
	if units == 0 {
		return report.Null, tests
	}
	if worse+better == 0 {
		return report.Text("none flipped"), tests
	}
	p := stat.McNemar(worse, better)
	lo, hi := stat.DifferenceInterval(better, worse, units, stat.Level)
	if m.Better == board.Less {
		lo, hi = -hi, -lo
	}
	delta := 100 * float64(int(m.Better)*(better-worse)) / float64(units)
	mark := ""
	if p >= 1-stat.Level {
		mark = "~ "
	}
	out := fmt.Sprintf("%s%+.1f points [%+.1f, %+.1f] (%d gained, %d lost; p = %.2g", mark, delta, 100*lo, 100*hi, better,
		worse, p)
	if need, ok := stat.FlipsNeeded(stat.Level); ok && worse+better < need {
		out += fmt.Sprintf(", needs ≥ %d flips, has %d", need, worse+better)
	}
	return report.Text(out + ")"), append(tests, p)
}

// difference is a change of a ratio of sums, with the same clusters drawn for both.
func (c *Compare) difference(m *board.Metric, a, b *board.Sample) report.Cell {
	draws := c.Rand(board.LevelName(a.Level) + " " + m.Key)
	boot := stat.BootstrapDifference(a.Parts(m.N, m.D), b.Parts(m.N, m.D), stat.Level, draws)
	scale := m.Scale()
	if !boot.Defined {
		return report.Null
	}
	value := scale * boot.Value
	switch {
	case value == 0 && boot.Lo == 0 && boot.Hi == 0:
		return report.Text("none")
	case !boot.OK:
		return report.Text("~ " + signed(value) + " (few clusters: no interval)")
	}
	mark := ""
	if boot.Lo <= 0 && boot.Hi >= 0 {
		mark = "~ "
	}
	out := fmt.Sprintf("%s%s [%s, %s]", mark, signed(value), signed(scale*boot.Lo), signed(scale*boot.Hi))
	if boot.Few {
		out += " (few clusters)"
	}
	return report.Text(out)
}

// signed has two decimals and a sign, which 0 has not.
func signed(v float64) string {
	if s := fmt.Sprintf("%+.2f", v); s != "+0.00" && s != "-0.00" {
		return s
	}
	return "0"
}

// flipped names every session that does something else.
func (c *Compare) flipped(level detectors.Verdict) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_flips", Title: fmt.Sprintf("%s level: sessions that flip", board.LevelName(level)),
		Doc:     "facts about these sessions, A→B; no p-value applies.",
		Columns: report.Cols("kind", "WHAT", "n", "N", "sessions", "SESSIONS"),
	}
	order, by := board.FlipKinds(c.Flips(c.A, c.B, level))
	for _, k := range order {
		s.Add(k, len(by[k]), report.Names(by[k]))
	}
	if len(order) == 0 {
		s.Columns, s.Doc, s.Lines = nil, "", []string{"none"}
	}
	return s
}

// family adjusts the tests of one report together.
func (c *Compare) family(tests []float64) report.Section {
	line := fmt.Sprintf("the %d tests above are one family; adjusted by Holm:", len(tests))
	for _, p := range stat.Holm(tests) {
		line += fmt.Sprintf(" %.2g", p)
	}
	return report.Section{Key: "family", Title: "many comparisons", Lines: []string{line}}
}
