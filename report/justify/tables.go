package justify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// hitAt is a hit in a table.
func hitAt(h *corpus.Hit) string {
	if h == nil {
		return "–"
	}
	at := fmt.Sprint(h.Call)
	if h.Run > 0 {
		at = fmt.Sprintf("%d:%d", h.Run, h.Call)
	}
	return fmt.Sprintf("%s@%s", report.PathName(h.Detector), at)
}

// calls is where a loop stands in its run.
func callRange(s *corpus.Span) string {
	text := fmt.Sprintf("%d–%d", s.Onset, s.End)
	if s.Run > 0 {
		text = fmt.Sprintf("run %d, %s", s.Run, text)
	}
	return text
}

// inNumbers is what the rules go by, at one level.
func (d *Dossier) inNumbers(level detectors.Verdict, e *evidence) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_numbers", Title: fmt.Sprintf("%s level%s: in numbers", board.LevelName(level),
			d.Against()),
		Columns: report.Cols("what", "", "value", ""),
	}
	add := func(what string, c report.Cell) { s.Add(what, c) }
	proven, _ := e.proven()
	all, proof := d.uniqueShare(e, false), d.uniqueShare(e, true)
	caught := len(e.unique) + len(e.covered)
	add("loops caught, spans", report.Count(caught))
	add("unique catches U, spans", report.Count(len(e.unique)))
	add("… labelled by a person", report.Count(len(proven)))
	add("loop sessions with a unique catch", d.allow(corpus.RateRecall,
		all.Cell(func() *stat.Rand { return d.Rand("unique") })))
	add("… their one-sided upper bound", d.allow(corpus.RateRecall, report.Portion(all.Upper(), all.D > 0)))
	add("… of those labelled by a person, its upper bound", d.allow(corpus.RateRecall,
		report.Portion(proof.Upper(), proof.D > 0)))
	add("caught on both sides", report.Share(len(e.covered), caught))
	list := delays(e.covered)
	if len(list) > 0 {
		add("… later by calls: median, p90, max", report.Text(fmt.Sprintf("%d, %d, %d", stat.Median(list), p90(list),
			list[len(list)-1])))
	}
	add("caught only without", report.Count(len(e.gained)))
	add("false hits: "+d.hitWord(gone), report.Count(len(e.removed)))
	add("… "+d.hitWord(stays), report.Count(len(e.persisting)))
	add("… "+d.hitWord(come)+", or harsher", report.Count(len(e.fresh)))
	own := d.ownSample(level)
	for _, m := range board.Pick(board.Catalogue(level, d.Prevalence), "recall", "fpr", "loop_over_overall", "ppv_at_*") {
		title, c := m.Title, m.Allowed(d.Selection, own)
		switch m.Key {
		case "recall":
			title = "loops hit by it alone (R)"
		case "fpr":
			title = "work hit by it alone (F)"
		default:
			c = d.both(c)
		}
		add(title, c)
	}
	return s
}

// allow is a cell, or its counts alone where the sessions carry no such rate.
func (d *Dossier) allow(rate corpus.Rate, c report.Cell) report.Cell {
	return board.Allowed(d.Selection, rate, "", c)
}

// both is a cell that needs rates of loops and of work.
func (d *Dossier) both(c report.Cell) report.Cell {
	if !d.rated() {
		return report.Null
	}
	return c
}

// catchWord is what a unique catch is called.
func (d *Dossier) catchWord() string {
	if d.Proposal.Kind == Addition {
		return "new catches"
	}
	return "unique catches"
}

// uniqueTable is table 2.
func (d *Dossier) uniqueTable(level detectors.Verdict, e *evidence) report.Section {
	a, b := d.sideNames()
	s := report.Section{
		Key: board.LevelName(level) + "_unique", Title: fmt.Sprintf("%s level: 2. %s: loops caught %s, not %s",
			board.LevelName(level), d.catchWord(), a, b),
		Doc: "COUNTS: the label is by a person (human, adjudicated), so that the catch is a proof. others do not keep " +
			"a path, and do not clear it.",
		Columns: report.Cols("session", "SESSION", "calls", "CALLS", "shape", "SHAPE", "incident", "INCIDENT", "by",
			"CAUGHT BY", "label", "LABEL BY", "counts", "COUNTS"),
	}
	for i := range e.unique {
		c := &e.unique[i]
		counts := "no"
		if checked(c.row.Label) {
			counts = "yes"
		}
		by := hitAt(c.side[with].Hit)
		if c.side[without].Censored {
			by += " (the record was cut there: what comes later is unknown)"
		}
		s.Add(c.row.ID, callRange(c.span()), c.span().Shape, c.span().Incident, by, c.row.Label.Source, counts)
	}
	d.list(rowsOf(e.unique))
	var gaps []string
	for _, r := range e.gaps {
		gaps = append(gaps, r.ID)
	}
	if len(gaps) > 0 {
		s.Lines = append(s.Lines,
			fmt.Sprintf("known gaps hit %s, not %s: %s. they count in no rule, and they would be lost as well", a, b,
				d.list(gaps)))
	}
	return quietTable(s)
}

