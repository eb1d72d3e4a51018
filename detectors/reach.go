package detectors

import (
	"iter"

	"groundhog/replay/transcript"
)

// This file says what a detector can do at all, which no recording shows. Every
// verdict comes from a measurement, and under a shape (a window of 20 calls)
// only some measurements exist. A rule that knows which lists the extreme ones;
// whoever wants to know judges them under the limits in force, and a verdict
// that none of them gets cannot happen.
//
// Each extreme comes with a session that leads to it, so that what is said to be
// possible can be shown. That something is impossible is a claim about all
// sessions: tests look for a counterexample, and vet says what it rests on.

// An Extreme is a measurement that a shape allows, with the shortest session
// that leads to it.
type Extreme[M any] struct {
	M       M
	Size    int // of the session, in the rule's Unit
	Session func() []*transcript.Step
}

// A Case is a kind of measurement that has limits, or a bound, of its own: every
// call failed, the tool is bash. The zero Case is a detector's only one. N tells
// cases of one kind apart where they are numbered: blocks of N tokens.
type Case struct {
	Name string
	N    int
}

// A Reached is what a detector says at an extreme. Its Verdict may be Continue.
type Reached struct {
	Fire
	Size    int
	Session func() []*transcript.Step
}

// Reach judges every extreme that the settings allow. bounded is false if there
// is no end to what the detector can see, and so to what it may say.
func (d *Detector) Reach(set Settings) (list []Reached, bounded bool, err error) {
	if err := d.Err(); err != nil || d.reach == nil {
		return nil, false, err
	}
	list, bounded, err = d.reach(set)
	return list, bounded && !d.open, err
}

// Unit is what the sizes of a detector's sessions count.
func (d *Detector) Unit() string { return d.unit }

// reacher hides the types of a rule's Reach; nil if it has none.
func reacher[S, L, M any](r *Rule[S, L, M], numbers []number) func(Settings) ([]Reached, bool, error) {
	if r.Reach == nil {
		return nil
	}
	return func(set Settings) ([]Reached, bool, error) {
		in := newInputs(set)
		s := r.New(in)
		var l L
		if in.err != nil {
			return nil, false, in.err
		}
		if _, err := r.shape(s, set); err != nil {
			return nil, false, err
		}
		if _, err := r.limits(&l, set); err != nil {
			return nil, false, err
		}
		extremes := r.Reach(s)
		if extremes == nil {
			return nil, false, nil
		}
		var list []Reached
		for e := range extremes {
			v := r.verdictOf(e.M, l)
			list = append(list, Reached{Fire: r.explained(e.M, l, v, numbers), Size: e.Size, Session: e.Session})
		}
		return list, true, nil
	}
}

// explained is a verdict in words, without its place.
func (r *Rule[S, L, M]) explained(m M, l L, v Verdict, numbers []number) Fire {
	f := Fire{Detector: r.Name, Verdict: v, Case: r.caseOf(m, l)}
	if v == Continue {
		return f
	}
	f.Reason, f.Text = r.explain(m, l, v)
	f.Evidence = r.evidenceOf(&m, l, numbers)
	return f
}

// Extremes is the type of Rule.Reach.
type Extremes[M any] = iter.Seq[Extreme[M]]
