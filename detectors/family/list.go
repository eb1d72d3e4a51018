package family

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"groundhog/detectors"
	"groundhog/detectors/policy"
)

// Concat is one field of all families, in their order.
func Concat[T any](list []Family, field func(*Family) []T) (all []T) {
	for i := range list {
		all = append(all, field(&list[i])...)
	}
	return all
}

// Detectors are those of all families.
func Detectors(list []Family) []*detectors.Detector {
	return Concat(list, func(f *Family) []*detectors.Detector { return f.Detectors })
}

// Presets are those of all families, oldest first within each.
func Presets(list []Family) []*detectors.Preset {
	return Concat(list, func(f *Family) []*detectors.Preset { return f.Presets })
}

// Policies are the retry policies of all families.
func Policies(list []Family) []*policy.Policy {
	return Concat(list, func(f *Family) []*policy.Policy { return f.Policies })
}

// Removed are the detectors that agents no longer have.
func Removed(list []Family) []Tombstone {
	return Concat(list, func(f *Family) []Tombstone { return f.Removed })
}

// Find is the family of a name, or nil.
func Find(name string, list []Family) *Family {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// FindPreset is the preset of a name or alias, or nil.
func FindPreset(name string, list []*detectors.Preset) *detectors.Preset {
	for _, p := range list {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p
		}
	}
	return nil
}

// Check reports the first thing that is wrong with families that are to be used
// together, and which rule it breaks:
//
//   - a family has a Name and a Title;
//   - every detector was made by detectors.Define, without an error;
//   - every preset has a Name and takes its own settings, and every policy has a
//     Name, a Build and legal defaults;
//   - what is named by default, in the demo, or by a tombstone, is in the family;
//   - no name of a family, detector, preset, policy or flag is given twice. A
//     detector or a policy itself may stand in several families.
func Check(list []Family) error {
	var all names
	for i := range list {
		f := &list[i]
		if f.Name == "" || f.Title == "" {
			return fmt.Errorf("family %q: Name and Title are required", cmp.Or(f.Name, f.Title))
		}
		if err := f.check(&all); err != nil {
			return fmt.Errorf("family %s: %w", f.Name, err)
		}
	}
	return nil
}

// names remembers whose each name is.
type names map[string]any

// take reports whether a name is given to two things.
func (n *names) take(kind, name string, owner any) error {
	if *n == nil {
		*n = make(names)
	}
	key := kind + " " + name
	if have, ok := (*n)[key]; ok && have != owner {
		return fmt.Errorf("two of them are called %s: names must be unique", key)
	}
	(*n)[key] = owner
	return nil
}

func (f *Family) check(all *names) error {
	if err := all.take("family", f.Name, f); err != nil {
		return err
	}
	for _, d := range f.Detectors {
		if err := d.Err(); err != nil {
			return err
		}
		if err := all.take("detector", d.Name, d); err != nil {
			return err
		}
	}
	for _, p := range f.Presets {
		if p.Name == "" {
			return errors.New("a preset has no Name")
		}
		if err := p.Check(nil); err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if err := all.take("preset", name, p); err != nil {
				return err
			}
		}
	}
	for _, p := range f.Policies {
		if p.Name == "" || p.Build == nil {
			return fmt.Errorf("policy %q: Name and Build are required", p.Name)
		}
		if _, err := p.At(nil); err != nil {
			return fmt.Errorf("policy %s: %w", p.Name, err)
		}
		if err := all.take("policy", p.Name, p); err != nil {
			return err
		}
	}
	if f.Config != nil {
		if err := all.take("flag", f.Config.Flag, f); err != nil {
			return err
		}
	}
	return f.checkNames()
}

// checkNames looks up what the family names of its own.
func (f *Family) checkNames() error {
	presets := append(slices.Clone(f.Default), f.Demo...)
	for _, t := range f.Removed {
		presets = append(presets, t.Preset)
	}
	if f.Config != nil {
		presets = append(presets, f.Config.Preset)
	}
	for _, name := range presets {
		if FindPreset(name, f.Presets) == nil {
			return fmt.Errorf("it names the preset %s and has none of that name", name)
		}
	}
	for _, name := range f.DefaultPolicies {
		if policy.Find(name, f.Policies) == nil {
			return fmt.Errorf("it names the policy %s and has none of that name", name)
		}
	}
	return nil
}
