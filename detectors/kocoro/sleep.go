package kocoro

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Sleep fires on bash commands that sleep. It looks at the window and not at
// the call, so every later call of any tool repeats its verdict until the
// sleeps have left the window.
var Sleep = retired(detectors.Define(detectors.Rule[tail, detectors.Limits, sleeps]{
	Name: "kocoro/sleep",
	Doc: "bash commands that sleep, anywhere in the window\n\n" +
		"The command must hold the word sleep, white space and a digit; time.sleep 5 counts, sleep $N does not.",
	Origin: detectors.Origin{
		Incident: "2026-03-04, added against polling; 2026-05-14, removed: three parallel sleeps that a user asked for " +
			"were stopped, and the forced answer claimed the tools had been intercepted",
		Source: "Kocoro before 59b8638c (2026-05-14), agent loop detector",
	},
	Targets: []string{"sleep_poll", "sleep_chain", "distinct_sleep_poll"},
	External: []string{"the idle watchdog, which ends a command that is silent for too long " +
		"(named by the removal note of 2026-05-14)"},
	New: func(in *detectors.Inputs) *tail {
		t := newTail(in)
		t.calls.sleepy = true
		return t
	},
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Nudge, "nudge", 2, 2, 8, "sleeping commands in the window before a nudge")
		p.Int(&l.Stop, "force", 4, 2, 8, "sleeping commands in the window before a stop")
	},
	OnCall: (*tail).sleeps,
	Count:  sleeps.count,
	Reach:  (*tail).reachSleeps,
}), "removed on 2026-05-14 after stopping three parallel sleeps; exact_duplicate and no_progress cover sleeps with "+
	"equal arguments, nothing covers those with distinct ones")

func retired(d *detectors.Detector, why string) *detectors.Detector {
	d.Retired = why
	return d
}

// sleeps are the sleeping commands of the window.
type sleeps struct{ Sleeps int }

func (t *tail) sleeps(*transcript.Call) (sleeps, bool) {
	n := 0
	for i := range t.calls.records {
		if t.calls.records[i].sleeps {
			n++
		}
	}
	_, enough := t.calls.last()
	return sleeps{n}, enough && n > 0
}

func (m sleeps) count() detectors.Count {
	return detectors.Count{N: m.Sleeps, Of: "sleeping commands in the window"}
}
