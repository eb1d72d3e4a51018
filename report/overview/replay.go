package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/board"
)

// A Replay gathers the outcomes of a run, one at a time, into the report of
// `groundhog replay`. It keeps counts and a line for each session, no transcript.
type Replay struct {
	Splitter string   // how text without recorded deltas was cut
	Cuts     []string // the ways of cutting it that fires in the stream were compared under
	Notes    []string // on what was read, after those of the report

	plan           *replay.Plan
	labels         *corpus.Labels
	found          *formats.Found
	read           totals
	left           []formats.Skip
	labelled, weak int
	configs        []configTally
	tools          map[string]*replay.Tool
	rows           []sessionRow
	noted          []noted
	near           []nearRow
	further        int          // sessions that came close, and are not in near
	board          *board.Board // of the labelled sessions
	names          []string
	Compat         *family.Family // also an agent's own summary; nil leaves it out
	ToolSetting    string         // id of the parameter that adds to the mapping of tools; "" if there is none
	weakEnds       weakOutcomes
	interventions  recorded
	empty          []emptyRow
	emptyCount     int
}

// noted is one thing that readers remarked on.
type noted struct {
	text     string
	n        int
	sessions int
	first    string
}

// totals is what was read.
type totals struct {
	sessions, runs, steps, calls, errors, inferred, missing, notRun, attempts, context, bad int
	tokens                                                                                  replay.Tokens
	formats                                                                                 map[string]int
	classes                                                                                 map[corpus.Class]int
	deltas                                                                                  replay.DeltaCount
}

// A configTally counts what one preset did.
type configTally struct {
	conditional         map[detectors.Verdict]bool // by level: some session was decided by a fire after the first delivery
	point, calls        int                        // calls up to the first stop of each run
	paths               []pathTally
	agree               agreement
	nudged, stopped     int // sessions
	ladderOnly, earlier int // sessions that the ladder stops and no path does, or later
	callsLeft           int
	tokensLeft          replay.Tokens
	stream              streamTally
	responses           int // whose distance from a fire in the stream was asked for
	dismissed           int // of these, those that were not measured
	harm                harmTally
}

// A sessionRow is what one session gets in the list of sessions.
type sessionRow struct {
	id, class string
	calls     int
	rank      int // 2: stopped by some preset, 1: nudged, 0: neither
	cells     []report.Cell
}

// New returns a report without sessions.
func New(plan *replay.Plan, labels *corpus.Labels, found *formats.Found) *Replay {
	r := &Replay{plan: plan, labels: labels, found: found, tools: make(map[string]*replay.Tool)}
	r.read.formats = make(map[string]int)
	r.read.classes = make(map[corpus.Class]int)
	r.left = slices.Clone(found.Skipped)
	var points []int
	for i := range plan.Points {
		p := &plan.Points[i]
		switch p.View() {
		case replay.Production:
			c := configTally{point: i, conditional: make(map[detectors.Verdict]bool)}
			for _, d := range plan.Configs[p.Config].Preset.Detectors {
				c.paths = append(c.paths, pathTally{detector: d, alone: -1, by: make(map[string]int)})
			}
			r.configs = append(r.configs, c)
			points = append(points, i)
			r.names = append(r.names, plan.Configs[p.Config].Preset.Name)
		case replay.Standalone:
			c := &r.configs[len(r.configs)-1]
			for j := range c.paths {
				if c.paths[j].detector.Name == p.Detector {
					c.paths[j].alone = i
				}
			}
		}
	}
	r.board = board.New(plan, labels, "session", points...)
	r.board.Edges = true
	return r
}

// Corpus says how the sessions were chosen, what makes some of them one cluster,
// and what draws begin with. It comes before the first Add; without it nobody
// said how, each session is a cluster, and the seed is Seed.
func (r *Replay) Corpus(chosen corpus.Selection, cluster string, seed uint64) {
	r.board.Selection, r.board.Cluster, r.board.Seed = chosen, cluster, seed
}

