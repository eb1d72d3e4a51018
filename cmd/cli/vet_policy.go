package cli

import (
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/detectors/policy"
	"groundhog/replay"
	"groundhog/replay/vet"
)

// A vetted policy is one with what was found about it.
type vetted struct {
	*policy.Policy
	findings []vet.Finding
}

// split resolves the names: presets, and retry policies with what is found about
// them. A preset brings the policy of its name. Settings with /retry. in their
// id are the policies'.
func (o *vetOptions) split(a *app) ([]replay.Config, []vetted, error) {
	config, err := a.policiesUnder(o.files, "")
	if err != nil {
		return nil, nil, err
	}
	known := config.policies
	ch := o.choice
	ch.presets, ch.set = nil, nil
	ch.retries = !config.empty()
	var names []string
	for _, name := range o.presets {
		switch {
		case family.FindPreset(name, a.presets) != nil || a.removed(name) != "":
			ch.presets = append(ch.presets, name)
		case policy.Find(name, known) != nil:
			names = append(names, name)
		default:
			return nil, nil, usagef("unknown preset %q: expected one of %s, or a policy of groundhog list policies", name,
				strings.Join(a.presetNames(), ", "))
		}
	}
	only := len(names) > 0 && len(ch.presets) == 0
	for _, file := range o.files.given(a) {
		if only {
			return nil, nil, usagef("%s %s: neither a preset nor a policy of %s is named; %s is one", file.flag(), file.path,
				file.Title, file.Config.Preset)
		}
	}
	var sets []string
	for _, s := range o.set {
		if id, _, _ := strings.Cut(s, "="); only || strings.Contains(id, "/retry.") {
			sets = append(sets, s)
		} else {
			ch.set = append(ch.set, s)
		}
	}
	var configs []replay.Config
	if !only {
		if configs, err = ch.configs(a); err != nil {
			return nil, nil, err
		}
	}
	var own []string
	for _, c := range configs {
		if policy.Find(c.Preset.Name, known) != nil {
			own = append(own, c.Preset.Name)
		}
	}
	policies, err := policiesNamed(append(own, names...), known)
	if err != nil {
		return nil, nil, err
	}
	set, err := (&retryOptions{set: sets}).settings(policies)
	if err != nil {
		return nil, nil, err
	}
	list, err := vetPolicies(policies, config, set)
	return configs, list, err
}

// vetPolicies looks at policies, and at those of an agent for each provider of its
// settings file. What holds without a provider is said once.
func vetPolicies(policies []*policy.Policy, config *retryConfig, set detectors.Settings) (list []vetted, err error) {
	for _, p := range policies {
		v := vetted{Policy: p}
		if v.findings, err = vet.CheckPolicy(p, set); err != nil {
			return nil, usagef("%v", err)
		}
		general := v.findings
		for _, file := range config.files {
			for _, id := range file.Providers {
				q := policy.Find(p.Name, file.Policies(id))
				if q == nil {
					continue // another agent's
				}
				found, err := vet.CheckPolicy(q, set)
				if err != nil {
					return nil, usagef("%v", err)
				}
				for _, f := range found {
					if !slices.Contains(general, f) {
						f.Where += ", provider " + id
						v.findings = append(v.findings, f)
					}
				}
			}
		}
		list = append(list, v)
	}
	return list, nil
}
