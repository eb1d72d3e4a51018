package corpus

import (
	"context"
	"fmt"
	"strings"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
)

// This file checks what a preset does in sessions that somebody typed, against what they
// expect. Four cells hold the expectations: what must fire, what must not fire, and,
// because no detector is perfect, the misses and the false alarms that are known. The
// known ones never fail a check; that one of them is gone is worth a line.

// A Cell is one of the four kinds of expectation.
type Cell string

const (
	MustFire    Cell = "must_fire"
	MustNotFire Cell = "must_not_fire"
	KnownMiss   Cell = "known_miss"  // a loop that is not caught
	KnownFalse  Cell = "known_false" // work that is hit
)

// Cells lists them in the order in which they are shown.
var Cells = []Cell{MustFire, MustNotFire, KnownMiss, KnownFalse}

// fires reports whether sessions of the cell are expected to fire.
func (c Cell) fires() bool { return c == MustFire || c == KnownFalse }

// known reports whether the cell holds known faults.
func (c Cell) known() bool { return c == KnownMiss || c == KnownFalse }

// Rules is a file of expectations.
type Rules struct {
	From   string // the file
	Preset string // "" if the file names none
	Set    detectors.Settings
	List   []Rule
}

// A Rule is what is expected of one path, or of a preset as a whole.
type Rule struct {
	Line     int
	Detector string            // "" means whatever reaches the agent, a ladder's stop included
	Level    detectors.Verdict // the least verdict that counts as firing
	Alone    bool              // the path is replayed alone, not in its preset
	Examples []Example
}

// An Example is a session in a cell. One item of a file may hold several.
type Example struct {
	Cell Cell
	Name string
	Line int // of the item in the file
	unit *formats.Unit
}

// A Checked is one example with its outcome.
type Checked struct {
	Rule    *Rule
	Example *Example
	Outcome *replay.Outcome
	Fire    *replay.Fire // the first that counts; nil if there is none
}

// OK reports whether the expectation holds.
func (r *Checked) OK() bool { return (r.Fire != nil) == r.Example.Cell.fires() }

// Failed reports whether an expectation that is no known fault does not hold.
func (r *Checked) Failed() bool { return !r.OK() && !r.Example.Cell.known() }

// News reports whether a known fault is gone.
func (r *Checked) News() bool { return !r.OK() && r.Example.Cell.known() }

// An UnknownPathError is about a path that the preset does not have.
type UnknownPathError struct {
	Where, Name, Preset string
}

func (e *UnknownPathError) Error() string {
	return fmt.Sprintf("%s: %s has no path %q", e.Where, e.Preset, e.Name)
}

// Check replays every example under a configuration.
func (rs *Rules) Check(ctx context.Context, c replay.Config) ([]Checked, error) {
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{c}, Alone: true})
	if err != nil {
		return nil, err
	}
	var results []Checked
	var units []*formats.Unit
	var paths []string // by result: the full name of the rule's path
	for i := range rs.List {
		r := &rs.List[i]
		path, err := rs.path(c.Preset, r)
		if err != nil {
			return nil, err
		}
		for j := range r.Examples {
			results = append(results, Checked{Rule: r, Example: &r.Examples[j]})
			units = append(units, r.Examples[j].unit)
			paths = append(paths, path)
		}
	}
	n := 0
	e := &replay.Engine{Plan: plan}
	err = e.Run(ctx, units, func(o *replay.Outcome) error {
		if o.Err != nil {
			return fmt.Errorf("%s:%d: %w", rs.From, results[n].Example.Line, o.Err)
		}
		results[n].Outcome = o
		results[n].Fire = results[n].Rule.first(plan, o, paths[n])
		n++
		return nil
	})
	return results, err
}

// path is the full name of the path that a rule is about.
func (rs *Rules) path(p *detectors.Preset, r *Rule) (string, error) {
	if r.Detector == "" {
		return "", nil
	}
	for _, d := range p.Detectors {
		if _, short, _ := strings.Cut(d.Name, "/"); r.Detector == d.Name || r.Detector == short {
			return d.Name, nil
		}
	}
	return "", &UnknownPathError{fmt.Sprintf("%s:%d", rs.From, r.Line), r.Detector, p.Name}
}

// first is the first fire of an outcome that the rule counts, or nil. path is the full
// name of the rule's detector.
func (r *Rule) first(plan *replay.Plan, o *replay.Outcome, path string) *replay.Fire {
	for i := range plan.Points {
		if p := &plan.Points[i]; p.Detector != "" != r.Alone || r.Alone && p.Detector != path {
			continue
		}
		for _, f := range o.Points[i].Fires {
			level := f.Verdict
			if path == "" {
				level = f.Delivered
			}
			if !f.After && level >= r.Level && (path == "" || f.Detector == path) {
				return f
			}
		}
	}
	return nil
}
