package steps

// This file has the forms in which the original runs its detectors: closed, so
// that what they say changes what they see. The golden records were made with
// them, and the open meters of this package are compared with them.

// ActionRun is repeated_action as the original runs it.
type ActionRun struct {
	Threshold int
	Once      bool // mimo-head: one reminder for each user message

	meter  RepeatedAction
	marked bool // the last user message has its reminder
}

// User takes in a message of the user's role.
func (r *ActionRun) User() {
	r.meter.User()
	r.marked = false
}

// Step takes in a step.
func (r *ActionRun) Step(finished bool, parts []Part) { r.meter.Step(finished, parts) }

// Request reports whether the next request brings a new reminder.
func (r *ActionRun) Request() bool {
	m, ok := r.meter.Measure()
	if !ok || m.Streak < r.Threshold || r.Once && r.marked {
		return false
	}
	r.marked = true
	return true
}

// TextLoopRun is cross_step_text_loop as the original runs it, closed: what it
// says changes what it sees.
type TextLoopRun struct {
	Limit, Buffer, Trigger int
	MaxRecovery            int
	ClearOnRecovery        bool

	list    []string
	ladder  Ladder
	stopped bool
}

// A TextAction is what a step led to.
type TextAction uint8

const (
	TextNone   TextAction = iota
	TextSkip              // the step has no text
	TextMild              // the first reminder
	TextStrong            // a later one
	TextStop              // the run ends
	TextEnded             // it has ended before
)

// Step takes in a step. Cropped says that thinking_streak made a new crop
// before it, which keeps this detector silent.
func (r *TextLoopRun) Step(parts []Part, cropped bool) TextAction {
	if r.stopped {
		return TextEnded
	}
	key, ok := TextKey(parts, r.Limit)
	if !ok {
		return TextSkip
	}
	r.list = append(r.list, key)
	if n := len(r.list) - r.Buffer; n > 0 {
		r.list = r.list[n:]
	}
	if cropped || !r.loops(key) {
		return TextNone
	}
	r.ladder.Max = r.MaxRecovery
	rung, ok := r.ladder.Next()
	if !ok {
		r.stopped = true
		return TextStop
	}
	if r.ClearOnRecovery {
		r.list = r.list[:0]
	}
	if rung == 0 {
		return TextMild
	}
	return TextStrong
}

func (r *TextLoopRun) loops(key string) bool {
	if len(r.list) < r.Trigger {
		return false
	}
	for _, k := range r.list[len(r.list)-r.Trigger:] {
		if k != key {
			return false
		}
	}
	return true
}

// Reset begins another run.
func (r *TextLoopRun) Reset() {
	r.list, r.stopped = nil, false
	r.ladder.Reset()
}
