package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// BeforeStableWeb vetoes a web read after a row that all gave the same URLs.
var BeforeStableWeb = detectors.Define(detectors.Rule[tail, detectors.Limits, stableWebReads]{
	Name: "kocoro/before_stable_web",
	Doc: "before a web read, after web reads that all gave the same URLs\n\n" +
		"Arguments do not matter. In production web tools are not read-only and this never fires; kocoro.web_read_only " +
		"counts them as such. A vetoed batch does not run; a replay of what did run shows the veto and goes on.",
	Origin: detectors.Origin{
		Incident: "2026-08-12: a stop after the call came one repetition too late",
		Source:   headSource,
	},
	Targets: []string{"same_url", "same_topic_search"},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Block, "force", 7, 4, 12, "completed web reads in a row with the same URLs from which the next is vetoed")
	},
	OnPropose: (*tail).stableWebReads,
	Count:     stableWebReads.count,
	Text:      stableWebReads.text,
	Reach:     (*tail).reachStableWebReads,
})

// stableWebReads is what had run when the call was proposed.
type stableWebReads struct{ Calls int }

func (t *tail) stableWebReads(*transcript.Call) (stableWebReads, bool) {
	if !t.calls.asks() || t.calls.next.tool.family != web {
		return stableWebReads{}, false
	}
	n := t.calls.stableWeb()
	return stableWebReads{n}, n > 0
}

func (m stableWebReads) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "web reads in a row that gave the same URLs, before this one"}
}

func (m stableWebReads) text() string {
	return fmt.Sprintf("%d web reads in a row gave the same URLs", m.Calls)
}