// Add counts one outcome.
func (r *Replay) Add(o *replay.Outcome) {
	r.read.bad += o.BadRecords
	if o.Err != nil {
		r.left = append(r.left, formats.Skip{Path: o.Session.Origin.File, Asked: true,
			Why: fmt.Sprintf("session %s: %v", o.Session.ID, o.Err)})
		return
	}
	for _, n := range o.Session.Notes {
		r.note(n, o.Session)
	}
	label := r.labels.Of(o.Session.ID)
	r.read.add(o, label)
	if label != nil {
		r.labelled++
		if label.Source == "weak" {
			r.weak++
		}
		r.board.Add(o)
	}
	for i := range o.Tools {
		t := r.tools[o.Tools[i].Name]
		if t == nil {
			t = &replay.Tool{Name: o.Tools[i].Name}
			r.tools[t.Name] = t
		}
		t.Calls += o.Tools[i].Calls
		t.Native = t.Native || o.Tools[i].Native
	}
	r.weakEnds.add(o, r.configs)
	r.interventions.add(o, r.configs)
	r.addEmpty(o)
	row := sessionRow{id: o.Session.ID, calls: o.Calls, class: "–"}
	if label != nil {
		row.class = string(label.Class)
	}
	for i := range r.configs {
		cell, rank := r.configs[i].add(o, label)
		r.addNear(&r.configs[i], o)
		row.cells = append(row.cells, cell)
		row.rank = max(row.rank, rank)
	}
	if row.rank > 0 || label != nil && label.Class != corpus.Productive {
		r.rows = append(r.rows, row)
	}
}

func (r *Replay) note(n transcript.Note, s *transcript.Session) {
	i := slices.IndexFunc(r.noted, func(have noted) bool { return have.text == n.Text })
	if i < 0 {
		i = len(r.noted)
		where := s.Origin.File
		if n.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, n.Line)
		}
		r.noted = append(r.noted, noted{text: n.Text, first: fmt.Sprintf("%s (%s)", s.ID, where)})
	}
	r.noted[i].n += n.N
	r.noted[i].sessions++
}

func (t *totals) add(o *replay.Outcome, l *corpus.Label) {
	t.sessions++
	t.runs += len(o.Runs)
	t.steps += o.Steps
	t.calls += o.Calls
	t.errors += o.Errors
	t.notRun += o.NotRun
	t.inferred += o.Inferred
	t.missing += o.Missing
	t.attempts += o.Attempts
	t.context += o.Context
	t.deltas.Recorded += o.Deltas.Recorded
	t.deltas.Reconstructed += o.Deltas.Reconstructed
	t.tokens.N += o.Tokens.N
	t.tokens.Unknown += o.Tokens.Unknown
	t.formats[o.Session.Origin.Format]++
	class := corpus.Unlabelled
	if l != nil {
		class = l.Class
	}
	t.classes[class]++
}

// add counts one session for one preset, and gives its cell in the list of sessions.
func (c *configTally) add(o *replay.Outcome, l *corpus.Label) (report.Cell, int) {
	p := o.Points[c.point]
	var nudge, stop, ladder *replay.Fire
	left, ladderFirst := 0, false
	for i := range p.Runs {
		run := &p.Runs[i]
		nudge = cmp.Or(nudge, run.FirstNudge)
		stop = cmp.Or(stop, run.FirstStop)
		ladder = cmp.Or(ladder, run.LadderStop)
		ladderFirst = ladderFirst || run.LadderStop != nil && run.FirstStop != nil
		left += run.CallsLeft
		c.tokensLeft.N += run.TokensLeft.N
		c.tokensLeft.Unknown += run.TokensLeft.Unknown
	}
	c.calls += o.Calls - left
	c.callsLeft += left
	for i := range c.paths {
		c.paths[i].add(o, p, l)
	}
	c.stream.add(p)
	c.agree.add(c.paths, o)
	c.tiers(o, p, nudge, stop, l)
	for i := range p.Under { // a rate may rest on what another cut gives
		if u := &p.Under[i].PointOutcome; l != nil {
			c.tiers(o, u, firstNudge(u), firstStopOf(u), l)
		}
	}
	c.harm.add(o, p)
	var parts []string
	rank := 0
	if nudge != nil {
		c.nudged++
		rank = 1
		parts = append(parts, fireWord(o, nudge)+spread(o, nudge, p, firstNudge))
	}
	switch {
	case stop != nil:
		c.stopped++
		rank = 2
		if stop != nudge {
			parts = append(parts, fireWord(o, stop)+spread(o, stop, p, firstStopOf))
		}
		if ladderFirst {
			c.earlier++
		}
	case ladder != nil:
		c.ladderOnly++
		rank = 2
		parts = append(parts, fmt.Sprintf("ladder@%s (H)", board.Position(o, ladder)))
	}
	if rank == 0 {
		return report.Cell{Text: "quiet" + spread(o, nil, p, firstNudge)}, report.Bit(len(p.Elsewhere) > 0)
	}
	return report.Text(strings.Join(parts, ", ")), rank
}

