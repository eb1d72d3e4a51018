package vet

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"groundhog/detectors"
)

// nudgesOnly finds paths that nudge for ever: they never ask for a stop, and no ladder
// makes a stop of their nudges.
func nudgesOnly(_ context.Context, s *Subject) ([]Finding, error) {
	var list []Finding
	for i := range s.Paths {
		p := &s.Paths[i]
		if p.Worst() != detectors.Nudge {
			continue
		}
		stops := slices.ContainsFunc(s.Preset.Ladders, func(l *detectors.Ladder) bool {
			r, err := l.Rungs(s.Set)
			return err == nil && r.Count > 0 && (r.Within == 0 || r.Count <= r.Within) && counts(l, r, p)
		})
		if stops {
			continue
		}
		f := s.finding("nudge_only", p.Detector.Name)
		f.What = "it nudges, and nothing ever turns its nudges into a stop"
		f.Rests = fmt.Sprintf("the verdicts of %s, and the preset's ladders: "+
			"%d of %d count it, and none of these makes a stop",
			pluralOf(len(p.Reached), "extreme history", "extreme histories"), s.counting(p), len(s.Preset.Ladders))
		f.Do = "give it a ladder, or say that another path stops what it nudges about"
		list = append(list, f)
	}
	return list, nil
}

// counting is how many ladders count what a path says, switched off or not.
func (s *Subject) counting(p *Path) (n int) {
	for _, l := range s.Preset.Ladders {
		if r, err := l.Rungs(s.Set); err == nil && counts(l, r, p) {
			n++
		}
	}
	return n
}

// withoutOrigin finds detectors and ladders that do not say why they exist.
func withoutOrigin(_ context.Context, s *Subject) ([]Finding, error) {
	var list []Finding
	note := func(name string, o detectors.Origin) {
		if o != (detectors.Origin{}) {
			return
		}
		f := s.finding("no_origin", name)
		f.What = "it names neither an incident nor a source"
		f.Rests = "its Origin, which is empty"
		f.Do = "say which incident it answers, or which source it was described from; " +
			"without one it is a candidate for deletion"
		list = append(list, f)
	}
	for _, d := range s.Preset.Detectors {
		note(d.Name, d.Origin)
	}
	for _, l := range s.Preset.Ladders {
		note(l.Name, l.Origin)
	}
	return list, nil
}

// outOfRange finds numbers outside the range that makes sense. A value that the
// parameter's own description mentions, such as 0 for the whole run, is meant.
func outOfRange(_ context.Context, s *Subject) ([]Finding, error) {
	var list []Finding
	for _, q := range s.Preset.Params() {
		n, err := strconv.Atoi(s.value(q))
		if q.Kind != detectors.Int || err != nil || n >= q.Lo && n <= q.Hi {
			continue
		}
		if regexp.MustCompile(fmt.Sprintf(`\b%d\b`, n)).MatchString(q.Doc) {
			continue
		}
		f := s.finding("out_of_range", q.ID)
		f.What = fmt.Sprintf("%d lies outside the range that makes sense", n)
		f.Rests = fmt.Sprintf("%s: %d to %d, default %s", q.Doc, q.Lo, q.Hi, q.Default)
		f.Do = "choose a value in the range, or say why this one"
		list = append(list, f)
	}
	return list, nil
}

// unknownTargets finds targets of detectors that no label can have: a path that is
// written for such a shape never meets it in a report.
func unknownTargets(_ context.Context, s *Subject) ([]Finding, error) {
	if s.Shapes == nil {
		return nil, nil
	}
	var list []Finding
	for _, d := range s.Preset.Detectors {
		for _, target := range d.UnknownTargets(s.Shapes) {
			f := s.finding("unknown_target", d.Name)
			f.What = fmt.Sprintf("it is written for loops of shape %q, which no label has", target)
			f.Rests = fmt.Sprintf("its Targets, and %s that labels know", plural(len(s.Shapes), "shape"))
			f.Do = "use the word that labels have for this shape, or add the shape to those that labels know"
			list = append(list, f)
		}
	}
	return list, nil
}
