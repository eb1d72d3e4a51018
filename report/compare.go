package report

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// A Compare puts two configurations side by side over the same sessions: A, the
// base, and B, the candidate.
type Compare struct {
	*Board
	A, B       int // points
	NameA      string
	NameB      string
	Levels     []detectors.Verdict
	Prevalence []float64
	Notes      []string // what else is to be said of the sessions
}

// Report says which sessions flip, as facts, and what the flips say about future
// sessions, as tests (evaluation.md E10).
func (c *Compare) Report() *Report {
	c.settle()
	r := &Report{Title: fmt.Sprintf("compare %s with %s", c.NameA, c.NameB), Notes: append(c.notes(), c.Notes...)}
	var tests []float64
	for _, level := range c.Levels {
		s, ps := c.numbers(level)
		tests = append(tests, ps...)
		r.Sections = append(r.Sections, s, c.flipped(level))
	}
	if len(tests) > 1 {
		r.Sections = append(r.Sections, c.family(tests))
	}
	r.Sections = append(r.Sections, Section{Key: "footer", Title: "rests on", Lines: []string{c.footer()}})
	return r
}

// numbers is the table in benchstat's layout. It gives the p-values it shows.
func (c *Compare) numbers(level detectors.Verdict) (Section, []float64) {
	s := Section{
		Key: levelName(level), Title: fmt.Sprintf("%s level%s", levelName(level), c.against()),
		Doc:     "~: may be noise. Exact McNemar on the sessions that flip; differences of rates with a conservative exact interval, of ratios with a paired cluster bootstrap.",
		Columns: []Column{{"what", "", true}, {"a", "A", true}, {"b", "B", true}, {"change", "CHANGE (B − A)", true}},
	}
	flips := c.flips(c.A, c.B, level)
	ta, tb := c.totals(c.A, level, nil), c.totals(c.B, level, nil)
	var tests []float64
	for _, m := range c.measures(level, c.Prevalence) {
		change := null
		switch m.key {
		case "recall":
			change, tests = c.paired2(level, flips, isLoop, 1, tests)
		case "fpr":
			change, tests = c.paired2(level, flips, isWork, -1, tests)
		case "waste_per_loop":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) {
				for i := range j.Spans {
					if !j.Spans[i].Censored {
						n += float64(j.Spans[i].Wasted)
						d++
					}
				}
				return n, d
			}, 1, m.key)
		case "false_per_1k":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) { return float64(j.FalseEpisodes), float64(j.WorkCalls) }, 1000, m.key)
		case "episodes_per_1k":
			change = c.difference(level, func(j *corpus.Judgement) (n, d float64) { return float64(j.Episodes), float64(j.Calls) }, 1000, m.key)
		}
		s.Rows = append(s.Rows, []Cell{text(rowName(m.name)), m.show(c.Board, c.A, level, ta), m.show(c.Board, c.B, level, tb), change})
	}
	return s, tests
}

// rowName is a column's name as a row.
func rowName(name string) string { return strings.ToLower(name) }

// paired2 is a change of a rate: the flips, their p, and an interval of the
// difference. sign is -1 where less is better.
func (c *Compare) paired2(level detectors.Verdict, flips []flip, in func(corpus.Result) bool, sign int, tests []float64) (Cell, []float64) {
	worse, better := c.Board.paired(flips, in)
	d := c.rate(c.A, level, in, in, nil)
	units := d.d
	if d.clusters != nil {
		units = len(d.clusters)
	}
	if units == 0 {
		return null, tests
	}
	if worse+better == 0 {
		return text("none flipped"), tests
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
	return text(out + ")"), append(tests, p)
}

// difference is a change of a ratio of sums, with the same clusters drawn for both.
func (c *Compare) difference(level detectors.Verdict, part func(*corpus.Judgement) (n, d float64), scale float64, metric string) Cell {
	a, b := make([]stat.Part, len(c.names)), make([]stat.Part, len(c.names))
	for _, r := range c.rows {
		n, d := part(r.under(c.A, level))
		a[r.at].N += n
		a[r.at].D += d
		n, d = part(r.under(c.B, level))
		b[r.at].N += n
		b[r.at].D += d
	}
	boot := stat.BootstrapDifference(a, b, stat.Level, c.rand(levelName(level)+" "+metric))
	if !boot.Defined {
		return null
	}
	value := scale * boot.Value
	switch {
	case value == 0 && boot.Lo == 0 && boot.Hi == 0:
		return text("none")
	case !boot.OK:
		return text("~ " + signed(value) + " (few clusters: no interval)")
	}
	mark := ""
	if boot.Lo <= 0 && boot.Hi >= 0 {
		mark = "~ "
	}
	out := fmt.Sprintf("%s%s [%s, %s]", mark, signed(value), signed(scale*boot.Lo), signed(scale*boot.Hi))
	if boot.Few {
		out += " (few clusters)"
	}
	return text(out)
}

// signed has two decimals and a sign, which 0 has not.
func signed(v float64) string {
	if s := fmt.Sprintf("%+.2f", v); s != "+0.00" && s != "-0.00" {
		return s
	}
	return "0"
}

// flipped names every session that does something else.
func (c *Compare) flipped(level detectors.Verdict) Section {
	s := Section{
		Key: levelName(level) + "_flips", Title: fmt.Sprintf("%s level: sessions that flip", levelName(level)),
		Doc:     "facts about these sessions, A→B; no p-value applies.",
		Columns: []Column{{"kind", "WHAT", true}, {"n", "N", true}, {"sessions", "SESSIONS", true}},
	}
	order, by := kinds(c.flips(c.A, c.B, level))
	for _, k := range order {
		s.Rows = append(s.Rows, []Cell{text(k), count(len(by[k])), text(nameList(by[k]))})
	}
	if len(order) == 0 {
		s.Columns, s.Doc, s.Lines = nil, "", []string{"none"}
	}
	return s
}

// family adjusts the tests of one report together (E10.5).
func (c *Compare) family(tests []float64) Section {
	line := fmt.Sprintf("the %d tests above are one family; adjusted by Holm:", len(tests))
	for _, p := range stat.Holm(tests) {
		line += fmt.Sprintf(" %.2g", p)
	}
	return Section{Key: "family", Title: "many comparisons", Lines: []string{line}}
}

// Join puts two boards of one point each side by side: the sessions that both
// have, by id and number of calls. What only one of them has is counted.
func Join(a, b *Board) (joined *Board, onlyA, onlyB, changed []string) {
	joined = &Board{Plan: a.Plan, labels: a.labels, cluster: a.cluster, Selection: a.Selection, Seed: a.Seed, points: []int{0, 1}, class: []int{0, 1}, classes: 2}
	rest := make(map[string]*row, len(b.rows))
	for _, r := range b.rows {
		rest[r.id] = r
	}
	for _, r := range a.rows {
		other := rest[r.id]
		delete(rest, r.id)
		switch {
		case other == nil:
			onlyA = append(onlyA, r.id)
			continue
		case other.calls != r.calls:
			changed = append(changed, r.id)
			continue
		}
		both := *r
		both.of = []uint32{0, 1}
		for k := range Levels {
			both.judged[k] = []*corpus.Judgement{r.judged[k][r.of[0]], other.judged[k][other.of[0]]}
			both.marks[k] = []mark{r.marks[k][r.of[0]], other.marks[k][other.of[0]]}
		}
		joined.rows = append(joined.rows, &both)
	}
	for id := range rest {
		onlyB = append(onlyB, id)
	}
	for _, ids := range [][]string{onlyA, onlyB, changed} {
		slices.Sort(ids)
	}
	return joined, onlyA, onlyB, changed
}
