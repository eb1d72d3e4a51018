package detectors

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A Detector is a Rule with its types hidden. It is a value: comparing,
// listing, documenting and configuring it needs no session. It is made by Define
// and not changed afterwards; then it may be used by several goroutines.
type Detector struct {
	Name     string
	Doc      string
	Origin   Origin
	Needs    Needs
	Targets  []string // shapes of loops it is written for
	External []string // what outside a replay is said to catch them: claims, counted nowhere
	Params   []Param  // its own: shape first, then limits
	Shared   []Param  // of the features it reads
	Measures []string // names of a measurement's numbers, in order; those of an array end in _0, _1, …
	Streams  bool     // it listens to deltas
	Nears    bool     // it can say how close a response came
	Retired  string   // if not empty, why no current preset uses it
	Switch   string   // id of the parameter that turns it on; "" if it is always on
	Closed   bool     // it feels its own verdicts (Rule.Closed)

	err    error // what is wrong with the rule
	probe  func(in *Inputs, limits any) (probe, error)
	vary   func(variants []Settings) (any, error) // gives limits for probe, which only reads them
	bind   func(set Settings) (*Judge, error)
	fits   func(values []int64) error
	floors func(made []Settings, asked Settings) (bool, error) // nil: whatever is asked is measured
	reach  func(set Settings) ([]Reached, bool, error)         // nil if the rule lists nothing
	open   bool                                                // what reach lists is not all
	unit   string
}

// Err is what is wrong with the detector: the rule for rules that it breaks, or
// that Define did not make it. Nil: nothing. Whatever runs a detector, or asks
// what it would say, returns the same error.
func (d *Detector) Err() error {
	switch {
	case d == nil:
		return errors.New("a detector is nil: every entry of a list must come from detectors.Define")
	case d.err != nil:
		return d.err
	case d.probe == nil:
		return fmt.Errorf("detector %q was not made by detectors.Define", d.Name)
	}
	return nil
}

// Title is the first line of the detector's Doc.
func (d *Detector) Title() string {
	title, _, _ := strings.Cut(d.Doc, "\n")
	return title
}

// Off reports whether settings leave the detector switched off: it then measures
// nothing, which is not "quiet".
func (d *Detector) Off(set Settings) bool {
	if d.Switch == "" {
		return false
	}
	if v, ok := set[d.Switch]; ok {
		return v != "true"
	}
	return d.param(d.Switch).Default != "true"
}

// UnknownTargets lists the targets that are not among the shapes that labels have.
func (d *Detector) UnknownTargets(shapes []string) (list []string) {
	for _, t := range d.Targets {
		if !slices.Contains(shapes, t) {
			list = append(list, t)
		}
	}
	return list
}

// param is one of the detector's own parameters, or nil.
func (d *Detector) param(id string) *Param {
	for i := range d.Params {
		if d.Params[i].ID == id {
			return &d.Params[i]
		}
	}
	return nil
}

// Define checks r and returns it as a Detector. It never panics, since rules are
// package variables and a stack tells nobody what to do: a rule that is malformed
// gives a Detector whose Err says what is wrong, and which cannot be run.
func Define[S, L, M any](r Rule[S, L, M]) *Detector {
	d := &Detector{
		Name: r.Name, Doc: r.Doc, Origin: r.Origin, Needs: r.Needs, Targets: r.Targets, External: r.External,
		Closed: r.Closed, Streams: r.OnDelta != nil, Nears: r.Near != nil,
	}
	if err := r.define(d); err != nil {
		d.err = fmt.Errorf("detector %s: %w", cmp.Or(r.Name, "without a name"), err)
		d.Switch = "" // which has no parameter
	}
	return d
}

