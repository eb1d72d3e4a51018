package kocoro

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// SearchEscalation fires on a row of searches that find nothing.
var SearchEscalation = detectors.Define(detectors.Rule[tail, detectors.Limits, searches]{
	Name: "kocoro/search_escalation",
	Doc: "searches in a row that find nothing to act on\n\n" +
		"One call of any other tool, or one hit, starts the count again, so search and think in turn are never caught " +
		"here. In March 2026 every search counted. Rare strings that need many tries are hit.",
	Origin: detectors.Origin{
		Incident: "2026-03-04: rows of searches; 2026-04-02: only fruitless ones, 5 and 8; 2026-04-22: 7 and 12",
		Source:   source,
	},
	Targets: []string{"fruitless_search", "interrupted_search"},
	Needs:   detectors.Needs{Results: true},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Nudge, "nudge", 7, 3, 16, "searches in a row before a nudge")
		p.Int(&l.Stop, "force", 12, 3, 16, "searches in a row before a stop")
	},
	OnCall: (*tail).searches,
	Count:  searches.count,
	Reach:  (*tail).reachSearches,
})

// searches is the unbroken row of fruitless searches that ends at this call.
type searches struct{ Streak int }

func (t *tail) searches(*transcript.Call) (searches, bool) {
	n := 0
	for i := len(t.calls.records) - 1; i >= 0; i-- {
		r := &t.calls.records[i]
		if r.tool.family != search || t.calls.rev.unproductive && !r.fruitless {
			break
		}
		n++
	}
	_, enough := t.calls.last()
	return searches{n}, enough && n > 0
}

func (m searches) count() detectors.Count {
	return detectors.Count{N: m.Streak, Of: "searches in a row without a result to act on"}
}
