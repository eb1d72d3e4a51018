package kocoro

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// SuccessAfterError nudges when the agent looks at the screen after a tool
// worked that had failed before.
var SuccessAfterError = detectors.Define(detectors.Rule[recovery, none, recovered]{
	Name: "kocoro/success_after_error",
	Doc: "a screenshot after a tool recovered from an error\n\n" +
		"A recovery is a success of a tool while an error of the same tool with other arguments is still in the " +
		"window, so every later success of that tool is another one. Legitimate checks after a flaky step are nudged, too.",
	Origin: detectors.Origin{
		Incident: "2026-03-04: agents went on verifying after a tool had recovered",
		Source:   source,
	},
	Targets: []string{"verification_after_success"},
	Needs:   detectors.Needs{Errors: true},
	New:     func(in *detectors.Inputs) *recovery { return &recovery{calls: Window.From(in)} },
	OnRun:   (*recovery).reset,
	OnCall:  (*recovery).measure,
	Judge:   func(recovered, none) detectors.Verdict { return detectors.Nudge },
	Episode: func(m recovered) int64 { return m.Recovery },
	Reach:   (*recovery).reach,
	Explain: func(recovered, none, detectors.Verdict) (reason, text string) {
		return "", "a visual tool is used to check on a tool that has just recovered from an error"
	},
})

// recovered is a visual call after a recovery. Recovery numbers those of the run.
type recovered struct{ Recovery int64 }

type recovery struct {
	calls  *window
	recent bool
	tool   string
	n      int64
}

func (s *recovery) reset() { s.recent, s.tool, s.n = false, "", 0 }

func (s *recovery) measure(*transcript.Call) (recovered, bool) {
	r, enough := s.calls.last()
	if r.tool.visual {
		return recovered{s.n}, enough && s.recent
	}
	if r.failed {
		return recovered{}, false
	}
	switch {
	case s.failedBefore(r):
		s.recent, s.tool = true, r.tool.name
		s.n++
	case r.tool.name != s.tool:
		s.recent, s.tool = false, ""
	}
	return recovered{}, false
}

// failedBefore reports whether the window holds an error of the same tool with
// other arguments.
func (s *recovery) failedBefore(r *record) bool {
	for i := range s.calls.records {
		if o := &s.calls.records[i]; o.failed && o.args != r.args && o.same(r) {
			return true
		}
	}
	return false
}
