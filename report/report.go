// Package report turns outcomes into something to read. It holds values and not
// strings: a renderer decides how a rate looks, and computes nothing.
package report

import "groundhog/report/stat"

// A Report is an ordered list of sections.
type Report struct {
	Title    string
	Notes    []string // what qualifies the numbers, shown with them
	Sections []Section
}

// A Section is one table, or some lines, under a title.
type Section struct {
	Key     string // stable name for machines
	Title   string
	Doc     string // how to read it
	Columns []Column
	Rows    [][]Cell
	Lines   []string // free lines below the table
	Stacked bool     // rows are sentences: one below the other, and not side by side
}

// A Column says what its cells hold.
type Column struct {
	Key  string // stable name for machines
	Name string // for people
	Keep bool   // never left out where space is short
}

// A Cell is one value with what a renderer needs to be honest about it. Which
// fields count is up to Kind; the zero Cell is an empty text.
type Cell struct {
	Kind Kind
	Text string
	N, D int64   // Count uses N; Share is N of D; PerK is N in D, per 1,000; Mean is N over D
	P    float64 // for a Portion, from 0 to 1; for a Number, its value
	// Range is an interval that is not the one Kind gives by itself.
	Range *Range
	Same  bool    // a change that may be noise; printed as ~
	Least bool    // at least this: the record ends before the rest
	Tier  string  // C or H: the value is not exact (evaluation.md E11)
	List  []Named // for Counts
}

// Kind is the type of a Cell.
type Kind uint8

const (
	Text    Kind = iota
	Count        // N
	Share        // N of D, with its interval
	PerK         // N events in D calls, per 1,000 calls
	Counts       // named counts, largest first
	Mean         // N over D, printed with one decimal
	Portion      // P, a computed share that is no count of sessions
	Number       // P, with two decimals
	Null         // nothing to say; printed as a dash
	Wait         // N milliseconds
)

// A Range is an interval with the method it comes from and what qualifies it.
type Range struct {
	Lo, Hi float64
	Method string
	Flag   string // "few clusters"; "" if nothing does
}

// A Named is a count with its name.
type Named struct {
	Name string
	N    int64
}

func text(s string) Cell     { return Cell{Text: s} }
func count(n int) Cell       { return Cell{Kind: Count, N: int64(n)} }
func share(n, d int) Cell    { return Cell{Kind: Share, N: int64(n), D: int64(d)} }
func perK(n, calls int) Cell { return Cell{Kind: PerK, N: int64(n), D: int64(calls)} }
func mean(n, d int) Cell {
	if d == 0 {
		return null
	}
	return Cell{Kind: Mean, N: int64(n), D: int64(d)}
}
func portion(p float64, ok bool) Cell {
	if !ok {
		return null
	}
	return Cell{Kind: Portion, P: p}
}
func number(p float64, ok bool) Cell {
	if !ok {
		return null
	}
	return Cell{Kind: Number, P: p}
}
func (c Cell) tier(t string) Cell { c.Tier = t; return c }

// null is a value that does not exist, which is not 0.
var null = Cell{Kind: Null}

// Interval is the interval of a Share; of nothing seen it is the one-sided bound.
func (c Cell) Interval() (lo, hi float64) {
	if c.Range != nil {
		return c.Range.Lo, c.Range.Hi
	}
	if c.N == 0 {
		return 0, stat.UpperZero(int(c.D))
	}
	return stat.Wilson(int(c.N), int(c.D))
}

// Bound is the bound on a PerK of which nothing was seen, per 1,000. There is
// none for D = 0, which is rendered as a dash.
func (c Cell) Bound() float64 {
	bound, _ := stat.GarwoodUpper(0, float64(c.D), stat.Level)
	return 1000 * bound
}