// tiers notes whether the answer for this session rests on what was recorded after the
// preset would first have been heard: a stop after a nudge, no stop although there was
// a nudge, or a nudge that only a later one makes right or wrong.
func (c *configTally) tiers(o *replay.Outcome, p *replay.PointOutcome, nudge, stop *replay.Fire, l *corpus.Label) {
	if stop != nil && stop.Tier != replay.Exact || stop == nil && nudge != nil {
		c.conditional[detectors.ForceStop] = true
	}
	if l == nil {
		return
	}
	decisive := map[corpus.Class]corpus.Truth{corpus.Loop: corpus.Right, corpus.Productive: corpus.Wrong,
		corpus.KnownGap: corpus.InGap}[l.Class]
	for i := range p.Fires {
		f := p.Fires[i]
		if !f.After && f.Verdict >= detectors.Nudge && board.Truth(l, detectors.Nudge, o, f) == decisive {
			if f.Tier != replay.Exact {
				c.conditional[detectors.Nudge] = true
			}
			return
		}
	}
}

// tier is that of the answers at one level.
func (c *configTally) tier(level detectors.Verdict) string {
	if c.conditional[level] {
		return string(replay.Conditional)
	}
	return string(replay.Exact)
}

// place says which path fired where.
func fireWord(o *replay.Outcome, f *replay.Fire) string {
	verb := "nudge"
	if f.Verdict == detectors.ForceStop {
		verb = "STOP"
	}
	return fmt.Sprintf("%s %s@%s", verb, report.PathName(f.Detector), board.Position(o, f))
}

// Report is what was gathered.
func (r *Replay) Report() *report.Report {
	rep := &report.Report{Title: "replay", Notes: r.notes()}
	for i := range r.configs {
		c := &r.configs[i]
		rep.Sections = append(rep.Sections, r.paths(c), r.whole(c))
	}
	if r.labelled == 0 {
		for i := range r.configs {
			rep.Sections = append(rep.Sections, r.pairs(&r.configs[i])...)
		}
	}
	rep.Sections = append(rep.Sections, r.fidelity()...)
	rep.Sections = append(rep.Sections, r.ends()...)
	rep.Sections = append(rep.Sections, r.outcomes()...)
	rep.Sections = append(rep.Sections, r.sessions()...)
	rep.Sections = append(rep.Sections, r.nearest()...)
	rep.Sections = append(rep.Sections, r.harm()...)
	rep.Sections = append(rep.Sections, r.contracts()...)
	rep.Sections = append(rep.Sections, r.mapping()...)
	rep.Sections = append(rep.Sections, r.remarks()...)
	rep.Sections = append(rep.Sections, r.leftOut()...)
	return rep
}

func (r *Replay) preset(c *configTally) *detectors.Preset {
	return r.plan.Configs[r.plan.Points[c.point].Config].Preset
}

// against marks rates that rest on labels no person has made.
func (r *Replay) against() string {
	if r.weak > 0 {
		return " (AI-READ LABELS)"
	}
	return ""
}

// outcomes are the tables of what labels say, a column for each preset.
func (r *Replay) outcomes() (list []report.Section) {
	if !r.board.HasLabels() {
		return nil
	}
	r.board.Settle()
	for _, level := range board.Levels {
		var tiers []string
		for i := range r.configs {
			tiers = append(tiers, r.configs[i].tier(level))
		}
		list = append(list, judgedAt(r.board, level, r.names, tiers))
	}
	if r.Compat != nil {
		list = append(list, compat(r.board, r.Compat, r.names))
	}
	return list
}
