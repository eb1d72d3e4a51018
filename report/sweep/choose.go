package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A setting is never chosen and measured on the same sessions here: what the
// choice would have been without a fifth of the clusters is measured on that
// fifth, and the difference to the figures on everything is shown as optimism
//. Folds go by a hash of the cluster's name, so a
// corpus that grows moves no old session.

// Folds is how many folds a choice is checked on.
const Folds = 5

// minPositive is how many clusters with a loop it takes to choose by recall.
const minPositive = 5

// A chooser picks points of a sweep.
type chooser struct {
	board     *board.Board
	level     detectors.Verdict
	objective Objective
	grid      []replay.Axis
	current   int
	points    []int // one of each class: the one nearest to the current setting
	bounds    board.Bounds
	metrics   map[string]*board.Metric // that objectives may name
	whole     []board.Sums             // by points, over all sessions
}

// newChooser is ready to choose among the points.
func newChooser(b *board.Board, level detectors.Verdict, o Objective, costs *stat.Costs, grid []replay.Axis,
	current int) *chooser {
	return &chooser{board: b, level: level, objective: o, grid: grid, current: current, bounds: board.Bounds{},
		metrics: metricsOf(level, costs)}
}

// among sets the points to choose from.
func (c *chooser) among(points []int) {
	c.points = points
	c.whole = make([]board.Sums, len(points))
	for i, p := range points {
		for _, r := range c.board.Rows {
			c.whole[i].Add(r.Mark(p, c.level), 1)
		}
	}
}

