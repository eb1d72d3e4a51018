package unread

import (
	"bytes"
	"slices"
	"strings"

	"groundhog/formats"
)

// This file holds the evidence that is more than a key or a prefix.

func isZip(b []byte) bool { return bytes.HasPrefix(b, []byte("PK\x03\x04")) }

// isInspectZip looks for the names of an archive's members. The first of them
// precede their data, and an Inspect log begins with its journal.
func isInspectZip(b []byte) bool {
	return isZip(b) && (bytes.Contains(b, []byte("_journal/start.json")) || bytes.Contains(b, []byte("header.json")))
}

func codex(h *formats.Head) formats.Confidence {
	return certain(slices.ContainsFunc(h.Records, func(r outline) bool {
		return r.Has("timestamp", "payload") && isOne(r.Str("type"), "session_meta", "response_item", "event_msg",
			"turn_context", "compacted", "world_state") || r.Str("record_type") == "state"
	}) || earlyCodex(h))
}

// earlyCodex: in 2025 the first line was a header without a type, and the items
// stood bare below it.
func earlyCodex(h *formats.Head) bool {
	return len(h.Records) > 0 && !h.Records[0].Has("type") && h.Records[0].Has("id", "timestamp", "instructions")
}

func codexExec(r outline) bool {
	return isOne(r.Str("type"), "thread.started", "turn.started", "turn.completed", "turn.failed",
		"item.started", "item.updated", "item.completed") &&
		(r.Has("item") || r.Has("thread_id") || r.Has("usage") || r.Has("error"))
}

func pi(r outline) bool {
	switch r.Str("type") {
	case "session":
		return r.Has("id", "timestamp", "cwd")
	case "message":
		return r.Has("timestamp") && !r.Has("sessionId") && r.Obj("message").Str("role") == "toolResult"
	}
	return false
}

// qwen has the envelope of Claude Code around the content of Gemini.
func qwen(r outline) bool {
	if !r.Has("sessionId", "parentUuid") {
		return false
	}
	m := r.Obj("message")
	return m.Has("parts") || m.Str("role") == "model" || r.Has("systemPayload")
}

func opencodeRun(r outline) bool {
	return r.Has("sessionID", "part") &&
		isOne(r.Str("type"), "step_start", "tool_use", "text", "step_finish", "reasoning")
}

func opencodeExport(r outline) bool { return strings.HasPrefix(r.Obj("info").Str("id"), "ses_") }

func copilot(r outline) bool { return r.Str("type") == "session.start" && r.Has("data", "parentId") }

func trae(r outline) bool {
	return r.Has("llm_interactions") && (r.Has("agent_steps") || r.Has("task"))
}

func atif(r outline) bool { return strings.HasPrefix(r.Str("schema_version"), "ATIF-v") }

func inspect(r outline) bool { return r.Obj("eval").Has("run_id") }

func shareGPT(r outline) bool { return slices.ContainsFunc(r.Elems("conversations", 4), keys("from")) }

// cline: an array of messages whose first text is the harness's own wrapping.
func cline(h *formats.Head) formats.Confidence {
	if h.Shape != formats.Array || len(h.Records) == 0 {
		return formats.No
	}
	first := h.Records[0]
	return certain(first.Str("role") == "user" && slices.ContainsFunc(first.Elems("content", 8), func(b outline) bool {
		text := b.Str("text")
		return strings.Contains(text, "<task>") || strings.Contains(text, "<environment_details>")
	}))
}

func moatless(r outline) bool {
	if !r.Has("nodes") {
		return false
	}
	return r.Obj("metadata").Has("instance_id") || slices.ContainsFunc(r.Elems("nodes", 8), func(n outline) bool {
		return n.Has("node_id") && (n.Has("action_steps") || n.Has("action"))
	})
}

func managedAgents(r outline) bool {
	kind := r.Obj("raw").Str("type")
	return r.Has("kind", "time") && hasPrefix(kind, "session.", "agent.", "span.")
}

func sweAgent(r outline) bool {
	return slices.ContainsFunc(r.Elems("trajectory", 4), keys("action", "observation", "response")) ||
		!r.Has("instance_id") && slices.ContainsFunc(r.Elems("history", 4), func(m outline) bool {
			return m.Has("role", "agent") && (m.Has("message_type") || m.Has("content"))
		})
}

