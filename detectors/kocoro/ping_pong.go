package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// PingPong fires on two calls in turn.
var PingPong = detectors.Define(detectors.Rule[tail, detectors.Limits, alternation]{
	Name: "kocoro/ping_pong",
	Doc: "two calls in turn, without anything new\n\n" +
		"No progress means: no error, and every read gives what it gave before. Outcomes of calls that do more than read " +
		"are not compared, so alternating writes count. Odd lengths count as none, and one changed outcome silences it " +
		"until the pattern breaks. Cycles of three calls are left to exact_duplicate and no_progress.",
	Origin: detectors.Origin{
		Incident: "2026-08-12: alternating observations were caught at the ninth call or not at all",
		Source:   headSource,
	},
	Targets: []string{"ping_pong"},
	New:     newTail,
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		l.Once = true
		p.Int(&l.Nudge, "nudge", 6, 4, 14, "alternating calls that nudge; exactly so many, so an even number")
		p.Int(&l.Stop, "force", 10, 4, 14, "alternating calls that stop")
	},
	OnCall: (*tail).alternation,
	Count:  alternation.count,
	Text:   alternation.text,
	Reach:  (*tail).reachAlternation,
})

// headSource is where the rules about outcomes were described from.
const headSource = "Kocoro 1310e73 (2026-08-21), agent loop detector"

// alternation is the unbroken alternation of two calls that ends here.
type alternation struct{ Calls int }

func (t *tail) alternation(*transcript.Call) (alternation, bool) {
	if !t.calls.rev.outcomes {
		return alternation{}, false
	}
	n := t.calls.pingPong()
	return alternation{n}, n > 0
}

func (m alternation) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "calls of two in turn, with nothing new"}
}

func (m alternation) text() string {
	return fmt.Sprintf("two calls in turn, %d of them, with nothing new", m.Calls)
}
