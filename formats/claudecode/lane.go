package claudecode

import (
	"groundhog/formats"
	"groundhog/replay/transcript"
)

// The steps of a lane leave in the order of their first records, and each
// leaves when nothing more is expected of it. These bounds keep a recording in
// which results or messages never end from being held whole.
const (
	// keptOpen is how many of the newest messages stay open although they look
	// complete: records of a message still come after the next one has begun.
	keptOpen = 2
	// maxWaiting is how many responses of a lane wait for the results of the
	// oldest before it is given up.
	maxWaiting = 16
	// maxInjections is how many injections wait behind a response. More than
	// that leave at once, and so before a response that was recorded earlier.
	maxInjections = 64
	// maxLanes is how many lanes wait at a time; the one that has been quiet
	// longest ends. Sub-agents leave no record that they are done.
	maxLanes = 32
)

// A lane is the thread of one agent, with the steps that have begun and not left.
type lane struct {
	index      int32
	name       string
	waiting    []*entry
	responses  int // of waiting
	injections int // of waiting
	attempts   []transcript.Attempt
}

// An entry is a step that may still change.
type entry struct {
	step    *transcript.Step
	message uint64 // key of its message id; 0 if it has none
	open    int    // calls without a result
	nested  bool   // its first record came inside a progress record
}

func (l *lane) add(e *entry) {
	l.waiting = append(l.waiting, e)
	if e.step.Kind == transcript.Response {
		l.responses++
	} else {
		l.injections++
	}
}

// find looks for a message that is still open.
func (l *lane) find(message uint64) *entry {
	for i := len(l.waiting) - 1; i >= 0; i-- {
		if l.waiting[i].message == message {
			return l.waiting[i]
		}
	}
	return nil
}

// match finds the latest call with an id, preferring open ones.
func (l *lane) match(id string) (e *entry, c *transcript.Call) {
	for i := len(l.waiting) - 1; i >= 0; i-- {
		calls := l.waiting[i].step.Calls
		for j := len(calls) - 1; j >= 0; j-- {
			switch {
			case calls[j].ID != id:
			case calls[j].Result.Status == transcript.ResultMissing:
				return l.waiting[i], &calls[j]
			case c == nil:
				e, c = l.waiting[i], &calls[j]
			}
		}
	}
	return e, c
}

// begin opens a response. It takes the failed attempts that came before it.
func (r *reader) begin(l *lane, rec *event, key uint64) *entry {
	e := &entry{message: key, nested: rec.nested, step: &transcript.Step{
		Kind: transcript.Response, Lane: l.name, ID: rec.message.ID,
		Flags: sidechain(l, rec), Attempts: l.attempts, Time: rec.time, Line: rec.line,
	}}
	l.attempts = nil
	l.add(e)
	return e
}

// advance lets those steps of a lane leave that nothing more is expected of.
func (r *reader) advance(l *lane) {
	for len(l.waiting) > 0 {
		e := l.waiting[0]
		if e.step.Kind == transcript.Response {
			if l.responses <= keptOpen || e.open > 0 && l.responses <= maxWaiting {
				return
			}
		}
		r.leave(l)
	}
}

// leave sends the oldest step of a lane on its way.
func (r *reader) leave(l *lane) {
	e := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	if e.step.Kind != transcript.Response {
		l.injections--
		r.emit(e.step)
		return
	}
	l.responses--
	for i := range e.step.Calls {
		c := &e.step.Calls[i]
		if c.Result.Status == transcript.ResultMissing {
			r.header.Note(c.Line, formats.NoteMissingResult)
		}
	}
	r.emit(e.step)
}

func (r *reader) leaveAll(l *lane) {
	for len(l.waiting) > 0 {
		r.leave(l)
	}
	l.waiting = nil
}

// end lets all of a lane leave, and gives attempts that led to no response a
// step of their own.
func (r *reader) end(l *lane) {
	r.leaveAll(l)
	if len(l.attempts) == 0 {
		return
	}
	last := &l.attempts[len(l.attempts)-1]
	step := &transcript.Step{
		Kind: transcript.Response, Lane: l.name, Flags: transcript.Synthetic,
		Attempts: l.attempts, Time: l.attempts[0].Time, Ended: last.Time, Line: l.attempts[0].Line,
	}
	if l.name != "" {
		step.Flags |= transcript.Sidechain
	}
	l.attempts = nil
	r.emit(step)
}

// lane is the lane of an index, woken if it was not waiting.
func (r *reader) lane(index int32) *lane {
	last := len(r.active) - 1
	at := last
	for at >= 0 && r.active[at].index != index {
		at--
	}
	switch {
	case at == last && at >= 0:
		return r.active[at]
	case at >= 0:
		l := r.active[at]
		copy(r.active[at:], r.active[at+1:])
		r.active[last] = l
		return l
	case len(r.active) == maxLanes:
		r.retire()
	}
	l := &lane{index: index, name: r.names[index]}
	r.active = append(r.active, l)
	return l
}

// retire ends the lane that has been quiet longest, sparing the main one: it
// is quiet for as long as its sub-agents work.
func (r *reader) retire() {
	at := 0
	if r.active[0].index == 0 {
		at = 1
	}
	r.end(r.active[at])
	r.active = append(r.active[:at], r.active[at+1:]...)
}
