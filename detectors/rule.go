package detectors

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"groundhog/replay/transcript"
)

// A Rule is the form in which a detector is written. S is the meter's state,
// L its limits and M one measurement. M must be a flat struct of booleans,
// integers and short arrays of integers, all exported: it is shown as evidence
// and kept in ledgers, and a measurement that cannot hold text cannot leak any.
//
// At least one of the measuring functions must be set; they are usually method
// expressions such as (*tail).measure. Each reports whether there is anything
// to judge; returning false costs nothing further.
type Rule[S, L, M any] struct {
	Name   string // "kocoro/consecutive_duplicate"
	Doc    string // first line: a title; then what it means by "no progress"
	Origin Origin
	Needs  Needs
	// Targets are the shapes of loops it is written for, in the words of labels, and
	// External what outside a replay is said to catch them as well: a claim.
	Targets  []string
	External []string

	New    func(in *Inputs) *S
	Shape  func(*S, *Params) // parameters that change what is measured; nil if none
	Limits func(*L, *Params) // parameters that only change what is judged; nil if none

	OnRun func(*S) // a run begins: forget the last one
	// OnMessage hears every step that is no response: what a person said, after
	// OnRun, and what the harness wrote.
	OnMessage  func(*S, *transcript.Step)
	OnRequest  func(*S) (M, bool) // before the request of a response
	OnAttempt  func(*S, *transcript.Attempt)
	OnDelta    func(*S, *transcript.Delta) (M, bool)
	OnResponse func(*S, *transcript.Step) (M, bool) // must not read results
	OnPropose  func(*S, *transcript.Call) (M, bool) // must not read the result
	OnCall     func(*S, *transcript.Call) (M, bool)
	OnStep     func(*S, *transcript.Step) (M, bool)

	// Switch names the Bool parameter of Shape that turns the rule on; "" if it is
	// always on.
	Switch string

	// Closed says that the meter acts on its own verdicts: what they change is
	// changed for its later measurements, too. Such a rule has no Limits, because a
	// threshold that moves state is part of the shape, and so every assignment has
	// a panel of its own. It is right only where each verdict is delivered: in
	// presets in which nobody masks anybody.
	Closed bool

	// Judge must be pure. It is called once per measurement and set of limits.
	Judge func(M, L) Verdict

	// Episode numbers the situation a measurement belongs to and never goes
	// down within a run. After a win an arbiter keeps the detector silent until
	// the number has grown by Rest, which is 1 if nil. A nil Episode, or 0,
	// means "no such memory". This is how "say it once" is written: a flag that
	// firing clears would make the meter depend on who fired before it.
	Episode func(M) int64
	Rest    func(L) int64

	// Floor shows a meter all limits in the plan, once and before the first event,
	// so that it can skip work none of them could see. What any of them would
	// judge above Continue must still be measured.
	Floor func(*S, []L)

	// Dismiss reports that no way of cutting a response's text into deltas could
	// make the rule fire, whatever came before: the text need not be split. It is
	// asked only where OnDelta is set. Nil dismisses nothing.
	Dismiss func(*S, *transcript.Step) bool

	// Near says how close a response came to a fire by itself, at the closest of
	// its deltas, or of its words where none were recorded. It must not change the
	// state. Nil: the rule knows no such distance.
	Near func(*S, *transcript.Step, L) (Near, bool)

	// Reach lists the extreme measurements that a shape allows of a recording
	// without signals: what no limits would make of them, they make of nothing.
	// Unbounded says that there is no end to what can be measured, so that those
	// listed are the smallest and not all; so does a nil Reach, or one that returns
	// nil because the shape is too wide to be listed. Unit is
	// what the sizes of their sessions count, "call" if empty.
	Reach     func(*S) Extremes[M]
	Unbounded bool
	Unit      string

	// Case says which of several cases a measurement belongs to; nil if there is one.
	Case func(M, L) Case

	// Evidence says what a fire shows of its measurement; nil shows every field
	// that is no array.
	Evidence func(M, L) []Field

	// Explain is called only for fires.
	Explain func(m M, l L, v Verdict) (reason, text string)

	// Gauge reads a measurement, whether it fires or not, as a count against the
	// limits. Nil: it is no count.
	Gauge func(M, L) Gauge
}

// Needs says what a recording must hold for a detector to be judged on it. On
// one that lacks it the detector is "not applicable", which is not "quiet".
type Needs struct {
	Errors  bool // whether a call failed
	Results bool // what a call gave back
	Text    bool // what the model wrote or thought
	Finish  bool // why a response ended
	Timed   bool // when its deltas came
}

