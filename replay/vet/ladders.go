package vet

import (
	"fmt"
	"slices"

	"groundhog/detectors"
)

// ladders finds ladders whose count does not fit into their steps, and ladders that
// count a verdict which no path gives.
func (s *Subject) ladders() []Finding {
	var out []Finding
	for _, l := range s.Preset.Ladders {
		r, err := l.Rungs(s.Set)
		if err != nil || r.Count == 0 {
			continue
		}
		if r.Within > 0 && r.Count > r.Within {
			f := s.finding("unreachable", l.Name)
			f.What = "this ladder never makes a stop"
			f.Rests = fmt.Sprintf("it counts a step once, and wants %d within %s", r.Count, plural(r.Within, "step"))
			f.Do = fmt.Sprintf("let it look back at least %s", plural(r.Count, "step"))
			out = append(out, f)
			continue
		}
		if !slices.ContainsFunc(s.Paths, func(p Path) bool { return counts(l, r, &p) }) {
			f := s.finding("no_effect", l.Name)
			f.What = fmt.Sprintf("nothing that this ladder counts is ever said (%s or more, short of a stop)", r.Counts)
			f.Rests = fmt.Sprintf("the verdicts that %s can give", plural(len(s.Paths), "path"))
			f.Do = "take the ladder out, or let a path give the verdict it counts"
			out = append(out, f)
		}
	}
	return out
}

// counts reports whether a ladder counts a verdict that a path can give.
func counts(l *detectors.Ladder, r detectors.Rungs, p *Path) bool {
	if l.Of != "" && l.Of != p.Detector.Name {
		return false
	}
	return len(p.Reached) == 0 && !p.Bounded || slices.ContainsFunc(p.Keys, func(k Key) bool {
		return k.Verdict >= r.Counts && k.Verdict < detectors.ForceStop
	})
}
