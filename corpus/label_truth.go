package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
)

// A Truth says whether a fire was right.
type Truth uint8

const (
	Unknown Truth = iota // not reviewed, tolerated, or the reviewer was unsure
	Right                // inside the window of an ordinary span, or a reviewer said so
	InGap                // inside the window of a known gap
	Wrong
)

// Truth judges a fire at a call of a run, at a level. What a reviewer answered about
// that call comes first, then tolerated stretches, then spans. Fires before the first
// call of a run have call 0.
func (l *Label) Truth(level detectors.Verdict, run, call int) Truth {
	for _, p := range l.Positions {
		if p.Run != run || p.Call != call {
			continue
		}
		answer := p.NudgeOK
		if level == detectors.ForceStop {
			answer = p.StopOK
		}
		switch answer {
		case Yes:
			return Right
		case No:
			return Wrong
		case Unsure:
			return Unknown
		}
	}
	for _, t := range l.Tolerate {
		if t.Run == run && t.From <= call && call <= t.To {
			return Unknown
		}
	}
	gap := false
	for _, s := range l.Spans {
		if s.Run == run && s.Onset <= call && call <= s.End {
			if !s.KnownGap {
				return Right
			}
			gap = true
		}
	}
	switch {
	case gap:
		return InGap
	case l.Reviewed == "full":
		return Wrong
	}
	return Unknown
}

// covers reports whether a span, a known gap or a tolerated stretch holds a call.
func (l *Label) covers(run, call int) bool {
	for _, s := range l.Spans {
		if s.Run == run && s.Onset <= call && call <= s.End {
			return true
		}
	}
	for _, t := range l.Tolerate {
		if t.Run == run && t.From <= call && call <= t.To {
			return true
		}
	}
	return false
}

// Ideal is the last call that a perfect observer would allow.
func (s *Span) Ideal() int {
	if s.IdealStop == nil {
		return s.Onset
	}
	return *s.IdealStop
}

// Moved is the label with every onset moved by so many calls, later or, below 0, earlier,
// but not out of its run and its span. It is nil for nil.
func (l *Label) Moved(by int) *Label {
	if l == nil || by == 0 {
		return l
	}
	moved := *l
	moved.Spans = slices.Clone(l.Spans)
	for i := range moved.Spans {
		s := &moved.Spans[i]
		s.Onset = min(max(1, s.Onset+by), s.End)
	}
	return &moved
}

// Windows are the ordinary spans of a run, or its known gaps, in order. Overlapping ones
// are merged: the earliest onset and ideal stop, the latest end. IdealStop is set in all.
func (l *Label) Windows(run int, gaps bool) []Span {
	var list []Span
	for _, s := range l.Spans {
		if s.Run == run && s.KnownGap == gaps {
			ideal := s.Ideal()
			s.IdealStop = &ideal
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Span) int { return cmp.Compare(a.Onset, b.Onset) })
	merged := list[:0]
	for _, s := range list {
		n := len(merged)
		if n == 0 || merged[n-1].End < s.Onset {
			merged = append(merged, s)
			continue
		}
		m := &merged[n-1]
		ideal := min(*m.IdealStop, *s.IdealStop)
		m.IdealStop = &ideal
		if s.End > m.End {
			m.End, m.Censored, m.Escaped = s.End, s.Censored, s.Escaped
		}
		m.Shape, m.Incident = cmp.Or(m.Shape, s.Shape), cmp.Or(m.Incident, s.Incident)
	}
	return merged
}

// Summary is the class and the loops of a label in a few words.
func (l *Label) Summary() string {
	var list []string
	for _, s := range l.Spans {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s run %d, calls %d to %d", s.Shape, s.Run, s.Onset, s.End)))
	}
	if len(list) == 0 {
		return string(l.Class)
	}
	return string(l.Class) + ": " + strings.Join(list, "; ")
}
