// Package openai reads conversations in the shape of the OpenAI chat API: a
// list of messages with roles, calls on assistant messages, and results as
// messages of their own.
//
// The shape is an exchange format without one writer, so what stands around the
// messages varies. A session is an object with "messages", or a bare array of
// messages; a file holds one session a line (JSONL), one session, or an array
// of sessions. A LiteLLM request log is an object with "messages" and
// "response": the answer becomes the last step.
//
// A session is decoded as a stream of tokens, one message at a time, and so is
// a JSON file while sessions are looked for; only JSONL is then held by the
// line, up to the size limit. Lines alone were considered: they would do for
// JSONL, but a log may be a single line of gigabytes.
package openai

import (
	"groundhog/formats"
	"groundhog/formats/record"
)

const name = "openai"

// Format reads OpenAI chat messages and LiteLLM request logs.
var Format = &formats.Format{
	Name: name,
	Doc: `OpenAI chat messages (JSON, JSONL) and LiteLLM request logs

One session a line: {"messages": [...], ...metadata} or a bare array of
messages. Or a JSON file that is one such object, one such array, or an array
of such objects. A LiteLLM request log, {"messages", "response", "timestamp",
"cost"}, repeats the history of its session: steps that an earlier log of the
input already has are context.`,
	Sniff: sniff,
	Find:  find,
}

// The notes of this format.
const (
	noteParts   = "images and other parts that are not text were left out"
	noteRole    = "messages with an unknown role were skipped"
	noteChoices = "answers other than the first were left out"
)

// roles are those of the format; others are noted and skipped.
var roles = map[string]bool{
	"system": true, "developer": true, "user": true, "assistant": true, "tool": true, "function": true,
}

// sniff never says Certain: many formats are chat messages with something
// around them, and each of those knows its own better.
func sniff(h *formats.Head) formats.Confidence {
	switch h.Shape {
	case formats.Array:
		// The elements are messages, or sessions; a JSONL file of bare arrays
		// shows the messages of its first line.
		if chat(h.Records) {
			return formats.Likely
		}
	case formats.Other:
		return formats.No
	}
	for _, r := range h.Records {
		if foreign(r) {
			return formats.No
		}
	}
	for _, r := range h.Records {
		if r.Kind != '[' && chat(r.Elems("messages", 50)) {
			return formats.Likely
		}
	}
	return formats.No
}

// foreign reports whether a record has "messages" but is decisively of another
// format.
func foreign(r record.Outline) bool {
	info := r.Obj("info")
	return r.Has("trajectory_format") || info.Has("exit_status") || info.Has("mini_version") || // mini-swe-agent
		r.Has("sessionId", "projectHash") || // Gemini CLI
		info.Has("id") || // OpenCode export
		r.Has("task_id", "reward_info") || r.Has("termination_reason") || // tau2
		r.Has("eval", "samples") // Inspect
}

// chat reports whether the elements look like chat messages, and none of them
// carries the content blocks of another API.
func chat(elems []record.Outline) bool {
	found := false
	for _, m := range elems {
		role := m.Str("role")
		if !roles[role] || m.Has("parts") {
			continue
		}
		if !m.Has("content") && !m.Has("tool_calls") && !m.Has("function_call") {
			continue
		}
		for _, block := range m.Elems("content", 50) {
			switch block.Str("type") {
			case "tool_use", "tool_result", "redacted_thinking":
				return false
			case "thinking":
				if block.Has("signature") {
					return false
				}
			}
		}
		found = true
	}
	return found
}
