package mimo

import "groundhog/detectors"

// The ladders: two recoveries, and the next one ends the run.
var (
	textRepeatLadder = recoveries(TextNgramRepeat)
	textLoopLadder   = recoveries(CrossStepTextLoop)
)

// recoveries is the ladder of one detector over a run. Its parameter counts the
// recoveries that are allowed.
func recoveries(d *detectors.Detector) *detectors.Ladder {
	return &detectors.Ladder{
		Name:   d.Name,
		Doc:    "recoveries of " + d.Name,
		Origin: detectors.Origin{Source: article},
		Of:     d.Name,
		Counts: detectors.Nudge,
		Limits: func(r *detectors.Rungs, p *detectors.Params) {
			allowed := 0
			p.Int(&allowed, "max_recovery", 2, 0, 5, "recoveries in a run; the next one ends it")
			r.Count = allowed + 1
		},
	}
}

// yields: a crop takes the place of the reminder, and a response that was cut for
// its repetition is not classified.
var yields = func() []detectors.Yield {
	list := []detectors.Yield{{Detector: CrossStepTextLoop, To: ThinkingStreak}}
	for _, class := range classOutcomes {
		list = append(list, detectors.Yield{Detector: class, To: TextNgramRepeat})
	}
	return list
}()

// reminders only remind: what they see is for the model, or a person, to judge.
var reminders = []detectors.Intent{
	{Rule: "vet/nudge_only", Where: RepeatedAction.Name,
		Why: "it reminds at each request, or once for each message, and never stops"},
	{Rule: "vet/nudge_only", Where: DoomLoop.Name, Why: "it asks a person for permission, who may stop the run"},
}

var classOutcomes = []*detectors.Detector{StepTextToolCall, StepThinkOnly, StepInvalid, StepFailed, StepFiltered,
	StepLength}

// Presets are MiMo Code's revisions and the upstream project's, oldest first.
var Presets = []*detectors.Preset{
	{
		Name: "opencode-1.14.19",
		Doc: "OpenCode 1.14.19\n\n" +
			"The upstream project's one loop detector, which MiMo Code keeps.",
		Source:    upstream,
		Detectors: []*detectors.Detector{DoomLoop},
		Every:     true,
		Intended:  reminders[1:],
	},
	{
		Name: "mimo-2026-09",
		Date: "2026-09-17",
		Doc: "MiMo Code as its article describes it\n\n" +
			"In the stream, from step to step, and the classes of steps. thinking_streak is experimental and off:\n" +
			"--set mimo/thinking_streak.enabled=true.",
		Source: article,
		Detectors: append([]*detectors.Detector{TextNgramRepeat, ChunkTimeout, CrossStepTextLoop, RepeatedAction,
			ThinkingStreak, DoomLoop}, classOutcomes...),
		Ladders:  []*detectors.Ladder{textRepeatLadder, textLoopLadder},
		Yields:   yields,
		Every:    true,
		Intended: reminders,
	},
	{
		Name: "mimo-head",
		Doc: "MiMo Code, the newest stored versions\n\n" +
			"Tables pass the stream monitor, more text is compared, reminders come once, and floods of calls are cut off.",
		Source: stored,
		Detectors: append([]*detectors.Detector{TextNgramRepeat, ChunkTimeout, CrossStepTextLoop, RepeatedAction,
			ThinkingStreak, DoomLoop, EmptyToolCall,
			ToolCallFlooding}, classOutcomes...),
		Ladders:  []*detectors.Ladder{textRepeatLadder, textLoopLadder},
		Yields:   yields,
		Every:    true,
		Intended: reminders,
		Set: detectors.Settings{
			"mimo/text_ngram_repeat.table_exempt": "true",
			"mimo/cross_step_text_loop.limit":     "300",
			"mimo/repeated_action.once":           "true",
			"mimo.class_variant":                  "head",
		},
	},
}
