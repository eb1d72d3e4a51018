package detectors

import (
	"cmp"
	"fmt"
	"strings"
)

// Most rules count: so many equal calls in a row, so many errors in the window.
// Such a rule says what it counts (Rule.Count) and which counts matter
// (Rule.Against), each once, and from these follow its verdict, the numbers in its
// sentence, its gauge, and the case that vet names. Written apart, the four were
// copies of one list of limits.
//
// The two are separate because a measurement is judged under every set of limits
// of a sweep: what is counted is found once, the limits of each set are made once,
// and what is left is to compare numbers.
//
// Considered and dropped: one function from a measurement and its limits to both.
// It is a little shorter to write, but under 400 sets of limits a panel took 2.4
// times as long as with hand-written judges. This takes a third of their time.

// A Count is what a rule counts in one measurement.
type Count struct {
	N    int    // how many there are
	Of   string // of what, as a gauge shows it: "identical calls in a row"
	Case string // which of several cases it is: "every call failed"; "" is the usual one
}

// Limits are the least counts for each verdict, in one case. Of several that are
// reached, the most severe holds. A limit of 0 is never reached.
type Limits struct {
	Annotate, Nudge, Block, Stop int

	// Once says that exactly Nudge of them nudge, and that more are silent until
	// another limit is reached.
	Once bool
}

// Verdict is what so many ask for.
func (l Limits) Verdict(n int) Verdict {
	switch {
	case l.Stop > 0 && n >= l.Stop:
		return ForceStop
	case l.Block > 0 && n >= l.Block:
		return Block
	case l.Nudge > 0 && n >= l.Nudge && (n == l.Nudge || !l.Once):
		return Nudge
	case l.Annotate > 0 && n >= l.Annotate:
		return Annotate
	}
	return Continue
}

// Gauge shows a count against the limits.
func (l Limits) Gauge(c Count) Gauge {
	g := Gauge{Count: int64(c.N), Of: c.Of, Stop: int64(l.Stop)}
	if l.Once && c.N > l.Nudge && (l.Stop == 0 || c.N < l.Stop) {
		l.Nudge = 0 // it came at one count alone, which has passed
	}
	g.First = int64(l.first())
	return g
}

// first is the least of the limits, 0 if there is none.
func (l Limits) first() (least int) {
	for _, limit := range [...]int{l.Annotate, l.Nudge, l.Block, l.Stop} {
		if limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	return least
}

// words are the limits as a sentence has them: "nudges at 3, stops at 4". verb is
// what the agent's nudge does.
func (l Limits) words(verb string) string {
	var list []string
	add := func(limit int, form string) {
		if limit > 0 {
			list = append(list, fmt.Sprintf(form, limit))
		}
	}
	add(l.Annotate, "notes at %d")
	add(l.Nudge, verb+" at %d")
	add(l.Block, "vetoed from %d on")
	add(l.Stop, "stops at %d")
	return strings.Join(list, ", ")
}

// A scale is the limits of all variants of a rule in one case.
type scale struct {
	name   string
	least  int // below it, no variant asks for anything; 0 if none ever does
	limits []Limits
}

// scalesOf makes the scales of a rule that counts, that of the usual case first.
func scalesOf[S, L, M any](r *Rule[S, L, M], variants []L) (list []scale) {
	if r.Count == nil {
		return nil
	}
	for _, name := range append([]string{""}, r.Cases...) {
		list = append(list, scaleOf(r, variants, name))
	}
	return list
}

func scaleOf[S, L, M any](r *Rule[S, L, M], variants []L, name string) scale {
	s := scale{name: name, limits: make([]Limits, len(variants))}
	for i, l := range variants {
		s.limits[i] = r.against(l, name)
		if first := s.limits[i].first(); first > 0 && (s.least == 0 || first < s.least) {
			s.least = first
		}
	}
	return s
}

// verdictOf is what the rule makes of a measurement.
func (r *Rule[S, L, M]) verdictOf(m M, l L) Verdict {
	if r.Count == nil {
		return r.Judge(m, l)
	}
	c := r.Count(m)
	v := r.against(l, c.Case).Verdict(c.N)
	if v > Continue && r.Passes != nil && r.Passes(m, l, v) {
		return Continue
	}
	return v
}

// gaugeOf reads a measurement as a count, if the rule counts.
func (r *Rule[S, L, M]) gaugeOf(m M, l L) (Gauge, bool) {
	switch {
	case r.Count != nil:
		c := r.Count(m)
		limits := r.against(l, c.Case)
		g := limits.Gauge(c)
		if r.Passes != nil && r.Passes(m, l, limits.Verdict(c.N)) {
			g.Passes = r.Why(m, l)
		}
		return g, true
	case r.Gauge != nil:
		return r.Gauge(m, l), true
	}
	return Gauge{}, false
}

// caseOf is the case that a measurement belongs to.
func (r *Rule[S, L, M]) caseOf(m M, l L) (c Case) {
	switch {
	case r.Count != nil:
		c.Name = r.Count(m).Case
	case r.Case != nil:
		c = r.Case(m, l)
	}
	return c
}

// explain is the reason and the sentence of a fire.
func (r *Rule[S, L, M]) explain(m M, l L, v Verdict) (reason, text string) {
	if r.Explain != nil {
		return r.Explain(m, l, v)
	}
	c := r.Count(m)
	text = fmt.Sprintf("%d %s", c.N, c.Of)
	if r.Text != nil {
		text = r.Text(m)
	}
	return "", fmt.Sprintf("%s (%s)", text, r.against(l, c.Case).words(cmp.Or(r.Verb, "nudges")))
}

// against is the limits of a case.
func (r *Rule[S, L, M]) against(l L, kind string) Limits {
	if r.Against == nil {
		return any(l).(Limits) // check has seen that L is Limits
	}
	return r.Against(l, kind)
}
