package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// What a label may say of its review and of its source. Sources are in order of
// standing: of several labels of one session the one with the first source counts.
var (
	reviews = []string{"full", "partial", "none"}
	sources = []string{"adjudicated", "human", "synthetic", "weak"}
	answers = []Answer{"", Yes, No, Unsure}
)

// settle fills in what a label leaves out, and reports the first thing that is wrong or
// contradicts the rest.
func (l *Label) settle() error {
	if l.Class == "known-gap" {
		l.Class = KnownGap
	}
	l.Reviewed = cmp.Or(l.Reviewed, "none")
	l.Source = cmp.Or(l.Source, "human")
	l.trim()
	for _, check := range []func() error{l.checkHead, l.checkSpans, l.checkTolerate, l.checkPositions} {
		if err := check(); err != nil {
			return err
		}
	}
	if want := l.derived(); l.Class == "" {
		l.Class = want
	} else if l.Class != want {
		return fmt.Errorf("class %s contradicts the rest, which says %s: %s", l.Class, want, l.why())
	}
	return nil
}

// checkHead checks what a label says of its session as a whole.
func (l *Label) checkHead() error {
	switch {
	case l.Session == "":
		return errors.New("no session: a label names the session it is about")
	case !slices.Contains(reviews, l.Reviewed):
		return fmt.Errorf("reviewed: %q is not full, partial or none", l.Reviewed)
	case !slices.Contains(sources, l.Source):
		return fmt.Errorf("source: %q is not human, adjudicated, synthetic or weak", l.Source)
	case l.Class != "" && !slices.Contains([]Class{Loop, Productive, KnownGap, Unlabelled}, l.Class):
		return fmt.Errorf("class: %q is not productive, loop, known_gap or unlabelled", l.Class)
	case l.Version < 0:
		return fmt.Errorf("labels_version: %d is below 0", l.Version)
	case !(l.Confidence >= 0 && l.Confidence <= 1):
		return fmt.Errorf("confidence: %v is not between 0 and 1", l.Confidence)
	case l.DoneAt != nil && (l.DoneAt.Run < 0 || l.DoneAt.Call < 0):
		return fmt.Errorf("done_at: runs and calls do not go below 0, got run %d call %d", l.DoneAt.Run, l.DoneAt.Call)
	case slices.Contains(l.Annotators, ""):
		return errors.New("annotators: a name is empty")
	}
	return nil
}

func (l *Label) checkSpans() error {
	for i := range l.Spans {
		s := &l.Spans[i]
		switch {
		case s.Run < 0 || s.Onset < 1:
			return fmt.Errorf("span %d: runs count from 0 and calls from 1, got run %d onset %d", i+1, s.Run, s.Onset)
		case s.End < s.Onset:
			return fmt.Errorf("span %d: ends at call %d, before its onset %d", i+1, s.End, s.Onset)
		case s.IdealStop != nil && (*s.IdealStop < s.Onset-1 || *s.IdealStop > s.End):
			return fmt.Errorf("span %d: ideal_stop_after %d lies outside onset-1 to end, %d to %d",
				i+1, *s.IdealStop, s.Onset-1, s.End)
		}
	}
	return nil
}

func (l *Label) checkTolerate() error {
	for i, t := range l.Tolerate {
		if t.Run < 0 || t.From < 1 || t.To < t.From {
			return fmt.Errorf("tolerate %d: calls %d to %d of run %d are no stretch", i+1, t.From, t.To, t.Run)
		}
	}
	return nil
}

func (l *Label) checkPositions() error {
	for i, p := range l.Positions {
		switch {
		case p.Run < 0 || p.Call < 0:
			return fmt.Errorf("position %d: runs and calls do not go below 0, got run %d call %d", i+1, p.Run, p.Call)
		case !slices.Contains(answers, p.NudgeOK):
			return fmt.Errorf("position %d: nudge_ok: %q is not yes, no or unsure", i+1, p.NudgeOK)
		case !slices.Contains(answers, p.StopOK):
			return fmt.Errorf("position %d: stop_ok: %q is not yes, no or unsure", i+1, p.StopOK)
		case p.NudgeOK == "" && p.StopOK == "":
			return fmt.Errorf("position %d: says neither nudge_ok nor stop_ok", i+1)
		}
		same := func(q Position) bool { return p.Run == q.Run && p.Call == q.Call }
		if slices.ContainsFunc(l.Positions[:i], same) {
			return fmt.Errorf("position %d: run %d call %d is answered twice", i+1, p.Run, p.Call)
		}
	}
	return nil
}

// derived is the class that follows from the spans and the review.
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

// trim makes empty lists nil, so that an empty list and none are equal.
func (l *Label) trim() {
	if len(l.Spans) == 0 {
		l.Spans = nil
	}
	if len(l.Tolerate) == 0 {
		l.Tolerate = nil
	}
	if len(l.Positions) == 0 {
		l.Positions = nil
	}
	if len(l.Annotators) == 0 {
		l.Annotators = nil
	}
}
