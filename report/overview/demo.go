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
	"groundhog/replay/cut"
	"groundhog/report"
	"groundhog/report/board"
)

// A Demo gathers outcomes for presets side by side. It keeps every outcome, so
// it is for small corpora.
type Demo struct {
	Units []*formats.Unit // what was replayed: where a response is cut, its text is shown
	Split cut.Named       // how text without recorded deltas was cut

	plan     *replay.Plan
	labels   *corpus.Labels
	compared int   // presets side by side, the first of the plan
	whole    []int // points: each of them as it is
	apart    []int // points: the presets after them, each as it is
	all      []*replay.Outcome
}

// NewDemo returns a report without sessions. The plan asks for its presets with
// each detector dropped in turn, which the findings need; the first of them are
// compared, the rest have a table of their own.
func NewDemo(plan *replay.Plan, labels *corpus.Labels, compared int) *Demo {
	d := &Demo{plan: plan, labels: labels, compared: compared}
	for i := range plan.Points {
		switch p := &plan.Points[i]; {
		case p.View() != replay.Production:
		case p.Config < compared:
			d.whole = append(d.whole, i)
		default:
			d.apart = append(d.apart, i)
		}
	}
	return d
}

// Add takes one outcome.
func (d *Demo) Add(o *replay.Outcome) { d.all = append(d.all, o) }

// Report puts the presets side by side, and ends with what is worth a look.
func (d *Demo) Report() *report.Report {
	calls, classes := 0, make(map[corpus.Class]int)
	for _, o := range d.all {
		calls += o.Calls
		if l := d.labels.Of(o.Session.ID); l != nil {
			classes[l.Class]++
		}
	}
	rep := &report.Report{
		Title: "demo",
		Notes: []string{
			fmt.Sprintf("embedded corpus: %s, %s; %d loop, %d productive, %d known gap", report.Plural(len(d.all), "session"),
				report.Plural(calls, "call"),
				classes[corpus.Loop], classes[corpus.Productive], classes[corpus.KnownGap]),
			"the sessions are written to be hard: a rate here compares presets and says nothing about ordinary traffic",
		},
		Sections: []report.Section{d.side(), d.paths(classes)},
	}
	for _, p := range d.apart {
		rep.Sections = append(rep.Sections, d.inside(p))
	}
	rep.Sections = append(rep.Sections, d.findings())
	return rep
}

func (d *Demo) presetName(point int) string {
	return d.plan.Configs[d.plan.Points[point].Config].Preset.Name
}

// score counts all sessions for one point.
func (d *Demo) score(point int, level detectors.Verdict) corpus.Tally {
	t := corpus.Tally{}
	for _, o := range d.all {
		t[corpus.Score(d.labels.Of(o.Session.ID), o, point, level)]++
	}
	return t
}

// side is the presets as a whole.
func (d *Demo) side() report.Section {
	s := report.Section{
		Key: "presets", Title: "presets side by side",
		Doc:     "stops are those a path asks for itself; the ladder's come on top if every nudge is ignored (H, a bound).",
		Columns: report.Cols("what", ""),
	}
	rows := []struct {
		name string
		cell func(point int, nudge, stop corpus.Tally) report.Cell
	}{
		{"loops stopped", func(_ int, _, t corpus.Tally) report.Cell {
			return report.Share(t[corpus.TruePositive],
				t.Loops())
		}},
		{"work stopped", func(_ int, _, t corpus.Tally) report.Cell {
			return report.Share(t[corpus.FalsePositive],
				t.Work())
		}},
		{"loops nudged or stopped", func(_ int, t, _ corpus.Tally) report.Cell {
			return report.Share(t[corpus.TruePositive],
				t.Loops())
		}},
		{"work nudged or stopped", func(_ int, t, _ corpus.Tally) report.Cell {
			return report.Share(t[corpus.FalsePositive],
				t.Work())
		}},
		{"known gaps stopped", func(_ int, _, t corpus.Tally) report.Cell {
			return report.Share(t[corpus.GapHit], t[corpus.GapHit]+t[corpus.GapMiss])
		}},
		{"loops stopped, ladder too (H)", func(p int, _, _ corpus.Tally) report.Cell {
			return d.withLadder(p,
				corpus.Loop).WithTier("H")
		}},
		{"work stopped, ladder too (H)", func(p int, _, _ corpus.Tally) report.Cell {
			return d.withLadder(p,
				corpus.Productive).WithTier("H")
		}},
	}
	for _, row := range rows {
		s.Add(row.name)
	}
	for i, p := range d.whole {
		s.Columns = append(s.Columns, report.Column{Key: d.presetName(p), Name: strings.ToUpper(d.presetName(p)),
			Keep: d.newest(i)})
		nudge, stop := d.score(p, detectors.Nudge), d.score(p, detectors.ForceStop)
		for i, row := range rows {
			s.Rows[i] = append(s.Rows[i], row.cell(p, nudge, stop))
		}
	}
	return s
}

