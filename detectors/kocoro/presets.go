package kocoro

import "groundhog/detectors"

// NudgeWindow is the agent loop's own rule: so many nudges
// within so many steps end the run. A step counts once, whatever its calls led to.
var NudgeWindow = &detectors.Ladder{
	Name:   "kocoro/nudge_window",
	Doc:    "nudges that were not heeded",
	Origin: detectors.Origin{Source: "Kocoro 4ec6772 (2026-07-27), agent loop"},
	Counts: detectors.Nudge,
	Count:  3,
	Within: 10,
}

// BlockWindow ends a run at the second vetoed batch within so many steps.
var BlockWindow = &detectors.Ladder{
	Name:   "kocoro/block_window",
	Doc:    "batches that were vetoed",
	Origin: detectors.Origin{Source: "Kocoro 1310e73 (2026-08-21), agent loop"},
	Counts: detectors.Block,
	Count:  2,
	Within: 11,
}

// constructed is what the detector's constructor sets. Production replaces it
// right after, so http is exempt in unit tests alone.
var constructed = detectors.Settings{"kocoro.batch_tolerant": "http"}

// Presets are Kocoro's revisions, oldest first.
var Presets = []*detectors.Preset{
	{
		Name: "kocoro-2026-03",
		Date: "2026-03-20",
		Doc: "Kocoro as of March 2026\n\n" +
			"Thresholds of the first weeks: 2, 3, 4 and 8. No exemptions, no wider budget for errors, no recovery rule.",
		Source: "Kocoro 0263a32b (2026-03-20)",
		Detectors: []*detectors.Detector{
			ToolModeSwitch, SuccessAfterError, ConsecutiveDuplicate, ExactDuplicate, SameToolError,
			FamilyNoProgress, SearchEscalation, NoProgress, Sleep,
		},
		Ladders: []*detectors.Ladder{NudgeWindow},
		MapTool: describe,
		Tools:   ruled,
		Set: detectors.Settings{
			"kocoro.revision":                           "2026-03",
			"kocoro.batch_tolerant":                     "",
			"kocoro/consecutive_duplicate.nudge":        "2",
			"kocoro/consecutive_duplicate.error_factor": "1",
			"kocoro/exact_duplicate.nudge":              "3",
			"kocoro/exact_duplicate.error_factor":       "1",
			"kocoro/same_tool_error.nudge":              "4",
			"kocoro/family_no_progress.nudge":           "3",
			"kocoro/family_no_progress.nudge2":          "5",
			"kocoro/family_no_progress.force":           "7",
			"kocoro/family_no_progress.fallback_nudge":  "5",
			"kocoro/family_no_progress.fallback_force":  "7",
			"kocoro/search_escalation.nudge":            "3",
			"kocoro/search_escalation.force":            "5",
			"kocoro/no_progress.nudge":                  "8",
			"kocoro/nudge_window.steps":                 "0",
		},
	},
	{
		Name: "kocoro-pre-sleep-removal",
		Date: "2026-05-14",
		Doc: "Kocoro just before the sleep path was removed\n\n" +
			"Thresholds of April 2026, without the validation short-cut and computer_use.",
		Source: "Kocoro, parent of 59b8638c (2026-05-14)",
		Detectors: []*detectors.Detector{
			EmptyThink, ToolModeSwitch, SuccessAfterError, ConsecutiveDuplicate, ExactDuplicate, SameToolError,
			FamilyNoProgress, SearchEscalation, NoProgress, Sleep,
		},
		Ladders: []*detectors.Ladder{NudgeWindow},
		MapTool: describe,
		Tools:   ruled,
		Set:     detectors.Settings{"kocoro.revision": "pre-sleep-removal"},
	},
	{
		Name:    "kocoro-4ec6772",
		Aliases: []string{"kocoro"},
		Date:    "2026-07-27",
		Doc: "Kocoro as of July 2026\n\n" +
			"Nine paths and the validation short-cut. The stop of no_progress needs 24 calls in a window of 20.",
		Source: "Kocoro 4ec6772 (2026-07-27)",
		Detectors: []*detectors.Detector{
			EmptyThink, ToolModeSwitch, SuccessAfterError, ValidationError, ConsecutiveDuplicate, ExactDuplicate,
			SameToolError, FamilyNoProgress, SearchEscalation, NoProgress,
		},
		Ladders:  []*detectors.Ladder{NudgeWindow},
		MapTool:  describe,
		Tools:    ruled,
		Replaced: constructed,
	},
	{
		Name: "kocoro-head",
		Date: "2026-08-21",
		Doc: "Kocoro as of August 2026\n\n" +
			"Outcomes count: a read that finds something new is no repetition, one that does not is vetoed before it runs. " +
			"A replay takes the record as it is, so a vetoed call still ran; kocoro.admission keeps vetoed calls from the " +
			"detectors.",
		Source: "Kocoro 1310e73 (2026-08-21)",
		Detectors: []*detectors.Detector{
			BeforeStableReadOnly, BeforePingPong, BeforeStableWeb, EmptyThink, ToolModeSwitch, SuccessAfterError,
			ValidationError, ConsecutiveDuplicate, PingPong, ExactDuplicate, SameToolError, FamilyNoProgress,
			SearchEscalation, NoProgress,
		},
		Ladders:   []*detectors.Ladder{NudgeWindow, BlockWindow},
		MapTool:   describe,
		Tools:     ruled,
		Replaced:  constructed,
		Withhold:  "kocoro.admission",
		BatchVeto: true,
		Set:       detectors.Settings{"kocoro.revision": "head"},
	},
}
