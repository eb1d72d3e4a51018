package steps

import (
	"strings"

	"groundhog/detectors/mimo/internal/js"
)

// A Response is an assistant's message with what the classifier asks of it.
type Response struct {
	Model      string
	Finish     string // stop, tool-calls, length, content-filter, error, other, unknown; "" if it never finished
	Failed     bool   // an error is recorded
	Error      string // its name
	Structured bool   // a structured output was captured, even if it is null
	Summary    bool   // the message is the summary of a compaction
	UserNewer  bool   // the last user message is not older than this one
	Parts      []Part
}

// A Class says what a step was.
type Class uint8

const (
	Unclassified Class = iota
	Continue
	TextToolCall // a tool call written as text
	Broken       // the original's "failed"
	Filtered
	ThinkOnly
	Invalid
	Final
)

var classNames = [...]string{"", "continue", "text-tool-call", "failed", "filtered", "think-only", "invalid", "final"}

// String is the original's name.
func (c Class) String() string { return classNames[c] }

// A Classification is a class with what else the original says of it.
type Classification struct {
	Class    Class
	Degraded bool   // final, though the provider gave no good reason to end
	Reason   string // of Broken and Invalid
}

// A Variant is one of the stored classifiers. They differ in the first rule and
// in the last.
type Variant uint8

const (
	Article     Variant = iota
	Head                // an empty step of a GPT model is final
	Interrupted         // a failed tool goes on, too, unless a person stopped it
	InFlight            // tools that are done do not outweigh a final text
)

// A Phase is the moment of classification.
type Phase uint8

const (
	AfterProcess     Phase = iota // the response has just ended
	ExistingResponse              // the loop begins, and the response was there before
)

// Classify is the step classifier: the first rule that applies.
func Classify(r *Response, v Variant, phase Phase) Classification {
	spoken := hasSpoken(r.Parts)
	final := Classification{Class: Final, Degraded: r.Finish == "other"}
	switch {
	case goesOn(r, v, spoken), r.Finish == "":
		return Classification{Class: Continue}
	case r.Finish == "tool-calls":
		if writesCall(r) {
			return Classification{Class: TextToolCall}
		}
		return Classification{Class: Continue}
	case phase == ExistingResponse && r.UserNewer:
		return Classification{Class: Continue}
	case r.Failed:
		return Classification{Class: Broken, Reason: r.Error}
	case r.Structured, r.Summary:
		return Classification{Class: Final}
	case r.Finish == "content-filter":
		return Classification{Class: Filtered}
	case r.Finish == "error":
		return Classification{Class: Broken, Reason: "model error finish"}
	case spoken:
		return final
	case hasThought(r.Parts):
		if gpt(r.Model) {
			return final
		}
		return Classification{Class: ThinkOnly}
	case v == Head && gpt(r.Model):
		return final
	default:
		return Classification{Class: Invalid, Reason: "empty output"}
	}
}

// goesOn is the first rule: a tool of the agent's own has something to say.
func goesOn(r *Response, v Variant, spoken bool) bool {
	done := false
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case !p.client():
		case p.State == Failed:
			if v == Interrupted && !p.Interrupted {
				return true
			}
		case v != InFlight, p.State != Completed:
			return true
		default:
			done = true
		}
	}
	return done && !(spoken && (r.Finish == "stop" || r.Finish == "other"))
}

// callMarks betray a tool call that came as text.
var callMarks = [...]string{"<invoke name=", "<parameter name=", "</invoke>", "<function_calls>"}

func writesCall(r *Response) bool {
	if r.Failed || r.UserNewer {
		return false
	}
	marked := false
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind == Tool {
			return false
		}
		for _, mark := range callMarks {
			marked = marked || p.spoken() && strings.Contains(p.Text, mark)
		}
	}
	return marked
}

func hasSpoken(parts []Part) bool {
	for i := range parts {
		if parts[i].spoken() && !js.Blank(parts[i].Text) {
			return true
		}
	}
	return false
}

func hasThought(parts []Part) bool {
	for i := range parts {
		if parts[i].Kind == Reasoning && !js.Blank(parts[i].Text) {
			return true
		}
	}
	return false
}

func hasClientTool(parts []Part) bool {
	for i := range parts {
		if parts[i].client() {
			return true
		}
	}
	return false
}

// gpt reports whether a model id, or one behind a slash in it, begins with
// "gpt-" and a digit.
func gpt(model string) bool {
	for {
		if len(model) > 4 && asciiLower(model[:4]) == "gpt-" && model[4] >= '0' && model[4] <= '9' {
			return true
		}
		_, rest, ok := strings.Cut(model, "/")
		if !ok {
			return false
		}
		model = rest
	}
}

// asciiLower folds nothing that is not ASCII: strings.EqualFold would take U+212A for a k.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
