package transcript

import (
	"strings"
	"time"
)

// A Step is one entry of a session: usually one response of the model and everything it
// led to. Steps of a lane are in the order in which they were recorded.
type Step struct {
	Kind      StepKind
	Lane      string // "" for the main agent, else a name of the sub-agent that is unique in the session
	ID        string // the provider's message id, if recorded
	Model     string
	Flags     Flags
	Attempts  []Attempt // requests made for this response, in order
	Parts     []Part    // thinking, text and tool input, in stream order
	Calls     []Call    // in the order the model issued them
	Finish    Finish
	FinishRaw string // the source's own word for Finish, if it differs
	Usage     Usage
	Time      time.Time // zero if not recorded
	Ended     time.Time // zero if not recorded
	Line      int       // 1-based line in the source; 0 if it has none
}

// A StepKind says where a step comes from.
type StepKind uint8

const (
	// Response is one answer of the model. No other kind has calls.
	Response StepKind = iota
	// Prompt is a message from a person or, in a sub-agent's lane, from the agent that
	// started it. It begins a run.
	Prompt
	// Injection is text that the harness put in front of the model: a reminder, a
	// summary, an interruption marker. It does not begin a run.
	Injection
	// Compaction marks that earlier steps left the model's context.
	Compaction
	// System is anything else worth keeping, such as a system prompt.
	System
)

// Flags are facts about a step that do not change what it is.
type Flags uint8

const (
	// Synthetic marks text of the client, not of the model or a person. A synthetic
	// Response is no step of the agent and is not numbered.
	Synthetic Flags = 1 << iota
	// Sidechain marks a step that the source itself says is outside the main thread.
	Sidechain
	// CompactedAway marks a step that a later compaction removed from context.
	CompactedAway
	// ErrorMessage marks a Response that only reports a failed request.
	ErrorMessage
	// Ignored marks text that the model never saw.
	Ignored
	// Context marks a step that belongs to another session, which this one resumed or
	// copied. Detectors see it, and it is not counted.
	Context
	// ErrorInferred marks a step whose results were marked as errors by a heuristic of
	// the program that wrote the recording, and not by the agent.
	ErrorInferred
)

// A Part is one contiguous piece of a step.
type Part struct {
	Kind PartKind
	Text string
	Call int   // for ToolInput, the index in Step.Calls
	Cuts []Cut // where the recorded deltas end; empty if only the whole text is known
}

// A PartKind says what a part holds.
type PartKind uint8

const (
	Text PartKind = iota
	Thinking
	ToolInput
)

// A Cut ends one recorded delta: it is Text[previous.End:End].
type Cut struct {
	End int           // bytes into the part
	At  time.Duration // since the step began; negative if not recorded
}

// A Finish is the reason for which a response ended, in the words of the canonical JSONL.
type Finish string

const (
	FinishUnknown   Finish = ""
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length"
	FinishFilter    Finish = "content_filter"
	FinishRefusal   Finish = "refusal"
	FinishError     Finish = "error"
	FinishAborted   Finish = "aborted"
	FinishPause     Finish = "pause"
)

// A Usage counts the tokens of one response. Input excludes what was read from a cache.
// The zero Usage means that nothing was recorded.
type Usage struct {
	Known                                           bool
	Input, Output, Reasoning, CacheRead, CacheWrite int64
	Cost                                            float64 // US dollars
}

// Max takes the larger of each count. Several records of one message repeat its usage
// or let it grow, so neither the first nor the sum is right.
func (u *Usage) Max(v Usage) {
	u.Known = u.Known || v.Known
	u.Input = max(u.Input, v.Input)
	u.Output = max(u.Output, v.Output)
	u.Reasoning = max(u.Reasoning, v.Reasoning)
	u.CacheRead = max(u.CacheRead, v.CacheRead)
	u.CacheWrite = max(u.CacheWrite, v.CacheWrite)
	u.Cost = max(u.Cost, v.Cost)
}

// Text is the parts of one kind, joined.
func (s *Step) Text(kind PartKind) string {
	var first string
	var rest strings.Builder
	for _, p := range s.Parts {
		switch {
		case p.Kind != kind:
		case first == "" && rest.Len() == 0:
			first = p.Text
		default:
			if rest.Len() == 0 {
				rest.WriteString(first)
			}
			rest.WriteString(p.Text)
		}
	}
	if rest.Len() > 0 {
		return rest.String()
	}
	return first
}

// Has reports whether a flag is set.
func (s *Step) Has(f Flags) bool { return s.Flags&f != 0 }
