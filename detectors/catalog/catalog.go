// Package catalog lists the detectors and presets this build knows. The lists
// are values: a build of one's own passes others.
package catalog

import (
	"slices"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/detectors/mimo"
	"groundhog/detectors/sdk"
)

// Detectors lists every detector, retired ones included.
var Detectors = slices.Concat(kocoro.Detectors, mimo.Detectors)

// Presets lists every preset, oldest first within a family.
var Presets = slices.Concat(kocoro.Presets, mimo.Presets)

// Policies lists every retry policy.
var Policies = slices.Concat(mimo.Policies, sdk.Policies)

// DefaultPolicies are those replayed where none is named: two agents, and what
// most other agents have under them.
var DefaultPolicies = []string{"mimo-2026-09", "opencode-1.14.19", "openai-sdk", "anthropic-sdk", "vercel-ai"}

// Default are the presets used where none is named.
var Default = []string{"kocoro-4ec6772", "mimo-2026-09"}

// SideBySide are the presets that the demo compares.
var SideBySide = kocoro.Presets

// Apart are the presets that the demo shows by themselves, since they look at
// other things.
var Apart = []*detectors.Preset{Find("mimo-2026-09", mimo.Presets)}

// Find is the preset of a name or alias, or nil.
func Find(name string, list []*detectors.Preset) *detectors.Preset {
	for _, p := range list {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p
		}
	}
	return nil
}
