package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// ValidationError stops a call that is refused again and again for its arguments.
var ValidationError = detectors.Define(detectors.Rule[tail, detectors.Limits, refusals]{
	Name: "kocoro/validation_error",
	Doc: "the same call back to back, refused for its arguments each time\n\n" +
		"The same bad arguments cannot succeed later, so there is no nudge. Only the marker counts, the error texts may " +
		"differ; one other outcome inside the run leaves it to consecutive_duplicate. use_skill is exempt: same_tool_error " +
		"still sees its errors.",
	Origin: detectors.Origin{
		Incident: "2026-05-13: file_write without content truncated a user's file to 0 bytes, reported success and was " +
			"retried; since then tools return typed validation errors",
		Source: source,
	},
	Targets: []string{"validation_error"},
	Needs:   detectors.Needs{Errors: true},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Stop, "force", 3, 2, 6, "identical calls in a row, all refused, that stop")
	},
	OnCall: (*tail).refusals,
	Count:  refusals.count,
	Text:   refusals.text,
	Passes: refusals.passes,
	Why:    refusals.why,
	Reach:  (*tail).reachRefusals,
})

// refusals is the unbroken run of identical calls that ends at this one.
type refusals struct{ Calls, Refused int }

func (t *tail) refusals(*transcript.Call) (refusals, bool) {
	r, enough := t.calls.last()
	if !enough || !r.validation || r.tool.exempt {
		return refusals{}, false
	}
	var m refusals
	for i := len(t.calls.records) - 1; i >= 0 && t.calls.records[i].repeats(r); i-- {
		m.Calls++
		if t.calls.records[i].validation {
			m.Refused++
		}
	}
	return m, true
}

func (m refusals) count() detectors.Count {
	return detectors.Count{N: m.Refused, Of: "identical calls in a row, refused for their arguments"}
}

func (m refusals) text() string {
	return fmt.Sprintf("the same call was refused for its arguments %d times in a row", m.Refused)
}

func (m refusals) passes(detectors.Limits, detectors.Verdict) bool { return m.Refused != m.Calls }

func (m refusals) why(detectors.Limits) string {
	return fmt.Sprintf("%d of the %d identical calls ended otherwise", m.Calls-m.Refused, m.Calls)
}
