package board

import (
	"fmt"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/stat"
)

// A Sample is some sessions under one configuration at one level: what a metric is
// computed from. Not safe for concurrent use.
type Sample struct {
	Sums
	Level  detectors.Verdict
	Draw   func(metric string) *stat.Rand // gives each metric the same draws in every run
	Bounds Bounds                         // remembers exact bounds; nil computes each anew

	// Each yields the sessions again, with the cluster of each. What needs more than
	// sums asks for it, and most metrics do not.
	Each      func(yield func(cluster int, m *Mark, j *corpus.Judgement))
	Clusters  int  // how many there are
	Clustered bool // some cluster holds more than one session

	byCluster []Sums
	detail    *corpus.Totals
}

// Sample is the sessions that keep lets through, under one point; nil lets all through.
func (b *Board) Sample(point int, level detectors.Verdict, keep func(*Row) bool) *Sample {
	var sums Sums
	for _, r := range b.Rows {
		if keep == nil || keep(r) {
			sums.Add(r.Mark(point, level), 1)
		}
	}
	return b.SampleOf(sums, point, level, keep)
}

// SampleOf is Sample where the sums are known already.
func (b *Board) SampleOf(sums Sums, point int, level detectors.Verdict, keep func(*Row) bool) *Sample {
	return &Sample{
		Sums: sums, Level: level, Draw: b.Rand, Clusters: len(b.ClusterNames), Clustered: b.Clustered,
		Each: func(yield func(int, *Mark, *corpus.Judgement)) {
			for _, r := range b.Rows {
				if keep == nil || keep(r) {
					yield(r.ClusterAt, r.Mark(point, level), r.Under(point, level))
				}
			}
		},
	}
}

// ByCluster is the sums of each cluster, by index.
func (s *Sample) ByCluster() []Sums {
	if s.byCluster == nil {
		s.byCluster = make([]Sums, s.Clusters)
		s.Each(func(cluster int, m *Mark, _ *corpus.Judgement) { s.byCluster[cluster].Add(m, 1) })
	}
	return s.byCluster
}

// Detail is what no sum holds: latencies, and the cost of each stop.
func (s *Sample) Detail() *corpus.Totals {
	if s.detail == nil {
		s.detail = &corpus.Totals{Tally: corpus.Tally{}}
		s.Each(func(_ int, _ *Mark, j *corpus.Judgement) { s.detail.Add(j) })
	}
	return s.detail
}

// Rate is the share of sessions that n counts among those that d counts.
func (s *Sample) Rate(n, d func(*Sums) int) Rate {
	out := Rate{N: n(&s.Sums), D: d(&s.Sums)}
	if !s.Clustered {
		return out
	}
	by := s.ByCluster()
	for i := range by {
		if of := d(&by[i]); of > 0 {
			out.Clusters = append(out.Clusters, stat.Share{N: n(&by[i]), D: of})
		}
	}
	return out
}

// Share is the share of sessions that hit takes among those that in takes.
func (b *Board) Share(in, hit func(*Row) bool) Rate {
	var out Rate
	by := make([]stat.Share, len(b.ClusterNames))
	for _, r := range b.Rows {
		if !in(r) {
			continue
		}
		n := report.Bit(hit(r))
		out.N, out.D = out.N+n, out.D+1
		by[r.ClusterAt].N += n
		by[r.ClusterAt].D++
	}
	for _, s := range by {
		if b.Clustered && s.D > 0 {
			out.Clusters = append(out.Clusters, s)
		}
	}
	return out
}

// Recall is the share of loop sessions that are caught in time.
func (s *Sample) Recall() Rate { return s.Rate(caught, (*Sums).Loops) }

// FalseRate is the share of productive sessions that are hit.
func (s *Sample) FalseRate() Rate { return s.Rate(falseHit, (*Sums).Work) }

func caught(s *Sums) int   { return s.Caught }
func falseHit(s *Sums) int { return s.FalseHit }

// A Rate is a share of sessions with what its interval needs.
type Rate struct {
	N, D     int
	Clusters []stat.Share // by cluster that has such sessions; nil if each session is one
}

// minEvents is how many clusters with an event the bootstrap of a proportion needs.
const minEvents = 5

// Cell is the rate with its interval: Wilson's, or where sessions come in clusters
// that of the bootstrap, as far as there are enough.
func (r Rate) Cell(draw func() *stat.Rand) report.Cell {
	c := report.Share(r.N, r.D)
	if r.Clusters == nil || r.D == 0 {
		return c
	}
	events := 0
	var parts []stat.Part
	for _, s := range r.Clusters {
		parts = append(parts, stat.Part{N: float64(s.N), D: float64(s.D)})
		events += report.Bit(s.N > 0)
	}
	if len(parts) >= stat.FewClusters && events >= minEvents {
		if boot := stat.BootstrapRatio(parts, stat.Level, draw()); boot.OK {
			c.Range = &report.Range{Lo: boot.Lo, Hi: boot.Hi, Method: "cluster bootstrap"}
			return c
		}
	}
	lo, hi := c.Interval()
	flag := fmt.Sprintf("few clusters: %d", len(r.Clusters))
	c.Range = &report.Range{Lo: lo, Hi: hi, Method: "wilson", Flag: flag}
	return c
}

// Upper is the one-sided exact bound that gates and objectives use. It counts
// clusters where sessions come in clusters: one is an event if any of its sessions is.
func (r Rate) Upper() float64 { return Bounds(nil).Upper(r) }

// Lower is the same for a rate that should be high: a cluster counts if all of its
// sessions do.
func (r Rate) Lower() float64 { return Bounds(nil).Lower(r) }

// Share is the rate as the statistics take it.
func (r Rate) Share() stat.Share { return stat.Share{N: r.N, D: r.D} }

// Units is how many independent observations a rate rests on.
func (r Rate) Units() int {
	if r.Clusters != nil {
		return len(r.Clusters)
	}
	return r.D
}

// exact is what an exact bound counts: sessions, or clusters where there are any.
func (r Rate) exact(clusters func([]stat.Share) stat.Share) stat.Share {
	if r.Clusters == nil {
		return r.Share()
	}
	return clusters(r.Clusters)
}

// Bounds remembers exact bounds: a fold asks for the same few again and again. Nil
// remembers nothing.
type Bounds map[[3]int]float64

// Upper is the upper bound of a rate.
func (b Bounds) Upper(r Rate) float64 { return b.of(r.exact(stat.AnyEvent), 1, stat.Upper) }

// Lower is the lower bound of a rate.
func (b Bounds) Lower(r Rate) float64 { return b.of(r.exact(stat.AllEvents), 0, stat.Lower) }

func (b Bounds) of(s stat.Share, side int, f func(x, n int, level float64) float64) float64 {
	key := [3]int{s.N, s.D, side}
	v, ok := b[key]
	if !ok {
		v = f(s.N, s.D, stat.Level)
		if b != nil {
			b[key] = v
		}
	}
	return v
}

// Parts are the sums of each cluster as a bootstrap takes them.
func (s *Sample) Parts(n, d func(*Sums) int) []stat.Part {
	by := s.ByCluster()
	parts := make([]stat.Part, len(by))
	for i := range by {
		parts[i] = stat.Part{N: float64(n(&by[i])), D: float64(d(&by[i]))}
	}
	return parts
}
