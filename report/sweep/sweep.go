package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A Sweep is the outcome of a grid of settings of one preset.
type Sweep struct {
	*board.Board
	Grid       []replay.Axis
	Current    int // the point of the preset as it is
	Objective  Objective
	Level      detectors.Verdict   // of the objective
	Levels     []detectors.Verdict // those that are shown
	Costs      *stat.Costs
	Holdout    time.Time // choose before it, measure after it; zero for folds
	Prevalence []float64
	Force      bool // choose although the data cannot carry it
	All        bool // every distinct point of a grid
}

// Report says how outcomes move along the axes, which sessions flip at each step,
// and which setting an objective picks.
func (s *Sweep) Report() *report.Report {
	s.Settle()
	preset := s.Plan.Configs[0].Preset
	r := &report.Report{Title: "sweep of " + preset.Name, Notes: s.Notes()}
	for _, a := range s.Grid {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %s (%s now)", a.Param.ID, valuesText(a.Values), s.value(s.Current, a)))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s, %d of them different on these sessions; %s",
		report.Plural(len(s.Plan.Points), "point"), s.Classes, report.Plural(s.Plan.Panels(), "panel")))
	c := newChooser(s.Board, s.Level, s.Objective, s.Costs, s.Grid, s.Current)
	c.among(s.representatives(c))
	for _, level := range s.Levels {
		r.Sections = append(r.Sections, s.table(c, level))
		r.Sections = append(r.Sections, s.steps(level)...)
	}
	switch why := s.Unchosen(); {
	case !s.HasLabels():
	case why != "":
		r.Sections = append(r.Sections, report.Section{Key: "choice", Title: "which setting", Lines: []string{why}})
	default:
		r.Sections = append(r.Sections, s.front(c), report.Section{Key: "choice", Title: "which setting",
			Lines: c.lines(s.pointName, s.Force, s.Holdout)})
	}
	r.Sections = append(r.Sections, report.Section{Key: "footer", Title: "rests on", Lines: []string{s.Footer()}})
	return r
}

func valuesText(values []string) string {
	if len(values) > 12 {
		return fmt.Sprintf("%s … %s, %d values", strings.Join(values[:4], ", "), values[len(values)-1], len(values))
	}
	return strings.Join(values, ", ")
}

// value is what a point has on one axis.
func (s *Sweep) value(point int, a replay.Axis) string {
	return s.Plan.Configs[s.Plan.Points[point].Config].Set[a.Param.ID]
}

// pointName is a point by the values of its axes.
func (s *Sweep) pointName(point int) string {
	if len(s.Grid) == 1 {
		return s.value(point, s.Grid[0])
	}
	var parts []string
	for _, a := range s.Grid {
		parts = append(parts, report.PathName(a.Param.ID)+"="+s.value(point, a))
	}
	return strings.Join(parts, " ")
}

// representatives are one point of each class, the nearest to the current
// setting, in the order of the first point of the class.
func (s *Sweep) representatives(c *chooser) []int {
	best := make([]int, s.Classes)
	for i := range best {
		best[i] = -1
	}
	var order []int
	for p, class := range s.Class {
		if best[class] < 0 {
			order = append(order, class)
			best[class] = p
		} else if c.nearness(p, best[class]) < 0 {
			best[class] = p
		}
	}
	points := make([]int, len(order))
	for i, class := range order {
		points[i] = best[class]
	}
	return points
}

// maxRows is how many points of a grid are listed unless all are asked for.
const maxRows = 40

// table has a row for each plateau of one axis, or for each class of a grid.
func (s *Sweep) table(c *chooser, level detectors.Verdict) report.Section {
	out := report.Section{
		Key:     board.LevelName(level),
		Title:   fmt.Sprintf("%s level%s", board.LevelName(level), s.Against()),
		Doc:     "▸ is the current setting. Points that no session tells apart at this level share a row.",
		Columns: report.Cols("current", ""),
	}
	if s.HasLabels() {
		out.Doc += " WASTE/LOOP: calls after the ideal stop, a missed loop charged to its end (C)."
	}
	for _, a := range s.Grid {
		out.Columns = append(out.Columns, report.Col(a.Param.ID, strings.ToUpper(report.PathName(a.Param.ID))))
	}
	list := s.Headline(level, s.Prevalence)
	for _, m := range list {
		out.Columns = append(out.Columns, report.Column{Key: m.Key, Name: m.Name, Keep: m.Keep})
	}
	line := len(s.Grid) == 1
	if line {
		out.Columns = append(out.Columns, report.Col("flips", "FLIPS AGAINST THE ROW ABOVE"))
	}
	stretches := s.stretches(c, level)
	left := 0
	for i, st := range stretches {
		if !line && !s.All && i >= maxRows && !slices.Contains(st, s.Current) {
			left++
			continue
		}
		mark := ""
		if slices.Contains(st, s.Current) {
			mark = "▸"
		}
		row := []report.Cell{report.Text(mark)}
		for _, a := range s.Grid {
			v := s.value(st[0], a)
			if line {
				v = report.FromTo(v, s.value(st[len(st)-1], a))
			}
			row = append(row, report.Text(v))
		}
		sample := s.Sample(st[0], level, nil)
		for _, m := range list {
			row = append(row, m.Allowed(s.Selection, sample))
		}
		if line {
			flips := ""
			if i > 0 {
				flips = board.FlipCounts(s.Flips(stretches[i-1][0], st[0], level))
			}
			row = append(row, report.Text(flips))
		}
		out.Rows = append(out.Rows, row)
	}
	if left > 0 {
		out.Lines = append(out.Lines, fmt.Sprintf("… and %d more that differ; --all lists them", left))
	}
	return out
}

