package justify

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A pathRate is what one path does by itself, with its place among the others.
type pathRate struct {
	*board.Sample
	rank float64
}

// pathRates are those of every path of a side, each over the sessions that hold
// what it looks at.
func (d *Dossier) pathRates(side int, level detectors.Verdict) []pathRate {
	list := make([]pathRate, len(d.paths[side]))
	for i := range list {
		keep := func(r *board.Row) bool { return side != with || !d.seen[r].lacks[i] }
		list[i].Sample = d.drawing(d.Sample(d.alone[side][i], level, keep), d.paths[side][i].Name)
	}
	for i := range list {
		list[i].rank = pathRank(list, i)
	}
	return list
}

// rank is the mean of two percentile ranks, from 0 to 1: what share of the other
// paths hits fewer loops, and what share hits more work. A tie counts half.
func pathRank(list []pathRate, at int) float64 {
	if len(list) < 2 {
		return 0.5
	}
	score := 0.0
	for i := range list {
		if i != at {
			score += tieScore(cmp.Compare(list[at].Caught, list[i].Caught)) + tieScore(cmp.Compare(list[i].FalseHit, list[at].FalseHit))
		}
	}
	return score / 2 / float64(len(list)-1)
}

func tieScore(order int) float64 { return float64(order+1) / 2 }

// frequency is table 1: for each path what it did in production, asked for there,
// and would do alone.
func (d *Dossier) frequency(level detectors.Verdict) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_frequency", Title: fmt.Sprintf("%s level%s: 1. frequency", board.LevelName(level),
			d.Against()),
		Doc: "▸ in question. won: fires and episodes in production. wanted: decision points of production at which it " +
			"asked for as much; masked: another path won there. " +
			"alone: as the only path.",
		Columns: report.Cols("in_question", "", "path", "PATH", "fires", "WON", "episodes", "EPISODES", "?per_1k",
			"PER 1K CALLS", "wanted", "WANTED", "masked_by", "MASKED BY", "alone", "ALONE", "?alone_episodes", "EPISODES"),
	}
	metrics := board.Pick(board.Catalogue(level, d.Prevalence), "recall", "fpr", "loop_over_overall", "ppv_at_*")
	if d.HasLabels() {
		s.Columns = append(s.Columns, report.Col("recall", "LOOPS (R)"), report.Col("fpr", "WORK (F)"),
			report.Col("loop_over_overall", "L/O"))
		s.Doc += " R and F are over sessions that hold what the path looks at. rank: mean of the ranks among the paths by " +
			"loops hit and by work spared, 1 is best."
		s.Columns = append(s.Columns, d.ppvColumns()...)
	}
	now := d.pathRates(with, level)
	var then []pathRate
	if d.Proposal.Kind == Change {
		then = d.pathRates(without, level)
	}
	for i, det := range d.paths[with] {
		s.Rows = append(s.Rows, d.frequencyRow(with, i, level, &now[i], metrics))
		if d.Proposal.Kind == Change && d.inQuestion(det.Name) {
			s.Rows = append(s.Rows, d.frequencyRow(without, i, level, &then[i], metrics))
		}
	}
	return s
}

// frequencyRow is the row of one path of a side.
func (d *Dossier) frequencyRow(side, i int, level detectors.Verdict, rate *pathRate, metrics []board.Metric) []report.Cell {
	k := board.LevelIndex(level)
	sum, masked := d.production(side, i, k)
	whole, alone := d.Sample(d.side[side], level, nil), d.Sample(d.alone[side][i], level, nil)
	det := d.paths[side][i]
	mark, name := "", report.PathName(det.Name)
	if d.inQuestion(det.Name) {
		mark = "▸"
	}
	if side == without {
		name += ", changed"
	}
	cells := []report.Cell{
		report.Text(mark), report.Text(name), report.Count(sum.fires[k]), report.Count(sum.episodes[k]),
		d.allow(corpus.RateFrequency, report.PerK(sum.episodes[k], whole.Calls)),
		report.Count(sum.wanted[k]), report.Counts(masked), report.Count(alone.Fires), report.Count(alone.Episodes),
	}
	if !d.HasLabels() {
		return cells
	}
	for _, m := range metrics {
		c := m.Allowed(d.Selection, rate.Sample)
		if m.Rate == corpus.RatePrecision {
			c = d.both(c)
		}
		cells = append(cells, c)
	}
	return append(cells, report.Number(rate.rank, true))
}

