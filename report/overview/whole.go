package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
)

// whole is the table of what a preset did as a whole.
func (r *Replay) whole(c *configTally) report.Section {
	s := report.Section{
		Key:   "whole",
		Title: r.preset(c).Name + ": all paths together",
		Doc: "E: exact. C: relative to the recorded continuation, after a nudge or stop that was not in the record. H: " +
			"a bound, reached only if the agent ignores every nudge.",
		Columns: report.Cols("what", "", "value", "", "tier", "TIER"),
	}
	add := func(what string, cell report.Cell, tier string) {
		s.Add(what, cell.WithTier(tier), tier)
	}
	n := r.read.sessions
	often := func(n, d int) report.Cell {
		return board.Allowed(r.board.Selection, corpus.RateFrequency, "", report.Share(n, d))
	}
	add("sessions nudged or stopped", often(c.nudged, n), "E")
	add("sessions stopped by a path", often(c.stopped, n), c.tier(detectors.ForceStop))
	if ladders := r.preset(c).Ladders; len(ladders) > 0 {
		var names []string
		for _, l := range ladders {
			names = append(names, report.PathName(l.Name))
		}
		add("sessions that only a ladder stops ("+strings.Join(names, ", ")+")", often(c.ladderOnly, n), "H")
		add("stopped by a path, and by a ladder before that", often(c.earlier, n), "H")
	}
	add("calls after the first stop", report.Count(c.callsLeft), "C")
	if r.read.tokens.Unknown < r.read.steps {
		left := report.Count(int(c.tokensLeft.N))
		add("recorded tokens after the first stop", left, "C")
		if c.tokensLeft.Unknown > 0 {
			add("… and steps there that record no tokens", report.Count(c.tokensLeft.Unknown), "C")
		}
	} else {
		add("recorded tokens after the first stop", report.Null, "C")
	}
	r.stream(c, add)
	r.nearRows(c, add)
	return s
}

// maxSessions is how many sessions are listed by name.
const maxSessions = 20

// sessions names those that some preset stopped or nudged, and loops that none did.
func (r *Replay) sessions() []report.Section {
	if len(r.rows) == 0 {
		return nil
	}
	s := report.Section{
		Key:   "sessions",
		Title: "sessions with a first fire",
		Doc: "path@call, or path@run:call after the first run. ladder@call: the ladder's stop, if every nudge was " +
			"ignored (H).",
		Columns: report.Cols("session", "SESSION", "calls", "CALLS", "label", "LABEL"),
	}
	for i := range r.configs {
		s.Columns = append(s.Columns, report.Col(r.preset(&r.configs[i]).Name, strings.ToUpper(r.preset(&r.configs[i]).Name)))
	}
	rows := slices.Clone(r.rows)
	slices.SortStableFunc(rows, func(a, b sessionRow) int { return cmp.Compare(b.rank, a.rank) })
	for i, row := range rows {
		if i == maxSessions {
			s.Lines = append(s.Lines, fmt.Sprintf("… and %d more; every fire: --format jsonl", len(rows)-maxSessions))
			break
		}
		s.Rows = append(s.Rows, append([]report.Cell{report.Text(row.id), report.Count(row.calls), report.Text(row.class)},
			row.cells...))
	}
	return []report.Section{s}
}

// maxUnmapped is how many tools without a mapping are named.
const maxUnmapped = 12

// mapping says which tools the presets take for which of their own.
func (r *Replay) mapping() []report.Section {
	var list []*replay.Tool
	for _, t := range r.tools {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *replay.Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls),
			cmp.Compare(a.Name, b.Name))
	})
	s := report.Section{
		Key:     "tools",
		Title:   "tools as the presets see them",
		Doc:     "the default mapping is `groundhog list tools`" + r.addsTo() + ".",
		Columns: report.Cols("tool", "TOOL", "as", "AS", "calls", "CALLS"),
	}
	var generic []string
	rest := 0
	for _, t := range list {
		as, known := r.mapped(t)
		switch {
		case t.Native:
		case known && as != t.Name:
			s.Add(t.Name, as, t.Calls)
		case known:
		case len(generic) < maxUnmapped:
			generic = append(generic, fmt.Sprintf("%s %d", t.Name, t.Calls))
		default:
			rest++
		}
	}
	if len(generic) > 0 {
		line := "not mapped, so only the generic paths see them: " + strings.Join(generic, ", ")
		if rest > 0 {
			line += fmt.Sprintf(", and %d more tools", rest)
		}
		s.Lines = append(s.Lines, line)
	}
	if len(s.Rows) == 0 && len(s.Lines) == 0 {
		return nil
	}
	return []report.Section{s}
}

// mapped is what the first preset that maps tools makes of one.
// addsTo says how the user adds to the mapping.
func (r *Replay) addsTo() string {
	if r.ToolSetting == "" {
		return ""
	}
	return "; --set " + r.ToolSetting + "=FROM=TO,… adds to it"
}

