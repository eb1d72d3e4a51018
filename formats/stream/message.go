package stream

import (
	"strings"

	"groundhog/formats/anthropic"
	"groundhog/replay/transcript"
)

// isMessageEvent knows the events of Anthropic's messages.
func isMessageEvent(kind string) bool {
	return strings.HasPrefix(kind, "message_") || strings.HasPrefix(kind, "content_block_") || kind == "ping"
}

// message takes an event of an Anthropic message.
func (a *Assembler) message(e *Event) {
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
	k := key{'b', e.index, 0}
	switch e.kind {
	case "message_start":
		a.messageStart(e)
	case "content_block_start":
		delete(a.cur.keys, k) // an index that comes again is another block
		a.block(e, k, &e.block, true)
	case "content_block_delta":
		a.blockDelta(e, k)
	case "content_block_stop":
		if part, ok := a.cur.keys[k]; ok && a.cur.Step.Parts[part].Kind == transcript.ToolInput {
			a.cur.inputs[a.cur.Step.Parts[part].Call].done = true
		}
	case "message_delta":
		var u transcript.Usage
		anthropic.UsageShape.Parse(e.usage, &u)
		a.cur.Step.Usage.Max(u)
		a.cur.stop(e.delta.stop)
	case "message_stop":
		a.cur.touch(e)
		a.cur.Complete = true
		a.end()
	}
}

// wholeMessage takes an answer that did not come as a stream.
func (a *Assembler) wholeMessage(e *Event) {
	a.begin(e)
	a.messageStart(e)
	a.cur.Complete = true
	a.end()
}

// messageStart begins a message. Servers send the event twice, and some send
// content with it.
func (a *Assembler) messageStart(e *Event) {
	b, m := a.cur, &e.message
	if b == nil || e.kind == "message_start" && (b.chat || m.ID == "" || m.ID != b.Step.ID) {
		b = a.begin(e)
	}
	b.touch(e)
	b.identify(m.ID, m.Model, e.at)
	b.Step.Usage.Max(m.Usage)
	b.stop(m.Stop)
	for i := range m.Blocks {
		a.block(e, key{'w', int64(i), 0}, &m.Blocks[i], false)
	}
}

func (b *building) stop(raw string) {
	if raw != "" {
		b.end(anthropic.Finish(raw), raw)
	}
}

// block begins a block, with what is already in it.
func (a *Assembler) block(e *Event, k key, o *anthropic.Block, stream bool) {
	b := a.cur
	b.touch(e)
	put := func(kind transcript.PartKind, text string) {
		if part := b.part(k, kind); stream {
			b.delta(part, text, e.at)
		} else {
			b.whole(part, text)
		}
	}
	switch {
	case o.Kind == "text":
		put(transcript.Text, o.Text)
	case o.Kind == "thinking":
		put(transcript.Thinking, o.Thinking)
	case o.IsCall():
		n := b.call(transcript.Call{ID: o.ID, Tool: o.Name, Provider: o.IsProviderCall(), Line: e.line, Time: e.at})
		b.keys[k] = b.inputs[n].part
		b.inputs[n].whole = o.Input.Argument()
	case o.IsResult():
		r := o.Result()
		r.Time, r.Line = e.at, e.line
		a.result(o.Call, r)
	case o.Kind == "redacted_thinking":
	default:
		a.Session.Note(e.line, noteUnknown)
	}
}

func (a *Assembler) blockDelta(e *Event, k key) {
	b := a.cur
	b.touch(e)
	kind, text := transcript.Text, ""
	switch e.delta.kind {
	case "text_delta":
		text = e.delta.text
	case "thinking_delta":
		kind, text = transcript.Thinking, e.delta.thinking
	case "input_json_delta":
		part, ok := b.keys[k]
		if !ok { // the stream was cut in front
			part = b.inputs[b.call(transcript.Call{Line: e.line, Time: e.at})].part
			b.keys[k] = part
		}
		b.delta(part, e.delta.json, e.at)
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
