package transcript

import (
	"iter"
	"time"
)

// This file defines the order of events and their positions, for the whole program.
//
// The events of a response come in this order: the request that is about to be sent,
// the attempts, the deltas, the complete response, the proposals of all its calls, the
// results of all its calls, the end of the step. Proposals come before results because
// an agent that vetoes calls looks at a whole response before any of it runs.
//
// Positions are the numbers that a person reads: runs count from 0 in the session, in
// the order of their first record over all lanes; steps and calls count from 1 in their
// run. A second numbering over the whole session was considered and dropped, because
// wherever both exist the wrong one gets printed.

// An Event is one thing that happened in a session. Step is the step it belongs to; one
// further pointer is set where Kind says so. A Cursor uses its Event again: copy what
// must outlive the iteration.
type Event struct {
	Kind    Kind
	Pos     Pos
	Step    *Step
	Attempt *Attempt // Attempted
	Delta   *Delta   // Streamed
	Call    *Call    // Proposed and Called
}

// A Kind is the kind of an event. Kinds are in the order of the events of a step.
type Kind uint8

const (
	// RunBegins precedes the first event of a run. Step is the prompt, or the
	// first response of a lane that has none.
	RunBegins Kind = iota
	// Requested comes before the request of a response is sent, when the agent may still
	// change its list of messages.
	Requested
	Attempted
	Streamed
	Responded // the response is complete, nothing has run
	Proposed  // a call before it runs: arguments known, result not
	Called    // the same call with its result
	StepEnds
	// Noted is a step that is neither a prompt of a person nor a response of the model.
	Noted
)

// A Pos is the position of an event in its session. Step and Call are 0 where the event
// belongs to none. Delta counts the deltas of the step from 1, and is 0 for events other
// than Streamed. The Call of a Streamed event is the last call before the step, since a
// stop while the response streams lets no later call run.
type Pos struct {
	Run, Step, Call, Delta int32
	Line                   int // of the source, from 1; 0 if it has none
}

// A Delta is one piece of a part as it arrived.
type Delta struct {
	Part     PartKind
	Index    int // of the part in its step
	Text     string
	End      int           // bytes into the part, where the delta ends
	At       time.Duration // since the step began; negative if not recorded
	Recorded bool          // false if a Splitter made it up
}

// A Splitter splits whole text into deltas that might have been recorded. It must give
// the same pieces each time, none of them empty, and they must join to the input. It
// may be called from several goroutines.
type Splitter func(string) iter.Seq[string]

// A Cursor numbers the events of one session. The zero Cursor is ready to use and makes
// events of recorded deltas alone. It is not safe for concurrent use.
type Cursor struct {
	Split Splitter // for parts without recorded deltas; nil makes no events of them

	lanes map[string]*place
	runs  int32
}

// A place is the run of a lane, with the numbers of its latest step and call.
type place struct{ run, step, call int32 }

// Clone returns a cursor at the same position that goes on independently.
func (c *Cursor) Clone() *Cursor {
	out := &Cursor{Split: c.Split, runs: c.runs, lanes: make(map[string]*place, len(c.lanes))}
	for lane, p := range c.lanes {
		own := *p
		out.lanes[lane] = &own
	}
	return out
}

// Where is the position of the latest step in a lane, the zero Pos before the first.
func (c *Cursor) Where(lane string) Pos {
	if p := c.lanes[lane]; p != nil {
		return p.pos(0)
	}
	return Pos{}
}

// Events yields the events of the next step of the session. It must be called once for
// each step, in order, and ranged over to the end. A synthetic response has no events
// but its attempts, and the beginning of a run if it is the first step of its lane.
func (c *Cursor) Events(s *Step) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		switch s.Kind {
		case Prompt:
			if s.Has(Synthetic) {
				c.note(s, yield)
				return
			}
			p := c.begin(s.Lane)
			ev := Event{Kind: RunBegins, Pos: p.pos(s.Line), Step: s}
			yield(&ev)
		case Response:
			c.response(s, yield)
		default:
			c.note(s, yield)
		}
	}
}

// note yields the event of a step that is neither prompt nor response.
func (c *Cursor) note(s *Step, yield func(*Event) bool) {
	pos := Pos{Line: s.Line}
	if p := c.lanes[s.Lane]; p != nil {
		pos = p.pos(s.Line)
	}
	ev := Event{Kind: Noted, Pos: pos, Step: s}
	yield(&ev)
}

// begin starts the next run in a lane.
func (c *Cursor) begin(lane string) *place {
	if c.lanes == nil {
		c.lanes = make(map[string]*place)
	}
	p := &place{run: c.runs}
	c.runs++
	c.lanes[lane] = p
	return p
}

// pos is the position of the lane's latest step, outside any call.
func (p *place) pos(line int) Pos {
	return Pos{Run: p.run, Step: p.step, Line: line}
}

// response yields the events of a response.
func (c *Cursor) response(s *Step, yield func(*Event) bool) {
	ev := Event{Step: s}
	p := c.lanes[s.Lane]
	if p == nil {
		p = c.begin(s.Lane)
		ev.Kind, ev.Pos = RunBegins, p.pos(s.Line)
		if !yield(&ev) {
			return
		}
	}
	counted := !s.Has(Synthetic)
	if counted {
		p.step++
		ev.Kind, ev.Pos = Requested, p.pos(s.Line)
		if !yield(&ev) {
			return
		}
	}
	ev.Kind = Attempted
	for i := range s.Attempts {
		ev.Attempt = &s.Attempts[i]
		ev.Pos = p.pos(s.Attempts[i].Line)
		if !yield(&ev) {
			return
		}
	}
	ev.Attempt = nil
	if !counted {
		return
	}
	if !c.stream(&ev, p, yield) {
		return
	}
	ev.Kind, ev.Pos = Responded, p.pos(s.Line)
	if !yield(&ev) {
		return
	}
	for _, kind := range [...]Kind{Proposed, Called} {
		ev.Kind = kind
		for i := range s.Calls {
			ev.Call = &s.Calls[i]
			ev.Pos = p.pos(s.Calls[i].Line)
			ev.Pos.Call = p.call + int32(i) + 1
			if !yield(&ev) {
				return
			}
		}
	}
	p.call += int32(len(s.Calls))
	ev.Call = nil
	ev.Kind, ev.Pos = StepEnds, p.pos(s.Line)
	ev.Pos.Call = p.call
	yield(&ev)
}

// stream yields the deltas of a response.
func (c *Cursor) stream(ev *Event, p *place, yield func(*Event) bool) bool {
	var delta Delta
	var n int32
	ev.Kind, ev.Delta = Streamed, &delta
	emit := func(text string, end int, at time.Duration, recorded bool) bool {
		n++
		delta.Text, delta.End, delta.At, delta.Recorded = text, end, at, recorded
		ev.Pos = p.pos(ev.Step.Line)
		ev.Pos.Call, ev.Pos.Delta = p.call, n
		return yield(ev)
	}
	for i := range ev.Step.Parts {
		part := &ev.Step.Parts[i]
		delta.Part, delta.Index = part.Kind, i
		from := 0
		for _, cut := range part.Cuts {
			if !emit(part.Text[from:cut.End], cut.End, cut.At, true) {
				return false
			}
			from = cut.End
		}
		if from > 0 || c.Split == nil || part.Kind == ToolInput {
			continue // an argument without deltas only holds its place in the stream
		}
		for piece := range c.Split(part.Text) {
			from += len(piece)
			if !emit(piece, from, -1, false) {
				return false
			}
		}
	}
	ev.Delta = nil
	return true
}
