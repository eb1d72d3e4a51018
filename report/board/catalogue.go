package board

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/stat"
)

// Prevalences are the shares of loops at which the share of right fires is shown
// unless others are asked for.
var Prevalences = []float64{0.01, 0.05}

// Catalogue lists every metric of one level. Precision is never shown without the
// share of loops that it holds for: prevalence lists those to compute it at.
func Catalogue(level detectors.Verdict, prevalence []float64) []Metric {
	list := slices.Concat(rates(level), computed(level, prevalence), sums(), details())
	return slices.DeleteFunc(list, func(m Metric) bool { return m.Stop && level < detectors.ForceStop })
}

// Pick takes metrics out of a list by their keys, in the order of the keys; a key
// that ends in * stands for all that begin like it. Keys that are not in the list are
// left out: some metrics exist at stop level alone.
func Pick(list []Metric, keys ...string) (picked []Metric) {
	for _, key := range keys {
		prefix, all := strings.CutSuffix(key, "*")
		for _, m := range list {
			if m.Key == key || all && strings.HasPrefix(m.Key, prefix) {
				picked = append(picked, m)
			}
		}
	}
	return picked
}

// Headline are the metrics that a table of configurations has a column or a row for.
func (b *Board) Headline(level detectors.Verdict, prevalence []float64) []Metric {
	list := Catalogue(level, prevalence)
	if !b.HasLabels() {
		return Pick(list, "fired", "episodes_per_1k")
	}
	return Pick(list, "recall", "fpr", "fpr_upper95", "false_stops", "loop_over_overall", "waste_per_loop",
		"false_per_1k", "killed_success", "ppv_at_*", "episodes_per_1k")
}

// rates are shares of sessions.
func rates(level detectors.Verdict) []Metric {
	return []Metric{
		{Key: "fired", Name: "SESSIONS HIT", Title: "sessions with a fire", Rate: corpus.RateFrequency, Keep: true,
			N: func(s *Sums) int { return s.Sessions - s.Quiet }, D: (*Sums).sessions},
		{Key: "quiet", Title: "sessions without a fire", Rate: corpus.RateFrequency,
			N: func(s *Sums) int { return s.Quiet }, D: (*Sums).sessions},
		{Key: "recall", Name: "RECALL", Title: "loops caught (recall)", Better: More, Rate: corpus.RateRecall, Keep: true,
			Seen: true, N: caught, D: (*Sums).Loops, Flips: IsLoop},
		{Key: "fpr", Name: "FALSE ON WORK", Title: "work hit (false-positive rate)", Better: Less, Rate: corpus.RateFalse,
			Keep: true, Seen: true, N: falseHit, D: (*Sums).Work, Flips: IsWork},
		{Key: "false_stops", Name: "FALSE STOPS OF ALL", Title: "false stops of all judged", Better: Less,
			Rate: corpus.RateFalse, Stop: true, Seen: true, N: (*Sums).FalseHits, D: (*Sums).judged},
		{Key: "precision", Title: "precision (corpus, %s loops)", Better: More, Rate: corpus.RatePrecision, Seen: true,
			N: caught, D: func(s *Sums) int { return s.Caught + s.FalseHits() }},
		{Key: "gap_hits", Title: "known gaps hit", Rate: corpus.RateRecall, Seen: true,
			N: func(s *Sums) int { return s.GapHit }, D: func(s *Sums) int { return s.GapHit + s.GapMiss }},
	}
}

func (s *Sums) sessions() int { return s.Sessions }
func (s *Sums) judged() int   { return s.Loops() + s.Work() }
func (s *Sums) loops() int    { return s.Spans }
func (s *Sums) calls() int    { return s.Calls }
func (s *Sums) work() int     { return s.WorkCalls }