// newest reports whether a preset keeps its place where space is short.
func (d *Demo) newest(i int) bool { return i >= len(d.whole)-2 }

// withLadder counts the sessions of a class that a path or the ladder stops
// where that is right (a loop) or wrong (work).
func (d *Demo) withLadder(point int, class corpus.Class) report.Cell {
	n, total := 0, 0
	for _, o := range d.all {
		l := d.labels.Of(o.Session.ID)
		if l == nil || l.Class != class {
			continue
		}
		total++
		want := corpus.Right
		if class == corpus.Productive {
			want = corpus.Wrong
		}
		hit := false
		for i := range o.Points[point].Runs {
			r := o.Points[point].Runs[i]
			if f := cmp.Or(r.LadderStop, r.FirstStop); f != nil { // a ladder's stop comes before the path's
				hit = hit || board.Truth(l, detectors.ForceStop, o, f) == want
			}
		}
		n += report.Bit(hit)
	}
	return report.Share(n, total)
}

// paths counts, for each path, the loops it was right on and the work it was wrong on.
func (d *Demo) paths(classes map[corpus.Class]int) report.Section {
	s := report.Section{
		Key: "paths",
		Title: fmt.Sprintf("paths: sessions with a right fire on a loop (of %d), with a wrong one on work (of %d)",
			classes[corpus.Loop], classes[corpus.Productive]),
		Doc:     "production view: the first path that speaks wins. – means that the preset does not have the path.",
		Columns: report.Cols("path", "PATH"),
	}
	var names []string
	for _, p := range d.whole {
		for _, det := range d.plan.Configs[d.plan.Points[p].Config].Preset.Detectors {
			if !slices.Contains(names, det.Name) {
				names = append(names, det.Name)
			}
		}
	}
	for i, p := range d.whole {
		_, short, _ := strings.Cut(d.presetName(p), "-")
		s.Columns = append(s.Columns, report.Column{Key: d.presetName(p) + "_loops", Name: strings.ToUpper(short) + " LOOPS",
			Keep: d.newest(i)}, report.Column{Key: d.presetName(p) + "_work", Name: "WORK", Keep: d.newest(i)})
	}
	for _, name := range names {
		row := []report.Cell{report.Text(report.PathName(name))}
		for _, p := range d.whole {
			loops, work, has := d.pathHits(p, name)
			if has {
				row = append(row, report.Count(loops), report.Count(work))
			} else {
				row = append(row, report.Null, report.Null)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func (d *Demo) pathHits(point int, name string) (loops, work int, has bool) {
	has = slices.ContainsFunc(d.plan.Configs[d.plan.Points[point].Config].Preset.Detectors,
		func(det *detectors.Detector) bool { return det.Name == name })
	for _, o := range d.all {
		right, wrong := d.hits(o, point, name)
		loops += report.Bit(right)
		work += report.Bit(wrong)
	}
	return loops, work, has
}

// hits is whether a path has a right fire on a loop, and a wrong one on work. An
// annotation is neither.
func (d *Demo) hits(o *replay.Outcome, point int, name string) (right, wrong bool) {
	l := d.labels.Of(o.Session.ID)
	for i := range o.Points[point].Fires {
		f := o.Points[point].Fires[i]
		if f.Detector != name || f.After || l == nil || f.Verdict < detectors.Nudge {
			continue
		}
		truth := board.Truth(l, f.Verdict, o, f)
		right = right || truth == corpus.Right && l.Class == corpus.Loop
		wrong = wrong || truth == corpus.Wrong && l.Class == corpus.Productive
	}
	return right, wrong
}

// findings are three things worth a look, computed from what happened.
func (d *Demo) findings() report.Section {
	s := report.Section{Key: "findings", Title: "three things to look at"}
	for _, find := range []func() (string, string){d.costliestPath, d.mostStoppedWork, d.longestMiss} {
		if what, next := find(); what != "" {
			s.Lines = append(s.Lines, fmt.Sprintf("%d. %s", len(s.Lines)/2+1, what), "   → "+next)
		}
	}
	return s
}

// costliestPath is the path whose removal would spare the most work for the
// fewest loops, at stop level.
func (d *Demo) costliestPath() (what, next string) {
	type cost struct {
		point, whole int
		spared, lost []string
	}
	var best *cost
	for i := range d.plan.Points {
		p := &d.plan.Points[i]
		if p.View() != replay.Ablated || p.Config >= d.compared {
			continue
		}
		c := cost{point: i}
		for _, w := range d.whole {
			if d.plan.Points[w].Config == p.Config {
				c.whole = w
			}
		}
		for _, o := range d.all {
			l := d.labels.Of(o.Session.ID)
			with, without := corpus.Score(l, o, c.whole, detectors.ForceStop), corpus.Score(l, o, i, detectors.ForceStop)
			switch {
			case with == corpus.FalsePositive && without == corpus.TrueNegative:
				c.spared = append(c.spared, o.Session.ID)
			case with == corpus.TruePositive && without != corpus.TruePositive:
				c.lost = append(c.lost, o.Session.ID)
			}
		}
		if best == nil || len(c.spared)-len(c.lost) > len(best.spared)-len(best.lost) {
			best = &c
		}
	}
	if best == nil || len(best.spared) <= len(best.lost) {
		return "", ""
	}
	preset, path := d.presetName(best.whole), d.plan.Points[best.point].Without
	lost := "no loop that it stops would be missed"
	if len(best.lost) > 0 {
		lost = "loops it alone stops: " + strings.Join(best.lost, ", ")
	}
	return fmt.Sprintf("%s: without %s, %s would not be stopped (%s); %s", preset, report.PathName(path),
			report.Plural(len(best.spared), "productive session"), strings.Join(best.spared, ", "), lost),
		fmt.Sprintf("groundhog replay --demo --session %s --preset %s", best.spared[0], preset)
}

// mostStoppedWork is the productive session that the most presets stop, the
// earliest on a tie.
func (d *Demo) mostStoppedWork() (what, next string) {
	best, most, earliest := "", 0, int32(0)
	for _, o := range d.all {
		l := d.labels.Of(o.Session.ID)
		n, sum := 0, int32(0)
		var places []string
		for _, p := range d.whole {
			if f := firstStop(o, p); f != nil && l != nil && corpus.Score(l, o, p, detectors.ForceStop) == corpus.FalsePositive {
				n++
				sum += f.Pos.Call
				places = append(places, fmt.Sprintf("%s at call %s (%s)", d.presetName(p), board.Position(o, f),
					report.PathName(f.Detector)))
			}
		}
		if n > most || n == most && n > 0 && sum < earliest {
			most, earliest = n, sum
			best = o.Session.ID
			what = fmt.Sprintf("%s is work, and %d of the %d presets side by side stop it: %s", best, n, len(d.whole),
				strings.Join(places, ", "))
		}
	}
	return what, fmt.Sprintf("groundhog replay --demo --session %s --preset %s", best,
		d.presetName(d.whole[len(d.whole)-1]))
}

func firstStop(o *replay.Outcome, point int) *replay.Fire {
	for i := range o.Points[point].Runs {
		if f := o.Points[point].Runs[i].FirstStop; f != nil {
			return f
		}
	}
	return nil
}

// longestMiss is the loop, known gap or not, that runs on the longest without
// any preset's stop.
func (d *Demo) longestMiss() (what, next string) {
	best, most := "", 0
	for _, o := range d.all {
		l := d.labels.Of(o.Session.ID)
		if l == nil || len(l.Spans) == 0 || slices.ContainsFunc(slices.Concat(d.whole, d.apart),
			func(p int) bool { return firstStop(o, p) != nil }) {
			continue
		}
		for _, span := range l.Spans {
			ideal := span.Onset
			if span.IdealStop != nil {
				ideal = *span.IdealStop
			}
			if wasted := span.End - ideal; wasted > most {
				best, most = o.Session.ID, wasted
				what = fmt.Sprintf("no path of any preset stops %s (%s, %s): %d calls run on after the last useful one", best,
					span.Shape, strings.ReplaceAll(string(l.Class), "_", " "), wasted)
			}
		}
	}
	return what, fmt.Sprintf("groundhog replay --demo --session %s --preset %s --format jsonl", best,
		d.presetName(d.whole[len(d.whole)-1]))
}
