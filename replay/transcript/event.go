package transcript

import (
	"iter"
	"time"
)

// This file holds the one definition of event order and position.
//
// The events of a response come in this order: the request that is about to be
// sent, the attempts, the deltas, the complete response, the proposals of all its
// calls, the outcomes of all its calls, the end of the step. Proposals come first because an agent that vetoes
// looks at a whole response before any of it runs.
//
// Positions are the numbers a person reads (evaluation.md E1): runs count from
// 0 in the session, in the order of their first record over all lanes; steps
// and calls count from 1 inside their run. A second numbering over the session
// was considered and dropped: every use of it was a chance to print the wrong one.

// An Event is one thing that happened, in order. Step is the step it belongs
// to; one further pointer is set where Kind says so. Events are reused: copy
// what must outlive the iteration.
type Event struct {
	Kind    Kind
	Pos     Pos
	Step    *Step
	Attempt *Attempt // Attempted
	Delta   *Delta   // Streamed
	Call    *Call    // Proposed and Called
}

// Kind orders the events of a step.
type Kind uint8

const (
	// RunBegins precedes the first event of a run. Step is the prompt, or the
	// first response of a lane that has none.
	RunBegins Kind = iota
	// Requested is the moment before the request of a response: what the agent
	// still changes in its list of messages it changes now.
	Requested
	Attempted
	Streamed
	Responded // the response is complete, nothing has run
	Proposed  // a call before it runs: arguments known, result not
	Called    // the same call with its result
	StepEnds
	// Noted is any step that is neither prompt nor response.
	Noted
)

// A Pos names an event within its session. Step and Call are 0 where the event
// lies outside any; Delta is 0 except for Streamed, where it counts the deltas
// of the step from 1, and Call is that of the last call before the step: a stop
// while the response streams lets no later one run.
type Pos struct {
	Run, Step, Call, Delta int32
	Line                   int
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

// A Splitter breaks whole text into plausible deltas. It must be deterministic
// and its pieces must concatenate to the input.
type Splitter func(string) iter.Seq[string]

// A Cursor numbers the events of one session. The zero Cursor is ready to use
// and turns only recorded deltas into events. It is not safe for concurrent use.
type Cursor struct {
	Split Splitter // for parts without recorded deltas; nil leaves them whole and silent

	lanes map[string]*place
	runs  int32
}

// A place is where a lane stands.
type place struct{ run, step, call int32 }

// Clone returns a cursor that goes on from here on its own.
func (c *Cursor) Clone() *Cursor {
	out := &Cursor{Split: c.Split, runs: c.runs, lanes: make(map[string]*place, len(c.lanes))}
	for lane, p := range c.lanes {
		at := *p
		out.lanes[lane] = &at
	}
	return out
}

// Runs is the number of runs begun so far.
func (c *Cursor) Runs() int { return int(c.runs) }

// Where is the position of the latest step in a lane; zero before the first.
func (c *Cursor) Where(lane string) Pos {
	if p := c.lanes[lane]; p != nil {
		return p.pos(0)
	}
	return Pos{}
}

// Events yields the events of the next step of the session. It must be called
// once for each step, in order, and ranged over to the end.
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

func (c *Cursor) note(s *Step, yield func(*Event) bool) {
	at := Pos{Line: s.Line}
	if p := c.lanes[s.Lane]; p != nil {
		at = p.pos(s.Line)
		at.Call = 0
	}
	ev := Event{Kind: Noted, Pos: at, Step: s}
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

func (p *place) pos(line int) Pos {
	return Pos{Run: p.run, Step: p.step, Line: line}
}

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
	}
	if counted {
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
