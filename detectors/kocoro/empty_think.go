package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// EmptyThink stops a run of think calls without a thought.
var EmptyThink = detectors.Define(detectors.Rule[tail, detectors.Limits, emptyThinks]{
	Name: "kocoro/empty_think",
	Doc: "think calls without a thought, back to back\n\n" +
		"It comes before every other path, so one pair ends the run. Two empty thinks of one parallel batch count.",
	Origin: detectors.Origin{
		Incident: "2026-05-14: models with native thinking emit ritual empty thinks, four in a row in one session; a " +
			"hard error for them had cost 14 minutes",
		Source: source,
	},
	Targets: []string{"empty_think"},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Stop, "force", 2, 2, 4, "empty thinks in a row that stop")
	},
	OnCall: (*tail).emptyThinks,
	Count:  emptyThinks.count,
	Text:   emptyThinks.text,
	Reach:  (*tail).reachEmptyThinks,
})

// emptyThinks counts them at the tail.
type emptyThinks struct{ Thinks int }

func (t *tail) emptyThinks(*transcript.Call) (emptyThinks, bool) {
	n := 0
	for i := len(t.calls.records) - 1; i >= 0 && t.calls.records[i].emptyThink; i-- {
		n++
	}
	_, enough := t.calls.last()
	return emptyThinks{n}, enough && n > 0
}

func (m emptyThinks) count() detectors.Count {
	return detectors.Count{N: m.Thinks, Of: "empty thinks in a row"}
}

func (m emptyThinks) text() string { return fmt.Sprintf("%d empty think calls in a row", m.Thinks) }
