package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// BeforeStableReadOnly vetoes a read that keeps coming back the same.
var BeforeStableReadOnly = detectors.Define(detectors.Rule[tail, detectors.Limits, stableReads]{
	Name: "kocoro/before_stable_read_only",
	Doc: "before a read that has come back the same so many times in a row\n\n" +
		"It looks at completed calls only. A vetoed batch does not run; a replay of what did run shows the veto and goes on.",
	Origin: detectors.Origin{
		Incident: "2026-08-12: a stop after the call came one repetition too late",
		Source:   headSource,
	},
	Targets: []string{"identical_call", "identical_poll", "reread"},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Block, "force", 5, 4, 12,
			"completed reads in a row, identical and with the same outcome, from which the next is vetoed")
	},
	OnPropose: (*tail).stableReads,
	Count:     stableReads.count,
	Text:      stableReads.text,
	Reach:     (*tail).reachStableReads,
})

// stableReads is what had run when the call was proposed.
type stableReads struct{ Calls int }

func (t *tail) stableReads(*transcript.Call) (stableReads, bool) {
	next := &t.calls.next
	if !t.calls.asks() {
		return stableReads{}, false
	}
	n := t.calls.stableAction(next)
	return stableReads{n}, n > 0
}

func (m stableReads) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "identical reads in a row with one outcome, before this one"}
}

func (m stableReads) text() string {
	return fmt.Sprintf("the same read came back the same %d times in a row", m.Calls)
}
