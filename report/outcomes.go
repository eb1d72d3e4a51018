package report

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// outcomes is the table of E5 to E7 at one level: a row for each number, a column
// for each configuration. Every number is against labels, so a board of labelled
// sessions is what it reads.
func (b *Board) outcomes(level detectors.Verdict, names, tiers []string) Section {
	s := Section{
		Key: "outcomes_" + levelName(level), Title: fmt.Sprintf("%s level%s: recall, false alarms, time, waste", levelName(level), b.against()),
		Doc: "waste, savings and damage are relative to the recorded continuation (C); a missed loop is charged to its end. " +
			"precision holds for the share of loops in this corpus alone.",
		Columns: []Column{{"what", "", true}},
	}
	var totals []*corpus.Totals
	for k, p := range b.points {
		s.Columns = append(s.Columns, Column{names[k], names[k], true})
		totals = append(totals, b.totals(p, level, nil))
	}
	line := []Cell{text("tier of the rates below")}
	for _, t := range tiers {
		line = append(line, text(t))
	}
	s.Rows = append(s.Rows, line)
	kind := corpus.RateRecall // of the rows that follow, for sessions that do not carry every rate
	row := func(name string, cell func(p int, t *corpus.Totals) Cell) {
		cells := []Cell{text(name)}
		some := false
		for k, p := range b.points {
			c := allowed(b.Selection, kind, "", cell(p, totals[k]))
			some = some || c.Kind != Null
			cells = append(cells, c)
		}
		if some {
			s.Rows = append(s.Rows, cells)
		}
	}
	share2 := func(in, hit func(corpus.Result) bool, metric string, keep func(*row0) bool) func(int, *corpus.Totals) Cell {
		return func(p int, _ *corpus.Totals) Cell {
			r := b.rate(p, level, in, hit, keep)
			if r.d == 0 {
				return null
			}
			return b.cell(r, metric)
		}
	}
	const people = "… by people's labels alone"
	mixed := b.mixed()
	row("loops caught (recall)", share2(isLoop, isCaught, "recall", nil))
	if mixed {
		row(people, share2(isLoop, isCaught, "recall", byPeople))
	}
	kind = corpus.RateFalse
	row("work hit (false-positive rate)", share2(isWork, isFalse, "fpr", nil))
	if mixed {
		row(people, share2(isWork, isFalse, "fpr", byPeople))
	}
	row("… its one-sided upper bound", func(p int, _ *corpus.Totals) Cell {
		r := b.rate(p, level, isWork, isFalse, nil)
		return portion(r.upper(), r.d > 0)
	})
	if level == detectors.ForceStop {
		row("false stops of all judged", share2(isJudged, isFalseHit, "false_stops", nil))
	}
	kind = corpus.RatePrecision
	precision := fmt.Sprintf("precision (corpus, %s loops)", b.prevalence())
	row(precision, func(p int, t *corpus.Totals) Cell {
		hits := t.Tally[corpus.TruePositive]
		if hits+t.Tally.FalseStops() == 0 {
			return null
		}
		return share(hits, hits+t.Tally.FalseStops())
	})
	for _, pi := range Prevalences {
		row(fmt.Sprintf("share of right fires at %s loops", pct(pi)), func(p int, _ *corpus.Totals) Cell {
			return portion(stat.PPV(b.rate(p, level, isLoop, isCaught, nil).share(), b.rate(p, level, isWork, isFalse, nil).share(), pi))
		})
	}
	row("L/O", func(p int, _ *corpus.Totals) Cell {
		return number(stat.LoopOverall(b.rate(p, level, isLoop, isCaught, nil).share(), b.rate(p, level, isWork, isFalse, nil).share()))
	})
	beta, betaName := 1.0, "F1"
	if level == detectors.ForceStop {
		beta, betaName = 0.5, "F0.5"
	}
	row(betaName, func(p int, t *corpus.Totals) Cell {
		n := t.Tally
		return number(stat.FBeta(n[corpus.TruePositive], n[corpus.FalseNegative]+n[corpus.Premature]+n[corpus.Late], n.FalseStops(), beta))
	})
	kind = corpus.RateFalse
	row("false episodes per 1,000 calls of work", func(p int, t *corpus.Totals) Cell { return perK(t.FalseEp, t.WorkCalls) })
	kind = corpus.RateFrequency
	row("episodes per 1,000 calls", func(p int, t *corpus.Totals) Cell { return perK(t.Episodes, t.Calls) })
	row("sessions without a fire", func(p int, t *corpus.Totals) Cell { return share(t.Quiet, t.Sessions) })
	kind = corpus.RateRecall
	row("loops (spans) with a right fire", func(p int, t *corpus.Totals) Cell { return share(t.Caught, t.Spans) })
	kind = corpus.RatePrecision
	row("fires that are right (of right ones and false episodes)", func(p int, t *corpus.Totals) Cell {
		if t.Right+t.FalseEp == 0 {
			return null
		}
		return share(t.Right, t.Right+t.FalseEp)
	})
	kind = corpus.RateRecall
	for _, k := range corpus.CurveAt {
		row(fmt.Sprintf("D(%d): caught within %s of the onset", k, plural(k, "call")), func(p int, t *corpus.Totals) Cell {
			caught, of, _ := t.Curve(k)
			if of == 0 {
				return null
			}
			return share(caught, of)
		})
	}
	row("latency, median calls (where half are caught)", func(p int, t *corpus.Totals) Cell {
		if t.Spans == 0 || 2*t.Caught < t.Spans {
			return null
		}
		slices.Sort(t.Latencies)
		return count(stat.Median(t.Latencies))
	})
	row("wasted calls a loop", func(p int, t *corpus.Totals) Cell {
		c := mean(t.Wasted, t.Spans)
		c.Least = t.AtLeast > 0
		boot := b.ratio(func(r *row0) (n, d float64) {
			for i := range r.under(p, level).Spans {
				if sp := &r.under(p, level).Spans[i]; !sp.Censored {
					n += float64(sp.Wasted)
					d++
				}
			}
			return n, d
		}, levelName(level)+" waste")
		return ranged(c, boot, 1).tier("C")
	})
	row("wasted proposals a loop", func(p int, t *corpus.Totals) Cell {
		c := mean(t.Proposed, t.Spans)
		c.Least = t.AtLeast > 0
		return c.tier("C")
	})
	row("loops hit too early, too late, missed", func(p int, t *corpus.Totals) Cell {
		n := t.Tally
		return text(fmt.Sprintf("%d, %d, %d", n[corpus.Premature], n[corpus.Late], n[corpus.FalseNegative]))
	})
	row("known gaps hit", func(p int, t *corpus.Totals) Cell {
		if t.Tally[corpus.GapHit]+t.Tally[corpus.GapMiss] == 0 {
			return null
		}
		return share(t.Tally[corpus.GapHit], t.Tally[corpus.GapHit]+t.Tally[corpus.GapMiss])
	})
	row("not judged (unlabelled, tolerated, censored)", func(p int, t *corpus.Totals) Cell {
		return count(t.Tally[corpus.UnknownFire] + t.Tally[corpus.UnknownQuiet] + t.Tally[corpus.Censored])
	})
	row("censored loops", func(p int, t *corpus.Totals) Cell {
		if t.Censored == 0 {
			return null
		}
		return count(t.Censored)
	})
	row("fires nobody judged", func(p int, t *corpus.Totals) Cell { return count(t.Unjudged) })
	if level == detectors.ForceStop {
		b.obeyed(row)
	}
	b.moved(&s, level)
	return s
}

