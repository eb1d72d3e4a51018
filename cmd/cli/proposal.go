package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report/justify"
)

// proposal is what the command line asks about.
func (a *app) proposal(o *justifyOptions) (*justify.Proposal, error) {
	asked := 0
	for _, list := range [][]string{o.detectors, o.changes, o.additions} {
		if len(list) > 0 {
			asked++
		}
	}
	if asked != 1 {
		return nil, usagef("expected one question: DETECTOR… to delete, --change PARAM=NOW..THEN, or --add FAMILY/DETECTOR")
	}
	bare := o.choice
	bare.set = nil // settings may be those of a detector that is to come
	configs, err := bare.configs(a)
	if err != nil {
		return nil, err
	}
	var p *justify.Proposal
	switch {
	case len(o.changes) > 0:
		p, err = a.changeOf(o, configs)
	case len(o.additions) > 0:
		p, err = a.additionTo(o, configs)
	default:
		p, err = a.deletionFrom(o, configs)
	}
	if err != nil {
		return nil, err
	}
	p.Targets = o.targets
	q := p.Question()
	all := replay.Config{Preset: q.Configs[0].Preset, Set: p.Set}
	for _, s := range o.set {
		if err := a.assign([]replay.Config{all}, "--set", s); err != nil {
			return nil, err
		}
	}
	if err := all.Preset.Check(p.Set); err != nil {
		return nil, usagef("--set %v", err)
	}
	return p, a.settle(p)
}

