package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report/stat"
)

// A Sweep is the outcome of a grid of settings of one preset.
type Sweep struct {
	*Board
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
func (s *Sweep) Report() *Report {
	s.settle()
	preset := s.Plan.Configs[0].Preset
	r := &Report{Title: "sweep of " + preset.Name, Notes: s.notes()}
	for _, a := range s.Grid {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %s (%s now)", a.Param.ID, valuesText(a.Values), s.value(s.Current, a)))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s, %d of them different on these sessions; %s", plural(len(s.Plan.Points), "point"), s.classes, plural(s.Plan.Panels(), "panel")))
	c := newChooser(s.Board, s.Level, s.Objective, s.Grid, s.Current)
	c.costs = s.Costs
	c.among(s.representatives(c))
	for _, level := range s.Levels {
		r.Sections = append(r.Sections, s.table(c, level))
		r.Sections = append(r.Sections, s.steps(level)...)
	}
	switch why := s.unchosen(); {
	case !s.judgedAny():
	case why != "":
		r.Sections = append(r.Sections, Section{Key: "choice", Title: "which setting", Lines: []string{why}})
	default:
		r.Sections = append(r.Sections, s.front(c), Section{Key: "choice", Title: "which setting", Lines: c.lines(s.pointName, s.Force, s.Holdout)})
	}
	r.Sections = append(r.Sections, Section{Key: "footer", Title: "rests on", Lines: []string{s.footer()}})
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
		parts = append(parts, short(a.Param.ID)+"="+s.value(point, a))
	}
	return strings.Join(parts, " ")
}

