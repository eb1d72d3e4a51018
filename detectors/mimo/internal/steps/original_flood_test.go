package steps

// A FloodEvent is one event of a response's stream.
type FloodEvent struct {
	Kind FloodKind
	ID   string // of the tool call
}

// FloodKind says what a FloodEvent is.
type FloodKind uint8

const (
	FloodOther FloodKind = iota // anything that passes
	FloodStart                  // a call is announced
	FloodDelta                  // a piece of its arguments
	FloodCall                   // its arguments are complete
	FloodError                  // the stream ends here
)

// A Flood is the filter tool_call_flooding over the stream of one response.
type Flood struct {
	Limit int // calls that may run

	admitted []admission
	overflow bool
	ended    bool
	flooded  bool
}

type admission struct {
	id   string
	done bool // the call's arguments are complete
}

// Event returns what is forwarded in place of e: nothing, e, or an
// announcement that never came and e.
func (f *Flood) Event(e FloodEvent) []FloodEvent {
	if f.ended {
		return nil
	}
	switch e.Kind {
	case FloodStart:
		if f.find(e.ID) == nil && !f.admit(e.ID, false) {
			return f.drop()
		}
	case FloodDelta:
		if f.find(e.ID) == nil {
			return nil
		}
	case FloodCall:
		if a := f.find(e.ID); a != nil {
			a.done = true
			f.settle()
			break
		}
		if f.overflow || !f.admit(e.ID, true) {
			return f.drop()
		}
		return []FloodEvent{{FloodStart, e.ID}, e}
	case FloodError:
		f.ended = true
	}
	return []FloodEvent{e}
}

// End ends the stream, if nothing has ended it before.
func (f *Flood) End() {
	if !f.ended {
		f.ended = true
		f.flooded = f.overflow
	}
}

// Flooded reports whether the response was cut off. It is final when the
// stream has ended.
func (f *Flood) Flooded() bool { return f.flooded }

func (f *Flood) find(id string) *admission {
	for i := range f.admitted {
		if f.admitted[i].id == id {
			return &f.admitted[i]
		}
	}
	return nil
}

func (f *Flood) admit(id string, done bool) bool {
	if len(f.admitted) >= f.Limit {
		return false
	}
	f.admitted = append(f.admitted, admission{id, done})
	return true
}

func (f *Flood) drop() []FloodEvent {
	f.overflow = true
	f.settle()
	return nil
}

// settle ends an overflowing stream once all that was admitted is complete.
func (f *Flood) settle() {
	if !f.overflow {
		return
	}
	for _, a := range f.admitted {
		if !a.done {
			return
		}
	}
	f.ended, f.flooded = true, true
}

// A Halt is a response whose retries the policy gave up.
type Halt struct {
	ReplaySafe bool // nothing had happened that a retry could repeat
	Aborted    bool // by the user
	Retryable  bool // the error is
	Finish     string
	FinalText  bool
	States     []State // of the tool parts
}

// AutoResume reports whether the run goes on with its next step all the same
// (mimo-head): tools have done their work, and none is still at it.
func AutoResume(h *Halt) bool {
	if h.ReplaySafe || h.Aborted || !h.Retryable {
		return false
	}
	switch h.Finish {
	case "content-filter", "error":
		return false
	case "stop", "other":
		if h.FinalText {
			return false
		}
	}
	completed := false
	for _, s := range h.States {
		switch s {
		case Pending, Running:
			return false
		case Completed:
			completed = true
		}
	}
	return completed
}
