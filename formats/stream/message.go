package stream

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// isMessageEvent knows the events of Anthropic's messages.
func isMessageEvent(kind string) bool {
	return strings.HasPrefix(kind, "message_") || strings.HasPrefix(kind, "content_block_") || kind == "ping"
}

// message takes an event of an Anthropic message.
func (a *Assembler) message(e *event) {
	if a.cur == nil || a.cur.chat {
		switch e.kind {
		case "ping", "message_stop", "message_delta", "content_block_stop":
			return // of a message that has ended, or failed
		case "message_start":
		default:
			a.begin(e)
			a.Session.Note(e.line, noteUnsealed)
		}
	}
	index, _ := e.Count("index")
	switch e.kind {
	case "message_start":
		a.messageStart(e, e.Obj("message"))
	case "content_block_start":
		a.blockStart(e, key{'b', index, 0}, e.Obj("content_block"))
	case "content_block_delta":
		a.blockDelta(e, key{'b', index, 0}, e.Obj("delta"))
	case "content_block_stop":
		if part, ok := a.cur.keys[key{'b', index, 0}]; ok && a.cur.Step.Parts[part].Kind == transcript.ToolInput {
			a.cur.inputs[a.cur.Step.Parts[part].Call].done = true
		}
	case "message_delta":
		a.cur.Step.Usage.Max(MessageUsage(e.Get("usage")))
		a.cur.stop(e.Obj("delta").Str("stop_reason"))
	case "message_stop":
		a.cur.touch(e)
		a.cur.Complete = true
		a.end()
	}
}

// wholeMessage takes an answer that did not come as a stream.
func (a *Assembler) wholeMessage(e *event) {
	a.begin(e)
	a.messageStart(e, e.Object)
	a.cur.Complete = true
	a.end()
}

// messageStart begins a message. Servers send the event twice, and some send
// content with it.
func (a *Assembler) messageStart(e *event, m Object) {
	b, id := a.cur, m.Str("id")
	if b == nil || e.kind == "message_start" && (b.chat || id == "" || id != b.Step.ID) {
		b = a.begin(e)
	}
	b.touch(e)
	b.identify(id, m.Str("model"), e.at)
	b.Step.Usage.Max(MessageUsage(m.Get("usage")))
	b.stop(m.Str("stop_reason"))
	n := int64(0)
	for v := range Elems(m.Get("content")) {
		a.block(e, key{'w', n, 0}, Parse(v), false)
		n++
	}
}

func (b *building) stop(raw string) {
	if raw != "" {
		b.end(MessageFinish(raw), raw)
	}
}

func (a *Assembler) blockStart(e *event, k key, o Object) {
	delete(a.cur.keys, k) // an index that comes again is another block
	a.block(e, k, o, true)
}

// block begins a block, with what is already in it.
func (a *Assembler) block(e *event, k key, o Object, stream bool) {
	b := a.cur
	b.touch(e)
	put := func(kind transcript.PartKind, text string) {
		if part := b.part(k, kind); stream {
			b.delta(part, text, e.at)
		} else {
			b.whole(part, text)
		}
	}
	switch kind := o.Str("type"); {
	case kind == "text":
		put(transcript.Text, o.Str("text"))
	case kind == "thinking":
		put(transcript.Thinking, o.Str("thinking"))
	case kind == "tool_use", kind == "server_tool_use", kind == "mcp_tool_use":
		n := b.call(transcript.Call{ID: o.Str("id"), Tool: o.Str("name"), Provider: kind != "tool_use", Line: e.line, Time: e.at})
		b.keys[k] = b.inputs[n].part
		b.inputs[n].whole = argument(o.Get("input"))
	case strings.HasSuffix(kind, "_tool_result") || kind == "tool_result":
		r := Result(o)
		r.Time, r.Line = e.at, e.line
		a.result(o.Str("tool_use_id"), r)
	case kind == "redacted_thinking":
	default:
		a.Session.Note(e.line, noteUnknown)
	}
}

func (a *Assembler) blockDelta(e *event, k key, o Object) {
	b := a.cur
	b.touch(e)
	kind, text := transcript.Text, ""
	switch o.Str("type") {
	case "text_delta":
		text = o.Str("text")
	case "thinking_delta":
		kind, text = transcript.Thinking, o.Str("thinking")
	case "input_json_delta":
		part, ok := b.keys[k]
		if !ok { // the stream was cut in front
			part = b.inputs[b.call(transcript.Call{Line: e.line, Time: e.at})].part
			b.keys[k] = part
		}
		b.delta(part, o.Str("partial_json"), e.at)
		return
	case "signature_delta", "citations_delta":
		return
	default:
		a.Session.Note(e.line, noteUnknown)
		return
	}
	part, ok := b.keys[k]
	if !ok || b.Step.Parts[part].Kind != kind {
		delete(b.keys, k)
		part = b.part(k, kind)
	}
	b.delta(part, text, e.at)
}

// MessageFinish is the canonical word for a stop_reason.
func MessageFinish(raw string) transcript.Finish {
	switch raw {
	case "end_turn", "stop_sequence":
		return transcript.FinishStop
	case "tool_use":
		return transcript.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return transcript.FinishLength
	case "refusal":
		return transcript.FinishRefusal
	case "pause_turn":
		return transcript.FinishPause
	}
	return transcript.FinishUnknown
}

// MessageUsage reads Anthropic's counts. input_tokens excludes the cache.
func MessageUsage(raw jsontext.Value) (u transcript.Usage) {
	o := Parse(raw)
	put := func(to *int64, o Object, name string) {
		if n, ok := o.Count(name); ok {
			*to, u.Known = n, true
		}
	}
	put(&u.Input, o, "input_tokens")
	put(&u.Output, o, "output_tokens")
	put(&u.CacheRead, o, "cache_read_input_tokens")
	put(&u.CacheWrite, o, "cache_creation_input_tokens")
	put(&u.Reasoning, o.Obj("output_tokens_details"), "thinking_tokens")
	return u
}