// distance is how many parameters a point changes, and by how many steps of
// their axes.
func (c *chooser) distance(point int) (changed, steps int) {
	a, b := c.place(point), c.place(c.current)
	for k := range a {
		if d := abs(a[k] - b[k]); d > 0 {
			changed++
			steps += d
		}
	}
	return changed, steps
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// place is where a point lies on each axis.
func (c *chooser) place(point int) []int {
	at := make([]int, len(c.grid))
	for k := len(c.grid) - 1; k >= 0; k-- {
		n := len(c.grid[k].Values)
		at[k] = point % n
		point /= n
	}
	return at
}

// A showing is how one point does on some sessions.
type showing struct {
	*board.Sample
	point       int
	recall, fpr board.Rate
}

// showing is how a point does on the sessions that keep lets through.
func (c *chooser) showing(point int, keep func(*board.Row) bool) showing {
	return c.showingOf(point, c.board.Sample(point, c.level, keep))
}

func (c *chooser) showingOf(point int, s *board.Sample) showing {
	s.Bounds = c.bounds
	return showing{Sample: s, point: point, recall: s.Recall(), fpr: s.FalseRate()}
}

// A choice is a point with how it came about.
type choice struct {
	showing
	feasible bool // all bounds hold; else it is the one that comes nearest
}

// choose picks the best point on all sessions but those that are left out.
// Without a feasible one it takes the smallest bound on false alarms, then recall.
func (c *chooser) choose(out []*board.Row) choice {
	var keep func(*board.Row) bool
	if len(out) > 0 {
		left := make(map[*board.Row]bool, len(out))
		for _, r := range out {
			left[r] = true
		}
		keep = func(r *board.Row) bool { return !left[r] }
	}
	var best *choice
	for i, p := range c.points {
		s := c.whole[i]
		for _, r := range out {
			s.Add(r.Mark(p, c.level), -1)
		}
		cand := &choice{showing: c.showingOf(p, c.board.SampleOf(s, p, c.level, keep))}
		cand.feasible = c.feasible(&cand.showing)
		if best == nil || c.prefer(cand, best) < 0 {
			best = cand
		}
	}
	return *best
}

func (c *chooser) prefer(a, b *choice) int {
	if a.feasible != b.feasible {
		if a.feasible {
			return -1
		}
		return 1
	}
	if a.feasible {
		return c.better(&a.showing, &b.showing)
	}
	return c.nearestToFeasible(&a.showing, &b.showing)
}

func (c *chooser) nearestToFeasible(a, b *showing) int {
	x, y := c.bounds.Upper(a.fpr), c.bounds.Upper(b.fpr)
	if x != y {
		if x < y {
			return -1
		}
		return 1
	}
	if a.recall.N != b.recall.N {
		return b.recall.N - a.recall.N
	}
	return c.tie(a, b)
}

// lines recommend a point, or say what is missing, and how far the choice is to
// be trusted.
func (c *chooser) lines(name func(int) string, force bool, holdout time.Time) []string {
	b := c.board
	best := c.choose(nil)
	lines := []string{fmt.Sprintf("objective at %s level: %s%s", board.LevelName(c.level), c.objective, b.Against())}
	positives := c.positiveClusters()
	if positives < minPositive && !force {
		return append(lines, fmt.Sprintf("not chosen: %d clusters with a loop, and a choice by recall needs %d (--force "+
			"chooses all the same)", positives, minPositive))
	}
	if positives < minPositive {
		lines = append(lines, "untunable: "+report.Plural(positives, "cluster")+" with a loop")
	}
	if best.feasible {
		lines = append(lines, fmt.Sprintf("best: %s (recall %s, false on work %s)", name(best.point), plainShare(best.recall),
			plainShare(best.fpr)))
	} else {
		lines = append(lines, c.infeasible()...)
		lines = append(lines, fmt.Sprintf("fallback, smallest bound and then recall: %s (recall %s, false on work %s, at "+
			"most %s)", name(best.point), plainShare(best.recall), plainShare(best.fpr), report.Percent(best.fpr.Upper())))
	}
	if best.point == c.current {
		lines = append(lines, "that is the current setting")
	} else {
		list := b.Flips(c.current, best.point, c.level)
		lines = append(lines, "against the current setting: "+board.FlipCounts(list)+"; hinges on "+
			report.Names(sessionsOf(list)))
		lines = append(lines, c.fragility(best.point)...)
	}
	if !holdout.IsZero() {
		return append(lines, c.later(name, holdout)...)
	}
	return append(lines, c.outOfFold(name, &best.showing)...)
}

func sessionsOf(list []board.Flip) (ids []string) {
	for i := range list {
		ids = append(ids, list[i].Session)
	}
	return ids
}

// positiveClusters counts the clusters that hold a loop.
func (c *chooser) positiveClusters() int {
	seen := make([]bool, len(c.board.ClusterNames))
	for _, r := range c.board.Rows {
		if r.Label != nil && r.Label.Class == corpus.Loop {
			seen[r.ClusterAt] = true
		}
	}
	n := 0
	for _, s := range seen {
		n += report.Bit(s)
	}
	return n
}

func plainShare(r board.Rate) string {
	if r.D == 0 {
		return "–"
	}
	if r.N == 0 {
		return fmt.Sprintf("0/%d (≤ %s)", r.D, report.Percent(r.Upper()))
	}
	return fmt.Sprintf("%d/%d", r.N, r.D)
}

// infeasible says for every bound on false alarms how many more sessions it takes.
func (c *chooser) infeasible() (lines []string) {
	lines = append(lines, "infeasible: no point keeps every bound")
	for _, bound := range c.objective.Bounds {
		if bound.Metric != "fpr95" || bound.Least {
			continue
		}
		least, work := -1, 0
		for _, p := range c.points {
			r := c.showing(p, nil).fpr
			if least < 0 || r.N < least {
				least, work = r.N, r.D
			}
		}
		need, ok := stat.NeededForUpper(max(least, 0), bound.Value, stat.Level)
		if ok && need > work {
			lines[0] = fmt.Sprintf("infeasible: n⁻ = %d gives at least %s even with %d false; label %d more productive "+
				"sessions without another", work, report.Percent(stat.Upper(max(least, 0), work, stat.Level)), max(least,
				0), need-work)
		}
	}
	return lines
}

// fold is the fold of a session, or its cluster where each is left out in turn.
func (c *chooser) fold(r *board.Row, k int) int {
	if k == len(c.board.ClusterNames) {
		return r.ClusterAt
	}
	return stat.Fold(c.board.Seed, r.Cluster, k)
}

// outOfFold chooses on all folds but one and measures on that one.
func (c *chooser) outOfFold(name func(int) string, best *showing) []string {
	k, how := Folds, fmt.Sprintf("k = %d", Folds)
	if c.thin() {
		k, how = len(c.board.ClusterNames), "leaving out one cluster at a time"
	}
	folds := make([][]*board.Row, k)
	for _, r := range c.board.Rows {
		f := c.fold(r, k)
		folds[f] = append(folds[f], r)
	}
	var recall, fpr board.Rate
	var chosen []string
	for _, out := range folds {
		pick := c.choose(out)
		chosen = append(chosen, name(pick.point))
		var test board.Sums
		for _, r := range out {
			test.Add(r.Mark(pick.point, c.level), 1)
		}
		recall.N += test.Caught
		recall.D += test.Loops()
		fpr.N += test.FalseHit
		fpr.D += test.Work()
	}
	line := fmt.Sprintf("out of fold (%s): chosen %s; recall %s, false on work %s", how, chosenText(chosen),
		plainShare(recall), plainShare(fpr))
	if o, ok := optimism(best.recall, recall); ok {
		line += fmt.Sprintf("; optimism %+.1f points of recall", o)
	}
	if o, ok := optimism(best.fpr, fpr); ok {
		line += fmt.Sprintf(", %+.1f of false alarms", o)
	}
	lines := []string{line}
	slices.Sort(chosen)
	if len(slices.Compact(chosen)) > 1 {
		lines = append(lines, "unstable choice: the folds do not agree")
	}
	return lines
}

// chosenText is the chosen points in the order of folds, or counted where there
// are many.
func chosenText(chosen []string) string {
	if len(chosen) <= Folds {
		return strings.Join(chosen, ", ")
	}
	n := make(map[string]int)
	var order []string
	for _, c := range chosen {
		if n[c] == 0 {
			order = append(order, c)
		}
		n[c]++
	}
	var parts []string
	for _, c := range order {
		parts = append(parts, fmt.Sprintf("%s (%d times)", c, n[c]))
	}
	return strings.Join(parts, ", ")
}

// thin reports whether some fold has no loop or no work, while loops are few.
func (c *chooser) thin() bool {
	var loops, work [Folds]int
	n := 0
	for _, r := range c.board.Rows {
		if r.Label == nil {
			continue
		}
		switch f := stat.Fold(c.board.Seed, r.Cluster, Folds); r.Label.Class {
		case corpus.Loop:
			loops[f]++
			n++
		case corpus.Productive:
			work[f]++
		}
	}
	for f := range Folds {
		if loops[f] == 0 || work[f] == 0 {
			return n < 2*Folds
		}
	}
	return false
}

// optimism is how much better a rate looks where it was chosen, in points.
func optimism(in, out board.Rate) (float64, bool) {
	a, ok1 := in.Share().Value()
	b, ok2 := out.Share().Value()
	return 100 * (a - b), ok1 && ok2
}

// later chooses on the sessions before a date and measures on the rest.
func (c *chooser) later(name func(int) string, date time.Time) []string {
	undated := 0
	for _, r := range c.board.Rows {
		undated += report.Bit(r.Started.IsZero())
	}
	before := func(r *board.Row) bool { return !r.Started.IsZero() && r.Started.Before(date) }
	var out []*board.Row
	for _, r := range c.board.Rows {
		if !before(r) {
			out = append(out, r)
		}
	}
	pick := c.choose(out)
	test := c.showing(pick.point, func(r *board.Row) bool { return !r.Started.IsZero() && !before(r) })
	line := fmt.Sprintf("chosen before %s: %s; after it: recall %s, false on work %s", date.Format(time.DateOnly),
		name(pick.point), plainShare(test.recall), plainShare(test.fpr))
	if undated > 0 {
		line += fmt.Sprintf("; %s without a date in neither", report.Plural(undated, "session"))
	}
	return []string{line}
}

// fragility is the share of the gain over the current setting that is lost with
// the single most influential cluster.
func (c *chooser) fragility(point int) []string {
	gain := func(without int) (float64, bool) {
		keep := func(r *board.Row) bool { return r.ClusterAt != without }
		s, now := c.showing(point, keep), c.showing(c.current, keep)
		x, ok1 := c.metric(&s, c.objective.Metric)
		y, ok2 := c.metric(&now, c.objective.Metric)
		if !c.objective.Max {
			x, y = y, x
		}
		return x - y, ok1 && ok2
	}
	whole, ok := gain(-1)
	if !ok || whole <= 0 {
		return nil
	}
	worst, who := math.Inf(1), -1
	for i := range c.board.ClusterNames {
		if g, ok := gain(i); ok && g < worst {
			worst, who = g, i
		}
	}
	if who < 0 {
		return nil
	}
	_, cluster, _ := strings.Cut(c.board.ClusterNames[who], ":")
	return []string{fmt.Sprintf("fragility: without %s, %.0f %% of the gain in %s is gone", cluster,
		100*min(1, (whole-worst)/whole), c.objective.Metric)}
}
