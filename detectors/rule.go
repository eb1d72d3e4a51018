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
// integers and short arrays of integers: it is shown as evidence, and a
// measurement that cannot hold text cannot leak any.
//
// At least one of the measuring functions must be set; they are usually method
// expressions such as (*tail).measure. Each reports whether there is anything
// to judge; returning false costs nothing further.
type Rule[S, L, M any] struct {
	Name   string // "kocoro/consecutive_duplicate"
	Doc    string // first line: a title; then what it means by "no progress"
	Origin Origin
	Needs  Needs

	New    func(in *Inputs) *S
	Shape  func(*S, *Params) // parameters that change what is measured; nil if none
	Limits func(*L, *Params) // parameters that only change what is judged; nil if none

	OnRun      func(*S) // a run begins: forget the last one
	OnAttempt  func(*S, *transcript.Attempt)
	OnDelta    func(*S, *transcript.Delta) (M, bool)
	OnResponse func(*S, *transcript.Step) (M, bool) // must not read results
	OnPropose  func(*S, *transcript.Call) (M, bool) // must not read the result
	OnCall     func(*S, *transcript.Call) (M, bool)
	OnStep     func(*S, *transcript.Step) (M, bool)

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
	Params   []Param  // its own: shape first, then limits
	Shared   []Param  // of the features it reads
	Measures []string // names of a measurement's fields, in order
	Retired  string   // if not empty, why no current preset uses it

	probe  func(in *Inputs, variants []Settings) (probe, error)
	limits func(set Settings) error
	reach  func(set Settings) ([]Reached, bool, error) // nil if the rule lists nothing
	open   bool                                        // what reach lists is not all
	unit   string
}

// Title is the first line of the detector's Doc.
func (d *Detector) Title() string {
	title, _, _ := strings.Cut(d.Doc, "\n")
	return title
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
	case r.OnDelta == nil && r.OnResponse == nil && r.OnPropose == nil && r.OnCall == nil && r.OnStep == nil:
		panic(fmt.Sprintf("detector %s: nothing is measured: at least one of OnDelta, OnResponse, OnPropose, OnCall and OnStep is required", r.Name))
	}
	fields := fieldsOf[M](r.Name)
	d := &Detector{Name: r.Name, Doc: r.Doc, Origin: r.Origin, Needs: r.Needs}
	for _, f := range fields {
		d.Measures = append(d.Measures, f.name)
	}
	prefix := r.Name + "."
	in := newInputs(nil)
	shape, err := bind(r.New(in), r.Shape, prefix, true, nil)
	if err == nil {
		err = in.err
	}
	var l L
	limits, err2 := bind(&l, r.Limits, prefix, false, nil)
	if err != nil || err2 != nil {
		panic(fmt.Sprint("defaults: ", err, err2))
	}
	d.Params, d.Shared = append(shape, limits...), in.params
	d.reach, d.open, d.unit = reacher(&r, fields), r.Unbounded || r.Reach == nil, cmp.Or(r.Unit, "call")
	d.limits = func(set Settings) error {
		_, err := bind(new(L), r.Limits, prefix, false, set)
		return err
	}
	d.probe = func(in *Inputs, variants []Settings) (probe, error) {
		m := &meter[S, L, M]{rule: &r, state: r.New(in), fields: fields}
		if _, err := bind(m.state, r.Shape, prefix, true, in.set); err != nil {
			return nil, err
		}
		m.limits = make([]L, len(variants))
		m.rest = make([]int64, len(variants))
		m.verdicts = make([]Verdict, len(variants))
		m.fires = make([]Fire, len(variants))
		m.made = make([]bool, len(variants))
		for i, set := range variants {
			if _, err := bind(&m.limits[i], r.Limits, prefix, false, set); err != nil {
				return nil, err
			}
			m.rest[i] = 1
			if r.Rest != nil {
				m.rest[i] = r.Rest(m.limits[i])
			}
		}
		if r.Floor != nil {
			r.Floor(m.state, m.limits)
		}
		return m, nil
	}
	return d
}

// A probe is a meter and its judge with their types hidden.
type probe interface {
	listens(transcript.Kind) bool
	// observe reports whether there is something to judge, and judges it.
	observe(*transcript.Event) bool
	dismisses(*transcript.Step) bool
	row() *Row
	fire(variant int) Fire
}

