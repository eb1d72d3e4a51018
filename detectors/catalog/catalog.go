// Package catalog lists the families of agents that this build knows. The lists
// are values: a build of one's own passes others.
package catalog

import (
	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/detectors/kocoro"
	"groundhog/detectors/mimo"
	"groundhog/detectors/sdk"
)

// All is every family, in the order in which they are listed.
func All() []family.Family {
	return []family.Family{kocoro.Family, mimo.Family, sdk.Family}
}

var all = All()

// What follows is what the families come to, for callers that take plain lists.

// Detectors lists every detector, retired ones included.
var Detectors = family.Detectors(all)

// Presets lists every preset, oldest first within a family.
var Presets = family.Presets(all)

// Policies lists every retry policy.
var Policies = family.Policies(all)

// Removed lists the detectors that agents no longer have.
var Removed = family.Removed(all)

// Default are the presets used where none is named.
var Default = family.Concat(all, func(f *family.Family) []string { return f.Default })

// DefaultPolicies are the policies replayed where none is named: two agents, and
// what most other agents have under them.
var DefaultPolicies = family.Concat(all, func(f *family.Family) []string { return f.DefaultPolicies })

// SideBySide are the presets that the demo compares.
var SideBySide = demo(&kocoro.Family)

// Apart are the presets that the demo shows by themselves, since they look at
// other things.
var Apart = demo(&mimo.Family)

func demo(f *family.Family) (list []*detectors.Preset) {
	for _, name := range f.Demo {
		list = append(list, family.FindPreset(name, f.Presets))
	}
	return list
}

// A Tombstone remembers a detector that an agent no longer has.
type Tombstone = family.Tombstone

// Find is the preset of a name or alias, or nil.
func Find(name string, list []*detectors.Preset) *detectors.Preset {
	return family.FindPreset(name, list)
}

// FindRemoved is the tombstone of a detector, named with or without its family;
// nil if there is none.
func FindRemoved(name string, list []Tombstone) *Tombstone { return family.FindRemoved(name, list) }