// A Detector is a Rule with its types hidden. It is a value: comparing,
// listing, documenting and configuring it needs no session.
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

	probe  func(in *Inputs, limits any) (probe, error)
	vary   func(variants []Settings) (any, error) // gives limits for probe, which only reads them
	bind   func(set Settings) (*Judge, error)
	fits   func(values []int64) error
	floors func(made []Settings, asked Settings) (bool, error) // nil: whatever is asked is measured
	reach  func(set Settings) ([]Reached, bool, error)         // nil if the rule lists nothing
	open   bool                                                // what reach lists is not all
	unit   string
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

// param is one of the detector's own parameters, or nil.
func (d *Detector) param(id string) *Param {
	for i := range d.Params {
		if d.Params[i].ID == id {
			return &d.Params[i]
		}
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9_]+$`)

// Define checks r and returns it as a Detector. It panics if r is malformed:
// rules are package variables, so that is a build-time mistake.
func Define[S, L, M any](r Rule[S, L, M]) *Detector {
	switch {
	case !nameForm.MatchString(r.Name):
		panic(fmt.Sprintf("detector name %q: want family/snake_case", r.Name))
	case r.Doc == "", r.Origin == (Origin{}), r.New == nil, r.Judge == nil, r.Explain == nil:
		panic(fmt.Sprintf("detector %s: Doc, Origin, New, Judge and Explain are required", r.Name))
	case r.Closed && r.Limits != nil:
		panic(fmt.Sprintf("detector %s: what a closed rule judges by is part of its Shape", r.Name))
	case r.OnRequest == nil && r.OnDelta == nil && r.OnResponse == nil && r.OnPropose == nil && r.OnCall == nil && r.OnStep == nil:
		panic(fmt.Sprintf("detector %s: nothing is measured: at least one of OnRequest, OnDelta, OnResponse, OnPropose, OnCall and OnStep is required", r.Name))
	}
	numbers := numbersOf[M](r.Name)
	d := &Detector{Name: r.Name, Doc: r.Doc, Origin: r.Origin, Needs: r.Needs, Targets: r.Targets, External: r.External, Closed: r.Closed, Streams: r.OnDelta != nil, Nears: r.Near != nil}
	for _, n := range numbers {
		d.Measures = append(d.Measures, n.name)
	}
	prefix := r.Name + "."
	in := newInputs(nil)
	shape, err := Bind(r.New(in), r.Shape, prefix, true, nil)
	if err == nil {
		err = in.err
	}
	var l L
	limits, err2 := Bind(&l, r.Limits, prefix, false, nil)
	if err != nil || err2 != nil {
		panic(fmt.Sprint("defaults: ", err, err2))
	}
	d.Params, d.Shared = append(shape, limits...), in.params
	d.reach, d.open, d.unit = reacher(&r, numbers), r.Unbounded || r.Reach == nil, cmp.Or(r.Unit, "call")
	if r.Switch != "" {
		d.Switch = prefix + r.Switch
		if q := d.param(d.Switch); q == nil || q.Kind != Bool || !q.Shape {
			panic(fmt.Sprintf("detector %s: its switch %s is no Bool of its Shape", r.Name, d.Switch))
		}
	}
	d.bind = func(set Settings) (*Judge, error) { return newJudge(&r, numbers, prefix, set) }
	d.vary = func(list []Settings) (any, error) { return newVariants(&r, prefix, list) }
	d.fits = func(values []int64) error { return fits[M](numbers, values) }
	if r.Floor != nil {
		d.floors = func(made []Settings, asked Settings) (bool, error) { return sameFloor(&r, prefix, made, asked) }
	}
	d.probe = func(in *Inputs, limits any) (probe, error) {
		m := &meter[S, L, M]{rule: &r, state: r.New(in), numbers: numbers, variants: limits.(*variants[L])}
		if _, err := Bind(m.state, r.Shape, prefix, true, in.set); err != nil {
			return nil, err
		}
		m.verdicts = make([]Verdict, len(m.limits))
		if r.Floor != nil {
			r.Floor(m.state, m.limits)
		}
		return m, nil
	}
	return d
}

// episodeOf is the episode of a measurement, 0 if the rule has none.
func (r *Rule[S, L, M]) episodeOf(m M) int64 {
	if r.Episode == nil {
		return 0
	}
	return r.Episode(m)
}

// restOf is how many episodes the rule is silent after a win.
func (r *Rule[S, L, M]) restOf(l L) int64 {
	if r.Rest == nil {
		return 1
	}
	return r.Rest(l)
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
