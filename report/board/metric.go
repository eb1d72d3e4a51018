package board

import (
	"groundhog/corpus"
	"groundhog/report"
	"groundhog/report/stat"
)

// A Metric is one number about some sessions under one configuration at one level.
// It is defined once, in Catalogue, and every table, objective, comparison and gate
// takes it from there.
type Metric struct {
	Key    string      // for machines
	Name   string      // heading of its column
	Title  string      // of its row, where metrics stand one below the other
	Unit   Unit        // says which of the fields below count
	Better Direction   // whether more of it is better
	Rate   corpus.Rate // decides whether the way the sessions were chosen allows it
	Tier   string      // C: it rests on the recorded continuation
	Stop   bool        // it exists at stop level alone
	Keep   bool        // its column is never left out
	Seen   bool        // a list of metrics leaves it out where its denominator is 0

	N, D    func(*Sums) int               // numerator and denominator; of a Count, N alone
	Compute func(*Sample) (float64, bool) // of a Portion or a Number
	Show    func(*Sample) report.Cell     // of a Detail
	Least   func(*Sums) bool              // the value is a lower bound; nil: never
	Flips   func(corpus.Result) bool      // the results between which a session flips; nil: no paired test
}

// Unit is how a metric's number is made.
type Unit uint8

const (
	Share    Unit = iota // sessions: N of D
	Fraction             // N of D of what is no session
	PerLoop              // N over D
	PerK                 // N in D calls, per 1,000
	Count                // N
	Portion              // a computed share
	Number               // a computed number
	Detail               // whatever Show makes of it
)

// Direction says whether more of a metric is better.
type Direction int8

const (
	Neither Direction = 0
	More    Direction = 1
	Less    Direction = -1
)

// Value is the number itself; ok is false where it does not exist.
func (m *Metric) Value(s *Sample) (v float64, ok bool) {
	switch m.Unit {
	case Share, Fraction, PerLoop:
		return ratio(m.N(&s.Sums), m.D(&s.Sums))
	case PerK:
		v, ok = ratio(m.N(&s.Sums), m.D(&s.Sums))
		return 1000 * v, ok
	case Count:
		return float64(m.N(&s.Sums)), true
	case Portion, Number:
		return m.Compute(s)
	}
	return 0, false
}

func ratio(n, d int) (float64, bool) {
	if d == 0 {
		return 0, false
	}
	return float64(n) / float64(d), true
}

// Cell is the number as a table shows it: a share of sessions with its interval, a
// ratio of sums without.
func (m *Metric) Cell(s *Sample) report.Cell {
	var c report.Cell
	switch m.Unit {
	case Share:
		c = s.Rate(m.N, m.D).Cell(func() *stat.Rand { return s.Draw(m.Key) })
	case Fraction:
		c = report.Share(m.N(&s.Sums), m.D(&s.Sums))
	case PerLoop:
		c = report.Mean(m.N(&s.Sums), m.D(&s.Sums))
	case PerK:
		c = report.PerK(m.N(&s.Sums), m.D(&s.Sums))
	case Count:
		c = report.Count(m.N(&s.Sums))
	case Portion:
		c = report.Portion(m.Compute(s))
	case Number:
		c = report.Number(m.Compute(s))
	case Detail:
		c = m.Show(s)
	}
	if c.Kind == report.KindNull {
		return c
	}
	c.Least = m.Least != nil && m.Least(&s.Sums)
	return c.WithTier(m.Tier)
}

// WithInterval adds to the cell of a ratio of sums the interval of a bootstrap over
// clusters. draws names the random draws.
func (m *Metric) WithInterval(s *Sample, c report.Cell, draws string) report.Cell {
	if c.Kind == report.KindNull || m.Unit != PerLoop && m.Unit != PerK {
		return c
	}
	boot := stat.BootstrapRatio(s.Parts(m.N, m.D), stat.Level, s.Draw(draws))
	if !boot.OK {
		return c
	}
	scale := m.Scale()
	r := &report.Range{Lo: scale * boot.Lo, Hi: scale * boot.Hi, Method: "cluster bootstrap"}
	if boot.Few {
		r.Flag = "few clusters"
	} else if boot.Thin() {
		r.Flag = "many draws undefined"
	}
	c.Range = r
	return c
}

// Scale is what N over D is multiplied by to give the number shown.
func (m *Metric) Scale() float64 {
	if m.Unit == PerK {
		return 1000
	}
	return 1
}

// Allowed is Cell as far as the sessions carry it, by the way they were chosen.
func (m *Metric) Allowed(chosen corpus.Selection, s *Sample) report.Cell {
	return Allowed(chosen, m.Rate, "", m.Cell(s))
}