// quietTable is a table without rows: its title says what there is none of.
func quietTable(s report.Section) report.Section {
	if len(s.Rows) == 0 {
		s.Columns, s.Doc = nil, ""
		s.Lines = append([]string{"none"}, s.Lines...)
	}
	return s
}

// worst is how many of the longest delays are named.
const mostDelays = 3

// coveredTable is table 3: what catches the loops then, and how much later.
func (d *Dossier) coveredTable(level detectors.Verdict, e *evidence) report.Section {
	_, b := d.sideNames()
	s := report.Section{
		Key: board.LevelName(level) + "_covered", Title: fmt.Sprintf("%s level: 3. covered: loops caught on both sides",
			board.LevelName(level)),
		Doc: fmt.Sprintf("by the path that catches them %s. HANDED OVER: caught first by a path in question before; the "+
			"rest do not depend on it. "+
			"later: calls, then tokens where every step records them; relative to the recorded continuation (C).", b),
		Columns: report.Cols("by", "CAUGHT BY", "loops", "LOOPS", "handed_over", "HANDED OVER", "median", "LATER: MEDIAN",
			"p90", "P90", "max", "MAX", "?tokens", "TOKENS: MEDIAN, P90, MAX", "sessions", "HANDED OVER IN"),
	}
	by := make(map[string][]catch)
	for _, c := range e.covered {
		by[c.side[without].Hit.Detector] = append(by[c.side[without].Hit.Detector], c)
	}
	for _, det := range d.paths[without] {
		list := by[det.Name]
		if len(list) == 0 {
			continue
		}
		over := d.handedOver(list)
		late, tokens := delays(list), "–"
		if t, ok := tokenDelays(list); ok {
			tokens = fmt.Sprintf("%d, %d, %d", stat.Median(t), p90(t), t[len(t)-1])
		}
		s.Add(report.PathName(det.Name), len(list), len(over), report.Count(stat.Median(late)).WithTier("C"),
			report.Count(p90(late)).WithTier("C"), report.Count(late[len(late)-1]).WithTier("C"), tokens,
			report.OrDash(d.list(rowsOf(over))))
	}
	if over := delays(d.handedOver(e.covered)); len(over) > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("of the %s handed over: later by %d (median), %d (p90), %d calls (max)",
			report.Plural(len(over), "loop"), stat.Median(over), p90(over), over[len(over)-1]))
	}
	late := slices.Clone(e.covered)
	slices.SortStableFunc(late, func(a, b catch) int { return cmp.Compare(b.delay(), a.delay()) })
	var parts []string
	for _, c := range late[:min(mostDelays, len(late))] {
		if c.delay() > 0 {
			parts = append(parts, fmt.Sprintf("%s %+d (%s → %s)", c.row.ID, c.delay(), hitAt(c.side[with].Hit),
				hitAt(c.side[without].Hit)))
			d.list([]string{c.row.ID})
		}
	}
	s.Lines = append(s.Lines, "longest delays: "+report.OrNone(strings.Join(parts, "; ")))
	if len(e.dropped) > 0 {
		s.Lines = append(s.Lines, "stopped before, only nudged then: "+d.list(rowsOf(e.dropped)))
	}
	return quietTable(s)
}

// handedOver are the loops that a path in question caught first.
func (d *Dossier) handedOver(list []catch) (out []catch) {
	for _, c := range list {
		if d.inQuestion(c.side[with].Hit.Detector) {
			out = append(out, c)
		}
	}
	return out
}

