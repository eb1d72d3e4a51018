package compare

import (
	"fmt"
	"strings"

	"groundhog/corpus"
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
// sessions, as tests (evaluation.md E10).
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
		Doc:     "~: may be noise. Exact McNemar on the sessions that flip; differences of rates with a conservative exact interval, of ratios with a paired cluster bootstrap.",
		Columns: []report.Column{report.Col("what", ""), report.Col("a", "A"), report.Col("b", "B"), report.Col("change", "CHANGE (B − A)")},
	}
	flips := c.Flips(c.A, c.B, level)
	ta, tb := c.Totals(c.A, level, nil), c.Totals(c.B, level, nil)
	var tests []float64
	for _, m := range c.Metrics(level, c.Prevalence) {
		change := report.Null
		switch m.Key {
		case "recall":
			change, tests = c.paired2(level, flips, board.IsLoop, 1, tests)
		case "fpr":
			change, tests = c.paired2(level, flips, board.IsWork, -1, tests)
		case "waste_per_loop":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) {
				for i := range j.Spans {
					if !j.Spans[i].Censored {
						n += float64(j.Spans[i].Wasted)
						d++
					}
				}
				return n, d
			}, 1, m.Key)
		case "false_per_1k":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) { return float64(j.FalseEpisodes), float64(j.WorkCalls) }, 1000, m.Key)
		case "episodes_per_1k":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) { return float64(j.Episodes), float64(j.Calls) }, 1000, m.Key)
		}
		s.Rows = append(s.Rows, []report.Cell{report.Text(rowName(m.Name)), m.Show(c.Board, c.A, level, ta), m.Show(c.Board, c.B, level, tb), change})
	}
	return s, tests
}

// rowName is a column's name as a row.
func rowName(name string) string { return strings.ToLower(name) }

// paired2 is a change of a rate: the flips, their p, and an interval of the
// difference. sign is -1 where less is better.
func (c *Compare) paired2(level detectors.Verdict, flips []board.Flip, in func(corpus.Result) bool, sign int, tests []float64) (report.Cell, []float64) {
	worse, better := c.Board.Paired(flips, in)
	d := c.Rate(c.A, level, in, in, nil)
	units := d.D
	if d.Clusters != nil {
		units = len(d.Clusters)
	}
	if units == 0 {
		return report.Null, tests
	}
	if worse+better == 0 {
		return report.Text("none flipped"), tests
	}
	p := stat.McNemar(worse, better)
	lo, hi := stat.DifferenceInterval(better, worse, units, stat.Level)
	if sign < 0 {
		lo, hi = -hi, -lo
	}
	delta := 100 * float64(sign*(better-worse)) / float64(units)
	mark := ""
	if p >= 1-stat.Level {
		mark = "~ "
	}
	out := fmt.Sprintf("%s%+.1f points [%+.1f, %+.1f] (%d gained, %d lost; p = %.2g", mark, delta, 100*lo, 100*hi, better, worse, p)
	if need, ok := stat.FlipsNeeded(stat.Level); ok && worse+better < need {
		out += fmt.Sprintf(", needs ≥ %d flips, has %d", need, worse+better)
	}
	return report.Text(out + ")"), append(tests, p)
}

// difference is a change of a ratio of sums, with the same clusters drawn for both.
func (c *Compare) difference(level detectors.Verdict, part func(*corpus.Judgement) (n, d float64), scale float64, metric string) report.Cell {
	a, b := make([]stat.Part, len(c.ClusterNames)), make([]stat.Part, len(c.ClusterNames))
	for _, r := range c.Rows {
		n, d := part(r.Under(c.A, level))
		a[r.ClusterAt].N += n
		a[r.ClusterAt].D += d
		n, d = part(r.Under(c.B, level))
		b[r.ClusterAt].N += n
		b[r.ClusterAt].D += d
	}
	boot := stat.BootstrapDifference(a, b, stat.Level, c.Rand(board.LevelName(level)+" "+metric))
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
		Columns: []report.Column{report.Col("kind", "WHAT"), report.Col("n", "N"), report.Col("sessions", "SESSIONS")},
	}
	order, by := board.FlipKinds(c.Flips(c.A, c.B, level))
	for _, k := range order {
		s.Rows = append(s.Rows, []report.Cell{report.Text(k), report.Count(len(by[k])), report.Text(report.Names(by[k]))})
	}
	if len(order) == 0 {
		s.Columns, s.Doc, s.Lines = nil, "", []string{"none"}
	}
	return s
}

// family adjusts the tests of one report together (E10.5).
func (c *Compare) family(tests []float64) report.Section {
	line := fmt.Sprintf("the %d tests above are one family; adjusted by Holm:", len(tests))
	for _, p := range stat.Holm(tests) {
		line += fmt.Sprintf(" %.2g", p)
	}
	return report.Section{Key: "family", Title: "many comparisons", Lines: []string{line}}
}
