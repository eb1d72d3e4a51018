package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// BeforePingPong vetoes a read that would go on with an alternation of two calls.
var BeforePingPong = detectors.Define(detectors.Rule[tail, detectors.Limits, alternatingReads]{
	Name: "kocoro/before_ping_pong",
	Doc: "before a read that goes on with an alternation of two calls\n\n" +
		"It looks at completed calls only. A vetoed batch does not run; a replay of what did run shows the veto and goes on.",
	Origin: detectors.Origin{
		Incident: "2026-08-12: a stop after the call came one repetition too late",
		Source:   headSource,
	},
	Targets: []string{"ping_pong"},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Block, "force", 8, 4, 14, "completed alternating calls from which the next is vetoed; an even number")
	},
	OnPropose: (*tail).alternatingReads,
	Count:     alternatingReads.count,
	Text:      alternatingReads.text,
	Reach:     (*tail).reachAlternatingReads,
})

// alternatingReads is what had run when the call was proposed.
type alternatingReads struct{ Calls int }

func (t *tail) alternatingReads(*transcript.Call) (alternatingReads, bool) {
	w := t.calls
	if !w.asks() || len(w.records) < 2 || !w.records[len(w.records)-2].repeats(&w.next) {
		return alternatingReads{}, false
	}
	n := w.pingPong()
	return alternatingReads{n}, n > 0
}

func (m alternatingReads) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "calls of two in turn, with nothing new, before this one"}
}

func (m alternatingReads) text() string {
	return fmt.Sprintf("two calls in turn, %d of them, with nothing new", m.Calls)
}
