package report

import (
	"cmp"
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report/stat"
)

// A pathTally counts what one path did.
type pathTally struct {
	detector                  *detectors.Detector
	alone                     int // point
	nudged, stopped, fires    int
	aloneNudged, aloneStopped int // sessions
	first                     []int
	masked                    int
	by                        map[string]int
	lacking                   int
	onLoops, onWork           int // sessions with a right, or a wrong, fire
	loops, work               int // sessions that could have had one
}

// add counts one session for one path.
func (t *pathTally) add(o *replay.Outcome, p *replay.PointOutcome, l *corpus.Label) {
	if o.Lacks(t.detector) {
		t.lacking++
		return
	}
	var nudged, stopped bool
	first := 0
	for i := range p.Fires {
		f := p.Fires[i]
		if f.After {
			continue
		}
		if f.Detector != t.detector.Name {
			if slices.Contains(f.Masked, t.detector.Name) {
				t.masked++
				t.by[short(f.Detector)]++
			}
			continue
		}
		t.fires++
		if first == 0 {
			first = callOf(o, f)
		}
		nudged = nudged || f.Verdict >= detectors.Nudge && f.Verdict < detectors.ForceStop
		stopped = stopped || f.Verdict == detectors.ForceStop
	}
	t.nudged += one(nudged)
	t.stopped += one(stopped)
	if nudged || stopped {
		t.first = append(t.first, first)
	}
	if t.alone >= 0 {
		var n, s bool
		for i := range o.Points[t.alone].Runs {
			run := o.Points[t.alone].Runs[i]
			n = n || run.FirstNudge != nil && run.FirstNudge.Verdict < detectors.ForceStop
			s = s || run.FirstStop != nil
		}
		t.aloneNudged += one(n)
		t.aloneStopped += one(s)
	}
	if l != nil {
		right, wrong := t.judged(o, p, l)
		switch l.Class {
		case corpus.Loop:
			t.loops++
			t.onLoops += one(right)
		case corpus.Productive:
			t.work++
			t.onWork += one(wrong)
		}
	}
}

// judged says whether a path had a right fire under every way of cutting text, and
// a wrong one under some.
func (t *pathTally) judged(o *replay.Outcome, p *replay.PointOutcome, l *corpus.Label) (right, wrong bool) {
	judge := func(fires []*replay.Fire) (right, wrong bool) {
		for _, f := range fires {
			if f.After || f.Detector != t.detector.Name || f.Verdict < detectors.Nudge { // an annotation is neither
				continue
			}
			truth := truth(l, f.Verdict, o, f)
			right = right || truth == corpus.Right
			wrong = wrong || truth == corpus.Wrong
		}
		return right, wrong
	}
	right, wrong = judge(p.Fires)
	for i := range p.Under {
		r, w := judge(p.Under[i].Fires)
		right, wrong = right && r, wrong || w
	}
	return right, wrong
}

// paths is the table of one preset's paths.
func (r *Replay) paths(c *configTally) Section {
	preset := r.preset(c)
	s := Section{
		Key:   "paths",
		Title: dated(preset) + ": what each path did",
		Doc: fmt.Sprintf("production view: %s; counts end at a run's first stop (%d calls). "+
			"nudged (or vetoed), stopped: sessions. first: median call of a session's first fire. masked: times an earlier path won. alone: sessions nudged, stopped if it were the only path.", precedence(preset), c.calls),
		Columns: []Column{{"path", "PATH", true}, {"nudged", "NUDGED", true}, {"stopped", "STOPPED", true}, {"fires", "FIRES", true},
			{"first", "FIRST", false}, {"per_1000_calls", "PER 1K CALLS", false}},
	}
	if r.labelled > 0 {
		s.Columns = append(s.Columns, Column{"on_loops", "ON LOOPS" + r.against(), true}, Column{"on_work", "ON WORK" + r.against(), true})
	}
	s.Columns = append(s.Columns, Column{"alone_nudged", "ALONE NUDGED", false}, Column{"alone_stopped", "STOPPED", false},
		Column{"masked", "MASKED", false}, Column{"masked_by", "BY", false}, Column{"not_applicable", "N/A", false})
	for i := range c.paths {
		t := &c.paths[i]
		name := short(t.detector.Name)
		if t.detector.Retired != "" {
			name += " (retired)"
		}
		if t.detector.Off(preset.Set.With(r.plan.Configs[r.plan.Points[c.point].Config].Set)) {
			name += " (off)"
		}
		first := null
		if len(t.first) > 0 {
			slices.Sort(t.first)
			first = count(stat.Median(t.first))
		}
		row := []Cell{text(name), count(t.nudged), count(t.stopped), count(t.fires), first, allowed(r.board.Selection, corpus.RateFrequency, "", perK(t.fires, c.calls))}
		if t.lacking == r.read.sessions && r.read.sessions > 0 {
			row = []Cell{text(name), text("n/a"), text("n/a"), text("n/a"), null, null}
		}
		if r.labelled > 0 {
			row = append(row, allowed(r.board.Selection, corpus.RateRecall, "", share(t.onLoops, t.loops)), allowed(r.board.Selection, corpus.RateFalse, "", share(t.onWork, t.work)))
		}
		row = append(row, count(t.aloneNudged), count(t.aloneStopped), count(t.masked), counts(t.by), count(t.lacking))
		s.Rows = append(s.Rows, row)
	}
	return s
}

// counts is a map as named counts, largest first.
func counts(m map[string]int) Cell {
	if len(m) == 0 {
		return null
	}
	var list []Named
	for name, n := range m {
		list = append(list, Named{name, int64(n)})
	}
	slices.SortFunc(list, func(a, b Named) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return Cell{Kind: Counts, List: list}
}