// tokenDelays are the delays in tokens, sorted; ok is false where one is unknown.
func tokenDelays(list []catch) (out []int, ok bool) {
	for i := range list {
		n, known := list[i].delayTokens()
		if !known {
			return nil, false
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, len(out) > 0
}

// earlierTable is table 4.
func (d *Dossier) earlierTable(level detectors.Verdict, e *evidence) report.Section {
	a, b := d.sideNames()
	s := report.Section{
		Key: board.LevelName(level) + "_earlier", Title: fmt.Sprintf("%s level: 4. earlier, harder or only %s",
			board.LevelName(level), b),
		Columns: report.Cols("session", "SESSION", "calls", "CALLS", "shape", "SHAPE", "with", strings.ToUpper(a), "without",
			strings.ToUpper(b), "how", "HOW"),
	}
	add := func(c *catch, how string) {
		s.Add(c.row.ID, callRange(c.span()), c.span().Shape, hitAt(c.side[with].Hit), hitAt(c.side[without].Hit), how)
		d.list([]string{c.row.ID})
	}
	for i := range e.gained {
		add(&e.gained[i], "only "+b)
	}
	for i := range e.covered {
		if c := &e.covered[i]; c.delay() < 0 {
			add(c, fmt.Sprintf("%s earlier", report.Plural(-c.delay(), "call")))
		}
	}
	for i := range e.harder {
		add(&e.harder[i], "stopped, and no more than nudged before")
	}
	return quietTable(s)
}

// What becomes of a false hit, from the side with to the side without.
const (
	gone = iota
	stays
	come
)

// hitWord says it in a word, which for an addition is read the other way round.
func (d *Dossier) hitWord(what int) string {
	if d.Proposal.Kind == Addition {
		return [...]string{"brought by it", "there either way", "kept away by it"}[what]
	}
	return [...]string{"removed", "persists", "new"}[what]
}

func (d *Dossier) hitDoc() string {
	const rest = " PREM, LATE: a false hit before or beside a loop."
	if d.Proposal.Kind == Addition {
		return "brought by it: a false hit that is not there without. there either way: it fires, and so does another path " +
			"without it. kept away by it: it keeps a later path from firing." + rest
	}
	return "removed: a false hit that is gone. persists: another path fires anyway. new, harsher: what goes or changes " +
		"had kept another fire away." + rest
}

// falseTable is table 5.
func (d *Dossier) falseTable(level detectors.Verdict, e *evidence) report.Section {
	a, b := d.sideNames()
	s := report.Section{
		Key: board.LevelName(level) + "_false", Title: fmt.Sprintf("%s level: 5. false hits", board.LevelName(level)),
		Doc: d.hitDoc(),
		Columns: report.Cols("what", "WHAT", "session", "SESSION", "result", "RESULT", "with", strings.ToUpper(a), "without",
			strings.ToUpper(b)),
	}
	for _, part := range []struct {
		what string
		list []hitFlip
	}{{d.hitWord(gone), e.removed}, {d.hitWord(come), e.fresh}, {d.hitWord(stays), e.persisting}} {
		for i := range part.list {
			h := &part.list[i]
			what := part.what
			if h.harder {
				what = "harsher: a nudge becomes a stop"
			}
			s.Add(what, h.Session, fmt.Sprintf("%s→%s", h.From, h.To), hitAt(h.A), hitAt(h.B))
		}
		d.list(rowsOfHits(part.list))
	}
	if e.others > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%s on both sides in which it has no part",
			report.Plural(e.others, "more false hit")))
	}
	return quietTable(s)
}

// damage is table 6: what false stops destroy. It exists at stop level alone.
func (d *Dossier) damage() report.Section {
	a, b := d.sideNames()
	s := report.Section{
		Key: "stop_damage", Title: "stop level: 6. damage by false stops",
		Doc: "relative to the recorded continuation (C). killed: recorded successes that a false stop would have " +
			"prevented.",
		Columns: report.Cols("what", "", "with", strings.ToUpper(a), "without", strings.ToUpper(b), "removed", "REMOVED",
			"added", "ADDED"),
	}
	var cut [sides]int
	var killed [sides][]string
	removed, added := 0, 0
	for _, r := range d.Rows {
		var of [sides]int
		for side := range sides {
			dead := false
			j := r.Under(d.side[side], detectors.ForceStop)
			for i := range j.Damage {
				of[side] += j.Damage[i].Cut.Calls
				dead = dead || j.Damage[i].Killed
			}
			cut[side] += of[side]
			if dead {
				killed[side] = append(killed[side], r.ID)
			}
		}
		removed += max(0, of[with]-of[without])
		added += max(0, of[without]-of[with])
	}
	tier := func(n int) report.Cell { return report.Count(n).WithTier("C") }
	s.Add("work cut, calls", tier(cut[with]), tier(cut[without]), tier(removed), tier(added))
	spared, lost := apart(killed[with], killed[without])
	s.Add("successes killed, sessions", tier(len(killed[with])), tier(len(killed[without])), tier(len(spared)),
		tier(len(lost)))
	if len(spared) > 0 {
		s.Lines = append(s.Lines, "no longer killed: "+d.list(spared))
	}
	if len(lost) > 0 {
		s.Lines = append(s.Lines, "killed then: "+d.list(lost))
	}
	return s
}

// apart are the members of either list that are not in the other.
func apart(a, b []string) (onlyA, onlyB []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			onlyA = append(onlyA, x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			onlyB = append(onlyB, x)
		}
	}
	return onlyA, onlyB
}