// computed are numbers that follow from the rates.
func computed(level detectors.Verdict, prevalence []float64) []Metric {
	beta, name := 1.0, "F1"
	if level >= detectors.ForceStop {
		beta, name = 0.5, "F0.5" // a false stop destroys work
	}
	list := []Metric{
		{Key: "recall_lower95", Name: "LOWER95", Title: "… its one-sided lower bound", Unit: Portion, Better: More,
			Rate: corpus.RateRecall, Compute: func(s *Sample) (float64, bool) {
				r := s.Recall()
				return s.Bounds.Lower(r), r.D > 0
			}},
		{Key: "fpr_upper95", Name: "UPPER95", Title: "… its one-sided upper bound", Unit: Portion, Better: Less,
			Rate: corpus.RateFalse, Keep: true, Compute: func(s *Sample) (float64, bool) {
				r := s.FalseRate()
				return s.Bounds.Upper(r), r.D > 0
			}},
		{Key: "loop_over_overall", Name: "L/O", Title: "L/O", Unit: Number, Better: More, Rate: corpus.RatePrecision,
			Compute: func(s *Sample) (float64, bool) {
				return stat.LoopOverall(s.share(caught, (*Sums).Loops), s.share(falseHit, (*Sums).Work))
			}},
		{Key: "f", Name: name, Title: name, Unit: Number, Better: More, Rate: corpus.RatePrecision,
			Compute: func(s *Sample) (float64, bool) { return stat.FBeta(s.Caught, s.Missed, s.FalseHits(), beta) }},
		{Key: "timed_score", Unit: Number, Better: More, Rate: corpus.RateRecall,
			Compute: func(s *Sample) (float64, bool) {
				missed, waste := s.Spans-s.SpansCaught, s.Detail().CaughtWaste
				return stat.TimedScore(waste, missed, s.FalseEpisodes, stat.Standard, stat.HalfLife)
			}},
	}
	for _, pi := range prevalence {
		list = append(list, Metric{
			Key: fmt.Sprintf("ppv_at_%g", pi), Name: fmt.Sprintf("PPV AT %g%%", 100*pi),
			Title: fmt.Sprintf("share of right fires at %s loops", report.Percent(pi)),
			Unit:  Portion, Better: More, Rate: corpus.RatePrecision,
			Compute: func(s *Sample) (float64, bool) {
				return stat.PPV(s.share(caught, (*Sums).Loops), s.share(falseHit, (*Sums).Work), pi)
			},
		})
	}
	return list
}

// share is a share without clusters: what is computed from it has no interval.
func (s *Sample) share(n, d func(*Sums) int) stat.Share {
	return stat.Share{N: n(&s.Sums), D: d(&s.Sums)}
}

// Costed are the metrics that weigh mistakes.
func Costed(c *stat.Costs) []Metric {
	return []Metric{
		{Key: "cost", Unit: Number, Better: Less, Rate: corpus.RateFalse, Compute: func(s *Sample) (float64, bool) {
			if c == nil {
				return 0, false
			}
			waste, _ := ratio(s.CaughtWaste, s.SpansCaught)
			nudges, _ := ratio(s.FalseEpisodes, s.Work())
			return c.PerSession(s.share(caught, (*Sums).Loops), s.share(falseHit, (*Sums).Work), waste, nudges)
		}},
		{Key: "tcr", Unit: Number, Better: More, Rate: corpus.RateFalse, Compute: func(s *Sample) (float64, bool) {
			if c == nil || c.Miss == 0 {
				return 0, false
			}
			return stat.TotalCostRatio(s.Loops(), s.FalseHit, s.Missed, c.FalseStop/c.Miss)
		}},
	}
}

// sums are ratios of sums, and plain counts.
func sums() []Metric {
	return []Metric{
		{Key: "waste_per_loop", Name: "WASTE/LOOP", Title: "wasted calls a loop", Unit: PerLoop, Better: Less,
			Rate: corpus.RateRecall, Tier: "C", N: func(s *Sums) int { return s.Wasted }, D: (*Sums).loops,
			Least: func(s *Sums) bool { return s.AtLeast > 0 }},
		{Key: "proposals_per_loop", Title: "wasted proposals a loop", Unit: PerLoop, Better: Less,
			Rate: corpus.RateRecall, Tier: "C", N: func(s *Sums) int { return s.Proposed }, D: (*Sums).loops,
			Least: func(s *Sums) bool { return s.AtLeast > 0 }},
		{Key: "false_per_1k", Name: "FALSE/1K", Title: "false episodes per 1,000 calls of work", Unit: PerK,
			Better: Less, Rate: corpus.RateFalse, N: func(s *Sums) int { return s.FalseEpisodes }, D: (*Sums).work},
		{Key: "episodes_per_1k", Name: "FIRES/1K", Title: "episodes per 1,000 calls", Unit: PerK,
			Rate: corpus.RateFrequency, N: func(s *Sums) int { return s.Episodes }, D: (*Sums).calls},
		{Key: "spans_caught", Title: "loops (spans) with a right fire", Unit: Fraction, Better: More,
			Rate: corpus.RateRecall, N: func(s *Sums) int { return s.SpansCaught }, D: (*Sums).loops},
		{Key: "right_fires", Title: "fires that are right (of right ones and false episodes)", Unit: Fraction, Better: More,
			Rate: corpus.RatePrecision, Seen: true, N: func(s *Sums) int { return s.Right },
			D: func(s *Sums) int { return s.Right + s.FalseEpisodes }},
		{Key: "killed_success", Name: "KILLED", Title: "recorded successes that a false stop would have prevented",
			Unit: Count, Better: Less, Rate: corpus.RateDifference, Tier: "C", Stop: true,
			N: func(s *Sums) int { return s.Killed }},
		{Key: "not_judged", Title: "not judged (unlabelled, tolerated, censored)", Unit: Count,
			Rate: corpus.RateRecall, N: func(s *Sums) int { return s.NotJudged }},
		{Key: "unjudged_fires", Title: "fires nobody judged", Unit: Count, Rate: corpus.RateRecall,
			N: func(s *Sums) int { return s.Unjudged }},
	}
}

