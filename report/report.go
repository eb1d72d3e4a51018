// Package report turns outcomes into something to read. It holds values and not
// strings: a renderer decides how a rate looks, and computes nothing.
package report

import (
	"groundhog/report/stat"
	"strings"
)

// A Report is an ordered list of sections.
type Report struct {
	Title    string
	Notes    []string  // what qualifies the numbers, shown with them
	Screen   *Screen   // the first screen; nil if the sections are all there is
	Sections []Section // the details
	Partial  *Partial  // the run was interrupted; nil if it was not
}

// A Partial says how many sessions a report is about, of how many that were found.
type Partial struct{ Done, Of int }

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
	Tier  string  // C or H: the value is not exact
	List  []Named // for Counts
	Strip *Strip  // for a Strip
}

// Kind is the type of a Cell.
type Kind uint8

const (
	KindText    Kind = iota
	KindCount        // N
	KindShare        // N of D, with its interval
	KindPerK         // N events in D calls, per 1,000 calls
	KindCounts       // named counts, largest first
	KindMean         // N over D, printed with one decimal
	KindPortion      // P, a computed share that is no count of sessions
	KindNumber       // P, with two decimals
	KindNull         // nothing to say; printed as a dash
	KindWait         // N milliseconds
	KindBar          // N of D, as a bar against the largest share of its column
	KindStrip        // Strip, and Text after it
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

// Text is a cell that holds words.
func Text(s string) Cell { return Cell{Text: s} }

// Count is a cell that holds a number of things.
func Count(n int) Cell { return Cell{Kind: KindCount, N: int64(n)} }

// Share is n of d sessions, shown with an interval.
func Share(n, d int) Cell { return Cell{Kind: KindShare, N: int64(n), D: int64(d)} }

// PerK is n events in so many calls, shown per 1,000 calls.
func PerK(n, calls int) Cell { return Cell{Kind: KindPerK, N: int64(n), D: int64(calls)} }

// Mean is n over d; Null if d is 0.
func Mean(n, d int) Cell {
	if d == 0 {
		return Null
	}
	return Cell{Kind: KindMean, N: int64(n), D: int64(d)}
}

// Portion is a computed share from 0 to 1; Null unless ok.
func Portion(p float64, ok bool) Cell {
	if !ok {
		return Null
	}
	return Cell{Kind: KindPortion, P: p}
}

// Number is a computed number; Null unless ok.
func Number(p float64, ok bool) Cell {
	if !ok {
		return Null
	}
	return Cell{Kind: KindNumber, P: p}
}

// WithTier is the cell, marked as C or H.
func (c Cell) WithTier(t string) Cell { c.Tier = t; return c }

// Null is a value that does not exist, which is not 0.
var Null = Cell{Kind: KindNull}

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

// Cols are columns, given as key, name, key, name. A column whose key begins with ?
// may be left out where space is short; the key is what follows.
func Cols(pairs ...string) []Column {
	list := make([]Column, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Col(pairs[i], pairs[i+1]))
	}
	return list
}

// Col is one column, by the same rule.
func Col(key, name string) Column {
	key, spare := strings.CutPrefix(key, "?")
	return Column{Key: key, Name: name, Keep: !spare}
}

// Add appends a row. A string is a text and an int a count; all else is a Cell.
func (s *Section) Add(cells ...any) {
	row := make([]Cell, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			row[i] = Text(c)
		case int:
			row[i] = Count(c)
		default:
			row[i] = c.(Cell)
		}
	}
	s.Rows = append(s.Rows, row)
}