// row0 is a session of the board, where row is a function.
type row0 = row

// prevalence is the share of loops among the judged sessions.
func (b *Board) prevalence() string {
	classes, _ := b.labelled()
	n, d := classes[corpus.Loop], classes[corpus.Loop]+classes[corpus.Productive]
	if d == 0 {
		return "no"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(d))
}

// obeyed are the rows of what right stops save and false ones destroy.
func (b *Board) obeyed(row func(string, func(int, *corpus.Totals) Cell)) {
	tier := func(n int) Cell { return count(n).tier("C") }
	row("saved in loops: calls", func(_ int, t *corpus.Totals) Cell { return tier(t.Saved.Calls) })
	row("… tokens, less one summary each", func(_ int, t *corpus.Totals) Cell {
		if t.Stops == 0 || t.Saved.Tokens.Unknown > 0 {
			return null
		}
		return tier(int(t.Saved.Tokens.N - t.Overhead))
	})
	row("… minutes", func(_ int, t *corpus.Totals) Cell {
		if !t.Saved.Timed {
			return null
		}
		return tier(int(t.Saved.Time.Minutes()))
	})
	row("work foregone after a loop that was left: calls", func(_ int, t *corpus.Totals) Cell { return tier(t.Foregone.Calls) })
	row("work cut by false stops: calls", func(_ int, t *corpus.Totals) Cell { return tier(t.CutWork.Calls) })
	row("recorded successes that a false stop would have prevented", func(_ int, t *corpus.Totals) Cell { return tier(t.Killed) })
}

