package stream

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// response takes an event of OpenAI's Responses API.
func (a *Assembler) response(e *event) {
	r := e.Obj("response")
	id := r.Str("id")
	b := a.cur
	// A response that has failed is often said to have failed twice.
	if b == nil && id != "" && id == a.last && e.kind != "response.created" {
		return
	}
	if b == nil || b.chat || id != "" && b.Step.ID != "" && id != b.Step.ID {
		b = a.begin(e)
	}
	b.touch(e)
	if r != nil {
		b.identify(id, r.Str("model"), r.Time("created_at"))
		b.Step.Usage.Max(responseUsage(r.Get("usage")))
	}
	output, _ := e.Count("output_index")
	part, _ := e.Count("content_index")
	summary, _ := e.Count("summary_index")
	switch name := strings.TrimPrefix(e.kind, "response."); name {
	case "output_item.added":
		a.item(e, output, e.Obj("item"))
	case "output_item.done":
		a.itemDone(e, output, e.Obj("item"))
	case "output_text.delta":
		b.delta(b.part(key{'t', output, part}, transcript.Text), e.Str("delta"), e.at)
	case "output_text.done":
		b.done(a, e, key{'t', output, part}, transcript.Text, e.Str("text"))
	case "refusal.delta":
		b.delta(b.part(key{'r', output, part}, transcript.Text), e.Str("delta"), e.at)
	case "refusal.done":
		b.done(a, e, key{'r', output, part}, transcript.Text, e.Str("refusal"))
	case "reasoning_text.delta", "reasoning.delta":
		b.delta(b.part(key{'h', output, part}, transcript.Thinking), e.Str("delta"), e.at)
	case "reasoning_text.done", "reasoning.done":
		b.done(a, e, key{'h', output, part}, transcript.Thinking, e.Str("text"))
	case "reasoning_summary_text.delta", "reasoning_summary.delta":
		b.delta(b.part(key{'s', output, summary}, transcript.Thinking), e.Str("delta"), e.at)
	case "reasoning_summary_text.done", "reasoning_summary.done":
		b.done(a, e, key{'s', output, summary}, transcript.Thinking, e.Str("text"))
	case "function_call_arguments.delta", "custom_tool_call_input.delta", "mcp_call_arguments.delta", "code_interpreter_call_code.delta":
		n := b.itemCall(output, e)
		b.delta(b.inputs[n].part, e.Str("delta"), e.at)
	case "function_call_arguments.done", "custom_tool_call_input.done", "mcp_call_arguments.done", "code_interpreter_call_code.done":
		n := b.itemCall(output, e)
		if text := e.First("arguments", "input", "code"); b.whole(b.inputs[n].part, text) {
			a.Session.Note(e.line, noteLost)
		}
	case "completed", "done", "incomplete", "failed", "cancelled":
		a.responseEnd(e, r)
	}
}

// done takes a text that is complete.
func (b *building) done(a *Assembler, e *event, k key, kind transcript.PartKind, text string) {
	if b.whole(b.part(k, kind), text) {
		a.Session.Note(e.line, noteLost)
	}
}

// itemCall is the call of an output item, begun if its beginning is not there.
func (b *building) itemCall(output int64, e *event) int {
	k := key{'c', output, 0}
	n, ok := b.keys[k]
	if !ok {
		n = b.call(transcript.Call{Line: e.line, Time: e.at})
		b.keys[k] = n
	}
	return n
}

// item begins an output item.
func (a *Assembler) item(e *event, output int64, o Object) {
	kind := o.Str("type")
	if kind == "mcp_call" && a.approved(o) != nil {
		a.cur.keys[key{'a', output, 0}] = 1
		return
	}
	switch kind {
	case "message", "reasoning", "mcp_list_tools", "compaction", "":
		return
	}
	b := a.cur
	n := b.itemCall(output, e)
	c := &b.Step.Calls[n]
	c.Tool, c.ID = itemTool(o), o.First("call_id", "id")
	c.Provider = ofProvider(kind)
	if kind == "mcp_approval_request" {
		c.State = "pending"
	}
	b.inputs[n].whole = itemInput(o)
}

// approved is the call that an item carries out: one that a person has allowed
// since it was proposed, in this response or an earlier one.
func (a *Assembler) approved(o Object) *transcript.Call {
	id := o.Str("approval_request_id")
	if id == "" {
		return nil
	}
	if c := openCall(a.cur.Step, id); c != nil || a.Earlier == nil {
		return c
	}
	return a.Earlier(id)
}