// A meter is a Rule at work on one lane.
type meter[S, L, M any] struct {
	rule     *Rule[S, L, M]
	state    *S
	limits   []L
	rest     []int64
	fields   []field
	m        M
	kind     transcript.Kind
	pos      transcript.Pos
	delta    transcript.Delta // of a Streamed event, without its text
	verdicts []Verdict
	fires    []Fire // by variant, as far as they were asked for at this event
	made     []bool
	out      Row
}

func (p *meter[S, L, M]) listens(k transcript.Kind) bool {
	r := p.rule
	switch k {
	case transcript.RunBegins:
		return r.OnRun != nil
	case transcript.Attempted:
		return r.OnAttempt != nil
	case transcript.Streamed:
		return r.OnDelta != nil
	case transcript.Responded:
		return r.OnResponse != nil
	case transcript.Proposed:
		return r.OnPropose != nil
	case transcript.Called:
		return r.OnCall != nil
	case transcript.StepEnds:
		return r.OnStep != nil
	}
	return false
}

func (p *meter[S, L, M]) observe(ev *transcript.Event) bool {
	r := p.rule
	var ok bool
	switch ev.Kind {
	case transcript.RunBegins:
		r.OnRun(p.state)
	case transcript.Attempted:
		r.OnAttempt(p.state, ev.Attempt)
	case transcript.Streamed:
		p.m, ok = r.OnDelta(p.state, ev.Delta)
	case transcript.Responded:
		p.m, ok = r.OnResponse(p.state, ev.Step)
	case transcript.Proposed:
		p.m, ok = r.OnPropose(p.state, ev.Call)
	case transcript.Called:
		p.m, ok = r.OnCall(p.state, ev.Call)
	case transcript.StepEnds:
		p.m, ok = r.OnStep(p.state, ev.Step)
	}
	if !ok {
		return false
	}
	p.kind, p.pos = ev.Kind, ev.Pos
	if ev.Kind == transcript.Streamed {
		p.delta = *ev.Delta
		p.delta.Text = ""
	}
	clear(p.made)
	any := Continue
	for i := range p.limits {
		v := r.Judge(p.m, p.limits[i])
		p.verdicts[i] = v
		any = max(any, v)
	}
	if any == Continue {
		return false
	}
	p.out.Episode = 0
	if r.Episode != nil {
		p.out.Episode = r.Episode(p.m)
	}
	return true
}

func (p *meter[S, L, M]) dismisses(s *transcript.Step) bool {
	return p.rule.OnDelta == nil || p.rule.Dismiss != nil && p.rule.Dismiss(p.state, s)
}

func (p *meter[S, L, M]) row() *Row {
	p.out.Verdicts, p.out.rest, p.out.probe = p.verdicts, p.rest, p
	return &p.out
}

// fire explains a verdict, once for all points that share its limits.
func (p *meter[S, L, M]) fire(variant int) Fire {
	if p.made[variant] {
		return p.fires[variant]
	}
	f := p.rule.explained(p.m, p.limits[variant], p.verdicts[variant], p.fields)
	f.Phase, f.Pos = PhaseOf(p.kind), p.pos
	if p.kind == transcript.Streamed {
		f.Part, f.Offset, f.Recorded = p.delta.Index, p.delta.End, p.delta.Recorded
	}
	p.fires[variant], p.made[variant] = f, true
	return f
}

// evidence is what a fire shows of its measurement.
func (r *Rule[S, L, M]) evidence(m M, l L, fields []field) []Field {
	if r.Evidence != nil {
		return r.Evidence(m, l)
	}
	var list []Field
	value := reflect.ValueOf(m)
	for _, fd := range fields {
		list = append(list, Field{fd.name, fd.number(value)})
	}
	return list
}

// A field is one field of a measurement.
type field struct {
	name  string
	index int
	flag  bool
}

func (f field) number(m reflect.Value) int64 {
	v := m.Field(f.index)
	if !f.flag {
		return v.Int()
	}
	if v.Bool() {
		return 1
	}
	return 0
}

// fieldsOf lists the fields of M under their snake_case names.
func fieldsOf[M any](detector string) []field {
	t := reflect.TypeFor[M]()
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Type.Kind() {
		case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
			list = append(list, field{snake(f.Name), i, f.Type.Kind() == reflect.Bool})
		case reflect.Array:
			if k := f.Type.Elem().Kind(); k != reflect.Int && k != reflect.Int32 {
				panic(fmt.Sprintf("detector %s: field %s of a measurement must be an array of integers", detector, f.Name))
			}
		default:
			panic(fmt.Sprintf("detector %s: field %s of a measurement must be a bool or an integer", detector, f.Name))
		}
	}
	return list
}

func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