// details are numbers that no sum holds: when a loop was caught, and what a stop
// saves or destroys. What a stop does assumes that the agent goes on as recorded.
func details() (list []Metric) {
	add := func(key, title string, better Direction, show func(t *corpus.Totals) report.Cell) {
		list = append(list, Metric{Key: key, Title: title, Unit: Detail, Better: better, Rate: corpus.RateRecall,
			Show: func(s *Sample) report.Cell { return show(s.Detail()) }})
	}
	for _, k := range corpus.CurveAt {
		add(fmt.Sprintf("caught_within_%d", k), fmt.Sprintf("D(%d): caught within %s of the onset", k,
			report.Plural(k, "call")), More,
			func(t *corpus.Totals) report.Cell {
				caught, of, _ := t.Curve(k)
				if of == 0 {
					return report.Null
				}
				return report.Share(caught, of)
			})
	}
	add("latency_median", "latency, median calls (where half are caught)", Less, func(t *corpus.Totals) report.Cell {
		if t.Spans == 0 || 2*t.Caught < t.Spans {
			return report.Null
		}
		slices.Sort(t.Latencies)
		return report.Count(stat.Median(t.Latencies))
	})
	add("loops_not_caught", "loops hit too early, too late, missed", Neither, func(t *corpus.Totals) report.Cell {
		n := t.Tally
		return report.Text(fmt.Sprintf("%d, %d, %d", n[corpus.Premature], n[corpus.Late], n[corpus.FalseNegative]))
	})
	add("censored_loops", "censored loops", Neither, func(t *corpus.Totals) report.Cell {
		if t.Censored == 0 {
			return report.Null
		}
		return report.Count(t.Censored)
	})
	return append(list, obeyed()...)
}

// obeyed are what right stops save and false ones destroy.
func obeyed() (list []Metric) {
	add := func(key, title string, better Direction, show func(t *corpus.Totals) report.Cell) {
		list = append(list, Metric{Key: key, Title: title, Unit: Detail, Better: better, Rate: corpus.RateRecall, Tier: "C",
			Stop: true,
			Show: func(s *Sample) report.Cell { return show(s.Detail()) }})
	}
	add("saved_calls", "saved in loops: calls", More,
		func(t *corpus.Totals) report.Cell { return report.Count(t.Saved.Calls) })
	add("saved_tokens", "… tokens, less one summary each", More, func(t *corpus.Totals) report.Cell {
		if t.Stops == 0 || t.Saved.Tokens.Unknown > 0 {
			return report.Null
		}
		return report.Count(int(t.Saved.Tokens.N - t.Overhead))
	})
	add("saved_minutes", "… minutes", More, func(t *corpus.Totals) report.Cell {
		if !t.Saved.Timed {
			return report.Null
		}
		return report.Count(int(t.Saved.Time.Minutes()))
	})
	add("foregone_calls", "work foregone after a loop that was left: calls", Less,
		func(t *corpus.Totals) report.Cell { return report.Count(t.Foregone.Calls) })
	add("cut_calls", "work cut by false stops: calls", Less,
		func(t *corpus.Totals) report.Cell { return report.Count(t.CutWork.Calls) })
	return list
}
