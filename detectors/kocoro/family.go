package kocoro

import "groundhog/detectors/family"

// Family is all that Kocoro brings to the program.
var Family = family.Family{
	Name:      "kocoro",
	Title:     "Kocoro",
	Detectors: Detectors,
	Presets:   Presets,
	Removed:   removed,
	Default:   []string{"kocoro-4ec6772"},
	Demo:      []string{"kocoro-2026-03", "kocoro-pre-sleep-removal", "kocoro-4ec6772", "kocoro-head"},
	Tools: &family.Tools{
		Title:    "tools of other agents, as Kocoro's presets take them",
		Doc:      "an unmapped tool gets the generic paths only; --set kocoro.tool_names=FROM=TO,… adds to the table",
		Mappings: foreignNames,
		Notes: []string{
			"mcp__SERVER__browser_*  the part after the server",
			"mcp__SERVER__TOOL       itself; if the verbs of TOOL only read, no_progress lets it repeat with distinct arguments",
		},
		Setting:  "kocoro.tool_names",
		Name:     Name,
		Changes:  Changes,
		Required: Required,
	},
	Compat: &family.Compat{
		Title: "Kocoro's own three numbers",
		Doc: "false_signals: productive sessions with any nudge. missed_loops: loop sessions without a stop. " +
			"total_wasted_calls: calls from the ideal stop to the first stop, of caught loops alone.",
		Numbers: []family.Number{family.FalseSignals, family.MissedLoops, family.WastedCalls},
	},
}

// removed are the paths that Kocoro no longer has, by date.
var removed = []family.Tombstone{
	{
		Name:    "kocoro/sleep",
		Date:    "2026-05-14",
		Why:     "it stopped three parallel sleeps that a user had asked for",
		Covered: "exact_duplicate and no_progress for sleeps with equal arguments; nothing for sleeps with distinct ones",
		Preset:  "kocoro-pre-sleep-removal",
	},
}
