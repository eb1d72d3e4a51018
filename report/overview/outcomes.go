package overview

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// judgedAt is the table of E5 to E7 at one level: a row for each number, a column
// for each configuration. Every number is against labels, so a board of labelled
// sessions is what it reads.
func judgedAt(b *board.Board, level detectors.Verdict, names, tiers []string) report.Section {
	s := report.Section{
		Key: "outcomes_" + board.LevelName(level), Title: fmt.Sprintf("%s level%s: recall, false alarms, time, waste", board.LevelName(level), b.Against()),
		Doc: "waste, savings and damage are relative to the recorded continuation (C); a missed loop is charged to its end. " +
			"precision holds for the share of loops in this corpus alone.",
		Columns: []report.Column{report.Col("what", "")},
	}
	var totals []*corpus.Totals
	for k, p := range b.Points {
		s.Columns = append(s.Columns, report.Col(names[k], names[k]))
		totals = append(totals, b.Totals(p, level, nil))
	}
	line := []report.Cell{report.Text("tier of the rates below")}
	for _, t := range tiers {
		line = append(line, report.Text(t))
	}
	s.Rows = append(s.Rows, line)
	kind := corpus.RateRecall // of the rows that follow, for sessions that do not carry every rate
	row := func(name string, cell func(p int, t *corpus.Totals) report.Cell) {
		cells := []report.Cell{report.Text(name)}
		some := false
		for k, p := range b.Points {
			c := board.Allowed(b.Selection, kind, "", cell(p, totals[k]))
			some = some || c.Kind != report.KindNull
			cells = append(cells, c)
		}
		if some {
			s.Rows = append(s.Rows, cells)
		}
	}
	share2 := func(in, hit func(corpus.Result) bool, metric string, keep func(*board.Row) bool) func(int, *corpus.Totals) report.Cell {
		return func(p int, _ *corpus.Totals) report.Cell {
			r := b.Rate(p, level, in, hit, keep)
			if r.D == 0 {
				return report.Null
			}
			return b.Cell(r, metric)
		}
	}
	const people = "… by people's labels alone"
	mixed := b.Mixed()
	row("loops caught (recall)", share2(board.IsLoop, board.IsCaught, "recall", nil))
	if mixed {
		row(people, share2(board.IsLoop, board.IsCaught, "recall", board.ByPeople))
	}
	kind = corpus.RateFalse
	row("work hit (false-positive rate)", share2(board.IsWork, board.IsFalse, "fpr", nil))
	if mixed {
		row(people, share2(board.IsWork, board.IsFalse, "fpr", board.ByPeople))
	}
	row("… its one-sided upper bound", func(p int, _ *corpus.Totals) report.Cell {
		r := b.Rate(p, level, board.IsWork, board.IsFalse, nil)
		return report.Portion(r.Upper(), r.D > 0)
	})
	if level == detectors.ForceStop {
		row("false stops of all judged", share2(board.IsJudged, board.IsFalseHit, "false_stops", nil))
	}
	kind = corpus.RatePrecision
	precision := fmt.Sprintf("precision (corpus, %s loops)", prevalence(b))
	row(precision, func(p int, t *corpus.Totals) report.Cell {
		hits := t.Tally[corpus.TruePositive]
		if hits+t.Tally.FalseStops() == 0 {
			return report.Null
		}
		return report.Share(hits, hits+t.Tally.FalseStops())
	})
	for _, pi := range board.Prevalences {
		row(fmt.Sprintf("share of right fires at %s loops", report.Percent(pi)), func(p int, _ *corpus.Totals) report.Cell {
			return report.Portion(stat.PPV(b.Rate(p, level, board.IsLoop, board.IsCaught, nil).Share(), b.Rate(p, level, board.IsWork, board.IsFalse, nil).Share(), pi))
		})
	}
	row("L/O", func(p int, _ *corpus.Totals) report.Cell {
		return report.Number(stat.LoopOverall(b.Rate(p, level, board.IsLoop, board.IsCaught, nil).Share(), b.Rate(p, level, board.IsWork, board.IsFalse, nil).Share()))
	})
	beta, betaName := 1.0, "F1"
	if level == detectors.ForceStop {
		beta, betaName = 0.5, "F0.5"
	}
	row(betaName, func(p int, t *corpus.Totals) report.Cell {
		n := t.Tally
		return report.Number(stat.FBeta(n[corpus.TruePositive], n[corpus.FalseNegative]+n[corpus.Premature]+n[corpus.Late], n.FalseStops(), beta))
	})
	kind = corpus.RateFalse
	row("false episodes per 1,000 calls of work", func(p int, t *corpus.Totals) report.Cell { return report.PerK(t.FalseEp, t.WorkCalls) })
	kind = corpus.RateFrequency
	row("episodes per 1,000 calls", func(p int, t *corpus.Totals) report.Cell { return report.PerK(t.Episodes, t.Calls) })
	row("sessions without a fire", func(p int, t *corpus.Totals) report.Cell { return report.Share(t.Quiet, t.Sessions) })
	kind = corpus.RateRecall
	row("loops (spans) with a right fire", func(p int, t *corpus.Totals) report.Cell { return report.Share(t.Caught, t.Spans) })
	kind = corpus.RatePrecision
	row("fires that are right (of right ones and false episodes)", func(p int, t *corpus.Totals) report.Cell {
		if t.Right+t.FalseEp == 0 {
			return report.Null
		}
		return report.Share(t.Right, t.Right+t.FalseEp)
	})
	kind = corpus.RateRecall
	for _, k := range corpus.CurveAt {
		row(fmt.Sprintf("D(%d): caught within %s of the onset", k, report.Plural(k, "call")), func(p int, t *corpus.Totals) report.Cell {
			caught, of, _ := t.Curve(k)
			if of == 0 {
				return report.Null
			}
			return report.Share(caught, of)
		})
	}
	row("latency, median calls (where half are caught)", func(p int, t *corpus.Totals) report.Cell {
		if t.Spans == 0 || 2*t.Caught < t.Spans {
			return report.Null
		}
		slices.Sort(t.Latencies)
		return report.Count(stat.Median(t.Latencies))
	})
	row("wasted calls a loop", func(p int, t *corpus.Totals) report.Cell {
		c := report.Mean(t.Wasted, t.Spans)
		c.Least = t.AtLeast > 0
		boot := b.Ratio(func(r *board.Row) (n, d float64) {
			for i := range r.Under(p, level).Spans {
				if sp := &r.Under(p, level).Spans[i]; !sp.Censored {
					n += float64(sp.Wasted)
					d++
				}
			}
			return n, d
		}, board.LevelName(level)+" waste")
		return board.Ranged(c, boot, 1).WithTier("C")
	})
	row("wasted proposals a loop", func(p int, t *corpus.Totals) report.Cell {
		c := report.Mean(t.Proposed, t.Spans)
		c.Least = t.AtLeast > 0
		return c.WithTier("C")
	})
	row("loops hit too early, too late, missed", func(p int, t *corpus.Totals) report.Cell {
		n := t.Tally
		return report.Text(fmt.Sprintf("%d, %d, %d", n[corpus.Premature], n[corpus.Late], n[corpus.FalseNegative]))
	})
	row("known gaps hit", func(p int, t *corpus.Totals) report.Cell {
		if t.Tally[corpus.GapHit]+t.Tally[corpus.GapMiss] == 0 {
			return report.Null
		}
		return report.Share(t.Tally[corpus.GapHit], t.Tally[corpus.GapHit]+t.Tally[corpus.GapMiss])
	})
	row("not judged (unlabelled, tolerated, censored)", func(p int, t *corpus.Totals) report.Cell {
		return report.Count(t.Tally[corpus.UnknownFire] + t.Tally[corpus.UnknownQuiet] + t.Tally[corpus.Censored])
	})
	row("censored loops", func(p int, t *corpus.Totals) report.Cell {
		if t.Censored == 0 {
			return report.Null
		}
		return report.Count(t.Censored)
	})
	row("fires nobody judged", func(p int, t *corpus.Totals) report.Cell { return report.Count(t.Unjudged) })
	if level == detectors.ForceStop {
		obeyed(row)
	}
	moved(b, &s, level)
	return s
}

