package gate

import (
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// An Aggregate is one metric over all sessions of a baseline, at one level.
type Aggregate struct {
	Level detectors.Verdict
	Key   string
	Cell  report.Cell
}

// Name is the metric with its level, for machines.
func (m *Aggregate) Name() string { return board.LevelName(m.Level) + "." + m.Key }

// aggregated are the metrics that a baseline holds, in order.
var aggregated = []string{"fired", "recall", "fpr", "false_stops", "killed_success", "waste_per_loop", "false_per_1k"}

// sample is the sessions of a baseline that keep lets through, at one level; nil lets
// all through.
func (b *Baseline) sample(level detectors.Verdict, keep func(*State) bool) *board.Sample {
	var names []string
	var list []*State
	for i := range b.Sessions {
		if s := &b.Sessions[i]; keep == nil || keep(s) {
			list = append(list, s)
			names = append(names, s.Cluster)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	digest := b.CorpusDigest()
	out := &board.Sample{
		Level: level, Clusters: len(names), Clustered: len(names) < len(list),
		Draw: func(metric string) *stat.Rand {
			return stat.NewRand(b.Seed, digest, board.LevelName(level)+" "+metric)
		},
		Each: func(yield func(int, *board.Mark, *corpus.Judgement)) {
			for _, s := range list {
				at, _ := slices.BinarySearch(names, s.Cluster)
				m := s.mark(level)
				yield(at, &m, nil)
			}
		},
	}
	out.Each(func(_ int, m *board.Mark, _ *corpus.Judgement) { out.Add(m, 1) })
	return out
}

// mark is a session at one level in the numbers that metrics add up.
func (s *State) mark(level detectors.Verdict) board.Mark {
	l := s.state(level)
	m := board.NewMark(l.Result, l.First != nil, s.Killed, l.FalseEpisodes, l.Calls, l.WorkCalls)
	for i := range l.Spans {
		x := &l.Spans[i]
		m.AddLoop(x.Hit != nil, x.Censored, x.AtLeast, x.Wasted, 0)
	}
	return m
}

// Metrics are the numbers of the whole baseline, in a fixed order.
func (b *Baseline) Metrics() []Aggregate { return b.metrics(nil) }

func (b *Baseline) metrics(keep func(*State) bool) (list []Aggregate) {
	for _, level := range board.Levels {
		s := b.sample(level, keep)
		for _, m := range board.Pick(board.Catalogue(level, nil), aggregated...) {
			c := m.Cell(s)
			if m.Unit != board.PerK || m.N(&s.Sums) > 0 { // of nothing seen the bound is the cell's own
				c = m.WithInterval(s, c, m.Key)
			}
			list = append(list, Aggregate{level, m.Key, board.Allowed(b.Selection, m.Rate, "", c)})
		}
	}
	return list
}