// stretches are the points in rows: along one axis those next to one another of
// which no session tells the difference at this level, over a grid those of a
// class, the nearest to the current first.
func (s *Sweep) stretches(c *chooser, level detectors.Verdict) (list [][]int) {
	if len(s.Grid) > 1 {
		for _, p := range c.points {
			st := []int{p}
			for q, class := range s.Class {
				if q != p && class == s.Class[p] {
					st = append(st, q)
				}
			}
			list = append(list, st)
		}
		return list
	}
	for p := range s.Class {
		if n := len(list); p > 0 && (s.Class[p] == s.Class[p-1] || s.alike(p, p-1, level)) {
			list[n-1] = append(list[n-1], p)
		} else {
			list = append(list, []int{p})
		}
	}
	return list
}

// alike reports whether two points fire alike at a level: as often, and first at
// the same places.
func (s *Sweep) alike(p, q int, level detectors.Verdict) bool {
	for _, r := range s.Rows {
		x, y := r.Under(p, level), r.Under(q, level)
		if x.Fires != y.Fires || x.Episodes != y.Episodes || x.FalseFires != y.FalseFires || x.Result != y.Result ||
			!board.SameHit(x.First, y.First) {
			return false
		}
	}
	return true
}

// steps names every flip along each axis, with the others as they are now, and
// the sessions on which the choice of a value hangs.
func (s *Sweep) steps(level detectors.Verdict) (list []report.Section) {
	for k, a := range s.Grid {
		points := s.line(k)
		sec := report.Section{
			Key: board.LevelName(level) + "_flips_" + a.Param.ID, Title: fmt.Sprintf("%s level, %s: what each step changes",
				board.LevelName(level), report.PathName(a.Param.ID)),
			Doc:     "facts about these sessions. (+2): the first fire comes two calls later.",
			Columns: report.Cols("step", "STEP", "flips", "SESSIONS"),
		}
		if s.HasLabels() {
			sec.Doc += " Δ WASTE: calls wasted over all loops (C)."
			sec.Columns = slices.Insert(sec.Columns, 1, report.Col("waste", "Δ WASTE"))
		}
		for i := 1; i < len(points); i++ {
			if s.Class[points[i]] == s.Class[points[i-1]] {
				continue
			}
			flips := s.Flips(points[i-1], points[i], level)
			if len(flips) == 0 {
				continue
			}
			row := []report.Cell{report.Text(a.Values[i-1] + " → " + a.Values[i]), report.Text(board.FlipText(flips))}
			if s.HasLabels() {
				delta := s.Sample(points[i], level, nil).Wasted - s.Sample(points[i-1], level, nil).Wasted
				row = slices.Insert(row, 1, report.Text(fmt.Sprintf("%+d", delta)))
			}
			sec.Rows = append(sec.Rows, row)
		}
		if len(sec.Rows) == 0 {
			sec.Columns, sec.Doc, sec.Lines = nil, "", []string{"nothing, at any step"}
			list = append(list, sec)
			continue
		}
		list = append(list, sec)
		if rows := resultChanges(s.Board, points, a.Values, level); len(rows) > 0 {
			list = append(list, report.Section{
				Key: board.LevelName(level) + "_thresholds_" +
					a.Param.ID, Title: fmt.Sprintf("%s level, %s: where each session changes", board.LevelName(level),
					report.PathName(a.Param.ID)),
				Columns: report.Cols("session", "SESSION", "label", "LABEL", "flip", "CHANGES AT", "stretches", "RESULT"),
				Rows:    rows,
			})
		}
	}
	return list
}