func (r *Replay) mapped(t *replay.Tool) (as string, known bool) {
	for _, c := range r.plan.Configs {
		if c.Preset.MapTool != nil {
			return c.Preset.MapTool(t.Name, c.Preset.Set.With(c.Set))
		}
	}
	return t.Name, true
}

// remarks are what the readers had to repair, guess or pass over.
func (r *Replay) remarks() []report.Section {
	if len(r.noted) == 0 {
		return nil
	}
	s := report.Section{Key: "noted", Title: "noted while reading",
		Columns: report.Cols("note", "NOTE", "n", "N", "sessions", "SESSIONS", "first", "FIRST")}
	slices.SortFunc(r.noted, func(a, b noted) int { return cmp.Compare(a.text, b.text) })
	for _, n := range r.noted {
		s.Add(n.text, n.n, n.sessions, n.first)
	}
	return []report.Section{s}
}

// leftOut names everything that was not read.
func (r *Replay) leftOut() []report.Section {
	var list []report.Section
	if len(r.left) > 0 {
		s := report.Section{Key: "left_out", Title: "left out", Columns: report.Cols("path", "PATH", "why", "WHY")}
		slices.SortStableFunc(r.left, func(a, b formats.Skip) int { return cmp.Compare(a.Path, b.Path) })
		for _, skip := range r.left {
			s.Add(skip.Path, skip.Why)
		}
		list = append(list, s)
	}
	if len(r.found.Copies) > 0 {
		s := report.Section{Key: "copies", Title: "copies, read once", Columns: report.Cols("session", "SESSION", "kept",
			"KEPT", "dropped", "LEFT OUT")}
		for _, c := range r.found.Copies {
			s.Add(c.Session, c.Kept, strings.Join(c.Dropped, ", "))
		}
		list = append(list, s)
	}
	return list
}

// notes say what was read.
func (r *Replay) notes() []string {
	t := &r.read
	notes := []string{fmt.Sprintf("read %s, %s, %s, %s (%s, %d of them inferred; %d without a result)",
		report.Plural(t.sessions, "session"), report.Plural(t.runs, "run"), report.Plural(t.steps,
			"step"), report.Plural(t.calls, "call"), report.Plural(t.errors, "error"), t.inferred, t.missing)}
	if t.notRun > 0 {
		notes = append(notes, report.Plural(t.notRun, "call")+" refused or cancelled before they ran: no errors")
	}
	switch {
	case t.steps > 0 && t.tokens.Unknown == t.steps:
		notes = append(notes, "tokens: none recorded")
	case t.tokens.Unknown > 0:
		notes = append(notes, fmt.Sprintf("tokens: %d recorded (cache included); %d of %d steps record none", t.tokens.N,
			t.tokens.Unknown, t.steps))
	case t.steps > 0:
		notes = append(notes, fmt.Sprintf("tokens: %d recorded (cache included)", t.tokens.N))
	}
	if list := report.Counts(t.formats); list.Kind == report.KindCounts {
		var parts []string
		for _, f := range list.List {
			parts = append(parts, fmt.Sprintf("%s %d", f.Name, f.N))
		}
		notes = append(notes, "formats: "+strings.Join(parts, ", "))
	}
	if d := t.deltas; d != (replay.DeltaCount{}) {
		note := fmt.Sprintf("deltas: %d recorded, %d reconstructed (%s) where a text might repeat", d.Recorded,
			d.Reconstructed, r.Splitter)
		if d.Reconstructed > 0 && len(r.Cuts) == 0 {
			note += "; other ways of cutting, costs and near misses need the text, which is not here"
		}
		notes = append(notes, note)
	}
	if t.context > 0 {
		notes = append(notes, fmt.Sprintf("%s stand in another session, too: they feed the detectors here and are counted "+
			"there", report.Plural(t.context, "step")))
	}
	if n := len(r.left); n > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s, named at the end", report.Plural(n, "file or session")))
	}
	if t.bad > 0 {
		notes = append(notes, fmt.Sprintf("%s could not be read", report.Plural(t.bad, "record")))
	}
	notes = append(notes, board.Selected(r.board.Selection)...)
	if r.labelled > 0 {
		notes = append(notes, fmt.Sprintf("labels: %d loop, %d productive, %d known gap, %d unlabelled",
			t.classes[corpus.Loop], t.classes[corpus.Productive], t.classes[corpus.KnownGap], t.classes[corpus.Unlabelled]))
		if r.weak > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d labels are AI-read (source: weak): rates from them say so", r.weak,
				r.labelled))
		}
		notes = append(notes, board.Cautions(r.labels)...)
	} else {
		notes = append(notes, board.Claims...)
	}
	return append(notes, r.Notes...)
}

// Left counts what was left out although the user asked for it.
func (r *Replay) Left() (asked []formats.Skip) {
	for _, s := range r.left {
		if s.Asked {
			asked = append(asked, s)
		}
	}
	return asked
}

// precedence says who is heard where several paths speak.
func precedence(p *detectors.Preset) string {
	if p.Every {
		return "every path delivers for itself"
	}
	return "the first path that speaks wins"
}