// deletionFrom finds the preset in use that has all the detectors.
func (a *app) deletionFrom(o *justifyOptions, configs []replay.Config) (*justify.Proposal, error) {
	var hits []*justify.Proposal
	for _, c := range configs {
		p := &justify.Proposal{Kind: justify.Deletion, Preset: c.Preset, Set: c.Set}
		for _, d := range c.Preset.Detectors { // in the preset's order, whatever that of the words
			if slices.ContainsFunc(o.detectors, func(name string) bool { return detectorNamed(c.Preset.Detectors, name) == d }) {
				p.Paths = append(p.Paths, d)
			}
		}
		if len(p.Paths) > 0 && !slices.ContainsFunc(o.detectors, func(name string) bool {
			return detectorNamed(c.Preset.Detectors,
				name) == nil
		}) {
			hits = append(hits, p)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		return nil, usagef("%s is in %s and in %s: name one with --preset", strings.Join(o.detectors, ", "),
			hits[0].Preset.Name, hits[1].Preset.Name)
	}
	for _, name := range o.detectors {
		if !slices.ContainsFunc(configs, func(c replay.Config) bool { return detectorNamed(c.Preset.Detectors, name) != nil }) {
			return nil, usagef("%s: %s", name, a.noDetector(name, configs))
		}
	}
	return nil, usagef("no preset in use has all of %s: name one with --preset", strings.Join(o.detectors, ", "))
}

// named is the detector of a list by its name, with or without its family.
func detectorNamed(list []*detectors.Detector, name string) *detectors.Detector {
	for _, d := range list {
		if _, short, _ := strings.Cut(d.Name, "/"); d.Name == name || short == name {
			return d
		}
	}
	return nil
}

// noDetector explains a detector that no preset in use has.
func (a *app) noDetector(name string, configs []replay.Config) string {
	if t := a.removed(name); t != "" {
		return t
	}
	var in, have []string
	for _, p := range a.presets {
		if detectorNamed(p.Detectors, name) != nil {
			in = append(in, p.Name)
		}
	}
	if len(in) > 0 {
		return "no preset in use has this detector; --preset " + strings.Join(in, " or ") + " has it"
	}
	if d := detectorNamed(a.detectors, name); d != nil {
		return fmt.Sprintf("no preset has this detector; --add %s asks what it would bring", d.Name)
	}
	for _, c := range configs {
		for _, d := range c.Preset.Detectors {
			_, short, _ := strings.Cut(d.Name, "/")
			have = append(have, short)
		}
	}
	return "no such file, and no such detector: expected one of " + strings.Join(have, ", ")
}

// changeOf finds the preset in use that has the parameters, and the detectors
// that look at them.
func (a *app) changeOf(o *justifyOptions, configs []replay.Config) (*justify.Proposal, error) {
	p := &justify.Proposal{Kind: justify.Change}
	for _, spec := range o.changes {
		id, values, ok := strings.Cut(spec, "=")
		if !ok || values == "" {
			return nil, usagef("--change %s: expected PARAM=NOW..THEN, such as exact_duplicate.nudge=5..4", spec)
		}
		var param *detectors.Param
		for _, c := range configs {
			q, err := replay.FindParam(c.Preset.Params(), id)
			if err != nil && !errors.Is(err, replay.ErrNoParam) {
				return nil, usagef("--change %v", err)
			}
			if q != nil && (p.Preset == nil || p.Preset == c.Preset) {
				p.Preset, p.Set, param = c.Preset, c.Set, q
				break
			}
		}
		if param == nil {
			return nil, usagef("--change %s: %s", id, a.unknown(id, configs))
		}
		from, to, both := strings.Cut(values, "..")
		if !both {
			from, to = "", values
		}
		p.Settings = append(p.Settings, justify.Setting{ID: param.ID, From: from, To: to})
		for _, d := range p.Preset.Detectors {
			looks := func(q detectors.Param) bool { return q.ID == param.ID }
			if (slices.ContainsFunc(d.Params, looks) || slices.ContainsFunc(d.Shared, looks)) && !slices.Contains(p.Paths, d) {
				p.Paths = append(p.Paths, d)
			}
		}
	}
	if len(p.Paths) == 0 {
		return nil, usagef("--change %s: no detector looks at it. a ladder's stop depends on how the agent takes every "+
			"nudge, so it is in no table here", o.changes[0])
	}
	return p, nil
}

// settle completes a change once the settings in force are known.
func (a *app) settle(p *justify.Proposal) error {
	then := p.Set.With(nil)
	for i := range p.Settings {
		s := &p.Settings[i]
		now := p.Preset.Set.With(p.Set)[s.ID]
		if q, err := replay.FindParam(p.Preset.Params(), s.ID); now == "" && err == nil {
			now = q.Default
		}
		switch {
		case s.From != "" && s.From != now:
			return usagef("--change %s=%s..%s: it is %s now; leave out %s.. or set it with --set", s.ID, s.From, s.To, now,
				s.From)
		case s.To == now:
			return usagef("--change %s=%s: it is %s now, so nothing changes", s.ID, s.To, now)
		}
		s.From, then[s.ID] = now, s.To
	}
	if err := p.Preset.Check(then); err != nil {
		return usagef("--change %v", err)
	}
	return nil
}

// additionTo puts detectors at the end of the one preset in use.
func (a *app) additionTo(o *justifyOptions, configs []replay.Config) (*justify.Proposal, error) {
	if len(o.presets) == 0 {
		configs = configs[:1]
	}
	if len(configs) > 1 {
		return nil, usagef("--add asks about one preset: name one with --preset")
	}
	p := &justify.Proposal{Kind: justify.Addition, Preset: configs[0].Preset, Set: configs[0].Set}
	for _, name := range o.additions {
		d := detectorNamed(a.detectors, name)
		switch {
		case d == nil:
			return nil, usagef("--add %s: no such detector; groundhog list detectors", name)
		case detectorNamed(p.Preset.Detectors, d.Name) != nil:
			return nil, usagef("--add %s: %s has it already; groundhog justify %s asks whether it may go", name, p.Preset.Name,
				name)
		}
		if !slices.Contains(p.Paths, d) {
			p.Paths = append(p.Paths, d)
		}
	}
	return p, nil
}
