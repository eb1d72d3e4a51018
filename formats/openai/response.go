package openai

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// step is a message without calls.
func (m *message) step(kind transcript.StepKind, line int) *transcript.Step {
	s := &transcript.Step{Kind: kind, Time: m.time, Line: line}
	if m.text != "" {
		s.Parts = []transcript.Part{{Kind: transcript.Text, Text: m.text}}
	}
	return s
}

func (m *message) response(line int) *transcript.Step {
	s := m.step(transcript.Response, line)
	if m.thinking != "" {
		s.Parts = append([]transcript.Part{{Kind: transcript.Thinking, Text: m.thinking}}, s.Parts...)
	}
	if ofProvider(m.id) {
		s.ID = m.id
	}
	s.Model, s.Usage, s.Calls = m.model, m.usage, m.calls
	for i := range s.Calls {
		s.Calls[i].Line = line
	}
	s.Finish = Finish(m.finish)
	if m.finish != string(s.Finish) {
		s.FinishRaw = m.finish
	}
	if m.refused && s.Finish == transcript.FinishUnknown {
		s.Finish = transcript.FinishRefusal
	}
	return s
}

// ofProvider reports whether a message id is unique beyond its file. Many files
// number their messages, and a number is no sign that two sessions share one.
func ofProvider(id string) bool {
	for _, prefix := range []string{"chatcmpl", "msg_", "resp_", "gen-"} {
		if strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return false
}

// Finish is the canonical word for what providers write as finish_reason.
func Finish(raw string) transcript.Finish {
	switch raw {
	case "stop", "end_turn", "stop_sequence", "eos":
		return transcript.FinishStop
	case "tool_calls", "tool_use", "function_call":
		return transcript.FinishToolCalls
	case "length", "max_tokens":
		return transcript.FinishLength
	case "content_filter", "sensitive":
		return transcript.FinishFilter
	case "refusal":
		return transcript.FinishRefusal
	case "error":
		return transcript.FinishError
	case "abort", "aborted", "cancelled":
		return transcript.FinishAborted
	case "pause", "pause_turn":
		return transcript.FinishPause
	}
	return transcript.FinishUnknown
}

// link adds a message to the chain. Only what a client sends back is hashed,
// so that an answer and its repetition in the next request are the same:
// reasoning is often dropped, and content comes as a string or in parts.
func (d *decoder) link(m *message) {
	if !d.request {
		return
	}
	b := append([]byte(nil), d.chain[:]...)
	add := func(texts ...string) {
		for _, s := range texts {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	add(m.role, m.text, m.callID)
	for i := range m.calls {
		add(m.calls[i].ID, m.calls[i].Tool, m.calls[i].Args)
	}
	d.chain = sha256.Sum256(b)
}

// An answer is the response in a request log.
type answer struct {
	model   string
	created time.Time
	usage   transcript.Usage
	choices []choice
}

type choice struct {
	message *message
	finish  string
}

var answerShape = record.NewShape(
	record.Word("model", func(a *answer) *string { return &a.model }),
	record.Time("created", func(a *answer) *time.Time { return &a.created }),
	record.Object("usage", UsageShape, func(a *answer) *transcript.Usage { return &a.usage }),
	record.Each("choices", choiceShape, func(a *answer) *[]choice { return &a.choices }),
)

var choiceShape = record.NewShape(
	record.Object("message", messageShape, func(c *choice) *message {
		c.message = &message{}
		return c.message
	}),
	record.Word("finish_reason", func(c *choice) *string { return &c.finish }),
)

// readResponse takes the answer out of a LiteLLM response. It is nil if there
// is none: the request failed, or was not logged to its end.
func readResponse(v record.Value) (m *message, more bool) {
	var a answer
	answerShape.Parse(v, &a)
	if len(a.choices) == 0 || a.choices[0].message == nil {
		return nil, false
	}
	m = a.choices[0].message
	m.settle()
	m.role, m.model, m.time, m.finish = "assistant", a.model, a.created, a.choices[0].finish
	m.usage = WithoutCache(a.usage)
	return m, len(a.choices) > 1
}
