package detectors

import "groundhog/replay/transcript"

// Inputs gives a meter under construction the features it shares with others.
type Inputs struct {
	set      Settings
	made     map[any]any // *Feature[T] to *T
	features []hooks     // in the order they were made, which is topological
	params   []Param
	err      error
}

// hooks are what a feature listens to; nil where it does not.
type hooks struct {
	run      func()
	attempt  func(*transcript.Attempt)
	delta    func(*transcript.Delta)
	response func(*transcript.Step)
	propose  func(*transcript.Call)
	call     func(*transcript.Call)
	step     func(*transcript.Step)
}

// A Feature is a value derived from the session that several meters read: a
// window of normalised calls, the family of a tool. It sees each event before
// any meter does and is computed once per panel.
type Feature[T any] struct {
	Name  string // prefix of its parameters: "kocoro" gives kocoro.window
	Doc   string
	New   func(in *Inputs) *T
	Shape func(*T, *Params) // nil if it has no parameters

	OnRun      func(*T) // a run begins: forget what belongs to the last one
	OnAttempt  func(*T, *transcript.Attempt)
	OnDelta    func(*T, *transcript.Delta)
	OnResponse func(*T, *transcript.Step)
	OnPropose  func(*T, *transcript.Call) // must not read the result
	OnCall     func(*T, *transcript.Call)
	OnStep     func(*T, *transcript.Step)
}

// From returns the panel's one T, creating it on first use. A meter's New
// calls it; a feature may use features. So there is no list of requirements to
// keep in step with the code.
func (f *Feature[T]) From(in *Inputs) *T {
	if t, ok := in.made[f]; ok {
		return t.(*T)
	}
	t := f.New(in)
	in.made[f] = t
	params, err := Bind(t, f.Shape, f.Name+".", true, in.set)
	in.params = append(in.params, params...)
	if in.err == nil {
		in.err = err
	}
	in.features = append(in.features, hooks{
		run:      hear0(t, f.OnRun),
		attempt:  hear(t, f.OnAttempt),
		delta:    hear(t, f.OnDelta),
		response: hear(t, f.OnResponse),
		propose:  hear(t, f.OnPropose),
		call:     hear(t, f.OnCall),
		step:     hear(t, f.OnStep),
	})
	return t
}

func newInputs(set Settings) *Inputs {
	return &Inputs{set: set, made: make(map[any]any)}
}

func hear0[T any](t *T, f func(*T)) func() {
	if f == nil {
		return nil
	}
	return func() { f(t) }
}

func hear[T, E any](t *T, f func(*T, *E)) func(*E) {
	if f == nil {
		return nil
	}
	return func(e *E) { f(t, e) }
}
