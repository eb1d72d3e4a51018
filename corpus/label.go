// Package corpus holds what people say about sessions, and compares it with
// what detectors say. It also carries the demo corpus.
//
// Section numbers in comments are those of the evaluation method: E3 says what
// a label is, E5 how a session is scored.
package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
)

// A Class is a judgement of one session, derived from its spans.
type Class string

const (
	Unlabelled Class = "unlabelled"
	Productive Class = "productive" // repetition here is work; any delivery is a false positive
	Loop       Class = "loop"       // stuck; no stop is a miss
	KnownGap   Class = "known_gap"  // stuck in a shape nobody is meant to catch; not counted as a miss
)

// A Label is what people said about one session (E3.1).
type Label struct {
	Session  string    `yaml:"session" json:"session"`
	Class    Class     `yaml:"class" json:"class"`
	Reviewed string    `yaml:"reviewed" json:"reviewed"` // full, partial, none; only full enters a rate
	Source   string    `yaml:"source" json:"source"`     // human, adjudicated, synthetic, weak
	Version  int       `yaml:"labels_version" json:"labels_version"`
	Spans    []Span    `yaml:"spans" json:"spans"`
	Tolerate []Stretch `yaml:"tolerate" json:"tolerate"`
	// Positions are what reviewers answered about places, whichever path fires there (E3.3).
	Positions []Position `yaml:"positions" json:"positions"`
	DoneAt    *Place     `yaml:"done_at" json:"done_at"` // first call after which the deliverable is complete
	// Cluster names the sessions that are not independent of this one (E1); "" is the session alone.
	Cluster    string   `yaml:"cluster" json:"cluster"`
	Annotators []string `yaml:"annotators" json:"annotators"`
	Note       string   `yaml:"note" json:"note"`
	Confidence float64  `yaml:"confidence" json:"confidence"`
}

// A Place is a call within a run, numbered as E1 says.
type Place struct {
	Run  int `yaml:"run" json:"run"`
	Call int `yaml:"call" json:"call"`
}

// A Span is one loop. Its places are calls of the run, from 1 (E3.2). A loop in
// the text of a response lies at the first call of that response, or at the call
// before it where it has none (CallOf): before the first call of a run no span can lie.
type Span struct {
	ID        string `yaml:"id" json:"id"`
	Run       int    `yaml:"run" json:"run"`
	Onset     int    `yaml:"onset" json:"onset"`                       // first redundant call
	IdealStop *int   `yaml:"ideal_stop_after" json:"ideal_stop_after"` // last call a perfect observer would allow; nil means Onset
	End       int    `yaml:"end" json:"end"`                           // last call of the loop
	Censored  bool   `yaml:"censored" json:"censored"`
	Escaped   bool   `yaml:"escaped" json:"escaped"`
	KnownGap  bool   `yaml:"known_gap" json:"known_gap"`
	Shape     string `yaml:"shape" json:"shape"`
	Incident  string `yaml:"incident" json:"incident"`
	Why       string `yaml:"why" json:"why"`
}

// A Stretch is the calls From to To of one run, where a fire is neither right
// nor wrong.
type Stretch struct {
	Run  int    `yaml:"run" json:"run"`
	From int    `yaml:"from" json:"from"`
	To   int    `yaml:"to" json:"to"`
	Why  string `yaml:"why" json:"why"`
}

// An Answer is what a reviewer says about a fire at one place: yes, no or unsure.
type Answer string

const (
	Yes    Answer = "yes"
	No     Answer = "no"
	Unsure Answer = "unsure"
)

// A Position is a reviewer's answers about one place. "" means not asked.
type Position struct {
	Run     int    `yaml:"run" json:"run"`
	Call    int    `yaml:"call" json:"call"`
	NudgeOK Answer `yaml:"nudge_ok" json:"nudge_ok"`
	StopOK  Answer `yaml:"stop_ok" json:"stop_ok"`
	By      string `yaml:"by" json:"by"`
}

// derived is the class that the spans give (E3.1).
func (l *Label) derived() Class {
	gap := false
	for _, s := range l.Spans {
		if !s.KnownGap {
			return Loop
		}
		gap = true
	}
	switch {
	case gap:
		return KnownGap
	case l.Reviewed == "full":
		return Productive
	}
	return Unlabelled
}

