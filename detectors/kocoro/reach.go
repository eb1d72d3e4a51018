package kocoro

import (
	"maps"
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// This file says how far each path can see. What a path counts is in the window,
// so every count from 1 to its size is listed, with the shortest session that
// leads to it: each call a step of its own, no signals, names that no mapping
// touches. Where several calls lead to one count, those are listed that a judge
// could tell apart.

// An act is one call of such a session.
type act struct {
	tool, args, text string
	failed           bool
}

// widest is the largest window whose counts are listed. Nobody has a larger one,
// and of such a one nothing is said.
const widest = 1024

// bounded is a list of extremes, and nil where the window is too wide.
func bounded[M any](w *window, list detectors.Extremes[M]) detectors.Extremes[M] {
	if w.size > widest {
		return nil
	}
	return list
}

// note is a call that no path minds. A session needs one where it is too short
// for any path to speak.
var note = act{tool: "note", args: `{}`, text: "noted"}

func (a act) step() *transcript.Step {
	c := transcript.Call{Tool: a.tool, Args: a.args, Result: transcript.Result{Status: transcript.ResultOK, Text: a.text}}
	if a.failed {
		c.Result.Status = transcript.ResultError
	}
	return &transcript.Step{Kind: transcript.Response, Finish: transcript.FinishToolCalls, Calls: []transcript.Call{c}}
}

// acts are the steps of n calls, with a note before them where there is only one.
func acts(n int, at func(i int) act) func() []*transcript.Step {
	return func() []*transcript.Step {
		var list []*transcript.Step
		if n == 1 {
			list = append(list, note.step())
		}
		for i := range n {
			list = append(list, at(i).step())
		}
		return list
	}
}

// asIs repeats one act.
func asIs(a act) func(int) act { return func(int) act { return a } }

// varied numbers the arguments of an act, up to so many different ones.
func varied(a act, different int) func(int) act {
	return func(i int) act {
		a := a
		a.args = `{"item":"` + word(i%max(different, 1)) + `"}`
		return a
	}
}

// word is a number in letters: digits might be masked.
func word(i int) string {
	w := string(rune('a' + i%26))
	for i /= 26; i > 0; i /= 26 {
		w = string(rune('a'+i%26)) + w
	}
	return w + "-item"
}

// rows lists every count from 1 to the size of the window.
func rows[M any](w *window, measure func(n int) M, at func(i int) act) detectors.Extremes[M] {
	return bounded(w, func(yield func(detectors.Extreme[M]) bool) {
		if w.size < 2 {
			return // no path speaks about fewer than two calls
		}
		for n := 1; n <= w.size; n++ {
			if !yield(detectors.Extreme[M]{M: measure(n), Size: max(n, 2), Session: acts(n, at)}) {
				return
			}
		}
	})
}

// once is a path that sees something or does not.
func once[M any](w *window, m M, list ...act) detectors.Extremes[M] {
	return func(yield func(detectors.Extreme[M]) bool) {
		if w.size >= 2 {
			yield(detectors.Extreme[M]{M: m, Size: len(list), Session: acts(len(list), func(i int) act { return list[i] })})
		}
	}
}

func concat[M any](w *window, lists ...detectors.Extremes[M]) detectors.Extremes[M] {
	return bounded(w, func(yield func(detectors.Extreme[M]) bool) {
		for _, list := range lists {
			for e := range list {
				if !yield(e) {
					return
				}
			}
		}
	})
}

// The acts that the sessions are made of.
var (
	update   = act{tool: "board_update", args: `{"card":"a"}`, text: "updated"}
	failing  = act{tool: "board_update", args: `{"card":"a"}`, text: "connection refused", failed: true}
	refused  = act{tool: "board_update", args: `{}`, text: validationMarker + " card is required", failed: true}
	reading  = act{tool: "file_read", args: `{"path":"a"}`, text: "1 line"}
	reading2 = act{tool: "file_read", args: `{"path":"b"}`, text: "2 lines"}
	command  = act{tool: "bash", text: "done"}
	pages    = act{tool: "web_fetch", text: "an answer"}
	clicks   = act{tool: "browser_click", text: "now on https://app.example/orders"}
	script   = act{tool: "applescript", args: `{"script":"open the window"}`, text: "opened"}
	look     = act{tool: "screenshot", args: `{}`, text: "[screenshot]"}
	thought  = act{tool: "think", args: `{"thought":""}`, text: "ok"}
)

const everyFailed, onlyReads = "every call failed", "calls that only read"

func (t *tail) reachEmptyThinks() detectors.Extremes[emptyThinks] {
	return rows(t.calls, func(n int) emptyThinks { return emptyThinks{n} }, asIs(thought))
}

func (s *modeSwitch) reach() detectors.Extremes[afterGUI] {
	return once(s.calls, afterGUI{1}, script, look)
}

func (s *recovery) reach() detectors.Extremes[recovered] {
	first, second := command, command
	first.args, first.failed, second.args = `{"command":"make"}`, true, `{"command":"make -k"}`
	return once(s.calls, recovered{1}, first, second, look)
}

func (t *tail) reachRefusals() detectors.Extremes[refusals] {
	return rows(t.calls, func(n int) refusals { return refusals{n, n} }, asIs(refused))
}

func (t *tail) reachRun() detectors.Extremes[run] {
	aware := t.calls.rev.outcomes
	same := func(n int) int {
		if aware {
			return n
		}
		return 0
	}
	lists := []detectors.Extremes[run]{
		rows(t.calls, func(n int) run { return run{Calls: n, Same: same(n)} }, asIs(update)),
		rows(t.calls, func(n int) run { return run{Calls: n, Failed: n, Same: same(n)} }, asIs(failing)),
	}
	if aware {
		lists = append(lists, rows(t.calls, func(n int) run { return run{Calls: n, Same: n, ReadOnly: true} }, asIs(reading)))
	}
	return concat(t.calls, lists...)
}

func caseOfRun(m run, _ consecutiveLimits) detectors.Case {
	return caseOf(m.Failed == m.Calls, m.ReadOnly)
}

func caseOfDuplicates(m duplicates, _ exactLimits) detectors.Case {
	return caseOf(m.Failed == m.Calls, m.ReadOnly)
}

func caseOf(failed, reads bool) (c detectors.Case) {
	switch {
	case failed:
		c.Name = everyFailed
	case reads:
		c.Name = onlyReads
	}
	return c
}

// reachDuplicates lists solid rows, rows with one other call in them, and equal
// calls that never stand side by side.
func (t *tail) reachDuplicates() detectors.Extremes[duplicates] {
	kinds := []act{update, failing}
	if t.calls.rev.outcomes {
		kinds = append(kinds, reading)
	}
	return bounded(t.calls, func(yield func(detectors.Extreme[duplicates]) bool) {
		if t.calls.size < 2 {
			return
		}
		for _, a := range kinds {
			for n := 1; n <= t.calls.size; n++ {
				for _, gaps := range slices.Compact([]int{0, min(1, n-1), n - 1}) {
					if n+gaps > t.calls.size {
						continue
					}
					if !yield(t.duplicated(a, n, gaps)) {
						return
					}
				}
			}
		}
	})
}

// duplicated is n equal calls with another call after each of the first gaps.
func (t *tail) duplicated(a act, n, gaps int) detectors.Extreme[duplicates] {
	m := duplicates{Calls: n}
	if a.failed {
		m.Failed = n
	}
	if t.calls.rev.outcomes {
		m.Same, m.Row, m.ReadOnly = n, n-gaps, a == reading
	}
	other := varied(act{tool: "note", text: "noted"}, gaps)
	return detectors.Extreme[duplicates]{M: m, Size: max(n+gaps, 2), Session: acts(n+gaps, func(i int) act {
		if i < 2*gaps && i%2 == 1 {
			return other(i / 2)
		}
		return a
	})}
}

func (t *tail) reachToolErrors() detectors.Extremes[toolErrors] {
	return rows(t.calls, func(n int) toolErrors { return toolErrors{n} }, varied(failing, t.calls.size))
}

func (t *tail) reachSearches() detectors.Extremes[searches] {
	grep := varied(act{tool: "grep", text: "no matches found"}, t.calls.size)
	glob := varied(act{tool: "glob", text: "no files matched"}, t.calls.size)
	return rows(t.calls, func(n int) searches { return searches{n} }, func(i int) act {
		if i%2 == 1 {
			return glob(i)
		}
		return grep(i)
	})
}

func (t *tail) reachUses() detectors.Extremes[uses] {
	rev := t.calls.rev
	lists := []detectors.Extremes[uses]{t.usesOf(update, uses{})}
	if rev.patientBash {
		lists = append(lists, t.usesOf(command, uses{Tolerant: t.calls.tolerant["bash"], Bash: true}))
	}
	if name := t.passed(); name != "" {
		lists = append(lists, t.usesOf(act{tool: name, text: "1 line"}, uses{Tolerant: true}))
	}
	return concat(t.calls, lists...)
}

// passed is a tool that passes while its arguments differ and is not bash; "" if
// there is none. Readers of MCP do without being in the set.
func (t *tail) passed() string {
	rev := t.calls.rev
	for _, name := range slices.Sorted(maps.Keys(t.calls.tolerant)) {
		if !(name == "bash" && rev.patientBash || rev.isRepeatable(name) || rev.family(name) == search && rev.unproductive) {
			return name
		}
	}
	if rev.exemptions {
		return "mcp__board__list_cards"
	}
	return ""
}

// usesOf is one tool over and over, with ever fewer arguments of their own.
func (t *tail) usesOf(a act, m uses) detectors.Extremes[uses] {
	return func(yield func(detectors.Extreme[uses]) bool) {
		for n := 1; n <= t.calls.size && t.calls.size >= 2; n++ {
			for _, d := range slices.Compact([]int{n, 3 * n / 4, n / 2, (n - 1) / 2, n / 3, n / 4, 1}) {
				if d < 1 || d < n && !m.Tolerant {
					continue
				}
				m.Calls, m.Distinct = n, d
				if !yield(detectors.Extreme[uses]{M: m, Size: max(n, 2), Session: acts(n, varied(a, d))}) {
					return
				}
			}
		}
	}
}

func caseOfUses(m uses, _ noProgressLimits) (c detectors.Case) {
	switch {
	case m.Bash:
		c.Name = "bash"
	case m.Tolerant:
		c.Name = "a tool of the batch set"
	}
	return c
}

func (t *tail) reachSleeps() detectors.Extremes[sleeps] {
	return rows(t.calls, func(n int) sleeps { return sleeps{n} }, func(i int) act {
		return act{tool: "bash", args: `{"command":"sleep 5 # ` + word(i) + `"}`, text: "slept"}
	})
}

// proposed lists rows of completed calls with a proposal after them.
func proposed[M any](w *window, from, by int, measure func(n int) M, at func(i int) act) detectors.Extremes[M] {
	return bounded(w, func(yield func(detectors.Extreme[M]) bool) {
		for n := from; w.rev.outcomes && n <= w.size; n += by {
			if !yield(detectors.Extreme[M]{M: measure(n), Size: n + 1, Session: acts(n+1, at)}) {
				return
			}
		}
	})
}

func inTurn(i int) act {
	if i%2 == 1 {
		return reading2
	}
	return reading
}

func (t *tail) reachStableReads() detectors.Extremes[stableReads] {
	return proposed(t.calls, 1, 1, func(n int) stableReads { return stableReads{n} }, asIs(reading))
}

func (t *tail) reachAlternatingReads() detectors.Extremes[alternatingReads] {
	return proposed(t.calls, 4, 2, func(n int) alternatingReads { return alternatingReads{n} }, inTurn)
}

// reachStableWebReads is empty where web tools are not read-only.
func (t *tail) reachStableWebReads() detectors.Extremes[stableWebReads] {
	if !t.calls.webReads {
		return func(func(detectors.Extreme[stableWebReads]) bool) {}
	}
	return proposed(t.calls, 1, 1, func(n int) stableWebReads { return stableWebReads{n} }, oneAnswer)
}

func (t *tail) reachAlternation() detectors.Extremes[alternation] {
	return bounded(t.calls, func(yield func(detectors.Extreme[alternation]) bool) {
		for n := 4; t.calls.rev.outcomes && n <= t.calls.size; n += 2 {
			if !yield(detectors.Extreme[alternation]{M: alternation{n}, Size: n, Session: acts(n, inTurn)}) {
				return
			}
		}
	})
}

// oneAnswer asks the web for something new and gets the same page.
func oneAnswer(i int) act {
	return act{tool: "web_search", args: `{"query":"` + word(i) + `"}`, text: "see https://answers.example/1"}
}

func (t *tail) reachFamily() detectors.Extremes[familyProgress] {
	topic := func(i int) act {
		return act{tool: "web_search", args: `{"query":"ferry timetable","page":"` + word(i) + `"}`, text: "an answer"}
	}
	lists := []detectors.Extremes[familyProgress]{
		rows(t.calls, func(n int) familyProgress { return familyProgress{Progress: n, Family: n, Calls: n} }, topic),
		rows(t.calls, func(n int) familyProgress { return familyProgress{Family: n, Calls: n, Fallback: true} }, varied(pages, t.calls.size)),
	}
	if t.calls.rev.scoped {
		lists = append(lists, rows(t.calls, func(n int) familyProgress {
			return familyProgress{Progress: n, Family: n, Calls: n, Page: true}
		}, varied(clicks, t.calls.size)))
	}
	if t.calls.rev.outcomes && t.calls.webReads {
		lists = append(lists, rows(t.calls, func(n int) familyProgress {
			return familyProgress{Progress: n, Family: n, Calls: n, Stable: n}
		}, oneAnswer))
	}
	return concat(t.calls, lists...)
}

func caseOfFamily(m familyProgress, l familyLimits) (c detectors.Case) {
	switch {
	case m.Stable > 0 && m.Stable >= l.stable:
		c.Name = "web reads in a row that gave the same URLs"
	case m.Fallback:
		c.Name = "nothing to compare"
	case m.Page:
		c.Name = "one page"
	}
	return c
}