// production is what one path did in production at the level with index k, and how
// often which other path won where it had asked for as much.
func (d *Dossier) production(side, i, k int) (sum pathSeen, masked map[string]int) {
	masked = make(map[string]int)
	for _, r := range d.Rows {
		p := &d.seen[r].paths[side][i]
		sum.fires[k] += p.fires[k]
		sum.episodes[k] += p.episodes[k]
		sum.wanted[k] += p.wanted[k]
		for j, n := range p.masked[k] {
			if n > 0 {
				masked[report.PathName(d.paths[side][j].Name)] += n
			}
		}
	}
	return sum, masked
}

// ppvColumns are the shares of right fires at stated prevalences, and the rank.
func (d *Dossier) ppvColumns() (list []report.Column) {
	for _, pi := range d.Prevalence {
		list = append(list, report.Col("?"+fmt.Sprintf("ppv_at_%g", pi), fmt.Sprintf("PPV AT %g%%", 100*pi)))
	}
	return append(list, report.Col("?rank", "RANK"))
}

// A span that paths catch by themselves, as a set of paths.
type caughtSet struct {
	row  *board.Row
	set  uint64 // by path of the side with
	keep uint64 // of them, those that are in time for a cover
	prod bool   // production catches it
}

// caughtSets says for every loop which paths would catch it alone.
func (d *Dossier) caughtSets(level detectors.Verdict) (list []caughtSet) {
	for _, r := range d.Rows {
		whole := r.Under(d.side[with], level)
		for i := range whole.Spans {
			c := caughtSet{row: r, prod: whole.Spans[i].Hit != nil}
			for p := range d.paths[with][:min(len(d.paths[with]), board.MaxPaths)] {
				h := r.Under(d.alone[with][p], level).Spans[i].Hit
				if h == nil {
					continue
				}
				c.set |= 1 << p
				if c.prod && h.Call <= whole.Spans[i].Hit.Call+maxDelay {
					c.keep |= 1 << p
				}
			}
			list = append(list, c)
		}
	}
	return list
}

// overlap is the first half of table 7: the paths in question against every other.
func (d *Dossier) overlap(level detectors.Verdict, sets []caughtSet) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_overlap", Title: board.LevelName(level) + " level: 7. overlap, each path alone",
		Doc: "of loops (spans) caught, and apart from them of work (sessions) hit. high overlap alone is no reason to " +
			"remove a path.",
		Columns: report.Cols("x", "PATH", "y", "AND", "on", "ON", "both", "BOTH", "y_given_x", "SECOND, GIVEN FIRST",
			"x_given_y", "FIRST, GIVEN SECOND"),
	}
	n := min(len(d.paths[with]), board.MaxPaths)
	work := d.workSets(level)
	for x := range n {
		if !d.inQuestion(d.paths[with][x].Name) {
			continue
		}
		for y := range n {
			if x == y {
				continue
			}
			for _, on := range []struct {
				what string
				list []caughtSet
			}{{"loops", sets}, {"work", work}} {
				both, hasX, hasY := 0, 0, 0
				for _, c := range on.list {
					both += report.Bit(c.set>>x&1 == 1 && c.set>>y&1 == 1)
					hasX += int(c.set >> x & 1)
					hasY += int(c.set >> y & 1)
				}
				if both > 0 {
					s.Add(report.PathName(d.paths[with][x].Name), report.PathName(d.paths[with][y].Name), on.what, both,
						report.Share(both, hasX), report.Share(both, hasY))
				}
			}
		}
	}
	return quietTable(s)
}

