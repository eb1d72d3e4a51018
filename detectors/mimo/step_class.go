package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// The step classifier says what a step was, and what the loop makes of it.
// Each outcome that reminds the model or ends the run is a detector of its own.

// classifier is what the run's loop makes of its steps.
type classifier struct {
	variant string
	handler steps.Handler
	outcome steps.Outcome
}

var variants = map[string]steps.Variant{
	"article": steps.Article, "head": steps.Head, "interrupted": steps.Interrupted, "inflight": steps.InFlight,
}

var classes = &detectors.Feature[classifier]{
	Name:   "mimo",
	Doc:    "the class of each step, and what the loop does about it",
	New:    func(*detectors.Inputs) *classifier { return &classifier{} },
	Shape:  (*classifier).bind,
	OnRun:  func(c *classifier) { c.handler.Reset() },
	OnStep: (*classifier).take,
}

func (c *classifier) bind(p *detectors.Params) {
	p.Choice(&c.variant, "class_variant", "article", []string{"article", "head", "interrupted", "inflight"},
		"version of the step classifier")
	d := steps.DefaultLimits()
	p.Int(&c.handler.Limits.Length, "length_limit", d.Length, 0, 6,
		"continuations of output that its length cut off (MIMOCODE_OUTPUT_LENGTH_CONTINUATION_LIMIT)")
	p.Int(&c.handler.Limits.Invalid, "invalid_limit", d.Invalid, 0, 6,
		"retries of steps with nothing but thoughts, or nothing (MIMOCODE_INVALID_OUTPUT_CONTINUATION_LIMIT)")
	p.Int(&c.handler.Limits.TextTool, "text_tool_call_limit", d.TextTool, 0, 6,
		"retries of calls written as text (MIMOCODE_TEXT_TOOL_CALL_RETRY_LIMIT)")
	c.handler.Limits.Structured = d.Structured // a recording does not say that structured output was asked for
	c.handler.Variant = variants[c.variant]
}

func (c *classifier) take(s *transcript.Step) {
	c.outcome = c.handler.Step(&steps.Response{
		Model: s.Model, Finish: finishWords[s.Finish], Failed: s.Has(transcript.ErrorMessage), Parts: parts(s),
	}, steps.Proceed)
}

// finishWords are the canonical words as MiMo has them. A response that does not
// say why it ended has not finished.
var finishWords = map[transcript.Finish]string{
	transcript.FinishUnknown:   "",
	transcript.FinishStop:      "stop",
	transcript.FinishToolCalls: "tool-calls",
	transcript.FinishLength:    "length",
	transcript.FinishFilter:    "content-filter",
	transcript.FinishRefusal:   "content-filter",
	transcript.FinishError:     "error",
	transcript.FinishAborted:   "",
	transcript.FinishPause:     "other",
}

// stepOutcome is how often the loop has helped in this way, and whether it gave up.
type stepOutcome struct {
	Retry int
	Ends  bool
}

type classMeter struct{ classes *classifier }

// outcomeRule is the detector of one outcome: that of a class, or the one with
// a reason of its own. like makes a step that leads to it.
func outcomeRule(name, title, shape string, is func(steps.Outcome) bool,
	like func() *transcript.Step) *detectors.Detector {

	return detectors.Define(detectors.Rule[classMeter, none, stepOutcome]{
		Name: "mimo/" + name,
		Doc: title + "\n\n" +
			"It needs to know why responses ended. Retries are counted over the run, whatever lies between them.",
		Origin:  detectors.Origin{Source: article},
		Needs:   detectors.Needs{Finish: true, Text: true},
		Targets: []string{shape},
		New:     func(in *detectors.Inputs) *classMeter { return &classMeter{classes.From(in)} },
		OnStep: func(m *classMeter, _ *transcript.Step) (stepOutcome, bool) {
			o := m.classes.outcome
			return stepOutcome{o.N, o.Do == steps.End}, is(o) && (o.Do == steps.Remind || o.Do == steps.End)
		},
		Reach: func(m *classMeter) detectors.Extremes[stepOutcome] { return m.reach(is, like) },
		Unit:  "step",
		Judge: func(m stepOutcome, _ none) detectors.Verdict {
			if m.Ends {
				return detectors.ForceStop
			}
			return detectors.Nudge
		},
		Explain: func(m stepOutcome, _ none, v detectors.Verdict) (reason, text string) {
			if v == detectors.ForceStop {
				return "", title + "; the run ends"
			}
			return "", fmt.Sprintf("%s; the model is asked again, for the %s time", title, ordinal(m.Retry))
		},
	})
}

func ordinal(n int) string {
	if n >= 1 && n <= 3 {
		return [...]string{"first", "second", "third"}[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

func class(c steps.Class) func(steps.Outcome) bool {
	return func(o steps.Outcome) bool { return o.Class == c }
}

// The outcomes, in the order of the classifier's rules.
var (
	StepTextToolCall = outcomeRule("step_class_text_tool_call", "a call that is written as text", "call_as_text",
		class(steps.TextToolCall), callAsText)
	StepThinkOnly = outcomeRule("step_class_think_only", "a step of nothing but thoughts", "think_only",
		class(steps.ThinkOnly), onlyThought)
	StepInvalid = outcomeRule("step_class_invalid", "a step of nothing at all", "empty_response",
		class(steps.Invalid), ended(transcript.FinishStop, ""))
	StepFailed = outcomeRule("step_class_failed", "a step that failed", "failed_response",
		class(steps.Broken), ended(transcript.FinishError, ""))
	StepFiltered = outcomeRule("step_class_filtered", "a step that a content filter ended", "filtered_response",
		class(steps.Filtered), ended(transcript.FinishFilter, ""))
	StepLength = outcomeRule("step_length_continuation", "a step that its length cut off", "runaway_output",
		func(o steps.Outcome) bool {
			return o.Why == "length" ||
				o.Why == "OutputLengthError"
		}, ended(transcript.FinishLength, "To be continued"))
)