// MovedBy is how far label edges are moved, in calls (E8.4).
const MovedBy = 2

// moved adds how recall and false alarms change where every onset is a little
// earlier or later: a figure that turns on it is label-sensitive.
func (b *Board) moved(s *Section, level detectors.Verdict) {
	if len(b.rows) == 0 || len(b.rows[0].edges[0]) == 0 {
		return
	}
	cells := []Cell{text(fmt.Sprintf("loops caught, onsets moved by up to %d calls", MovedBy))}
	for _, p := range b.points {
		lo, hi, d := -1, 0, 0
		for shift := range 2*MovedBy + 1 {
			n, of := 0, 0
			for _, r := range b.rows {
				res := r.edges[levelIndex(level)][shift][r.of[p]]
				of += one(isLoop(res))
				n += one(isCaught(res))
			}
			if lo < 0 || n < lo {
				lo = n
			}
			if n > hi {
				hi = n
			}
			d = max(d, of)
		}
		if d == 0 {
			return
		}
		cells = append(cells, text(fmt.Sprintf("%s of %d", span(fmt.Sprint(lo), fmt.Sprint(hi)), d)))
	}
	s.Rows = append(s.Rows, cells)
}

// compat is Kocoro's own summary (E5), for comparison: a missed loop costs it
// nothing, so no gate uses it.
func (b *Board) compat(names []string) Section {
	s := Section{
		Key: "compat_kocoro", Title: "Kocoro's own three numbers" + b.against(),
		Doc:     "false_signals: productive sessions with any nudge. missed_loops: loop sessions without a stop. total_wasted_calls: calls from the ideal stop to the first stop, of caught loops alone.",
		Columns: []Column{{"preset", "PRESET", true}, {"false_signals", "FALSE SIGNALS", true}, {"missed_loops", "MISSED LOOPS", true}, {"total_wasted_calls", "WASTED CALLS", true}},
	}
	for k, p := range b.points {
		signals, missed, wasted := 0, 0, 0
		for _, r := range b.rows {
			if r.label == nil {
				continue
			}
			switch r.label.Class {
			case corpus.Productive:
				signals += one(r.under(p, detectors.Nudge).First != nil)
			case corpus.Loop:
				j := r.under(p, detectors.ForceStop)
				missed += one(j.First == nil)
				for i := range j.Spans {
					if h := j.Spans[i].Hit; h != nil {
						wasted += max(0, h.Call-j.Spans[i].Span.Ideal())
					}
				}
			}
		}
		s.Rows = append(s.Rows, []Cell{text(names[k]), count(signals), count(missed), count(wasted)})
	}
	return s
}
