// Package corpus holds what people say about sessions, and compares it with
// what detectors say. It also carries the demo corpus.
//
// Section numbers in comments are those of the evaluation method: E3 says what
// a label is, E5 how a session is scored.
package corpus

import (
	"cmp"
	"fmt"
	"strings"
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
	Session    string    `yaml:"session" json:"session"`
	Class      Class     `yaml:"class" json:"class"`
	Reviewed   string    `yaml:"reviewed" json:"reviewed"` // full, partial, none; only full enters a rate
	Source     string    `yaml:"source" json:"source"`     // human, adjudicated, synthetic, weak
	Version    int       `yaml:"labels_version" json:"labels_version"`
	Spans      []Span    `yaml:"spans" json:"spans"`
	Tolerate   []Stretch `yaml:"tolerate" json:"tolerate"`
	DoneAt     *Place    `yaml:"done_at" json:"done_at"`
	Annotators []string  `yaml:"annotators" json:"annotators"`
	Note       string    `yaml:"note" json:"note"`
	Confidence float64   `yaml:"confidence" json:"confidence"`
}

// A Place is a call within a run, numbered as E1 says.
type Place struct {
	Run  int `yaml:"run" json:"run"`
	Call int `yaml:"call" json:"call"`
}

// A Span is one loop. Its places are calls of the run, from 1 (E3.2). What
// streams, and a response without calls, stands at the call before it, so a loop
// in text begins at that call; before the first call of a run no span can lie.
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
	switch {
	case l.Session == "":
		return fmt.Errorf("no session: a label names the session it is about")
	case !one(l.Reviewed, "full", "partial", "none"):
		return fmt.Errorf("reviewed: %q is not full, partial or none", l.Reviewed)
	case !one(l.Source, "human", "adjudicated", "synthetic", "weak"):
		return fmt.Errorf("source: %q is not human, adjudicated, synthetic or weak", l.Source)
	case l.Class != "" && !one(string(l.Class), string(Loop), string(Productive), string(KnownGap), string(Unlabelled)):
		return fmt.Errorf("class: %q is not productive, loop, known_gap or unlabelled", l.Class)
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
	Unknown Truth = iota // not reviewed, or tolerated
	Right                // inside the window of an ordinary span
	InGap                // inside the window of a known gap
	Wrong
)

// Truth judges a fire at a call of a run. Fires before the first call of a run
// have call 0.
func (l *Label) Truth(run, call int) Truth {
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