// representatives are one point of each class, the nearest to the current
// setting, in the order of the first point of the class.
func (s *Sweep) representatives(c *chooser) []int {
	best := make([]int, s.classes)
	for i := range best {
		best[i] = -1
	}
	var order []int
	for p, class := range s.class {
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
func (s *Sweep) table(c *chooser, level detectors.Verdict) Section {
	out := Section{
		Key:     levelName(level),
		Title:   fmt.Sprintf("%s level%s", levelName(level), s.against()),
		Doc:     "▸ is the current setting. Points that no session tells apart at this level share a row.",
		Columns: []Column{{"current", "", true}},
	}
	if s.judgedAny() {
		out.Doc += " WASTE/LOOP: calls after the ideal stop, a missed loop charged to its end (C)."
	}
	for _, a := range s.Grid {
		out.Columns = append(out.Columns, Column{a.Param.ID, strings.ToUpper(short(a.Param.ID)), true})
	}
	list := s.measures(level, s.Prevalence)
	for _, m := range list {
		out.Columns = append(out.Columns, Column{m.key, m.name, m.keep})
	}
	line := len(s.Grid) == 1
	if line {
		out.Columns = append(out.Columns, Column{"flips", "FLIPS AGAINST THE ROW ABOVE", true})
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
		row := []Cell{text(mark)}
		for _, a := range s.Grid {
			v := s.value(st[0], a)
			if line {
				v = span(v, s.value(st[len(st)-1], a))
			}
			row = append(row, text(v))
		}
		t := s.totals(st[0], level, nil)
		for _, m := range list {
			row = append(row, m.show(s.Board, st[0], level, t))
		}
		if line {
			flips := ""
			if i > 0 {
				flips = flipCounts(s.flips(stretches[i-1][0], st[0], level))
			}
			row = append(row, text(flips))
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
			for q, class := range s.class {
				if q != p && class == s.class[p] {
					st = append(st, q)
				}
			}
			list = append(list, st)
		}
		return list
	}
	for p := range s.class {
		if n := len(list); p > 0 && (s.class[p] == s.class[p-1] || s.alike(p, p-1, level)) {
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
	for _, r := range s.rows {
		x, y := r.under(p, level), r.under(q, level)
		if x.Fires != y.Fires || x.Episodes != y.Episodes || x.FalseFires != y.FalseFires || x.Result != y.Result || !same(x.First, y.First) {
			return false
		}
	}
	return true
}

// steps names every flip along each axis, with the others as they are now, and
// the sessions on which the choice of a value hangs.
func (s *Sweep) steps(level detectors.Verdict) (list []Section) {
	for k, a := range s.Grid {
		points := s.line(k)
		sec := Section{
			Key: levelName(level) + "_flips_" + a.Param.ID, Title: fmt.Sprintf("%s level, %s: what each step changes", levelName(level), short(a.Param.ID)),
			Doc:     "facts about these sessions. (+2): the first fire comes two calls later.",
			Columns: []Column{{"step", "STEP", true}, {"flips", "SESSIONS", true}},
		}
		if s.judgedAny() {
			sec.Doc += " Δ WASTE: calls wasted over all loops (C)."
			sec.Columns = slices.Insert(sec.Columns, 1, Column{"waste", "Δ WASTE", true})
		}
		for i := 1; i < len(points); i++ {
			if s.class[points[i]] == s.class[points[i-1]] {
				continue
			}
			flips := s.flips(points[i-1], points[i], level)
			if len(flips) == 0 {
				continue
			}
			row := []Cell{text(a.Values[i-1] + " → " + a.Values[i]), text(flipText(flips))}
			if s.judgedAny() {
				delta := s.totals(points[i], level, nil).Wasted - s.totals(points[i-1], level, nil).Wasted
				row = slices.Insert(row, 1, text(fmt.Sprintf("%+d", delta)))
			}
			sec.Rows = append(sec.Rows, row)
		}
		if len(sec.Rows) == 0 {
			sec.Columns, sec.Doc, sec.Lines = nil, "", []string{"nothing, at any step"}
			list = append(list, sec)
			continue
		}
		list = append(list, sec)
		if rows := s.changes(points, a.Values, level); len(rows) > 0 {
			list = append(list, Section{
				Key: levelName(level) + "_thresholds_" + a.Param.ID, Title: fmt.Sprintf("%s level, %s: where each session changes", levelName(level), short(a.Param.ID)),
				Columns: []Column{{"session", "SESSION", true}, {"label", "LABEL", true}, {"flip", "CHANGES AT", true}, {"stretches", "RESULT", true}},
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

// front is the Pareto front over false alarms, recall and waste (E12.6).
func (s *Sweep) front(c *chooser) Section {
	out := Section{
		Key: "front", Title: fmt.Sprintf("Pareto front at %s level: false on work, recall, waste%s", levelName(s.Level), s.against()),
		Doc:     "≈front: beaten, but by no more flips than chance may bring (McNemar, p ≥ 0.05). The knee is a hint.",
		Columns: []Column{{"mark", "", true}, {"point", "POINT", true}, {"fpr", "FALSE ON WORK", true}, {"recall", "RECALL", true}, {"waste_per_loop", "WASTE/LOOP", true}},
	}
	var points []stat.Point
	for _, p := range c.points {
		w := s.showing(p, s.Level, nil)
		f, ok1 := w.fpr.share().Value()
		r, ok2 := w.recall.share().Value()
		if !ok1 || !ok2 {
			out.Columns, out.Doc, out.Lines = nil, "", []string{"none: it takes labelled loops and labelled work"}
			return out
		}
		waste, _ := ratioOf(w.wasted, w.spans)
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
	add := func(mark string, i int) {
		p := c.points[i]
		t := s.totals(p, s.Level, nil)
		if p == s.Current || s.class[p] == s.class[s.Current] {
			mark = strings.TrimSpace("▸ " + mark)
		}
		waste := mean(t.Wasted, t.Spans)
		waste.Least = t.AtLeast > 0
		out.Rows = append(out.Rows, []Cell{text(mark), text(s.pointName(p)),
			s.cell(s.rate(p, s.Level, isWork, isFalse, nil), "fpr"), s.cell(s.rate(p, s.Level, isLoop, isCaught, nil), "recall"), waste.tier("C")})
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
		list := s.flips(c.points[i], c.points[f], s.Level)
		b1, c1 := s.paired(list, isLoop)
		b2, c2 := s.paired(list, isWork)
		if stat.McNemar(b1, c1) >= 1-stat.Level && stat.McNemar(b2, c2) >= 1-stat.Level {
			return true
		}
	}
	return false
}
