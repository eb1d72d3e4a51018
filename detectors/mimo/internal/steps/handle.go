package steps

// Limits are how often a run may be helped along, by kind. With zeros nothing
// is retried (an older branch).
type Limits struct {
	Length     int // output cut off by its length
	Invalid    int // nothing but thoughts, or nothing at all
	TextTool   int // tool calls written as text
	Structured int // no structured output though one was asked for
}

// DefaultLimits are those of both presets.
func DefaultLimits() Limits { return Limits{Length: 3, Invalid: 2, TextTool: 2, Structured: 2} }

// A Handler is what a run's main loop makes of its steps. Set its fields before
// the first step.
//
// It handles a step when its response has ended. What the original does at the
// top of its loop with a message it finds there is the same for a message that
// it has just handled, but for one thing, which Step does at once: a final step
// ends the run. (The goal gate, which may begin it again, is not in a recording.)
type Handler struct {
	Variant Variant
	Limits  Limits
	Schema  bool // the request asked for structured output

	length, invalid, textTool, structured Ladder
}

// A Result is how the processing of a response ended.
type Result uint8

const (
	Proceed    Result = iota
	Stopped           // an error or a refusal that ends the run
	Overflowed        // the context is full
	Repeated          // text_ngram_repeat cut the stream off
)

// A Do is what the loop does after a step.
type Do uint8

const (
	Go      Do = iota // the next request, as it is
	Remind            // the next request, with a reminder
	Compact           // the next request, after a compaction
	End               // no further request
)

// An Outcome is what the loop did about a step. Why is the reason of a Remind ("length",
// "text-tool-call", "structured", or the class), or of an End ("final", "stop",
// or the name of the error that the run ends with). Of a step that a detector of
// its own cut off it is "text-repeat", and that detector decides what follows.
type Outcome struct {
	Classification // zero where the original does not ask
	Do             Do
	Why            string
	N              int // of a Remind: which one of its kind in this run, from 1
}

// Step handles a step of the run.
func (h *Handler) Step(r *Response, result Result) Outcome {
	if result == Proceed && cutOff(r) {
		return h.retry(Outcome{}, &h.length, h.Limits.Length, "length", "OutputLengthError")
	}
	switch result {
	case Repeated:
		return Outcome{Why: "text-repeat"}
	case Stopped:
		if r.Failed {
			return Outcome{Do: End, Why: r.Error}
		}
		return Outcome{Do: End, Why: "stop"}
	}
	if r.Structured {
		return Outcome{Classification: Classification{Class: Final}, Do: End, Why: "final"}
	}
	out := Outcome{Classification: Classify(r, h.Variant, AfterProcess)}
	switch out.Class {
	case Filtered:
		return out.end("ContentFilterError")
	case Broken:
		if r.Failed {
			return out.end(r.Error)
		}
		return out.end("ModelError")
	case TextToolCall:
		return h.retry(out, &h.textTool, h.Limits.TextTool, "text-tool-call", "TextToolCallError")
	}
	if h.Schema && out.Class != Continue { // an error would have been a class of its own
		return h.retry(out, &h.structured, h.Limits.Structured, "structured", "StructuredOutputError")
	}
	switch out.Class {
	case ThinkOnly, Invalid:
		return h.retry(out, &h.invalid, h.Limits.Invalid, out.Class.String(), "InvalidOutputError")
	}
	switch {
	case result == Overflowed:
		out.Do = Compact
	case out.Class == Final:
		return out.end("final")
	}
	return out
}

// Reset begins another run.
func (h *Handler) Reset() { *h = Handler{Variant: h.Variant, Limits: h.Limits, Schema: h.Schema} }

// cutOff reports whether a response asks for a continuation: its length ended
// it, and nothing else is the matter.
func cutOff(r *Response) bool {
	return r.Finish == "length" && !r.Failed && !r.Summary && !hasClientTool(r.Parts)
}

// retry takes one of limit retries, or ends the run if none is left.
func (h *Handler) retry(out Outcome, l *Ladder, limit int, why, spent string) Outcome {
	l.Max = limit
	rung, ok := l.Next()
	if !ok {
		return out.end(spent)
	}
	out.Do, out.Why, out.N = Remind, why, rung+1
	return out
}

func (o Outcome) end(why string) Outcome {
	o.Do, o.Why = End, why
	return o
}