// define gives d what the rule can do. What it refuses, beyond Rule.check: a
// measurement that holds anything but numbers; a default that its parameter does
// not take; a switch that is no Bool of the shape.
func (r *Rule[S, L, M]) define(d *Detector) error {
	if err := r.check(); err != nil {
		return err
	}
	numbers, err := numbersOf[M]()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		d.Measures = append(d.Measures, n.name)
	}
	in := newInputs(nil)
	shape, err := r.shape(r.New(in), nil)
	var l L
	limits, err2 := r.limits(&l, nil)
	if err := cmp.Or(err, in.err, err2); err != nil {
		return fmt.Errorf("a default is not legal: %w", err)
	}
	d.Params, d.Shared = append(shape, limits...), in.params
	if r.Switch != "" {
		d.Switch = r.Name + "." + r.Switch
		if q := d.param(d.Switch); q == nil || q.Kind != Bool || !q.Shape {
			return fmt.Errorf("its switch %s is no Bool of its Shape", d.Switch)
		}
	}
	d.reach, d.open, d.unit = reacher(r, numbers), r.Unbounded || r.Reach == nil, cmp.Or(r.Unit, "call")
	d.bind = func(set Settings) (*Judge, error) { return newJudge(r, numbers, set) }
	d.vary = func(list []Settings) (any, error) { return newVariants(r, list) }
	d.fits = func(values []int64) error { return fits[M](numbers, values) }
	if r.Floor != nil {
		d.floors = func(made []Settings, asked Settings) (bool, error) { return sameFloor(r, made, asked) }
	}
	d.probe = func(in *Inputs, limits any) (probe, error) {
		return newMeter(r, numbers, in, limits.(*variants[L]))
	}
	return nil
}

// shape and limits bind the rule's parameters, and report them where set is nil.
func (r *Rule[S, L, M]) shape(s *S, set Settings) ([]Param, error) {
	return Bind(s, r.Shape, r.Name+".", true, set)
}

func (r *Rule[S, L, M]) limits(l *L, set Settings) ([]Param, error) {
	return Bind(l, r.Limits, r.Name+".", false, set)
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9_]+$`)

// check reports the first of these that is broken:
//
//   - the name is family/own_name, in lower case;
//   - Doc, Origin and New are given, and a function that measures;
//   - either Count judges, with Against where L is not Limits itself, or Judge with
//     Explain, and what belongs to the other is left out;
//   - what passes says why;
//   - a fire has one sentence;
//   - a closed rule has no Limits.
func (r *Rule[S, L, M]) check() error {
	measures := r.OnRequest != nil || r.OnDelta != nil || r.OnResponse != nil || r.OnPropose != nil ||
		r.OnCall != nil || r.OnStep != nil
	switch {
	case !nameForm.MatchString(r.Name):
		return errors.New("its Name must be FAMILY/OWN_NAME in lower-case letters, digits and _: kocoro/same_tool_error")
	case r.Doc == "":
		return errors.New("Doc is required: a title, an empty line, and what it means by \"no progress\"")
	case r.Origin == (Origin{}):
		return errors.New("Origin is required: the incident that it answers, or the source that it was described from")
	case r.New == nil:
		return errors.New("New is required: it makes the state of a meter")
	case !measures:
		return errors.New("nothing is measured: OnRequest, OnDelta, OnResponse, OnPropose, OnCall or OnStep is required")
	case (r.Count == nil) == (r.Judge == nil):
		return errors.New("exactly one of Count and Judge is required: Count if it counts, Judge if it does not")
	case r.Count == nil && (r.Against != nil || r.Cases != nil || r.Passes != nil || r.Text != nil || r.Verb != ""):
		return errors.New("Against, Cases, Passes, Text and Verb belong to Count; a Judge says it all, with Explain")
	case r.Count != nil && (r.Gauge != nil || r.Case != nil):
		return errors.New("Gauge and Case belong to Judge; with Count they follow from Against and Cases")
	case r.Count != nil && r.Against == nil && reflect.TypeFor[L]() != reflect.TypeFor[Limits]():
		return errors.New("Against is required with Count: the limits of a case, unless L is detectors.Limits itself")
	case (r.Passes == nil) != (r.Why == nil):
		return errors.New("Passes and Why are required together")
	case r.Judge != nil && r.Explain == nil:
		return errors.New("Explain is required with Judge: the sentence of a fire")
	case r.Explain != nil && (r.Text != nil || r.Verb != ""):
		return errors.New("Explain takes the place of Text and Verb, which would never be read")
	case r.Closed && r.Limits != nil:
		return errors.New("what a closed rule judges by is part of its Shape: it has no Limits")
	}
	return nil
}

// evidenceOf is what a fire shows of its measurement.
func (r *Rule[S, L, M]) evidenceOf(m *M, l L, numbers []number) (list []Field) {
	if r.Evidence != nil {
		return r.Evidence(*m, l)
	}
	value := reflect.ValueOf(m).Elem()
	for _, n := range numbers {
		if n.elem < 0 {
			list = append(list, Field{n.name, n.of(value)})
		}
	}
	return list
}
