package kocoro

import (
	"maps"
	"slices"

	"groundhog/detectors"
)

// This file lists, path by path, what can be measured (reach.go).

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

func (t *tail) reachSleeps() detectors.Extremes[sleeps] {
	return rows(t.calls, func(n int) sleeps { return sleeps{n} }, func(i int) act {
		return act{tool: "bash", args: `{"command":"sleep 5 # ` + letters(i) + `"}`, text: "slept"}
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
	return act{tool: "web_search", args: `{"query":"` + letters(i) + `"}`, text: "see https://answers.example/1"}
}

func (t *tail) reachFamily() detectors.Extremes[familyProgress] {
	topic := func(i int) act {
		return act{tool: "web_search", args: `{"query":"ferry timetable","page":"` + letters(i) + `"}`, text: "an answer"}
	}
	lists := []detectors.Extremes[familyProgress]{
		rows(t.calls, func(n int) familyProgress { return familyProgress{Progress: n, Family: n, Calls: n} }, topic),
		rows(t.calls, func(n int) familyProgress { return familyProgress{Family: n, Calls: n, Fallback: true} },
			varied(pages, t.calls.size)),
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
	switch n, limits := m.against(l); {
	case n.Of == sameURLs && limits.Verdict(n.N) > detectors.Continue:
		c.Name = sameURLs
	case m.Fallback:
		c.Name = "nothing to compare"
	case m.Page:
		c.Name = "one page"
	}
	return c
}
