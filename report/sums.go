package report

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
	case isCaught(j.Result):
		m.caught = 1
	case isLoop(j.Result):
		m.missed = 1
		if isFalseHit(j.Result) {
			m.wrongOnLoop = 1
		}
	case isFalse(j.Result):
		m.falseHit = 1
	case isWork(j.Result):
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

// sums are marks added up.
type sums struct {
	caught, missed, falseHit, clean, wrongOnLoop, spans, spansCaught, wasted, caughtWaste, falseEp, workCalls int
}

// add counts a mark so many times; -1 takes it away.
func (s *sums) add(m *mark, times int) {
	s.caught += times * int(m.caught)
	s.missed += times * int(m.missed)
	s.falseHit += times * int(m.falseHit)
	s.clean += times * int(m.clean)
	s.wrongOnLoop += times * int(m.wrongOnLoop)
	s.spans += times * int(m.spans)
	s.spansCaught += times * int(m.spansCaught)
	s.wasted += times * int(m.wasted)
	s.caughtWaste += times * int(m.caughtWaste)
	s.falseEp += times * int(m.falseEp)
	s.workCalls += times * int(m.workCalls)
}

func (r *row) mark(point int, level detectors.Verdict) *mark {
	return &r.marks[levelIndex(level)][r.of[point]]
}

// A showing is how one point does on some sessions.
type showing struct {
	sums
	point       int
	recall, fpr rate
	keep        func(*row) bool // the sessions; nil for all
}

// showing sums the sessions that keep lets through.
func (b *Board) showing(point int, level detectors.Verdict, keep func(*row) bool) showing {
	var s sums
	for _, r := range b.rows {
		if keep == nil || keep(r) {
			s.add(r.mark(point, level), 1)
		}
	}
	return b.showingOf(s, point, level, keep)
}

func (b *Board) showingOf(s sums, point int, level detectors.Verdict, keep func(*row) bool) showing {
	out := showing{sums: s, point: point, keep: keep}
	if b.clustered {
		out.recall = b.rate(point, level, isLoop, isCaught, keep)
		out.fpr = b.rate(point, level, isWork, isFalse, keep)
		return out
	}
	out.recall = rate{n: s.caught, d: s.caught + s.missed}
	out.fpr = rate{n: s.falseHit, d: s.falseHit + s.clean}
	return out
}

// bounds remembers exact bounds: a fold asks for the same few again and again.
type bounds map[[3]int]float64

func (b bounds) upper(r rate) float64 { return b.of(r.exact(stat.AnyEvent), 1, stat.Upper) }
func (b bounds) lower(r rate) float64 { return b.of(r.exact(stat.AllEvents), 0, stat.Lower) }

func (b bounds) of(s stat.Share, side int, f func(x, n int, level float64) float64) float64 {
	key := [3]int{s.N, s.D, side}
	v, ok := b[key]
	if !ok {
		v = f(s.N, s.D, stat.Level)
		b[key] = v
	}
	return v
}

// exact is what an exact bound counts: sessions, or clusters where there are any.
func (r rate) exact(clusters func([]stat.Share) stat.Share) stat.Share {
	if r.clusters == nil {
		return r.share()
	}
	return clusters(r.clusters)
}
