package gate

import (
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// An Aggregate is one number over all sessions, at one level.
type Aggregate struct {
	Level detectors.Verdict
	Key   string
	Cell  report.Cell
}

// Name is the metric with its level, for machines.
func (m *Aggregate) Name() string { return board.LevelName(m.Level) + "." + m.Key }

// A sample is some sessions of a baseline, in clusters.
type sample struct {
	*Baseline
	list      []*State
	names     []string // of the clusters, sorted
	clustered bool
	corpus    string // digest, for draws
}

// sample takes the sessions that keep lets through; nil lets all through.
func (b *Baseline) sample(keep func(*State) bool) *sample {
	s := &sample{Baseline: b, corpus: b.CorpusDigest()}
	for i := range b.Sessions {
		if keep == nil || keep(&b.Sessions[i]) {
			s.list = append(s.list, &b.Sessions[i])
			s.names = append(s.names, b.Sessions[i].Cluster)
		}
	}
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	s.clustered = len(s.names) < len(s.list)
	return s
}

func (s *sample) cluster(name string) int {
	i, _ := slices.BinarySearch(s.names, name)
	return i
}

// rate is a share of sessions with what its bounds need.
func (s *sample) rate(level detectors.Verdict, in, hit func(corpus.Result) bool) board.Rate {
	var out board.Rate
	by := make([]stat.Share, len(s.names))
	for _, x := range s.list {
		r := x.state(level).Result
		if !in(r) {
			continue
		}
		c := &by[s.cluster(x.Cluster)]
		out.D++
		c.D++
		out.N += report.Bit(hit(r))
		c.N += report.Bit(hit(r))
	}
	if s.clustered {
		for _, c := range by {
			if c.D > 0 {
				out.Clusters = append(out.Clusters, c)
			}
		}
	}
	return out
}

func (s *sample) rand(level detectors.Verdict, metric string) *stat.Rand {
	return stat.NewRand(s.Seed, s.corpus, board.LevelName(level)+" "+metric)
}

// waste is the calls wasted on loops, and how many loops that is.
func (x *LevelState) waste() (calls, loops int, least bool) {
	for i := range x.Spans {
		if l := &x.Spans[i]; !l.Censored {
			calls += l.Wasted
			loops++
			least = least || l.AtLeast
		}
	}
	return calls, loops, least
}

// tallied is what a level comes to over the sample.
type tallied struct {
	wasted, loops     int
	least             bool
	falseEp, work     int
	killed, fired, of int
}

func (s *sample) counts(level detectors.Verdict) (t tallied) {
	for _, x := range s.list {
		l := x.state(level)
		w, n, least := l.waste()
		t.wasted, t.loops, t.least = t.wasted+w, t.loops+n, t.least || least
		t.falseEp += l.FalseEpisodes
		t.work += l.WorkCalls
		t.killed += report.Bit(x.Killed)
		t.fired += report.Bit(l.First != nil)
		t.of++
	}
	return t
}

// ratio is a ratio of sums over clusters with its interval.
func (s *sample) ratio(c report.Cell, level detectors.Verdict, metric string, scale float64, part func(*LevelState) (n, d int)) report.Cell {
	if c.Kind == report.KindNull {
		return c
	}
	parts := make([]stat.Part, len(s.names))
	for _, x := range s.list {
		n, d := part(x.state(level))
		p := &parts[s.cluster(x.Cluster)]
		p.N += float64(n)
		p.D += float64(d)
	}
	return board.Ranged(c, stat.BootstrapRatio(parts, stat.Level, s.rand(level, metric)), scale)
}

// Metrics are the numbers of the whole baseline, in a fixed order.
func (b *Baseline) Metrics() []Aggregate { return b.sample(nil).metrics() }

func (s *sample) metrics() (list []Aggregate) {
	for _, level := range board.Levels {
		add := func(key string, of corpus.Rate, c report.Cell) {
			list = append(list, Aggregate{level, key, board.Allowed(s.Selection, of, "", c)})
		}
		share2 := func(key string, in, hit func(corpus.Result) bool) {
			of := corpus.RateFalse
			if key == "recall" {
				of = corpus.RateRecall
			}
			add(key, of, s.rate(level, in, hit).Cell(func() *stat.Rand { return s.rand(level, key) }))
		}
		t := s.counts(level)
		add("fired", corpus.RateFrequency, report.Share(t.fired, t.of))
		share2("recall", board.IsLoop, board.IsCaught)
		share2("fpr", board.IsWork, board.IsFalse)
		if level == detectors.ForceStop {
			share2("false_stops", board.IsJudged, board.IsFalseHit)
			add("killed_success", corpus.RateFalse, report.Count(t.killed).WithTier("C"))
		}
		waste := report.Mean(t.wasted, t.loops)
		waste.Least = t.least
		waste = s.ratio(waste, level, "waste_per_loop", 1, func(l *LevelState) (int, int) { w, n, _ := l.waste(); return w, n })
		add("waste_per_loop", corpus.RateRecall, waste.WithTier("C"))
		rate := report.PerK(t.falseEp, t.work)
		if t.falseEp > 0 { // of nothing seen the bound is the cell's own
			rate = s.ratio(rate, level, "false_per_1k", 1000, func(l *LevelState) (int, int) { return l.FalseEpisodes, l.WorkCalls })
		}
		add("false_per_1k", corpus.RateFalse, rate)
	}
	return list
}
