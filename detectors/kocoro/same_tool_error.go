package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// SameToolError fires on a tool that keeps failing, whatever it is asked.
var SameToolError = detectors.Define(detectors.Rule[tail, toolErrorLimits, toolErrors]{
	Name: "kocoro/same_tool_error",
	Doc: "errors of one tool in the window, whatever its arguments\n\n" +
		"Error texts are not compared, and a call that succeeds is judged as well, so a success after six failures is " +
		"still nudged until they leave the window. Nothing is exempt.",
	Origin: detectors.Origin{
		Incident: "2026-03-02, first version with 4; 2026-04-22: 4 to 6, for retries with other arguments",
		Source:   source,
	},
	Targets: []string{"same_tool_error", "identical_error", "permanent_error"},
	Needs:   detectors.Needs{Errors: true},
	New:     newTail,
	Limits:  (*toolErrorLimits).bind,
	OnCall:  (*tail).toolErrors,
	Count:   toolErrors.count,
	Against: toolErrorLimits.against,
	Text:    toolErrors.text,
	Reach:   (*tail).reachToolErrors,
})

// toolErrors are the failed calls of this tool in the window.
type toolErrors struct{ Errors int }

type toolErrorLimits struct{ nudge, forceFactor int }

func (l *toolErrorLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 6, 3, 12, "errors of one tool in the window before a nudge")
	p.Int(&l.forceFactor, "force_factor", 2, 1, 4, "times the nudge that stop")
}

func (t *tail) toolErrors(*transcript.Call) (toolErrors, bool) {
	r, enough := t.calls.last()
	n := 0
	for i := range t.calls.records {
		if o := &t.calls.records[i]; o.failed && o.same(r) {
			n++
		}
	}
	return toolErrors{n}, enough && n > 0
}

func (m toolErrors) count() detectors.Count {
	return detectors.Count{N: m.Errors, Of: "errors of one tool in the window"}
}

func (l toolErrorLimits) against(string) detectors.Limits {
	return detectors.Limits{Nudge: l.nudge, Stop: l.nudge * l.forceFactor}
}

func (m toolErrors) text() string {
	return fmt.Sprintf("%d errors of this tool in the window", m.Errors)
}
