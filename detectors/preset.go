package detectors

import (
	"fmt"
	"slices"
)

// A Preset is a named, dated, ordered set of detectors with their settings:
// what one agent did at one revision. A published preset never changes; a
// changed behaviour is a new one.
type Preset struct {
	Name      string // "kocoro-4ec6772"
	Aliases   []string
	Date      string // 2026-07-27; "" if the revision has none
	Doc       string // first line: a title
	Source    string
	Detectors []*Detector // in order of precedence: the first that speaks wins
	Ladders   []*Ladder
	// Every says that nobody masks anybody: each detector delivers for itself.
	Every bool
	Set   Settings // overrides of defaults, by parameter id
	// Yields lists who keeps silent in a step in which another was delivered.
	Yields []Yield
	// Withhold is the id of a Bool parameter under which a replay keeps the calls
	// of a vetoed step from the detectors, as an agent does that never runs them.
	// "" means that every recorded call did run, whatever a veto says.
	Withhold string
	// BatchVeto says that the veto of one call keeps the whole response from
	// running; else the calls before it run.
	BatchVeto bool
	// MapTool says what the preset takes another agent's tool for, and whether
	// it knows the tool at all. Nil: it does not look at names.
	MapTool func(tool string, set Settings) (as string, known bool)
	// Tools are names that its rules treat in a way of their own.
	Tools []string
	// Replaced are values that the agent's code sets first and replaces before
	// use: they look as if they counted, and vet says that they do not.
	Replaced Settings
	// Intended are findings of vet that are meant. They are shown and fail nobody.
	Intended []Intent
}

// An Intent says of what vet finds at one place why it is meant.
type Intent struct {
	Rule, Where string // "vet/nudge_only", "mimo/repeated_action"
	Why         string
}

// A Yield keeps a detector silent for the rest of a step in which another one,
// which speaks before the step's end, was delivered.
type Yield struct{ Detector, To *Detector }

// Params lists every parameter of the preset, each once: what its detectors
// share, then the detectors in order, then the ladders.
func (p *Preset) Params() []Param {
	var list []Param
	add := func(params []Param) {
		for _, q := range params {
			if !slices.ContainsFunc(list, func(have Param) bool { return have.ID == q.ID }) {
				list = append(list, q)
			}
		}
	}
	for _, d := range p.Detectors {
		add(d.Shared)
	}
	for _, d := range p.Detectors {
		add(d.Params)
	}
	for _, l := range p.Ladders {
		add(l.Params())
	}
	return list
}

// Check reports the first setting of set that the preset cannot take.
func (p *Preset) Check(set Settings) error {
	kit, err := p.kit(set)
	if err != nil {
		return err
	}
	if _, err := kit.Panel(); err != nil {
		return err
	}
	for _, d := range p.Detectors {
		if d.Closed && !p.Every {
			return fmt.Errorf("%s acts on its own verdicts, and another detector of %s may mask them: set Every", d.Name, p.Name)
		}
	}
	for _, l := range p.Ladders {
		if _, err := l.Rungs(p.Set.With(set)); err != nil {
			return err
		}
	}
	return nil
}

// kit makes panels with the preset's detectors under one set of limits each.
func (p *Preset) kit(set Settings) (*Kit, error) {
	all := p.Set.With(set)
	variants := make([][]Settings, len(p.Detectors))
	for i := range variants {
		variants[i] = []Settings{all}
	}
	return NewKit(p.Detectors, all, variants)
}

// Points arranges some of the preset's detectors, in its order: one point in
// which the first that speaks wins, or one for each where nobody masks anybody.
// index gives a detector's place in the panel, variant its limits by that place.
func (p *Preset) Points(some []*Detector, index func(*Detector) int, variant []int, set Settings) ([]Point, error) {
	groups := [][]*Detector{some}
	if p.Every {
		groups = nil
		for i := range some {
			groups = append(groups, some[i:i+1])
		}
	}
	var list []Point
	for _, group := range groups {
		pt := Point{Variant: variant}
		for _, d := range group {
			pt.On = append(pt.On, index(d))
			var to []int
			for _, y := range p.Yields {
				if y.Detector == d && slices.Contains(some, y.To) {
					to = append(to, index(y.To))
				}
			}
			pt.YieldTo = append(pt.YieldTo, to)
		}
		for _, l := range p.Ladders {
			if l.Of != "" && !slices.ContainsFunc(group, func(d *Detector) bool { return d.Name == l.Of }) {
				continue
			}
			r, err := l.Rungs(set)
			if err != nil {
				return nil, err
			}
			pt.Ladders = append(pt.Ladders, r)
		}
		list = append(list, pt)
	}
	return list, nil
}