// itemDone completes an output item, or adds it if it was not begun.
func (a *Assembler) itemDone(e *event, output int64, o Object) {
	b := a.cur
	switch kind := o.Str("type"); kind {
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
			c.State, c.Result = o.Str("status"), itemResult(o, e)
		}
		return
	}
	n := b.itemCall(output, e)
	c := &b.Step.Calls[n]
	if c.Tool == "" {
		c.Tool, c.ID, c.Provider = itemTool(o), o.First("call_id", "id"), ofProvider(o.Str("type"))
	}
	b.inputs[n].whole = itemInput(o)
	if c.State == "" && c.Provider {
		c.State = o.Str("status")
	}
	if r := itemResult(o, e); c.Provider && c.Result.Status == transcript.ResultMissing {
		c.Result = r
	}
}

// texts adds those texts of an item that no delta brought.
func (a *Assembler) texts(e *event, output int64, o Object) {
	b := a.cur
	for _, from := range []struct {
		field string
		kind  transcript.PartKind
	}{{"summary", transcript.Thinking}, {"content", transcript.Text}} {
		n := int64(0)
		for v := range Elems(o.Get(from.field)) {
			p := Parse(v)
			k, kind := key{'t', output, n}, from.kind
			switch p.Str("type") {
			case "summary_text":
				k.kind = 's'
			case "reasoning_text":
				k.kind, kind = 'h', transcript.Thinking
			case "refusal":
				k.kind = 'r'
				b.keys[key{kind: 'R'}] = 1
			}
			b.done(a, e, k, kind, p.First("text", "refusal"))
			n++
		}
	}
}

// responseEnd takes the last event, which repeats all output.
func (a *Assembler) responseEnd(e *event, r Object) {
	b := a.cur
	n := int64(0)
	for v := range Elems(r.Get("output")) {
		a.itemDone(e, n, Parse(v))
		n++
	}
	b.Complete = true
	status := r.Str("status")
	reason := r.Obj("incomplete_details").Str("reason")
	switch {
	case e.kind == "response.failed" || status == "failed":
		a.fail(e, r)
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

// itemTool names a call. Items of built-in tools have no name but their type.
func itemTool(o Object) string {
	if name := o.Str("name"); name != "" {
		return name
	}
	return strings.TrimSuffix(o.Str("type"), "_call")
}

// ofProvider reports whether items of a type are run by the provider. The rest
// is run by the client: functions, patches, shells and the computer.
func ofProvider(kind string) bool {
	switch kind {
	case "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call", "tool_search_call":
		return true
	}
	return false
}

func itemInput(o Object) string {
	for _, name := range []string{"arguments", "input", "action", "operation", "code"} {
		if v := o.Get(name); !isNull(v) {
			return argument(v)
		}
	}
	if v := o.Get("queries"); v != nil {
		return `{"queries":` + string(v) + `}`
	}
	return ""
}

// itemResult is what a provider's tool answered, if it is recorded.
func itemResult(o Object, e *event) (r transcript.Result) {
	output, bad := o.Get("output"), o.Get("error")
	switch {
	case !isNull(bad):
		r.Status, r.Text, r.ErrorText = transcript.ResultError, argument(output), argument(bad)
	case !isNull(output):
		r.Status = transcript.ResultOK
		r.Text, r.Media = content(output)
	case !isNull(o.Get("outputs")):
		r.Status, r.Text = transcript.ResultOK, argument(o.Get("outputs"))
	case !isNull(o.Get("results")):
		r.Status, r.Text = transcript.ResultOK, argument(o.Get("results"))
	default:
		return r
	}
	r.Time, r.Line = e.at, e.line
	return r
}

// responseUsage reads the counts of a response. Input includes the cache.
func responseUsage(v jsontext.Value) (u transcript.Usage) {
	o := Parse(v)
	in, known := o.Count("input_tokens")
	out, more := o.Count("output_tokens")
	u.Known = known || more
	u.Output = out
	u.CacheRead, _ = o.Obj("input_tokens_details").Count("cached_tokens")
	u.Reasoning, _ = o.Obj("output_tokens_details").Count("reasoning_tokens")
	u.Input = max(0, in-u.CacheRead)
	return u
}
