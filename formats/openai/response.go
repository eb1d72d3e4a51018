package openai

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

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
	s.Finish = finishes[m.finish]
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

// finishes are the canonical words of what providers write.
var finishes = map[string]transcript.Finish{
	"stop": transcript.FinishStop, "end_turn": transcript.FinishStop, "stop_sequence": transcript.FinishStop, "eos": transcript.FinishStop,
	"tool_calls": transcript.FinishToolCalls, "tool_use": transcript.FinishToolCalls, "function_call": transcript.FinishToolCalls,
	"length": transcript.FinishLength, "max_tokens": transcript.FinishLength,
	"content_filter": transcript.FinishFilter, "refusal": transcript.FinishRefusal,
	"error": transcript.FinishError, "abort": transcript.FinishAborted, "aborted": transcript.FinishAborted, "cancelled": transcript.FinishAborted,
	"pause": transcript.FinishPause, "pause_turn": transcript.FinishPause,
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
