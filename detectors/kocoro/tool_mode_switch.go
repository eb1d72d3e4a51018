package kocoro

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// ToolModeSwitch nudges when the agent looks at the screen although the tool it
// has just used said that it worked.
var ToolModeSwitch = detectors.Define(detectors.Rule[modeSwitch, none, afterGUI]{
	Name: "kocoro/tool_mode_switch",
	Doc: "a screenshot right after a GUI tool that succeeded\n\n" +
		"Once for each success; other visual calls may lie between. It hides more severe paths at that one call, " +
		"and each of its nudges counts in the nudge window. It cannot fire on the first call of a run.",
	Origin: detectors.Origin{
		Incident: "2026-03-04: screenshots after a successful AppleScript were redundant; limited to GUI tools on " +
			"2026-03-07, after firing on file_read, bash and grep",
		Source: source,
	},
	Targets: []string{"verification_after_success"},
	New:     func(in *detectors.Inputs) *modeSwitch { return &modeSwitch{calls: Window.From(in)} },
	OnRun:   (*modeSwitch).reset,
	OnCall:  (*modeSwitch).measure,
	Judge:   func(afterGUI, none) detectors.Verdict { return detectors.Nudge },
	Episode: func(m afterGUI) int64 { return m.Switch },
	Reach:   (*modeSwitch).reach,
	Explain: func(afterGUI, none, detectors.Verdict) (reason, text string) {
		return "", "a visual tool is used to check on a GUI tool that has just succeeded"
	},
})

// none is the limits of a path that has no parameters.
type none struct{}

// afterGUI is a visual call after a successful GUI tool. Switch numbers the
// successes of the run, so that each is remarked on once.
type afterGUI struct{ Switch int64 }

type modeSwitch struct {
	calls   *window
	success bool // the last non-visual call succeeded
	gui     bool // and it was a GUI tool
	n       int64
}

func (s *modeSwitch) reset() { s.success, s.gui, s.n = false, false, 0 }

func (s *modeSwitch) measure(*transcript.Call) (afterGUI, bool) {
	r, enough := s.calls.last()
	if !r.tool.visual {
		if s.success, s.gui = !r.failed, r.tool.gui; s.success {
			s.n++
		}
		return afterGUI{}, false
	}
	return afterGUI{s.n}, enough && s.success && s.gui
}
