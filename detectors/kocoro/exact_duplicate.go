package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// ExactDuplicate fires on the same call made again anywhere in the window.
var ExactDuplicate = detectors.Define(detectors.Rule[tail, exactLimits, duplicates]{
	Name: "kocoro/exact_duplicate",
	Doc: "the same tool with the same arguments, anywhere in the window\n\n" +
		"The first success after failures of the same call is a recovery and no duplicate, whatever ran between. Read, " +
		"edit, read again five times in a window is hit. Its all-errors stop cannot happen behind consecutive_duplicate. " +
		"use_skill is exempt: no_progress still sees it. At head browser_snapshot is exempt as well (consecutive_duplicate " +
		"still sees it), and the outcomes of calls that only read are compared.",
	Origin: detectors.Origin{
		Incident: "2026-03-02, first version; 2026-04-21: error budget; 2026-04-22: 3 to 5 and recovery over the window, " +
			"for read-edit-read cycles",
		Source: source,
	},
	Targets: []string{
		"interleaved_duplicate", "reread", "ping_pong", "edit_test_no_change", "identical_call", "identical_poll",
	},
	New:     newTail,
	Limits:  (*exactLimits).bind,
	OnCall:  (*tail).duplicates,
	Count:   duplicates.count,
	Cases:   []string{everyFailed, onlyReads},
	Against: exactLimits.against,
	Text:    duplicates.text,
	Passes:  duplicates.passes,
	Why:     duplicates.why,
	Reach:   (*tail).reachDuplicates,
})

// duplicates are the calls of the window that are identical to this one, itself included.
type duplicates struct {
	Calls, Failed int
	Same          int  // the newest of them that had the same outcome
	Row           int  // the unbroken row of them that ends here
	ReadOnly      bool // nothing failed, and the call only reads: its outcome decides
}

type exactLimits struct{ nudge, forceFactor, errorFactor int }

func (l *exactLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 5, 3, 10, "identical calls in the window before a nudge")
	p.Int(&l.forceFactor, "force_factor", 2, 1, 4, "times the nudge that stop")
	p.Int(&l.errorFactor, "error_factor", 2, 1, 4, "how much wider the budget is when every call failed")
}

func (t *tail) duplicates(*transcript.Call) (duplicates, bool) {
	r, enough := t.calls.last()
	if !enough || r.tool.exempt || t.calls.rev.recovery && t.recovered(r) ||
		t.calls.rev.outcomes && r.tool.name == "browser_snapshot" {
		return duplicates{}, false
	}
	var m duplicates
	for i := range t.calls.records {
		if o := &t.calls.records[i]; o.repeats(r) {
			m.Calls++
			if o.failed {
				m.Failed++
			}
		}
	}
	if t.calls.rev.outcomes {
		t.outcomes(r, &m)
	}
	return m, true
}

// outcomes adds what came back to what was asked.
func (t *tail) outcomes(r *record, m *duplicates) {
	m.ReadOnly = r.readOnly && m.Failed == 0
	unbroken, same := true, r.outcome != 0
	for i := len(t.calls.records) - 1; i >= 0 && (unbroken || same); i-- {
		o := &t.calls.records[i]
		if !o.repeats(r) {
			unbroken = false
			continue
		}
		if unbroken {
			m.Row++
		}
		if same = same && o.outcome == r.outcome; same {
			m.Same++
		}
	}
}

// recovered reports whether r is the first success after failures of the same
// call. Other calls in between do not matter.
func (t *tail) recovered(r *record) bool {
	if r.failed {
		return false
	}
	saw := false
	for i := len(t.calls.records) - 2; i >= 0; i-- {
		if o := &t.calls.records[i]; o.repeats(r) {
			if !o.failed {
				break
			}
			saw = true
		}
	}
	return saw
}

func (m duplicates) count() detectors.Count {
	switch {
	case m.ReadOnly:
		return detectors.Count{N: m.Same, Of: "identical reads in the window with one outcome", Case: onlyReads}
	case m.Failed == m.Calls:
		return detectors.Count{N: m.Calls, Of: "identical calls in the window, all failed", Case: everyFailed}
	}
	return detectors.Count{N: m.Calls, Of: "identical calls in the window"}
}

func (l exactLimits) against(kind string) detectors.Limits {
	if kind == everyFailed {
		l.nudge *= l.errorFactor
	}
	return detectors.Limits{Nudge: l.nudge, Stop: l.nudge * l.forceFactor, Once: kind == onlyReads}
}

func (m duplicates) text() string {
	if m.ReadOnly {
		return fmt.Sprintf("the same read %d times in the window with the same outcome", m.Same)
	}
	return fmt.Sprintf("the same call %d times in the window, %s", m.Calls, failures(m.Failed, m.Calls))
}

// passes: a solid row is consecutive_duplicate's business, up to the stop.
func (m duplicates) passes(_ exactLimits, v detectors.Verdict) bool {
	return m.ReadOnly && v == detectors.Nudge && m.Row >= m.Same
}

func (m duplicates) why(exactLimits) string {
	return "they stand in one row, which is left to consecutive_duplicate"
}