// prevalence is the share of loops among the judged sessions.
func prevalence(b *board.Board) string {
	classes, _ := b.ClassCounts()
	n, d := classes[corpus.Loop], classes[corpus.Loop]+classes[corpus.Productive]
	if d == 0 {
		return "no"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(d))
}

// obeyed are the rows of what right stops save and false ones destroy.
func obeyed(row func(string, func(int, *corpus.Totals) report.Cell)) {
	tier := func(n int) report.Cell { return report.Count(n).WithTier("C") }
	row("saved in loops: calls", func(_ int, t *corpus.Totals) report.Cell { return tier(t.Saved.Calls) })
	row("… tokens, less one summary each", func(_ int, t *corpus.Totals) report.Cell {
		if t.Stops == 0 || t.Saved.Tokens.Unknown > 0 {
			return report.Null
		}
		return tier(int(t.Saved.Tokens.N - t.Overhead))
	})
	row("… minutes", func(_ int, t *corpus.Totals) report.Cell {
		if !t.Saved.Timed {
			return report.Null
		}
		return tier(int(t.Saved.Time.Minutes()))
	})
	row("work foregone after a loop that was left: calls", func(_ int, t *corpus.Totals) report.Cell { return tier(t.Foregone.Calls) })
	row("work cut by false stops: calls", func(_ int, t *corpus.Totals) report.Cell { return tier(t.CutWork.Calls) })
	row("recorded successes that a false stop would have prevented", func(_ int, t *corpus.Totals) report.Cell { return tier(t.Killed) })
}

