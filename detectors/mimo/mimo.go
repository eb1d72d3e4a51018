// Package mimo holds the loop detectors of MiMo Code, and OpenCode's doom_loop,
// which MiMo Code keeps as a fork of it. They look at what happens inside a
// response and from step to step. Nobody masks anybody: each delivers for itself.
//
// The algorithms are in internal/stream and internal/steps, which know nothing
// of detectors; here each becomes a meter and a judge. The package was written from
// a description of behaviour and from what the originals gave, never from their
// source; names and defaults of the first preset follow the article
// "复读检测与重试" (https://daiw.org/manual/mimo-code/loop-recovery, 2026-09-17).
package mimo

import (
	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// Detectors lists the family.
var Detectors = []*detectors.Detector{
	TextNgramRepeat,
	OutputLoopKMP,
	ChunkTimeout,
	CrossStepTextLoop,
	RepeatedAction,
	ThinkingStreak,
	StepTextToolCall,
	StepThinkOnly,
	StepInvalid,
	StepFailed,
	StepFiltered,
	StepLength,
	EmptyToolCall,
	ToolCallFlooding,
	DoomLoop,
}

const (
	article = "MiMo Code as described in \"复读检测与重试\", " +
		"https://daiw.org/manual/mimo-code/loop-recovery (2026-09-17)"
	stored   = "MiMo Code, stored versions of 2026"
	upstream = "OpenCode 1.14.19"
)

// none is the limits of a detector that has no parameters.
type none struct{}

// parts are a response as the step algorithms see it: reasoning and text in
// stream order, each call where its input stands, or at the end.
func parts(s *transcript.Step) []steps.Part {
	list := make([]steps.Part, 0, len(s.Parts)+len(s.Calls))
	placed := make([]bool, len(s.Calls))
	for _, p := range s.Parts {
		switch p.Kind {
		case transcript.Text:
			list = append(list, steps.Part{Kind: steps.Text, Text: p.Text, Ignored: s.Has(transcript.Ignored)})
		case transcript.Thinking:
			list = append(list, steps.Part{Kind: steps.Reasoning, Text: p.Text})
		case transcript.ToolInput:
			if p.Call < len(placed) && !placed[p.Call] {
				placed[p.Call] = true
				list = append(list, toolPart(&s.Calls[p.Call]))
			}
		}
	}
	for i := range s.Calls {
		if !placed[i] {
			list = append(list, toolPart(&s.Calls[i]))
		}
	}
	return list
}

// finished reports whether a response came to its end. A recording that does not
// say how responses end has those with calls finished.
func finished(s *transcript.Step) bool {
	return finishWords[s.Finish] != "" || s.Finish == transcript.FinishUnknown && len(s.Calls) > 0
}

// toolPart is a call with how far it came: completed if a result is recorded,
// failed if that is an error, else pending.
func toolPart(c *transcript.Call) steps.Part {
	p := steps.Part{Kind: steps.Tool, Tool: c.Tool, Input: c.Args, Provider: c.Provider, Interrupted: c.Interrupted,
		State: steps.Completed}
	failed, _ := c.Result.Failed()
	switch {
	case c.Result.Status == transcript.ResultMissing:
		p.State = steps.Pending
	case failed:
		p.State = steps.Failed
	}
	return p
}