// settle fills in what a label leaves out and reports the first thing that
// contradicts the rest.
func (l *Label) settle() error {
	if l.Class == "known-gap" {
		l.Class = KnownGap
	}
	l.Reviewed = cmp.Or(l.Reviewed, "none")
	l.Source = cmp.Or(l.Source, "human")
	l.trim()
	switch {
	case l.Session == "":
		return fmt.Errorf("no session: a label names the session it is about")
	case !one(l.Reviewed, "full", "partial", "none"):
		return fmt.Errorf("reviewed: %q is not full, partial or none", l.Reviewed)
	case !one(l.Source, "human", "adjudicated", "synthetic", "weak"):
		return fmt.Errorf("source: %q is not human, adjudicated, synthetic or weak", l.Source)
	case l.Class != "" && !one(string(l.Class), string(Loop), string(Productive), string(KnownGap), string(Unlabelled)):
		return fmt.Errorf("class: %q is not productive, loop, known_gap or unlabelled", l.Class)
	case l.Version < 0:
		return fmt.Errorf("labels_version: %d is below 0", l.Version)
	case !(l.Confidence >= 0 && l.Confidence <= 1):
		return fmt.Errorf("confidence: %v is not between 0 and 1", l.Confidence)
	case l.DoneAt != nil && (l.DoneAt.Run < 0 || l.DoneAt.Call < 0):
		return fmt.Errorf("done_at: runs and calls do not go below 0, got run %d call %d", l.DoneAt.Run, l.DoneAt.Call)
	case one("", l.Annotators...):
		return fmt.Errorf("annotators: a name is empty")
	}
	for i := range l.Spans {
		s := &l.Spans[i]
		switch {
		case s.Run < 0 || s.Onset < 1:
			return fmt.Errorf("span %d: runs count from 0 and calls from 1, got run %d onset %d", i+1, s.Run, s.Onset)
		case s.End < s.Onset:
			return fmt.Errorf("span %d: ends at call %d, before its onset %d", i+1, s.End, s.Onset)
		case s.IdealStop != nil && (*s.IdealStop < s.Onset-1 || *s.IdealStop > s.End):
			return fmt.Errorf("span %d: ideal_stop_after %d lies outside onset-1 to end, %d to %d", i+1, *s.IdealStop, s.Onset-1, s.End)
		}
	}
	for i, t := range l.Tolerate {
		if t.Run < 0 || t.From < 1 || t.To < t.From {
			return fmt.Errorf("tolerate %d: calls %d to %d of run %d are no stretch", i+1, t.From, t.To, t.Run)
		}
	}
	for i, p := range l.Positions {
		switch {
		case p.Run < 0 || p.Call < 0:
			return fmt.Errorf("position %d: runs and calls do not go below 0, got run %d call %d", i+1, p.Run, p.Call)
		case !one(string(p.NudgeOK), "", "yes", "no", "unsure"):
			return fmt.Errorf("position %d: nudge_ok: %q is not yes, no or unsure", i+1, p.NudgeOK)
		case !one(string(p.StopOK), "", "yes", "no", "unsure"):
			return fmt.Errorf("position %d: stop_ok: %q is not yes, no or unsure", i+1, p.StopOK)
		case p.NudgeOK == "" && p.StopOK == "":
			return fmt.Errorf("position %d: says neither nudge_ok nor stop_ok", i+1)
		}
		for _, q := range l.Positions[:i] {
			if p.Run == q.Run && p.Call == q.Call {
				return fmt.Errorf("position %d: run %d call %d is answered twice", i+1, p.Run, p.Call)
			}
		}
	}
	if want := l.derived(); l.Class == "" {
		l.Class = want
	} else if l.Class != want {
		return fmt.Errorf("class %s contradicts the rest, which says %s: %s", l.Class, want, l.why())
	}
	return nil
}

// why is what the derived class rests on.
func (l *Label) why() string {
	gaps := 0
	for _, s := range l.Spans {
		if s.KnownGap {
			gaps++
		}
	}
	return fmt.Sprintf("%d spans, %d of them known gaps, reviewed: %s", len(l.Spans), gaps, l.Reviewed)
}

func one(s string, of ...string) bool {
	for _, o := range of {
		if s == o {
			return true
		}
	}
	return false
}

// Truth is whether a fire was right (E3.3).
type Truth uint8

const (
	Unknown Truth = iota // not reviewed, tolerated, or the reviewer was unsure
	Right                // inside the window of an ordinary span, or adjudicated so
	InGap                // inside the window of a known gap
	Wrong
)

// Truth judges a fire at a call of a run, at a level: what a reviewer answered
// for that place, else what the spans say. Fires before the first call of a run
// have call 0.
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

// Ideal is the last call that a perfect observer would still allow (s* of E3.2).
func (s *Span) Ideal() int {
	if s.IdealStop == nil {
		return s.Onset
	}
	return *s.IdealStop
}

// Moved is the label with every onset so many calls later, or earlier for less
// than 0, inside its run and its span (E8.4). It is nil for nil.
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

// Windows are the ordinary spans of a run, or its known gaps, with those that
// overlap merged: the earliest onset and ideal stop, the latest end (E3.2).
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

// Summary names the loops of a label in a few words.
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
