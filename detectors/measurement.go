package detectors

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"groundhog/replay/transcript"
)

// Measurements can be kept and judged later. Since a measurement is sufficient
// for its limits, what was kept answers for every set of limits without the
// session, with three exceptions:
//
//   - a shape parameter changes what is measured;
//   - a meter with a Floor leaves out what no limits of its plan could see, and
//     whole texts with Dismiss (Detector.Covers says whether others could see
//     more; catalog.TestFloors lists such detectors);
//   - where calls are withheld after a veto (Preset.Withhold), what is measured
//     depends on the limits themselves.

// A Measurement is what one meter of a panel found at one event.
type Measurement struct {
	Detector int // index in the panel
	Kind     transcript.Kind
	Pos      transcript.Pos
	Values   []int64 // as Detector.Measures; a flag is 0 or 1
	Episode  int64
	Part     int  // of a delta, as in Fire
	Offset   int  // of a delta, as in Fire
	Recorded bool // of a delta, as in Fire
}

// delta is what is kept of the delta it was made at.
func (m *Measurement) delta() transcript.Delta {
	return transcript.Delta{Index: m.Part, End: m.Offset, Recorded: m.Recorded}
}

// Record makes the panel pass every measurement on before it is judged, also
// one that leads to nothing. The Measurement and its Values are reused by the
// next. Nil ends it.
func (p *Panel) Record(hear func(*Measurement)) { p.hear = hear }

// Recall is Observe for an event of which the measurements were kept: all of
// them, as Record passed them on, and in any order of detectors. The values must
// fit (Detector.Fits). The panel's own meters see nothing of it, so a panel
// either observes or recalls.
func (p *Panel) Recall(list []Measurement) *Frame {
	any := false
	for i := range list {
		m := &list[i]
		pr := p.probes[m.Detector]
		pr.load(m)
		if pr.judge() {
			any = p.say(any, m.Kind, m.Pos, m.delta(), m.Detector)
		}
	}
	return p.said(any)
}

// Fits reports what is wrong with values that are to be judged: there must be
// one for each of Measures, and it must be possible that a meter gave it.
func (d *Detector) Fits(values []int64) error {
	if err := d.Err(); err != nil {
		return err
	}
	if err := d.fits(values); err != nil {
		return fmt.Errorf("a measurement of %s: %w", d.Name, err)
	}
	return nil
}

// Covers reports whether a meter that was shown the limits of made (Rule.Floor)
// measures all that the limits of asked could judge above Continue. Only a
// detector that HasFloor can say no. It is found out by comparing two meters:
// the limits asked about must not change what the floor does to one.
func (d *Detector) Covers(made []Settings, asked Settings) (bool, error) {
	if err := d.Err(); err != nil || d.floors == nil {
		return err == nil, err
	}
	return d.floors(made, asked)
}

// HasFloor reports whether what is measured depends on all limits of the plan.
func (d *Detector) HasFloor() bool { return d.floors != nil }

func sameFloor[S, L, M any](r *Rule[S, L, M], made []Settings, asked Settings) (bool, error) {
	floor := func(list []Settings) (*S, error) {
		in := newInputs(asked)
		state := r.New(in)
		if _, err := r.shape(state, asked); err != nil {
			return nil, err
		}
		limits := make([]L, len(list))
		for i, set := range list {
			if _, err := r.limits(&limits[i], set); err != nil {
				return nil, err
			}
		}
		r.Floor(state, limits)
		return state, in.err
	}
	without, err := floor(made)
	if err != nil {
		return false, err
	}
	with, err := floor(append(made[:len(made):len(made)], asked))
	return err == nil && reflect.DeepEqual(without, with), err
}

// A number is one number of a measurement: a field, or an element of an array.
type number struct {
	name  string
	field int
	elem  int // of an array; -1 if the field is none
	flag  bool
}

func (n number) place(m reflect.Value) reflect.Value {
	v := m.Field(n.field)
	if n.elem >= 0 {
		v = v.Index(n.elem)
	}
	return v
}

func (n number) of(m reflect.Value) int64 {
	v := n.place(m)
	if !n.flag {
		return v.Int()
	}
	if v.Bool() {
		return 1
	}
	return 0
}

// fill is the inverse of number.of for a whole measurement.
func fill[M any](m *M, numbers []number, values []int64) {
	value := reflect.ValueOf(m).Elem()
	for i, n := range numbers {
		if v := n.place(value); n.flag {
			v.SetBool(values[i] != 0)
		} else {
			v.SetInt(values[i])
		}
	}
}

func fits[M any](numbers []number, values []int64) error {
	if len(values) != len(numbers) {
		return fmt.Errorf("%d numbers, expected %d", len(values), len(numbers))
	}
	zero := reflect.New(reflect.TypeFor[M]()).Elem()
	for i, n := range numbers {
		switch v := values[i]; {
		case n.flag && v != 0 && v != 1:
			return fmt.Errorf("%s is %d, expected 0 or 1", n.name, v)
		case !n.flag && n.place(zero).OverflowInt(v):
			return fmt.Errorf("%s is %d, which is too large for it", n.name, v)
		}
	}
	return nil
}

// numbersOf lists the numbers of M under their snake_case names, or says what in
// M is no number.
func numbersOf[M any]() (list []number, err error) {
	t := reflect.TypeFor[M]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a measurement must be a struct of numbers, and is %s", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := snake(f.Name)
		if !f.IsExported() {
			return nil, fmt.Errorf("field %s of a measurement must be exported", f.Name)
		}
		switch f.Type.Kind() {
		case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
			list = append(list, number{name, i, -1, f.Type.Kind() == reflect.Bool})
		case reflect.Array:
			if k := f.Type.Elem().Kind(); k != reflect.Int && k != reflect.Int32 {
				return nil, fmt.Errorf("field %s of a measurement must be an array of integers", f.Name)
			}
			for j := range f.Type.Len() {
				list = append(list, number{name + "_" + strconv.Itoa(j), i, j, false})
			}
		default:
			return nil, fmt.Errorf("field %s of a measurement must be a bool or an integer", f.Name)
		}
	}
	return list, nil
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
