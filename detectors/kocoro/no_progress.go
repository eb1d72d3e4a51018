package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// NoProgress fires on one tool used over and over.
var NoProgress = detectors.Define(detectors.Rule[tail, noProgressLimits, uses]{
	Name: "kocoro/no_progress",
	Doc: "one tool over and over in the window, whatever its arguments\n\n" +
		"Browser, visual and search tools are left to other paths. Tools of the batch set pass while enough of their " +
		"arguments differ, so polling by bash with distinct arguments is caught by nothing. Its stop needs 24 calls " +
		"(32 for bash) in a window of 20 and cannot happen before the window is raised.",
	Origin: detectors.Origin{
		Incident: "2026-03-02 with 8 and 16; 2026-04-12: bash 12, a summary of 24 articles was killed at the ninth call; " +
			"2026-04-20: batches with distinct arguments pass; 2026-04-22: 12, bash 16",
		Source: source,
	},
	Targets: []string{
		"rewriting", "noisy_arguments", "volatile_result", "overlapping_reads", "gui_fallback", "three_tool_cycle",
	},
	New:     newTail,
	Limits:  (*noProgressLimits).bind,
	OnCall:  (*tail).uses,
	Count:   uses.count,
	Cases:   []string{ofBash, ofBatch},
	Against: noProgressLimits.against,
	Text:    uses.text,
	Passes:  uses.passes,
	Why:     uses.why,
	Reach:   (*tail).reachUses,
})

// uses is what the window holds of this tool.
type uses struct {
	Calls    int
	Distinct int  // different arguments among them
	Tolerant bool // the tool is in the batch set
	Bash     bool // it has a budget of its own
	Progress bool // every use of it succeeded, only read, and asked and found something new
}

type noProgressLimits struct{ nudge, bashNudge, forceFactor, uniquePercent int }

func (l *noProgressLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 12, 6, 20, "calls of one tool in the window before a nudge")
	p.Int(&l.bashNudge, "bash_nudge", 16, 8, 20, "the same for bash")
	p.Int(&l.forceFactor, "force_factor", 2, 1, 4, "times the nudge that stop")
	p.Int(&l.uniquePercent, "unique_percent", 50, 25, 100,
		"share of distinct arguments from which a tool of the batch set passes")
}

// The tools with limits of their own, or a way to pass.
const ofBash, ofBatch = "bash", "a tool of the batch set"

func (t *tail) uses(*transcript.Call) (uses, bool) {
	r, enough := t.calls.last()
	if !enough || r.tool.repeatable || r.tool.family == search && t.calls.rev.unproductive {
		return uses{}, false
	}
	m := uses{Tolerant: r.tool.tolerant, Bash: r.tool.bash}
	for i := range t.calls.records {
		o := &t.calls.records[i]
		if !o.same(r) {
			continue
		}
		m.Calls++
		if !t.seen(o, i) {
			m.Distinct++
		}
	}
	m.Progress = t.calls.rev.outcomes && m.Calls >= 2 && m.Distinct == m.Calls && t.progress(r)
	return m, true
}

// progress reports whether every use of the tool in the window succeeded, only
// read (or is trusted), and found something that no other use found.
func (t *tail) progress(r *record) bool {
	for i := range t.calls.records {
		o := &t.calls.records[i]
		if !o.same(r) {
			continue
		}
		if o.failed || !o.readOnly && !o.trusted || o.outcome == 0 {
			return false
		}
		for j := range t.calls.records[:i] {
			if p := &t.calls.records[j]; p.same(r) && p.outcome == o.outcome {
				return false
			}
		}
	}
	return true
}

// seen reports whether a record before i is the same call.
func (t *tail) seen(r *record, i int) bool {
	for j := range t.calls.records[:i] {
		if t.calls.records[j].repeats(r) {
			return true
		}
	}
	return false
}

func (m uses) count() detectors.Count {
	c := detectors.Count{N: m.Calls, Of: "calls of one tool in the window"}
	switch {
	case m.Bash:
		c.Case = ofBash
	case m.Tolerant:
		c.Case = ofBatch
	}
	return c
}

func (l noProgressLimits) against(kind string) detectors.Limits {
	if kind == ofBash {
		l.nudge = l.bashNudge
	}
	return detectors.Limits{Nudge: l.nudge, Stop: l.nudge * l.forceFactor}
}

// passes: an honest batch, or reads that each found something.
func (m uses) passes(l noProgressLimits, _ detectors.Verdict) bool {
	return m.Progress || m.Tolerant && 100*m.Distinct >= l.uniquePercent*m.Calls
}

func (m uses) text() string {
	return fmt.Sprintf("%d calls of this tool in the window, %d with arguments of their own", m.Calls, m.Distinct)
}

func (m uses) why(l noProgressLimits) string {
	if m.Progress {
		return "each of them succeeded, only read, and found something of its own"
	}
	return fmt.Sprintf("%d of them have arguments of their own, and the tool may repeat while %d%% have", m.Distinct,
		l.uniquePercent)
}
