package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// ConsecutiveDuplicate fires on the same call made back to back.
var ConsecutiveDuplicate = detectors.Define(detectors.Rule[tail, consecutiveLimits, run]{
	Name: "kocoro/consecutive_duplicate",
	Doc: "the same tool with the same arguments, back to back\n\n" +
		"A run that ends in a success after failures is a recovery and no duplicate; a run of nothing but errors has a " +
		"wider budget, because retrying a failure is work. Results are not compared: polling with constant arguments is " +
		"hit while it makes progress. At head the outcomes of calls that only read are compared, and the nudge comes once. " +
		"use_skill is exempt: no_progress still sees it.",
	Origin: detectors.Origin{
		Incident: "2026-03-02, first version; 2026-04-21: nine production stops at the third load of one skill " +
			"(use_skill exempt), fail-fail-succeed killed on page loads (recovery, error budget); 2026-04-22: 2 to 3, for " +
			"searching again",
		Source: source,
	},
	Targets: []string{
		"identical_call", "identical_error", "identical_poll", "sleep_poll", "zero_byte_write",
		"equal_calls_in_one_response", "hang",
	},
	New:     newTail,
	Limits:  (*consecutiveLimits).bind,
	OnCall:  (*tail).run,
	Count:   run.count,
	Cases:   []string{everyFailed, onlyReads},
	Against: consecutiveLimits.against,
	Text:    run.text,
	Reach:   (*tail).reachRun,
})

// A run is an unbroken series of identical calls ending at this one.
type run struct {
	Calls, Failed int
	Same          int  // the newest of them that had the same outcome
	ReadOnly      bool // nothing failed, and the call only reads: its outcome decides
}

type consecutiveLimits struct{ nudge, over, errorFactor, readNudge, readStop int }

func (l *consecutiveLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 3, 2, 8, "identical calls in a row before a nudge")
	p.Int(&l.over, "force_over", 1, 1, 4, "calls beyond the nudge that stop")
	p.Int(&l.errorFactor, "error_factor", 2, 1, 4, "how much wider the budget is when every call failed")
	p.Int(&l.readNudge, "ro_nudge", 3, 2, 8,
		"at head: read-only calls in a row with the same outcome that nudge; exactly so many")
	p.Int(&l.readStop, "ro_force", 6, 2, 12, "at head: the same before a stop")
}

// The cases of equal calls, whose limits differ.
const everyFailed, onlyReads = "every call failed", "calls that only read"

func (t *tail) run(*transcript.Call) (run, bool) {
	r, enough := t.calls.last()
	if !enough || r.tool.exempt {
		return run{}, false
	}
	var m run
	for i := len(t.calls.records) - 1; i >= 0 && t.calls.records[i].repeats(r); i-- {
		m.Calls++
		if t.calls.records[i].failed {
			m.Failed++
		}
	}
	if t.calls.rev.outcomes {
		m.Same = t.sameOutcomes(r)
		m.ReadOnly = r.readOnly && m.Failed == 0
	}
	recovered := t.calls.rev.recovery && !r.failed && m.Failed > 0
	return m, !recovered
}

// sameOutcomes counts the newest calls of the run that had the outcome of the
// newest one; 0 if that is unknown.
func (t *tail) sameOutcomes(r *record) (n int) {
	if r.outcome == 0 {
		return 0
	}
	for i := len(t.calls.records) - 1; i >= 0; i-- {
		if o := &t.calls.records[i]; !o.repeats(r) || o.outcome != r.outcome {
			break
		}
		n++
	}
	return n
}

func (m run) count() detectors.Count {
	switch {
	case m.ReadOnly:
		return detectors.Count{N: m.Same, Of: "identical reads in a row with one outcome", Case: onlyReads}
	case m.Failed == m.Calls:
		return detectors.Count{N: m.Calls, Of: "identical calls in a row, all failed", Case: everyFailed}
	}
	return detectors.Count{N: m.Calls, Of: "identical calls in a row"}
}

func (l consecutiveLimits) against(kind string) detectors.Limits {
	switch kind {
	case onlyReads:
		return detectors.Limits{Nudge: l.readNudge, Stop: l.readStop, Once: true}
	case everyFailed:
		l.nudge *= l.errorFactor
	}
	if l.nudge == 0 {
		return detectors.Limits{}
	}
	return detectors.Limits{Nudge: l.nudge, Stop: l.nudge + l.over}
}

func (m run) text() string {
	if m.ReadOnly {
		return fmt.Sprintf("the same read %d times in a row with the same outcome", m.Same)
	}
	return fmt.Sprintf("the same call %d times in a row, %s", m.Calls, failures(m.Failed, m.Calls))
}

// failures says how many of n calls failed.
func failures(failed, n int) string {
	switch failed {
	case 0:
		return "none failed"
	case n:
		return "all failed"
	}
	return fmt.Sprintf("%d failed", failed)
}
