// Package catalog lists the detectors and presets this build knows. The lists
// are values: a build of one's own passes others.
package catalog

import (
	"groundhog/detectors"
	"groundhog/detectors/kocoro"
)

// Detectors lists every detector, retired ones included.
var Detectors = kocoro.Detectors

// Presets lists every preset, oldest first within a family.
var Presets = kocoro.Presets

// Default are the presets used where none is named.
var Default = []string{"kocoro-4ec6772"}

// Find is the preset of a name or alias, or nil.
func Find(name string, list []*detectors.Preset) *detectors.Preset {
	for _, p := range list {
		if p.Name == name {
			return p
		}
		for _, a := range p.Aliases {
			if a == name {
				return p
			}
		}
	}
	return nil
}
