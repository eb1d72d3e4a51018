package overview

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// What may be said without labels: how often paths agree, and what recordings
// themselves say about their end. A reward is a weak outcome and never a label: a run
// can finish its task and grind on, so nothing here is called recall, precision or
// false positive.

// An agreement counts in how many sessions paths of one preset fired, each alone.
type agreement struct {
	sessions int
	sets     map[uint64]int // by the set of paths that fired
}

func (a *agreement) add(paths []pathTally, o *replay.Outcome) {
	var set uint64
	for i := range paths[:min(len(paths), board.MaxPaths)] {
		if t := &paths[i]; t.alone >= 0 {
			for _, r := range o.Points[t.alone].Runs {
				if r.FirstNudge != nil {
					set |= 1 << i
				}
			}
		}
	}
	if a.sets == nil {
		a.sets = make(map[uint64]int)
	}
	a.sessions++
	a.sets[set]++
}

// maxPairs is how many pairs of paths are listed.
const maxPairs = 12

// pairs lists the paths that fire in the same sessions most often.
func (r *Replay) pairs(c *configTally) []report.Section {
	type pair struct {
		a, b               int
		both, onlyA, onlyB int
	}
	var list []pair
	for i := range c.paths[:min(len(c.paths), board.MaxPaths)] {
		for j := range i {
			p := pair{a: j, b: i}
			for set, n := range c.agree.sets {
				switch x, y := set>>j&1 == 1, set>>i&1 == 1; {
				case x && y:
					p.both += n
				case x:
					p.onlyA += n
				case y:
					p.onlyB += n
				}
			}
			if p.both > 0 {
				list = append(list, p)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(x, y pair) int {
		return cmp.Compare(y.both*(x.both+x.onlyA+x.onlyB), x.both*(y.both+y.onlyA+y.onlyB))
	})
	s := report.Section{
		Key: "agreement", Title: r.preset(c).Name + ": paths that fire in the same sessions",
		Doc: "each path alone, at nudge level. JACCARD: of the sessions in which one of the two fires, those in which " +
			"both do. Overlap alone is no reason to remove a path.",
		Columns: report.Cols("a", "PATH", "b", "AND", "jaccard", "JACCARD", "?only_a", "FIRST ALONE", "?only_b",
			"SECOND ALONE", "?kappa", "KAPPA"),
	}
	for _, p := range list[:min(len(list), maxPairs)] {
		s.Add(report.PathName(c.paths[p.a].detector.Name), report.PathName(c.paths[p.b].detector.Name),
			report.Share(p.both, p.both+p.onlyA+p.onlyB), p.onlyA, p.onlyB, report.Number(kappa(p.both, p.onlyA, p.onlyB,
				c.agree.sessions)))
	}
	alone, many := 0, 0
	for set, n := range c.agree.sets {
		alone += n * report.Bit(bits.OnesCount64(set) == 1)
		many += n * report.Bit(bits.OnesCount64(set) > 1)
	}
	s.Lines = append(s.Lines, fmt.Sprintf("%s with one path alone, %d with several", report.Plural(alone, "session"),
		many))
	return []report.Section{s}
}

// kappa is Cohen's kappa of two paths over sessions.
func kappa(both, onlyA, onlyB, n int) (float64, bool) {
	var a, b []string
	for _, g := range []struct {
		n    int
		x, y string
	}{{both, "f", "f"}, {onlyA, "f", "q"}, {onlyB, "q", "f"}, {n - both - onlyA - onlyB, "q", "q"}} {
		for range g.n {
			a, b = append(a, g.x), append(b, g.y)
		}
	}
	return stat.Kappa(a, b)
}

// weakOutcomes counts fires by what recordings say about their end.
type weakOutcomes struct {
	order []string
	by    map[string]*weakOutcome
}

type weakOutcome struct {
	sessions        int
	nudged, stopped []int // by configuration
}

// maxStatuses bounds the words that recordings invent for their end.
const maxStatuses = 40

func (w *weakOutcomes) add(o *replay.Outcome, configs []configTally) {
	for _, name := range endsOf(o.Session) {
		e := w.by[name]
		if e == nil {
			if len(w.order) >= maxStatuses {
				continue
			}
			if w.by == nil {
				w.by = make(map[string]*weakOutcome)
			}
			e = &weakOutcome{nudged: make([]int, len(configs)), stopped: make([]int, len(configs))}
			w.by[strings.Clone(name)] = e
			w.order = append(w.order, strings.Clone(name))
		}
		e.sessions++
		for i := range configs {
			n, s := false, false
			for _, r := range o.Points[configs[i].point].Runs {
				n = n || r.FirstNudge != nil
				s = s || r.FirstStop != nil
			}
			e.nudged[i] += report.Bit(n)
			e.stopped[i] += report.Bit(s)
		}
	}
}

// endsOf is what a recording says about its end, in words.
func endsOf(s *transcript.Session) (list []string) {
	rec := &s.Recorded
	switch {
	case rec.Success != nil && *rec.Success:
		list = append(list, "resolved")
	case rec.Success != nil:
		list = append(list, "not resolved")
	}
	if rec.Reward != nil && rec.Success == nil {
		if *rec.Reward > 0 {
			list = append(list, "reward above 0")
		} else {
			list = append(list, "reward 0 or less")
		}
	}
	if rec.ExitStatus != "" {
		list = append(list, "exit status "+rec.ExitStatus)
	}
	if s.End == transcript.EndAborted {
		list = append(list, "interrupted by a person")
	}
	if s.End == transcript.EndLimit {
		list = append(list, "ended at a limit")
	}
	return list
}

// ends is the table of weak outcomes: rates under their own names.
func (r *Replay) ends() []report.Section {
	if len(r.weakEnds.order) == 0 {
		return nil
	}
	s := report.Section{
		Key: "weak_outcomes", Title: "fires by what the record says about the end",
		Doc: "weak outcomes, not labels: a resolved run may hold a loop, and a failed one none. These are shares of " +
			"such sessions that are hit, and nothing else.",
		Columns: report.Cols("end", "SESSIONS THAT END", "n", "N"),
	}
	for i := range r.configs {
		name := r.preset(&r.configs[i]).Name
		s.Columns = append(s.Columns, report.Col("?"+name+"_nudged", strings.ToUpper(name)+" NUDGED"),
			report.Col(name+"_stopped", "STOPPED"))
	}
	names := slices.Clone(r.weakEnds.order)
	slices.Sort(names)
	for _, name := range names {
		e := r.weakEnds.by[name]
		row := []report.Cell{report.Text(name), report.Count(e.sessions)}
		for i := range r.configs {
			row = append(row, report.Share(e.nudged[i], e.sessions), report.Share(e.stopped[i], e.sessions))
		}
		s.Rows = append(s.Rows, row)
	}
	return []report.Section{s}
}

// recorded is the table of what live detectors did, as the record shows it, and
// how much of that each preset reproduces.
type recorded struct {
	nudges, sessions int
	reproduced       []int // by configuration
	extra            []int // deliveries in those sessions that the record does not show
}

func (rec *recorded) add(o *replay.Outcome, configs []configTally) {
	if len(o.Recorded) == 0 {
		return
	}
	if rec.reproduced == nil {
		rec.reproduced, rec.extra = make([]int, len(configs)), make([]int, len(configs))
	}
	rec.sessions++
	rec.nudges += len(o.Recorded)
	for i := range configs {
		hits, extra := board.Reproduced(o, o.Points[configs[i].point])
		rec.reproduced[i] += hits
		rec.extra[i] += extra
	}
}

func (r *Replay) fidelity() []report.Section {
	rec := &r.interventions
	if rec.nudges == 0 {
		return nil
	}
	s := report.Section{
		Key: "fidelity", Title: "reminders about loops that the record itself shows",
		Doc: fmt.Sprintf("%s in %s. Where the preset is the one that was live, every one should be reproduced after "+
			"the same step.", report.Plural(rec.nudges, "reminder"), report.Plural(rec.sessions, "session")),
		Columns: report.Cols("preset", "PRESET", "reproduced", "REPRODUCED", "extra", "NOT IN THE RECORD"),
	}
	for i := range r.configs {
		s.Add(r.preset(&r.configs[i]).Name, report.Share(rec.reproduced[i], rec.nudges), rec.extra[i])
	}
	return []report.Section{s}
}