// workSets says for every productive session which paths would hit it alone.
func (d *Dossier) workSets(level detectors.Verdict) (list []caughtSet) {
	for _, r := range d.Rows {
		c := caughtSet{row: r}
		for p := range d.paths[with][:min(len(d.paths[with]), board.MaxPaths)] {
			if r.Under(d.alone[with][p], level).Result == corpus.FalsePositive {
				c.set |= 1 << p
			}
		}
		if c.set != 0 {
			list = append(list, c)
		}
	}
	return list
}

// upset is the other half of table 7: the exclusive intersections.
func (d *Dossier) upset(level detectors.Verdict, sets []caughtSet) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_upset", Title: board.LevelName(level) +
			" level: 7. which paths catch a loop, each alone",
		Doc:     "every loop is in one row: exactly these paths would catch it, each as the only one.",
		Columns: report.Cols("paths", "EXACTLY THESE", "loops", "LOOPS", "sessions", "SESSIONS"),
	}
	by := make(map[uint64][]string)
	n := make(map[uint64]int)
	var order []uint64
	none := 0
	for _, c := range sets {
		if c.set == 0 {
			none++
			continue
		}
		if n[c.set] == 0 {
			order = append(order, c.set)
		}
		n[c.set]++
		by[c.set] = append(by[c.set], c.row.ID)
	}
	slices.SortStableFunc(order, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(bits.OnesCount64(a), bits.OnesCount64(b)), cmp.Compare(a, b))
	})
	for _, set := range order {
		ids := by[set]
		slices.Sort(ids)
		s.Add(d.setName(set), n[set], report.Names(slices.Compact(ids)))
	}
	if none > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%s that no path catches alone", report.Plural(none, "loop")))
	}
	return quietTable(s)
}

func (d *Dossier) setName(set uint64) string {
	var names []string
	for i, det := range d.paths[with] {
		if i < board.MaxPaths && set>>i&1 == 1 {
			names = append(names, report.PathName(det.Name))
		}
	}
	return strings.Join(names, " + ")
}

// cover is table 8: the smallest sets of paths that keep every catch.
func (d *Dossier) cover(level detectors.Verdict, sets []caughtSet) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_cover", Title: board.LevelName(level) +
			" level: 8. smallest sets of paths that keep every catch",
		Doc:     fmt.Sprintf("each path alone, at most %d calls later than production.", maxDelay),
		Columns: report.Cols("paths", "SET", "size", "PATHS"),
	}
	lost, c := d.covers(sets)
	if c.Size > 0 {
		for _, set := range c.Sets {
			s.Add(d.setName(set), c.Size)
		}
		if n := c.Count - len(c.Sets); n > 0 {
			s.Lines = append(s.Lines, fmt.Sprintf("… and %d more", n))
		}
		for i, det := range d.paths[with] {
			if i >= board.MaxPaths || !d.inQuestion(det.Name) {
				continue
			}
			in := "no"
			switch {
			case c.Every>>i&1 == 1:
				in = "every"
			case c.Some>>i&1 == 1:
				in = "some"
			}
			s.Lines = append(s.Lines, fmt.Sprintf("%s is in %s smallest set", report.PathName(det.Name), in))
		}
		if !c.Exact {
			s.Lines = append(s.Lines, "found greedily: too many paths to try every set, so this is one good set and no proof")
		}
	}
	if len(lost) > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("kept by no path alone, and left out here: %s",
			report.Names(slices.Compact(lost))))
	}
	return quietTable(s)
}

// covers are the smallest sets; lost names loops that no path keeps alone.
func (d *Dossier) covers(sets []caughtSet) (lost []string, c stat.Cover) {
	var keep []uint64
	for _, c := range sets {
		switch {
		case !c.prod:
		case c.keep == 0:
			lost = append(lost, c.row.ID)
		default:
			keep = append(keep, c.keep)
		}
	}
	return lost, stat.SmallestCovers(keep, min(len(d.paths[with]), board.MaxPaths))
}
