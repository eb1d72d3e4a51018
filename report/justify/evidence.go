package justify

import (
	"math"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/board"
)

// An evidence is what one level says about a proposal, over some sessions: the
// facts that the tables show and the rules decide by.
type evidence struct {
	level detectors.Verdict

	unique  []catch // caught with, and not without
	covered []catch // caught on both sides
	gained  []catch // caught without alone
	dropped []catch // nudge level: stopped with, and no more than nudged without
	harder  []catch // nudge level: nudged with, and stopped without

	removed, persisting, fresh []hitFlip    // false hits: with alone, on both sides, without alone
	others                     int          // false hits on both sides in which the paths in question have no part
	gaps                       []*board.Row // known gaps that are hit with alone; they count in no rule

	exposure []exposed // loops of a shape that the paths are for
}

// A catch is one loop, and what either side made of it.
type catch struct {
	row  *board.Row
	side [sides]*corpus.Caught
}

func (c *catch) span() *corpus.Span { return &c.side[with].Span }

// checked reports whether a person has said that the loop is one. A session that
// somebody wrote proves that a path can catch such a loop, and not that the loop
// happens: neither synthetic nor AI-read labels are an existence proof.
func checked(l *corpus.Label) bool {
	return l != nil && (l.Source == "human" || l.Source == "adjudicated")
}

// delay is how many calls later the side without acts.
func (c *catch) delay() int { return c.side[without].Hit.Call - c.side[with].Hit.Call }

// delayTokens is the same in tokens; ok is false where some step records none.
func (c *catch) delayTokens() (n int, ok bool) {
	a, b := c.side[with].LatencyTokens, c.side[without].LatencyTokens
	return int(b.N - a.N), a.Unknown == 0 && b.Unknown == 0
}

// A hitFlip is a session that is hit wrongly, with the first fires of both sides.
type hitFlip struct {
	board.Flip
	row    *board.Row
	harder bool // nudge level: it was nudged, and is stopped without
}

// An exposed loop is one of a shape that the paths in question are for.
type exposed struct {
	row  *board.Row
	span corpus.Span
}

// evidence gathers the facts of some sessions, with every onset moved by so many
// calls.
func (d *Dossier) evidence(level detectors.Verdict, rows []*board.Row, shift int) *evidence {
	e := &evidence{level: level}
	for _, r := range rows {
		a, b := d.moved(r, level, shift)
		stopA, stopB := d.moved(r, detectors.ForceStop, shift)
		for i := range a.Spans {
			c := catch{row: r, side: [sides]*corpus.Caught{&a.Spans[i], &b.Spans[i]}}
			caughtA, caughtB := c.side[with].Hit != nil, c.side[without].Hit != nil
			switch {
			case caughtA && !caughtB:
				e.unique = append(e.unique, c)
			case caughtB && !caughtA:
				e.gained = append(e.gained, c)
			case caughtA:
				e.covered = append(e.covered, c)
				hardA, hardB := stopA.Spans[i].Hit != nil, stopB.Spans[i].Hit != nil
				if level < detectors.ForceStop && hardA && !hardB {
					e.dropped = append(e.dropped, c)
				}
				if level < detectors.ForceStop && hardB && !hardA {
					e.harder = append(e.harder, c)
				}
			}
		}
		for i := range a.Runs {
			if a.Runs[i] == corpus.GapHit && b.Runs[i] != corpus.GapHit {
				e.gaps = append(e.gaps, r)
				break
			}
		}
		e.falseHits(r, a, b, stopA, stopB, board.IsFalseHit(r.Under(d.own, level).Result))
		e.exposure = append(e.exposure, d.exposed(r)...)
	}
	return e
}

// moved are the judgements of both sides.
func (d *Dossier) moved(r *board.Row, level detectors.Verdict, shift int) (a, b *corpus.Judgement) {
	j := &d.seen[r].moved[shift+board.MovedBy][board.LevelIndex(level)]
	return j[with], j[without]
}

// falseHits sorts a session by who hits it wrongly. own says that the paths in
// question would, alone: a false hit on both sides in which they have no part does
// not concern them.
func (e *evidence) falseHits(r *board.Row, a, b, stopA, stopB *corpus.Judgement, own bool) {
	h := hitFlip{Flip: board.Flip{Session: r.ID, Cluster: r.ClusterAt, From: a.Result, To: b.Result, A: a.First,
		B: b.First}, row: r}
	wasFalse, isNow := board.IsFalseHit(a.Result), board.IsFalseHit(b.Result)
	switch {
	case wasFalse && isNow && e.level < detectors.ForceStop && board.IsFalseHit(stopB.Result) &&
		!board.IsFalseHit(stopA.Result):
		h.harder = true
		e.fresh = append(e.fresh, h)
	case wasFalse && isNow && own:
		e.persisting = append(e.persisting, h)
	case wasFalse && isNow:
		e.others++
	case wasFalse:
		e.removed = append(e.removed, h)
	case isNow:
		e.fresh = append(e.fresh, h)
	}
}

// exposed lists the loops of a session that the paths in question are for and
// could have seen. Known gaps are none: nobody is meant to catch them.
func (d *Dossier) exposed(r *board.Row) (list []exposed) {
	if r.Label == nil || !d.applies(r) {
		return nil
	}
	shapes := d.targets()
	for _, s := range r.Label.Spans {
		if !s.KnownGap && slices.Contains(shapes, s.Shape) {
			list = append(list, exposed{r, s})
		}
	}
	return list
}

// incidents are the names of real incidents among exposed loops: those that a
// person found in a recording.
func incidents(list []exposed) (names []string) {
	for _, x := range list {
		if x.span.Incident != "" && checked(x.row.Label) {
			names = append(names, x.span.Incident)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// proven are the unique catches that a person has labelled, and open the others.
func (e *evidence) proven() (list, open []catch) {
	for _, c := range e.unique {
		if checked(c.row.Label) {
			list = append(list, c)
		} else {
			open = append(open, c)
		}
	}
	return list, open
}

// delays are those of the covered loops, in calls, sorted.
func delays(list []catch) []int {
	out := make([]int, 0, len(list))
	for i := range list {
		out = append(out, list[i].delay())
	}
	slices.Sort(out)
	return out
}

// p90 is the value that nine of ten do not exceed, by nearest rank; of none it is 0.
func p90(sorted []int) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(math.Ceil(0.9*float64(len(sorted))))-1]
}

// rowsOf are the sessions behind catches.
func rowsOf(list []catch) (ids []string) {
	for i := range list {
		ids = append(ids, list[i].row.ID)
	}
	return ids
}

// rowsOfHits are the sessions behind false hits.
func rowsOfHits(list []hitFlip) (ids []string) {
	for i := range list {
		ids = append(ids, list[i].row.ID)
	}
	return ids
}

// uniqueShare is U over the loop sessions: in how many of them some loop is
// caught with alone. Loops of one session are not independent, so sessions count,
// and clusters where sessions come in clusters. proof restricts it to labels that
// a person has made, since loops that somebody wrote are a sample of nothing.
func (d *Dossier) uniqueShare(e *evidence, proof bool) board.Rate {
	hit := make(map[*board.Row]bool)
	for i := range e.unique {
		hit[e.unique[i].row] = true
	}
	return d.Share(
		func(r *board.Row) bool {
			return board.IsLoop(r.Under(d.side[with], e.level).Result) && d.applies(r) && (!proof || checked(r.Label))
		},
		func(r *board.Row) bool { return hit[r] })
}
