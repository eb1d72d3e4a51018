// Package vet looks at a preset without any recording and says what its own
// numbers rule out: verdicts that cannot happen, rules that an earlier one always
// answers first, exemptions that change nothing or cover too much, nudges that
// nothing turns into a stop. Facts, not errors: a preset is vetted as it was.
//
// A finder is a function. What one says rests on histories: the extreme ones that
// each detector lists (detectors.Rule.Reach), and generated ones made of their
// calls. A finding says how many, because a search is no proof.
package vet

import (
	"context"
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// A Finding is one thing about a preset.
type Finding struct {
	Rule   string // stable: "vet/unreachable"
	Preset string
	Where  string // the detector, ladder or parameter
	What   string
	Rests  string // what that rests on, with its numbers
	Do     string
	Meant  string // why the preset says that it is meant; "" if it does not
}

// A Finder looks for one sort of thing.
type Finder func(context.Context, *Subject) ([]Finding, error)

// Finders are all of them, in the order in which their findings are shown.
func Finders() []Finder {
	return []Finder{unreachable, shadowed, withoutEffect, uncovered, nudgesOnly, withoutOrigin, unknownTargets, outOfRange}
}

// A Subject is a preset under settings, and what is known of it so far. The
// settings have been checked.
type Subject struct {
	Preset *detectors.Preset
	Set    detectors.Settings // the preset's own, and those on top
	Paths  []Path             // as Preset.Detectors
	Shapes []string           // the words that labels have for shapes of loops; nil: targets are not looked up

	config replay.Config
	trials []trial // sessions and what the preset makes of them
}

// A Path is how far one detector of the subject can see.
type Path struct {
	Detector *detectors.Detector
	Bounded  bool // what is not in Reached cannot happen
	Reached  []detectors.Reached
	Keys     []Key
}

// A Key is one thing that a detector can say, and in which case. Size is that of
// the smallest history that makes it do so, alone.
type Key struct {
	Case    detectors.Case
	Verdict detectors.Verdict
	Reason  string
	Size    int
}

// same compares keys without their size.
func (k Key) same(o Key) bool {
	return k.Case == o.Case && k.Verdict == o.Verdict && k.Reason == o.Reason
}

// NewSubject measures how far each detector can see.
func NewSubject(c replay.Config) (*Subject, error) {
	s := &Subject{Preset: c.Preset, Set: c.Preset.Set.With(c.Set), config: c}
	for _, d := range c.Preset.Detectors {
		p := Path{Detector: d}
		var err error
		if p.Reached, p.Bounded, err = d.Reach(s.Set); err != nil {
			return nil, err
		}
		p.Keys = keys(p.Reached)
		s.Paths = append(s.Paths, p)
	}
	return s, nil
}

// keys lists what is said, least history first seen first.
func keys(list []detectors.Reached) (out []Key) {
	for i := range list {
		r := &list[i]
		if r.Verdict == detectors.Continue {
			continue
		}
		k := Key{r.Case, r.Verdict, r.Reason, r.Size}
		at := slices.IndexFunc(out, k.same)
		if at < 0 {
			out = append(out, k)
			continue
		}
		out[at].Size = min(out[at].Size, k.Size)
	}
	return out
}

func has(list []Key, k Key) bool { return slices.ContainsFunc(list, k.same) }

// Check runs finders over a subject.
func Check(ctx context.Context, s *Subject, finders []Finder) ([]Finding, error) {
	var list []Finding
	for _, find := range finders {
		found, err := find(ctx, s)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for i := range list {
		for _, in := range s.Preset.Intended {
			if in.Rule == list[i].Rule && in.Where == list[i].Where {
				list[i].Meant = in.Why
			}
		}
	}
	return list, nil
}

// found begins a finding.
func (s *Subject) found(rule, where string) Finding {
	return Finding{Rule: "vet/" + rule, Preset: s.Preset.Name, Where: where}
}

// Worst is the most severe thing that a path can say.
func (p *Path) Worst() (v detectors.Verdict) {
	for _, k := range p.Keys {
		v = max(v, k.Verdict)
	}
	return v
}
