package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// ToolCallFlooding cuts a response off that makes too many calls at once.
var ToolCallFlooding = detectors.Define(detectors.Rule[flood, floodLimits, nthCall]{
	Name: "mimo/tool_call_flooding",
	Doc: "too many calls in one response\n\n" +
		"The calls up to the limit may run, those beyond it are not forwarded. Work in large honest batches is hit.",
	Origin:    detectors.Origin{Source: stored},
	Targets:   []string{"guessing_flood"},
	New:       func(*detectors.Inputs) *flood { return &flood{} },
	Limits:    (*floodLimits).bind,
	OnPropose: (*flood).measure,
	OnStep:    (*flood).end,
	Reach:     (*flood).reach,
	Unbounded: true,
	Count:     nthCall.count,
	Against:   floodLimits.against,
	Explain:   nthCall.explain,
})

// nthCall numbers a call among the different calls of its response.
type nthCall struct{ Calls int }

type floodLimits struct{ limit int }

func (l *floodLimits) bind(p *detectors.Params) {
	p.Int(&l.limit, "limit", 8, 4, 32, "calls of one response that may run")
}

type flood struct{ count steps.CallCount }

func (f *flood) measure(c *transcript.Call) (nthCall, bool) { return nthCall{f.count.Add(c.ID)}, true }

func (f *flood) end(*transcript.Step) (nthCall, bool) {
	f.count = steps.CallCount{}
	return nthCall{}, false
}

func (m nthCall) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "calls in one response"}
}

func (l floodLimits) against(string) detectors.Limits {
	return detectors.Limits{Block: l.limit + 1}
}

func (m nthCall) explain(l floodLimits, _ detectors.Verdict) (reason, text string) {
	return "", fmt.Sprintf("call %d of one response (%d may run)", m.Calls, l.limit)
}
