package streamjson

import (
	"groundhog/formats"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// The steps of a lane leave in the order of their first records, and each
// leaves when nothing more is expected of it.
const (
	// keptOpen is how many of the newest messages stay open although they look
	// complete: records of a message still come after the next one has begun.
	keptOpen = 2
	// maxWaiting is how many steps of a lane wait for the results of the oldest
	// before it is given up.
	maxWaiting = 16
)

// A lane is the thread of one agent, with the steps that have begun and not left.
type lane struct {
	name     string // id of the call that started it; "" for the main agent
	waiting  []*entry
	attempts []transcript.Attempt
	failed   bool              // the last of them is told by the stream
	events   *stream.Assembler // of the message that is streaming
}

// An entry is a step that may still change.
type entry struct {
	step    *transcript.Step
	id      string           // of the message
	partial *transcript.Step // as its events have it, until it is joined
}

func (l *lane) flags() transcript.Flags {
	if l.name != "" {
		return transcript.Sidechain
	}
	return 0
}

func (r *reader) lane(name string) *lane {
	if l := r.lanes[name]; l != nil {
		return l
	}
	l := &lane{name: name}
	l.events = &stream.Assembler{Session: r.header, Emit: func(resp *stream.Response) { r.streamed(l, resp) }}
	r.lanes[name] = l
	r.order = append(r.order, l)
	return l
}

// find looks for a message that is still open.
func (l *lane) find(id string) *entry {
	for i := len(l.waiting) - 1; i >= 0 && id != ""; i-- {
		if l.waiting[i].id == id {
			return l.waiting[i]
		}
	}
	return nil
}

// begin opens a response. It takes the attempts that came before it.
func (l *lane) begin(id string, rec *event) *entry {
	e := &entry{id: id, step: &transcript.Step{Kind: transcript.Response, Lane: l.name, ID: id,
		Flags: l.flags(), Attempts: l.attempts, Time: rec.time, Line: rec.line}}
	l.attempts, l.failed = nil, false
	l.waiting = append(l.waiting, e)
	return e
}

// streamed takes a message that has come to its end as events. Its records have
// come by then, or never will.
func (r *reader) streamed(l *lane, resp *stream.Response) {
	s := resp.Step
	r.cut = !resp.Complete && resp.Failed == nil
	if resp.Failed != nil {
		at := *resp.Failed
		r.forget(l, s.ID)
		l.attempts, l.failed = append(l.attempts, at), true
		return
	}
	e := l.find(s.ID)
	if e == nil {
		if s.ID != "" && r.gone[formats.MessageKey(s.ID)] {
			r.header.Note(s.Line, formats.NoteLateRecord)
			return
		}
		e = l.begin(s.ID, &event{line: s.Line, time: s.Time})
	}
	e.partial = s
	full := e.step
	full.Line = min(full.Line, s.Line)
	full.Usage.Max(s.Usage)
	if full.Model == "" {
		full.Model = s.Model
	}
	if s.Finish != "" || s.FinishRaw != "" {
		full.Finish, full.FinishRaw = s.Finish, s.FinishRaw
	}
	if !s.Time.IsZero() {
		full.Time, full.Ended = s.Time, s.Ended
	}
	r.advance(l)
}

// forget drops the records of a message that failed before it was complete. Its
// attempts go on to the next one.
func (r *reader) forget(l *lane, id string) {
	for i, e := range l.waiting {
		if id != "" && e.id == id {
			l.attempts = append(e.step.Attempts, l.attempts...)
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
}

// advance lets those steps leave that nothing more is expected of.
func (r *reader) advance(l *lane) {
	for len(l.waiting) > keptOpen {
		if open(l.waiting[0].step) && len(l.waiting) <= maxWaiting {
			return
		}
		r.leave(l)
	}
}

func open(s *transcript.Step) bool {
	for i := range s.Calls {
		if s.Calls[i].Result.Status == transcript.ResultMissing {
			return true
		}
	}
	return false
}

// leave sends the oldest step of a lane on its way.
func (r *reader) leave(l *lane) {
	e := l.waiting[0]
	l.waiting = l.waiting[1:]
	if e.id != "" {
		r.gone[formats.MessageKey(e.id)] = true
	}
	r.join(e)
	for i := range e.step.Calls {
		c := &e.step.Calls[i]
		if c.Result.Status != transcript.ResultMissing {
			continue
		}
		if r.denied[c.ID] {
			c.Result.Status = transcript.ResultDenied
			continue
		}
		r.header.Note(c.Line, formats.NoteMissingResult)
	}
	r.emit(e.step)
}

func (r *reader) leaveAll(l *lane) {
	for len(l.waiting) > 0 {
		r.leave(l)
	}
}

// end lets all of a lane leave, and gives attempts that led to no response a
// step of their own.
func (r *reader) end(l *lane) {
	l.events.End()
	r.leaveAll(l)
	if len(l.attempts) == 0 {
		return
	}
	first, last := l.attempts[0], l.attempts[len(l.attempts)-1]
	step := &transcript.Step{Kind: transcript.Response, Lane: l.name, Flags: l.flags() | transcript.Synthetic,
		Attempts: l.attempts, Time: first.Time, Ended: last.Time, Line: first.Line}
	l.attempts, l.failed = nil, false
	r.emit(step)
}

// match finds the latest call with an id, preferring open ones.
func (l *lane) match(id string) (c *transcript.Call) {
	for i := len(l.waiting) - 1; i >= 0; i-- {
		calls := l.waiting[i].step.Calls
		for j := len(calls) - 1; j >= 0; j-- {
			switch {
			case calls[j].ID != id:
			case calls[j].Result.Status == transcript.ResultMissing:
				return &calls[j]
			case c == nil:
				c = &calls[j]
			}
		}
	}
	return c
}
