package stream

import (
	"cmp"
	"strings"

	"groundhog/formats/anthropic"
	"groundhog/formats/openai"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// response takes an event of OpenAI's Responses API.
func (a *Assembler) response(e *Event) {
	id := ""
	if e.response != nil {
		id = e.response.id
	}
	b := a.cur
	// A response that has failed is often said to have failed twice.
	if b == nil && id != "" && id == a.last && e.kind != "response.created" {
		return
	}
	if b == nil || b.chat || id != "" && b.Step.ID != "" && id != b.Step.ID {
		b = a.begin(e)
	}
	b.touch(e)
	if r := e.response; r != nil {
		b.identify(id, r.model, r.created)
		b.Step.Usage.Max(responseUsage(r.usage))
	}
	switch strings.TrimPrefix(e.kind, "response.") {
	case "output_item.added":
		a.item(e, e.output, &e.item)
	case "output_item.done":
		a.itemDone(e, e.output, &e.item)
	case "function_call_arguments.delta", "custom_tool_call_input.delta", "mcp_call_arguments.delta",
		"code_interpreter_call_code.delta":
		n := b.itemCall(e.output, e)
		b.delta(b.inputs[n].part, e.piece, e.at)
	case "function_call_arguments.done", "custom_tool_call_input.done", "mcp_call_arguments.done",
		"code_interpreter_call_code.done":
		n := b.itemCall(e.output, e)
		if b.whole(b.inputs[n].part, cmp.Or(e.arguments, e.input, e.code)) {
			a.Session.Note(e.line, noteLost)
		}
	case "completed", "done", "incomplete", "failed", "cancelled":
		r := e.response
		if r == nil {
			r = &response{}
		}
		a.responseEnd(e, r)
	default:
		a.responseText(e)
	}
}

// responseText takes an event that brings a piece of a text, or all of it.
func (a *Assembler) responseText(e *Event) {
	text := key{'t', e.output, e.part}
	refusal, reasoning := key{'r', e.output, e.part}, key{'h', e.output, e.part}
	summary := key{'s', e.output, e.summary}
	b := a.cur
	switch strings.TrimPrefix(e.kind, "response.") {
	case "output_text.delta":
		b.delta(b.part(text, transcript.Text), e.piece, e.at)
	case "output_text.done":
		b.done(a, e, text, transcript.Text, e.text)
	case "refusal.delta":
		b.delta(b.part(refusal, transcript.Text), e.piece, e.at)
	case "refusal.done":
		b.done(a, e, refusal, transcript.Text, e.refusal)
	case "reasoning_text.delta", "reasoning.delta":
		b.delta(b.part(reasoning, transcript.Thinking), e.piece, e.at)
	case "reasoning_text.done", "reasoning.done":
		b.done(a, e, reasoning, transcript.Thinking, e.text)
	case "reasoning_summary_text.delta", "reasoning_summary.delta":
		b.delta(b.part(summary, transcript.Thinking), e.piece, e.at)
	case "reasoning_summary_text.done", "reasoning_summary.done":
		b.done(a, e, summary, transcript.Thinking, e.text)
	}
}

// done takes a text that is complete.
func (b *building) done(a *Assembler, e *Event, k key, kind transcript.PartKind, text string) {
	if b.whole(b.part(k, kind), text) {
		a.Session.Note(e.line, noteLost)
	}
}

// itemCall is the call of an output item, begun if its beginning is not there.
func (b *building) itemCall(output int64, e *Event) int {
	k := key{'c', output, 0}
	n, ok := b.keys[k]
	if !ok {
		n = b.call(transcript.Call{Line: e.line, Time: e.at})
		b.keys[k] = n
	}
	return n
}

// item begins an output item.
func (a *Assembler) item(e *Event, output int64, o *item) {
	if o.kind == "mcp_call" && a.approved(o) != nil {
		a.cur.keys[key{'a', output, 0}] = 1
		return
	}
	switch o.kind {
	case "message", "reasoning", "mcp_list_tools", "compaction", "":
		return
	}
	b := a.cur
	n := b.itemCall(output, e)
	c := &b.Step.Calls[n]
	c.Tool, c.ID, c.Provider = o.tool(), cmp.Or(o.call, o.id), o.isProviderCall()
	if o.kind == "mcp_approval_request" {
		c.State = "pending"
	}
	b.inputs[n].whole = o.argument()
}

// approved is the call that an item carries out: one that a person has allowed
// since it was proposed, in this response or an earlier one.
func (a *Assembler) approved(o *item) *transcript.Call {
	if o.approval == "" {
		return nil
	}
	if c := openCall(a.cur.Step, o.approval); c != nil || a.Earlier == nil {
		return c
	}
	return a.Earlier(o.approval)
}

// itemDone completes an output item, or adds it if it was not begun.
func (a *Assembler) itemDone(e *Event, output int64, o *item) {
	b := a.cur
	switch o.kind {
	case "message", "reasoning":
		a.texts(e, output, o)
		return
	case "mcp_list_tools", "compaction", "":
		return
	}
	if _, ok := b.keys[key{'c', output, 0}]; !ok && b.keys[key{'a', output, 0}] == 0 {
		a.item(e, output, o)
	}
	if b.keys[key{'a', output, 0}] == 1 {
		if c := a.approved(o); c != nil {
			c.State, c.Result = o.status, o.result(e)
		}
		return
	}
	n := b.itemCall(output, e)
	c := &b.Step.Calls[n]
	if c.Tool == "" {
		c.Tool, c.ID, c.Provider = o.tool(), cmp.Or(o.call, o.id), o.isProviderCall()
	}
	b.inputs[n].whole = o.argument()
	if c.State == "" && c.Provider {
		c.State = o.status
	}
	if r := o.result(e); c.Provider && c.Result.Status == transcript.ResultMissing {
		c.Result = r
	}
}

// An itemText is a text of an item: of a message, or of reasoning.
type itemText struct{ kind, text, refusal string }

var itemTextShape = record.NewShape(
	record.Word("type", func(t *itemText) *string { return &t.kind }),
	record.String("text", func(t *itemText) *string { return &t.text }),
	record.String("refusal", func(t *itemText) *string { return &t.refusal }),
)

// texts adds those texts of an item that no delta brought.
func (a *Assembler) texts(e *Event, output int64, o *item) {
	add := func(list record.Value, kind transcript.PartKind) {
		n := int64(0)
		for v := range list.Elements() {
			var t itemText
			itemTextShape.Parse(v, &t)
			k, kind := key{'t', output, n}, kind
			switch t.kind {
			case "summary_text":
				k.kind = 's'
			case "reasoning_text":
				k.kind, kind = 'h', transcript.Thinking
			case "refusal":
				k.kind = 'r'
				a.cur.keys[key{kind: 'R'}] = 1
			}
			a.cur.done(a, e, k, kind, cmp.Or(t.text, t.refusal))
			n++
		}
	}
	add(o.summary, transcript.Thinking)
	add(o.content, transcript.Text)
}

// responseEnd takes the last event, which repeats all output.
func (a *Assembler) responseEnd(e *Event, r *response) {
	b := a.cur
	for i := range r.output {
		a.itemDone(e, int64(i), &r.output[i])
	}
	b.Complete = true
	status, reason := r.status, r.reason
	switch {
	case e.kind == "response.failed" || status == "failed":
		a.fail(e, &r.failure)
		return
	case e.kind == "response.cancelled" || status == "cancelled":
		b.end(transcript.FinishAborted, status)
	case reason == "content_filter":
		b.end(transcript.FinishFilter, reason)
	case e.kind == "response.incomplete" || status == "incomplete":
		b.end(transcript.FinishLength, reason)
	case b.keys[key{kind: 'R'}] == 1:
		b.end(transcript.FinishRefusal, status)
	default:
		b.end(transcript.FinishStop, status)
		for i := range b.Step.Calls {
			if !b.Step.Calls[i].Provider {
				b.end(transcript.FinishToolCalls, status)
			}
		}
	}
	a.end()
}

// tool names a call. Items of built-in tools have no name but their type.
func (o *item) tool() string { return cmp.Or(o.name, strings.TrimSuffix(o.kind, "_call")) }

// isProviderCall reports whether the item is run by the provider. The rest is
// run by the client: functions, patches, shells and the computer.
func (o *item) isProviderCall() bool {
	switch o.kind {
	case "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
		"tool_search_call":
		return true
	}
	return false
}

// argument is what the model wrote as the input of the call.
func (o *item) argument() string {
	for _, v := range o.input {
		if !v.Null() {
			return v.Argument()
		}
	}
	if o.queries != nil {
		return `{"queries":` + string(o.queries) + `}`
	}
	return ""
}

// result is what a provider's tool answered, if it is recorded.
func (o *item) result(e *Event) (r transcript.Result) {
	switch {
	case !o.err.Null():
		r.Status, r.Text, r.ErrorText = transcript.ResultError, o.output.Argument(), o.err.Argument()
	case !o.output.Null():
		r.Status = transcript.ResultOK
		r.Text, r.Media = anthropic.Content(o.output)
	case !o.results.Null():
		r.Status, r.Text = transcript.ResultOK, o.results.Argument()
	default:
		return r
	}
	r.Time, r.Line = e.at, e.line
	return r
}

// responseUsage reads the counts of a response. Input includes the cache.
func responseUsage(v record.Value) (u transcript.Usage) {
	responseUsageShape.Parse(v, &u)
	return openai.WithoutCache(u)
}

var responseUsageShape = record.NewShape(
	record.Tokens("input_tokens", func(u *transcript.Usage) *int64 { return &u.Input }),
	record.Tokens("output_tokens", func(u *transcript.Usage) *int64 { return &u.Output }),
	record.In("input_tokens_details",
		record.Tokens("cached_tokens", func(u *transcript.Usage) *int64 { return &u.CacheRead })),
	record.In("output_tokens_details",
		record.Tokens("reasoning_tokens", func(u *transcript.Usage) *int64 { return &u.Reasoning })),
)
