// Package vet looks at a preset or a retry policy without any recording and says what
// its own numbers rule out: verdicts that cannot happen, paths that an earlier one always
// answers first, exemptions that change nothing or cover too much, nudges that nothing
// turns into a stop, deadlines that are over before the first retry. These are facts,
// not errors: a published preset is vetted as it was.
//
// A finder is a function. Most findings rest on histories: the extreme ones that each
// detector lists (detectors.Rule.Reach), and generated ones made of their calls. A
// finding says how many there were, because a search is no proof.
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
	Do     string // what to do about it
	Meant  string // why the preset says that it is meant; "" if it does not
}

// A Finder looks for one kind of fault.
type Finder func(context.Context, *Subject) ([]Finding, error)

// Finders lists all finders, in the order in which their findings are shown.
func Finders() []Finder {
	return []Finder{
		unreachable, shadowed, withoutEffect, uncovered, nudgesOnly, withoutOrigin, outOfRange, unknownTargets,
	}
}

// A Subject is a preset under settings that were checked, and what finders know of it so
// far. It is not safe for concurrent use.
type Subject struct {
	Preset *detectors.Preset
	Set    detectors.Settings // the preset's own, and those on top
	Paths  []Path             // as Preset.Detectors
	// Shapes are the words that labels have for the shapes of loops. If it is nil the
	// targets of detectors are not checked.
	Shapes []string

	config replay.Config
	trials []trial // replayed sessions; nil until the first finder asks for them
}

// A Path is a detector of the subject with what it can say.
type Path struct {
	Detector *detectors.Detector
	Bounded  bool // what is not in Reached cannot happen
	Reached  []detectors.Reached
	Keys     []Key // distinct, of Reached
}

// A Key is one thing that a detector can say, and in which case. Size is that of the
// smallest history after which the detector, alone, says it.
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

// NewSubject finds what each detector of a preset can say. The settings must have been
// checked (detectors.Preset.Check).
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

// keys lists the distinct things that are said, in the order of list.
func keys(list []detectors.Reached) (out []Key) {
	for i := range list {
		r := &list[i]
		if r.Verdict == detectors.Continue {
			continue
		}
		k := Key{r.Case, r.Verdict, r.Reason, r.Size}
		i := slices.IndexFunc(out, k.same)
		if i < 0 {
			out = append(out, k)
			continue
		}
		out[i].Size = min(out[i].Size, k.Size)
	}
	return out
}

// containsKey reports whether a list has a key, whatever its size.
func containsKey(list []Key, k Key) bool { return slices.ContainsFunc(list, k.same) }

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

// finding begins a finding.
func (s *Subject) finding(rule, where string) Finding {
	return Finding{Rule: "vet/" + rule, Preset: s.Preset.Name, Where: where}
}

// Worst is the most severe thing that a path can say.
func (p *Path) Worst() (v detectors.Verdict) {
	for _, k := range p.Keys {
		v = max(v, k.Verdict)
	}
	return v
}