// line is the points along one axis through the current setting.
func (s *Sweep) line(axis int) []int {
	stride := 1
	for k := axis + 1; k < len(s.Grid); k++ {
		stride *= len(s.Grid[k].Values)
	}
	n := len(s.Grid[axis].Values)
	first := s.Current - (s.Current/stride)%n*stride
	points := make([]int, n)
	for i := range points {
		points[i] = first + i*stride
	}
	return points
}

// front is the Pareto front over false alarms, recall and waste.
func (s *Sweep) front(c *chooser) report.Section {
	out := report.Section{
		Key: "front", Title: fmt.Sprintf("Pareto front at %s level: false on work, recall, waste%s", board.LevelName(s.Level),
			s.Against()),
		Doc: "≈front: beaten, but by no more flips than chance may bring (McNemar, p ≥ 0.05). The knee is a hint.",
		Columns: report.Cols("mark", "", "point", "POINT", "fpr", "FALSE ON WORK", "recall", "RECALL", "waste_per_loop",
			"WASTE/LOOP"),
	}
	var points []stat.Point
	for _, p := range c.points {
		w := c.showing(p, nil)
		f, ok1 := w.fpr.Share().Value()
		r, ok2 := w.recall.Share().Value()
		if !ok1 || !ok2 {
			out.Columns, out.Doc, out.Lines = nil, "", []string{"none: it takes labelled loops and labelled work"}
			return out
		}
		waste, _ := c.metric(&w, "waste")
		points = append(points, stat.Point{False: f, Recall: r, Waste: waste})
	}
	onFront := make(map[int]bool)
	var firsts []int
	for _, group := range stat.Front(points) {
		firsts = append(firsts, group[0])
		for _, i := range group {
			onFront[i] = true
		}
	}
	knee, hasKnee := stat.Knee(points)
	shown := board.Pick(board.Catalogue(s.Level, nil), "fpr", "recall", "waste_per_loop")
	add := func(mark string, i int) {
		p := c.points[i]
		sample := s.Sample(p, s.Level, nil)
		if p == s.Current || s.Class[p] == s.Class[s.Current] {
			mark = strings.TrimSpace("▸ " + mark)
		}
		row := []report.Cell{report.Text(mark), report.Text(s.pointName(p))}
		for _, m := range shown {
			row = append(row, m.Cell(sample))
		}
		out.Rows = append(out.Rows, row)
	}
	for i := range c.points {
		mark := ""
		if hasKnee && i == knee {
			mark = "knee"
		}
		if onFront[i] && (s.All || len(out.Rows) < maxRows) {
			add(mark, i)
		}
	}
	for i := range c.points {
		if !s.All && len(out.Rows) >= maxRows {
			out.Lines = append(out.Lines, "… and more; --all lists them")
			break
		}
		if !onFront[i] && s.nearFront(c, i, firsts) {
			add("≈front", i)
		}
	}
	return out
}

// nearFront reports whether a beaten point cannot be told from some point of the
// front by the sessions that flip between them.
func (s *Sweep) nearFront(c *chooser, i int, firsts []int) bool {
	for _, f := range firsts {
		list := s.Flips(c.points[i], c.points[f], s.Level)
		b1, c1 := s.Paired(list, board.IsLoop)
		b2, c2 := s.Paired(list, board.IsWork)
		if stat.McNemar(b1, c1) >= 1-stat.Level && stat.McNemar(b2, c2) >= 1-stat.Level {
			return true
		}
	}
	return false
}

// changes lists, along one line of points, the sessions whose result changes, the
// smallest value at which it does and all the stretches between.
func resultChanges(b *board.Board, points []int, values []string, level detectors.Verdict) (rows [][]report.Cell) {
	for _, r := range b.Rows {
		var begins []int // indexes at which a stretch begins
		for i, p := range points {
			if i == 0 || board.OutcomeWord(r.Under(p, level)) != board.OutcomeWord(r.Under(points[i-1], level)) {
				begins = append(begins, i)
			}
		}
		if len(begins) < 2 {
			continue
		}
		var parts []string
		for k, from := range begins {
			to := len(values) - 1
			if k+1 < len(begins) {
				to = begins[k+1] - 1
			}
			parts = append(parts, report.FromTo(values[from], values[to])+" "+board.OutcomeWord(r.Under(points[from], level)))
		}
		rows = append(rows, []report.Cell{report.Text(r.ID), report.Text(board.ClassName(r.Label)),
			report.Text(values[begins[1]]), report.Text(strings.Join(parts, ", "))})
	}
	return rows
}
