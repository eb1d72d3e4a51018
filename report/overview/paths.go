package overview

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
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
				t.by[report.PathName(f.Detector)]++
			}
			continue
		}
		t.fires++
		if first == 0 {
			first = board.CallOf(o, f)
		}
		nudged = nudged || f.Verdict >= detectors.Nudge && f.Verdict < detectors.ForceStop
		stopped = stopped || f.Verdict == detectors.ForceStop
	}
	t.nudged += report.Bit(nudged)
	t.stopped += report.Bit(stopped)
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
		t.aloneNudged += report.Bit(n)
		t.aloneStopped += report.Bit(s)
	}
	if l != nil {
		right, wrong := t.judged(o, p, l)
		switch l.Class {
		case corpus.Loop:
			t.loops++
			t.onLoops += report.Bit(right)
		case corpus.Productive:
			t.work++
			t.onWork += report.Bit(wrong)
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
			truth := board.Truth(l, f.Verdict, o, f)
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
func (r *Replay) paths(c *configTally) report.Section {
	preset := r.preset(c)
	s := report.Section{
		Key:   "paths",
		Title: report.Dated(preset) + ": what each path did",
		Doc: fmt.Sprintf("production view: %s; counts end at a run's first stop (%d calls). "+
			"nudged (or vetoed), stopped: sessions. first: median call of a session's first fire. masked: times an earlier "+
			"path won. alone: sessions nudged, stopped if it were the only path.", precedence(preset), c.calls),
		Columns: report.Cols("path", "PATH", "nudged", "NUDGED", "stopped", "STOPPED", "fires", "FIRES", "?first", "FIRST",
			"?per_1000_calls", "PER 1K CALLS"),
	}
	if r.labelled > 0 {
		s.Columns = append(s.Columns, report.Col("on_loops", "ON LOOPS"+r.against()),
			report.Col("on_work", "ON WORK"+r.against()))
	}
	s.Columns = append(s.Columns, report.Col("?alone_nudged", "ALONE NUDGED"), report.Col("?alone_stopped", "STOPPED"),
		report.Col("?masked", "MASKED"), report.Col("?masked_by", "BY"), report.Col("?not_applicable", "N/A"))
	for i := range c.paths {
		t := &c.paths[i]
		name := report.PathName(t.detector.Name)
		if t.detector.Retired != "" {
			name += " (retired)"
		}
		if t.detector.Off(preset.Set.With(r.plan.Configs[r.plan.Points[c.point].Config].Set)) {
			name += " (off)"
		}
		first := report.Null
		if len(t.first) > 0 {
			slices.Sort(t.first)
			first = report.Count(stat.Median(t.first))
		}
		row := []report.Cell{report.Text(name), report.Count(t.nudged), report.Count(t.stopped), report.Count(t.fires), first,
			board.Allowed(r.board.Selection, corpus.RateFrequency, "", report.PerK(t.fires, c.calls))}
		if t.lacking == r.read.sessions && r.read.sessions > 0 {
			row = []report.Cell{report.Text(name), report.Text("n/a"), report.Text("n/a"), report.Text("n/a"), report.Null,
				report.Null}
		}
		if r.labelled > 0 {
			row = append(row, board.Allowed(r.board.Selection, corpus.RateRecall, "", report.Share(t.onLoops, t.loops)),
				board.Allowed(r.board.Selection, corpus.RateFalse, "", report.Share(t.onWork, t.work)))
		}
		row = append(row, report.Count(t.aloneNudged), report.Count(t.aloneStopped), report.Count(t.masked),
			report.Counts(t.by), report.Count(t.lacking))
		s.Rows = append(s.Rows, row)
	}
	return s
}
