package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors/family"
	"groundhog/report/gate"
)

// ruleList are the rules in force.
func (o *gateOptions) ruleList() ([]gate.Rule, error) {
	var list []gate.Rule
	for _, r := range o.config.rules {
		list = append(list, gate.Rule{Name: r.name, Bound: r.bound, Limit: r.limit, Level: r.level, Doc: r.doc})
	}
	for _, spec := range o.rules {
		name, value, ok := strings.Cut(spec, "=")
		i := slices.IndexFunc(list, func(r gate.Rule) bool { return r.Name == name })
		if !ok || i < 0 {
			return nil, usagef("--rule %s: expected NAME=LEVEL or NAME=LIMIT:LEVEL with one of the names of groundhog list "+
				"config", spec)
		}
		if err := setRule(&list[i], value); err != nil {
			return nil, usagef("--rule %s: %v", spec, err)
		}
	}
	return list, nil
}

// setRule reads LEVEL, LIMIT or LIMIT:LEVEL.
func setRule(r *gate.Rule, value string) error {
	limit, level, both := strings.Cut(value, ":")
	if !both && slices.Contains(gate.RuleLevels, value) {
		if r.Level == "off" && r.Bound != "" && value != "off" {
			return fmt.Errorf("give a limit, such as %s=0.02:%s", r.Name, value)
		}
		r.Level = value
		return nil
	}
	x, err := strconv.ParseFloat(limit, 64)
	switch {
	case r.Bound == "":
		return fmt.Errorf("expected one of %s", strings.Join(gate.RuleLevels, ", "))
	case err != nil || !(x >= 0 && x < 1e9):
		return fmt.Errorf("expected a number 0 or above, got %q", limit)
	case strings.HasSuffix(r.Name, "95") && x > 1:
		return fmt.Errorf("a rate is at most 1, got %v", x)
	case both && !slices.Contains(gate.RuleLevels, level):
		return fmt.Errorf("expected one of %s, got %q", strings.Join(gate.RuleLevels, ", "), level)
	}
	r.Limit = x
	switch {
	case both:
		r.Level = level
	case r.Level == "off":
		r.Level = "error"
	}
	return nil
}

// against is a gate that compares with a baseline; what is now comes later.
func (o *gateOptions) against(a *app, base *gate.Baseline) (*gate.Gate, error) {
	rules, err := o.ruleList()
	if err != nil {
		return nil, err
	}
	g := &gate.Gate{Base: base, Rules: rules, AsOf: o.asOf, Inconclusive: o.inconclusive,
		Detectors: a.detectorsOf(base.Preset)}
	for _, e := range o.config.allow {
		g.Allow = append(g.Allow, gate.Exception{Session: e.session, Detector: e.detector, Level: e.level, Reason: e.reason,
			Owner: e.owner, Expires: e.expires, From: e.from})
	}
	return g, nil
}

// detectorsOf are the ids of a preset's detectors; none if there is no such preset.
func (a *app) detectorsOf(preset string) (list []string) {
	if p := family.FindPreset(preset, a.presets); p != nil {
		for _, d := range p.Detectors {
			list = append(list, d.Name)
		}
	}
	return list
}
