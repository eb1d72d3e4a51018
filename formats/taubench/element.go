package taubench

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// An element is what finding learns about one result.
type element struct {
	rec      transcript.Recorded
	end      transcript.End
	failed   bool         // the run broke off with an error
	traj     record.Range // of the messages; Off is 0 if there are none
	cut      bool         // the file ends inside the messages
	messages int          // whole ones, whatever they are
	calls    bool         // some message has calls, so texts are only texts
	nested   bool         // some message is a result
	patches  []patch
	roles    []patch // for the results of text actions
	at       int64   // how far it was read
}

var elementShape = record.NewShape(
	record.Func("task_id", func(e *element, v record.Value) { e.rec.Task = v.Word() }).Only('"', '0'),
	record.Func("trial", func(e *element, v record.Value) { e.rec.Trial = v.Word() }).Only('"', '0'),
	record.Func("reward", (*element).reward).Only('0'),
	// The reward is explained only if the run came to its end, and a run that
	// raised an error has only that.
	record.In("info",
		record.Visit("reward_info", func(e *element, _ *record.Reader) error {
			e.end = transcript.EndCompleted
			return nil
		}).Only('{'),
		record.Visit("error", func(e *element, _ *record.Reader) error {
			e.end, e.failed = transcript.EndError, true
			return nil
		}).Only('"')),
	record.Visit("traj", (*element).trajectory).Only('['),
)

// read reads a result without holding it. What it has seen before an error is
// kept.
func (f *finder) read(v record.Span) (*element, error) {
	nans := patchNaN(v.NaN)
	e := &element{patches: nans}
	f.src.Reset(io.NewSectionReader(&overlay{f.r, nans}, v.Off, v.End-v.Off))
	r := record.Open(f.src, record.Place{Off: v.Off, Line: v.Line}, f.o.Cap()+slack)
	err := elementShape.Walk(r, e)
	e.at = r.End().Off
	var syntax *record.SyntaxError
	switch {
	case errors.As(err, &syntax):
		e.at = v.Off + syntax.Off
	case err == record.ErrCut:
		e.at = v.End
	}
	if e.cut = e.traj.Off > 0 && e.traj.End == 0; e.cut {
		e.traj.End = v.End
	}
	if !e.calls && len(e.roles) > 0 {
		e.patches = slices.Concat(nans, e.roles)
		slices.SortFunc(e.patches, func(a, b patch) int { return int(a.off - b.off) })
	}
	return e, err
}

// reward is a success if it is 1, as near as the benchmark itself looks at it.
// It is a weak outcome and no label.
func (e *element) reward(v record.Value) {
	if n, ok := v.Number(); ok {
		success := n >= 1-1e-6 && n <= 1+1e-6
		e.rec.Reward, e.rec.Success = &n, &success
	}
}

func (e *element) trajectory(r *record.Reader) error {
	if e.traj.Off > 0 {
		return nil
	}
	e.traj.Off = r.Place().Off
	for range r.Elements() {
		var m message
		err := messageShape.Read(r, &m)
		e.see(&m)
		if err != nil {
			return err
		}
		e.messages++
	}
	if r.Err() == nil {
		e.traj.End = r.End().Off
	}
	return r.Err()
}

// A message is looked at for calls.
type message struct {
	role   int64 // place of a role that is tool
	output bool  // the text is the result of a text action
	calls  bool
	nested bool // it is a result
}

var messageShape = record.NewShape(
	record.Visit("role", func(m *message, r *record.Reader) error {
		at := r.Place().Off
		v, err := r.View()
		if m.role = 0; string(v) == `"tool"` {
			m.role = at
		}
		return err
	}).Only('"'),
	record.Func("content", func(m *message, v record.Value) {
		m.output = bytes.HasPrefix(v, []byte(`"`+outputPrefix))
	}).Only('"'),
	record.Visit("tool_calls", func(m *message, r *record.Reader) error {
		for range r.Elements() {
			m.calls = true
		}
		return r.Err()
	}).Only('['),
	record.Visit("function_call", func(m *message, _ *record.Reader) error { m.calls = true; return nil }).Only('{'),
	record.Has("traj", func(m *message) *bool { return &m.nested }),
)

// see takes note of a message. Some who rebuilt the text agent give its results
// the role of a tool; as there is no call that they could belong to, they are
// given the role they have in the benchmark's own files.
func (e *element) see(m *message) {
	e.calls, e.nested = e.calls || m.calls, e.nested || m.nested
	if m.output && m.role > 0 && len(e.roles) < maxPatches {
		e.roles = append(e.roles, patch{m.role, `"user"`})
	}
}
