package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// RepeatedAction reminds an agent that does the same thing step after step.
var RepeatedAction = detectors.Define(detectors.Rule[actions, detectors.Limits, sameAction]{
	Name: "mimo/repeated_action",
	Doc: "the same calls, step after step\n\n" +
		"No progress means: the last finished steps made the same calls with the same arguments, in any order of keys. " +
		"Text, results and errors do not count; a step without calls ends the row, a message of the user does not. It " +
		"reminds and never stops.",
	Origin:  detectors.Origin{Source: article},
	Targets: []string{"identical_call", "identical_error", "identical_poll"},
	New:     func(*detectors.Inputs) *actions { return &actions{} },
	Shape:   (*actions).bind,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Nudge, "threshold", 3, 2, 8, "equal steps in a row before a reminder")
	},
	OnRun:     (*actions).user,
	OnStep:    (*actions).measure,
	Reach:     (*actions).reach,
	Unbounded: true,
	Unit:      "step",
	Count:     sameAction.count,
	Text:      sameAction.text,
	Verb:      "reminds",
	Episode:   func(m sameAction) int64 { return m.Message },
	Evidence: func(m sameAction, _ detectors.Limits) []detectors.Field {
		return []detectors.Field{{Name: "steps", Value: int64(m.Steps)}}
	},
})

// sameAction is the row of equal steps that the next request would begin with.
// Message is the user message that a reminder is stored on, 0 where each request
// is reminded.
type sameAction struct {
	Steps   int
	Message int64
}

type actions struct {
	meter steps.RepeatedAction
	once  bool
}

func (a *actions) bind(p *detectors.Params) {
	p.Bool(&a.once, "once", false, "remind once for each message of the user, and not at each request")
}

func (a *actions) user() { a.meter.User() }

func (a *actions) measure(s *transcript.Step) (sameAction, bool) {
	a.meter.Step(finished(s), parts(s))
	m, ok := a.meter.Measure()
	out := sameAction{Steps: m.Streak}
	if a.once {
		out.Message = max(m.Message, 1)
	}
	return out, ok
}

func (m sameAction) count() detectors.Count {
	return detectors.Count{N: m.Steps, Of: "steps in a row with the same calls"}
}

func (m sameAction) text() string {
	return fmt.Sprintf("%d steps in a row made the same calls", m.Steps)
}
