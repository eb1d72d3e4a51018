package mimo

import (
	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// EmptyToolCall reports steps that call tools and tell them nothing.
var EmptyToolCall = detectors.Define(detectors.Rule[emptiness, none, emptyStep]{
	Name: "mimo/empty_tool_call",
	Doc: "a step without a word whose calls have empty arguments\n\n" +
		"Only a report: in the stored version such a step still gets its results and the loop goes on.",
	Origin:  detectors.Origin{Source: stored},
	Targets: []string{"empty_call"},
	New:     func(*detectors.Inputs) *emptiness { return &emptiness{} },
	OnStep: func(_ *emptiness, s *transcript.Step) (emptyStep, bool) {
		return emptyStep{len(s.Calls)}, len(s.Calls) > 0 && steps.EmptyToolCall(parts(s))
	},
	Reach: (*emptiness).reach,
	Unit:  "step",
	Judge: func(emptyStep, none) detectors.Verdict { return detectors.Annotate },
	Explain: func(emptyStep, none, detectors.Verdict) (reason, text string) {
		return "", "the step says nothing and calls tools without arguments"
	},
})

// emptyStep is a step whose calls are all empty.
type emptyStep struct{ Calls int }

type emptiness struct{}
