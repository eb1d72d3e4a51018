package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// CrossStepTextLoop reminds an agent that says the same thing step after step.
var CrossStepTextLoop = detectors.Define(detectors.Rule[textLoop, textLoopLimits, sameText]{
	Name: "mimo/cross_step_text_loop",
	Doc: "the same text and the same calls, step after step\n\n" +
		"No progress means: the beginning of the text, without case, white space and a polite opening, and all calls " +
		"with their arguments as written are those of the step before. Steps without text neither continue nor break a " +
		"row. A reminder begins the count anew, so the third one, a stop, comes at the ninth equal step. A crop by " +
		"thinking_streak before the step keeps it silent; the count goes on.",
	Origin:    detectors.Origin{Source: article},
	Targets:   []string{"cross_step_text"},
	Needs:     detectors.Needs{Text: true},
	New:       func(*detectors.Inputs) *textLoop { return &textLoop{} },
	Shape:     (*textLoop).bind,
	Limits:    (*textLoopLimits).bind,
	OnRun:     (*textLoop).reset,
	OnStep:    (*textLoop).measure,
	Reach:     (*textLoop).reach,
	Unbounded: true,
	Unit:      "step",
	Count:     sameText.count,
	Against:   textLoopLimits.against,
	Text:      sameText.text,
	Verb:      "reminds",
	Episode:   func(m sameText) int64 { return m.Position },
	Rest:      func(l textLoopLimits) int64 { return int64(l.rest()) },
	Evidence: func(m sameText, _ textLoopLimits) []detectors.Field {
		return []detectors.Field{{Name: "steps", Value: int64(m.Streak)}}
	},
})

// sameText is the row of equal steps that ends here. Position counts the steps
// with text of the run.
type sameText struct {
	Streak   int
	Position int64
}

type textLoopLimits struct {
	trigger int
	clear   bool
}

func (l *textLoopLimits) bind(p *detectors.Params) {
	p.Int(&l.trigger, "trigger", 3, 2, 6, "equal steps in a row before a reminder")
	p.Bool(&l.clear, "clear_on_recovery", true, "begin the count anew after a reminder")
}

// rest is how far the run must have come after a reminder for the next one.
func (l textLoopLimits) rest() int {
	if l.clear {
		return l.trigger
	}
	return 1
}

type textLoop struct{ meter steps.TextLoop }

func (t *textLoop) bind(p *detectors.Params) {
	p.Int(&t.meter.Limit, "limit", 200, 50, 1000, "characters of text that are compared")
}

func (t *textLoop) reset() { t.meter.Reset() }

func (t *textLoop) measure(s *transcript.Step) (sameText, bool) {
	m, ok := t.meter.Step(parts(s))
	return sameText{m.Streak, m.Position}, ok
}

func (m sameText) count() detectors.Count {
	return detectors.Count{N: m.Streak, Of: "steps in a row that say and do the same"}
}

func (l textLoopLimits) against(string) detectors.Limits {
	return detectors.Limits{Nudge: l.trigger}
}

func (m sameText) text() string {
	return fmt.Sprintf("%d steps in a row say and do the same", m.Streak)
}