// moved adds how recall and false alarms change where every onset is a little
// earlier or later: a figure that turns on it is label-sensitive.
func moved(b *board.Board, s *report.Section, level detectors.Verdict) {
	if len(b.Rows) == 0 || len(b.Rows[0].Edges[0]) == 0 {
		return
	}
	cells := []report.Cell{report.Text(fmt.Sprintf("loops caught, onsets moved by up to %d calls", board.MovedBy))}
	for _, p := range b.Points {
		lo, hi, d := -1, 0, 0
		for shift := range 2*board.MovedBy + 1 {
			n, of := 0, 0
			for _, r := range b.Rows {
				res := r.Edges[board.LevelIndex(level)][shift][r.Group[p]]
				of += report.Bit(board.IsLoop(res))
				n += report.Bit(board.IsCaught(res))
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
		cells = append(cells, report.Text(fmt.Sprintf("%s of %d", report.FromTo(fmt.Sprint(lo), fmt.Sprint(hi)), d)))
	}
	s.Rows = append(s.Rows, cells)
}

// compat is Kocoro's own summary (E5), for comparison: a missed loop costs it
// nothing, so no gate uses it.
func compat(b *board.Board, names []string) report.Section {
	s := report.Section{
		Key: "compat_kocoro", Title: "Kocoro's own three numbers" + b.Against(),
		Doc:     "false_signals: productive sessions with any nudge. missed_loops: loop sessions without a stop. total_wasted_calls: calls from the ideal stop to the first stop, of caught loops alone.",
		Columns: []report.Column{report.Col("preset", "PRESET"), report.Col("false_signals", "FALSE SIGNALS"), report.Col("missed_loops", "MISSED LOOPS"), report.Col("total_wasted_calls", "WASTED CALLS")},
	}
	for k, p := range b.Points {
		signals, missed, wasted := 0, 0, 0
		for _, r := range b.Rows {
			if r.Label == nil {
				continue
			}
			switch r.Label.Class {
			case corpus.Productive:
				signals += report.Bit(r.Under(p, detectors.Nudge).First != nil)
			case corpus.Loop:
				j := r.Under(p, detectors.ForceStop)
				missed += report.Bit(j.First == nil)
				for i := range j.Spans {
					if h := j.Spans[i].Hit; h != nil {
						wasted += max(0, h.Call-j.Spans[i].Span.Ideal())
					}
				}
			}
		}
		s.Rows = append(s.Rows, []report.Cell{report.Text(names[k]), report.Count(signals), report.Count(missed), report.Count(wasted)})
	}
	return s
}
