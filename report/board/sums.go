package board

import (
	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// A choice over a thousand points and as many sessions adds up a million
// judgements for every fold. So each judgement is kept as a few small numbers as
// well, the sums over all sessions are made once, and what is left out of a fold
// is taken away from them.

// A mark is one judgement as far as objectives look at it.
type mark struct {
	caught, missed, falseHit, clean         int32 // 1 in one of them, by the result; missed holds PREM and LATE too
	wrongOnLoop                             int32 // PREM or LATE
	spans, spansCaught, wasted, caughtWaste int32
	falseEp, workCalls                      int32
}

func markOf(j *corpus.Judgement) (m mark) {
	switch {
	case IsCaught(j.Result):
		m.caught = 1
	case IsLoop(j.Result):
		m.missed = 1
		if IsFalseHit(j.Result) {
			m.wrongOnLoop = 1
		}
	case IsFalse(j.Result):
		m.falseHit = 1
	case IsWork(j.Result):
		m.clean = 1
	}
	for i := range j.Spans {
		s := &j.Spans[i]
		if s.Censored {
			continue
		}
		m.spans++
		m.wasted += int32(s.Wasted)
		if s.Hit != nil {
			m.spansCaught++
			m.caughtWaste += int32(s.Wasted)
		}
	}
	m.falseEp, m.workCalls = int32(j.FalseEpisodes), int32(j.WorkCalls)
	return m
}

// Sums are marks added up.
type Sums struct {
	Caught, Missed, FalseHit, Clean, WrongOnLoop, Spans, SpansCaught, Wasted, CaughtWaste, FalseEp, WorkCalls int
}

// Add counts a mark so many times; -1 takes it away.
func (s *Sums) Add(m *mark, times int) {
	s.Caught += times * int(m.caught)
	s.Missed += times * int(m.missed)
	s.FalseHit += times * int(m.falseHit)
	s.Clean += times * int(m.clean)
	s.WrongOnLoop += times * int(m.wrongOnLoop)
	s.Spans += times * int(m.spans)
	s.SpansCaught += times * int(m.spansCaught)
	s.Wasted += times * int(m.wasted)
	s.CaughtWaste += times * int(m.caughtWaste)
	s.FalseEp += times * int(m.falseEp)
	s.WorkCalls += times * int(m.workCalls)
}

func (r *Row) Mark(point int, level detectors.Verdict) *mark {
	return &r.marks[LevelIndex(level)][r.Group[point]]
}

// A Showing is how one point does on some sessions.
type Showing struct {
	Sums
	Point       int
	Recall, Fpr Rate
	Keep        func(*Row) bool // the sessions; nil for all
}

// Showing sums the sessions that keep lets through.
func (b *Board) Showing(point int, level detectors.Verdict, keep func(*Row) bool) Showing {
	var s Sums
	for _, r := range b.Rows {
		if keep == nil || keep(r) {
			s.Add(r.Mark(point, level), 1)
		}
	}
	return b.ShowingOf(s, point, level, keep)
}

func (b *Board) ShowingOf(s Sums, point int, level detectors.Verdict, keep func(*Row) bool) Showing {
	out := Showing{Sums: s, Point: point, Keep: keep}
	if b.Clustered {
		out.Recall = b.Rate(point, level, IsLoop, IsCaught, keep)
		out.Fpr = b.Rate(point, level, IsWork, IsFalse, keep)
		return out
	}
	out.Recall = Rate{N: s.Caught, D: s.Caught + s.Missed}
	out.Fpr = Rate{N: s.FalseHit, D: s.FalseHit + s.Clean}
	return out
}

// Bounds remembers exact bounds: a fold asks for the same few again and again.
type Bounds map[[3]int]float64

func (b Bounds) Upper(r Rate) float64 { return b.of(r.exact(stat.AnyEvent), 1, stat.Upper) }
func (b Bounds) Lower(r Rate) float64 { return b.of(r.exact(stat.AllEvents), 0, stat.Lower) }

func (b Bounds) of(s stat.Share, side int, f func(x, n int, level float64) float64) float64 {
	key := [3]int{s.N, s.D, side}
	v, ok := b[key]
	if !ok {
		v = f(s.N, s.D, stat.Level)
		b[key] = v
	}
	return v
}

// exact is what an exact bound counts: sessions, or clusters where there are any.
func (r Rate) exact(clusters func([]stat.Share) stat.Share) stat.Share {
	if r.Clusters == nil {
		return r.Share()
	}
	return clusters(r.Clusters)
}