func miniSWE(r outline) bool {
	info := r.Obj("info")
	return strings.HasPrefix(r.Str("trajectory_format"), "mini-swe-agent") || info.Has("mini_version") ||
		r.Has("messages") && info.Has("exit_status")
}

// tau2: the simulations may lie beyond the head.
func tau2(r outline) bool {
	info := r.Obj("info")
	return info.Has("agent_info") && (r.Has("simulations") || info.Has("environment_info")) ||
		r.Has("termination_reason", "reward_info", "messages")
}

func openhandsOutput(r outline) bool {
	return r.Has("instance_id", "test_result") && (r.Has("history") || r.Has("instruction", "metadata"))
}

func openhandsV0(r outline) bool {
	return r.Has("id", "timestamp", "source") && (r.Has("action", "args") || r.Has("observation", "content", "extras"))
}

func openhandsSDK(r outline) bool {
	kind := r.Str("kind")
	return r.Has("source", "id") &&
		(strings.HasSuffix(kind, "Event") || isOne(kind, "UserRejectObservation", "Condensation"))
}

func looseSpan(r outline) bool {
	if !r.Has("span_id") && !r.Has("spanId") && !r.Has("spanContext") && !r.Obj("context").Has("span_id") {
		return false
	}
	attributes := r.Obj("attributes")
	for name := range attributes.Names() {
		if hasPrefix(name, "gen_ai.", "llm.", "ai.", "openinference.") {
			return true
		}
	}
	return slices.ContainsFunc(r.Elems("attributes", 50), func(a outline) bool {
		return hasPrefix(a.Str("key"), "gen_ai.", "llm.", "openinference.")
	})
}

// anthropic: chat messages with content blocks, whole responses, and the
// results of a batch. A plain chat without any of them looks like OpenAI's and
// is read as such, which loses nothing.
func anthropic(h *formats.Head) formats.Confidence {
	blocks := func(m outline) bool {
		return m.Has("role") && slices.ContainsFunc(m.Elems("content", 50), func(b outline) bool {
			switch b.Str("type") {
			case "tool_use", "tool_result", "redacted_thinking", "server_tool_use":
				return true
			case "thinking":
				return b.Has("signature")
			}
			return false
		})
	}
	if h.Shape == formats.Array && slices.ContainsFunc(h.Records, blocks) {
		return formats.Likely
	}
	return likely(slices.ContainsFunc(h.Records, func(r outline) bool {
		return slices.ContainsFunc(r.Elems("messages", 50), blocks) ||
			r.Str("type") == "message" && r.Has("role", "stop_reason", "usage") ||
			r.Has("custom_id") && isOne(r.Obj("result").Str("type"), "succeeded", "errored", "canceled", "expired")
	}))
}

// responses: items by themselves, in a request's input or a response's output.
func responses(h *formats.Head) formats.Confidence {
	if earlyCodex(h) {
		return formats.No
	}
	item := func(r outline) bool {
		return r.Has("call_id") && isOne(r.Str("type"), "function_call", "function_call_output",
			"custom_tool_call", "custom_tool_call_output", "local_shell_call_output", "computer_call")
	}
	return certain(slices.ContainsFunc(h.Records, func(r outline) bool {
		return item(r) || r.Str("object") == "response" && r.Has("output") ||
			slices.ContainsFunc(r.Elems("input", 50), item) ||
			slices.ContainsFunc(r.Elems("output", 50), item) ||
			slices.ContainsFunc(r.Elems("messages", 50), item)
	}))
}

func isSSE(h *formats.Head) bool {
	b := bytes.TrimLeft(h.Data, " \t\r\n")
	for _, prefix := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(b, []byte(prefix)) {
			return bytes.Contains(b, []byte("data:"))
		}
	}
	return false
}

func otherSSE(h *formats.Head) formats.Confidence {
	for _, word := range []string{"chat.completion.chunk", "message_start", "response.created"} {
		if bytes.Contains(h.Data, []byte(word)) {
			return formats.No
		}
	}
	return certain(isSSE(h))
}

func asciicast(h *formats.Head) formats.Confidence {
	if len(h.Records) == 0 {
		return formats.No
	}
	r := h.Records[0]
	sized := r.Has("width", "height") || r.Obj("term").Has("cols")
	return certain(sized && isOne(string(r.Get("version")), "1", "2", "3"))
}
