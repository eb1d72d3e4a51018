package stream

import (
	"cmp"
	"strings"

	"groundhog/formats/anthropic"
	"groundhog/formats/openai"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A request is the body of a request to a model, in any of the known dialects.
type request struct {
	model    string
	previous string // id of the response that it continues
	turns    []turn
}

// A turn is one message of a request, or one item.
type turn struct {
	role     string // system, user, assistant, or "" for results alone
	text     string
	thinking string
	calls    []transcript.Call
	results  []outcome
}

// An outcome is the result of a call that the client sends back.
type outcome struct {
	id string
	transcript.Result
}

// A body is a request as it stands, in any of the dialects.
type body struct {
	asks            bool // it looks like a request to a model at all
	model, previous string
	system          [2]record.Value // system, instructions
	texts           [3]string       // input, prompt and message, where they are texts
	messages        []requestMessage
	input           []requestItem
}

var bodyShape = record.NewShape(
	record.Has("messages", func(b *body) *bool { return &b.asks }).
		Or("input", "prompt", "message", "contents", "inputs"),
	record.Word("model", func(b *body) *string { return &b.model }),
	record.String("previous_response_id", func(b *body) *string { return &b.previous }),
	record.Raw("system", func(b *body) *record.Value { return &b.system[0] }),
	record.Raw("instructions", func(b *body) *record.Value { return &b.system[1] }),
	record.String("input", func(b *body) *string { return &b.texts[0] }),
	record.String("prompt", func(b *body) *string { return &b.texts[1] }),
	record.String("message", func(b *body) *string { return &b.texts[2] }),
	record.Each("messages", requestMessageShape, func(b *body) *[]requestMessage { return &b.messages }),
	record.Each("input", requestItemShape, func(b *body) *[]requestItem { return &b.input }),
)

// A requestMessage is a message of a chat or of Anthropic's API.
type requestMessage struct {
	role, name, call string
	thinking         [2]string // reasoning_content, reasoning
	text             record.Value
	content          record.Value
	blocks           []requestBlock
	calls            []openai.Call
	function         *openai.Function // function_call
}

var requestMessageShape = record.NewShape(
	record.Word("role", func(m *requestMessage) *string { return &m.role }),
	record.Word("name", func(m *requestMessage) *string { return &m.name }),
	record.String("tool_call_id", func(m *requestMessage) *string { return &m.call }),
	record.String("reasoning_content", func(m *requestMessage) *string { return &m.thinking[0] }),
	record.String("reasoning", func(m *requestMessage) *string { return &m.thinking[1] }),
	record.Raw("content", func(m *requestMessage) *record.Value { return &m.content }),
	record.Each("content", requestBlockShape, func(m *requestMessage) *[]requestBlock { return &m.blocks }),
	record.Each("tool_calls", openai.CallShape, func(m *requestMessage) *[]openai.Call { return &m.calls }),
	record.Object("function_call", openai.FunctionShape, func(m *requestMessage) *openai.Function {
		m.function = &openai.Function{}
		return m.function
	}),
)

// A requestBlock is a piece of a message's content.
type requestBlock struct {
	anthropic.Block
	text, refusal record.Value
}

var requestBlockShape = record.NewShape(
	record.Embed(anthropic.BlockShape, func(b *requestBlock) *anthropic.Block { return &b.Block }),
	record.Text(record.Itself, func(b *requestBlock) *record.Value { return &b.text }),
	record.Raw("text", func(b *requestBlock) *record.Value { return &b.text }),
	record.Raw("refusal", func(b *requestBlock) *record.Value { return &b.refusal }),
)

// A requestItem is an item of the Responses API: a message too.
type requestItem struct {
	item
	requestMessage
}

var requestItemShape = record.NewShape(
	record.Embed(itemShape, func(i *requestItem) *item { return &i.item }),
	record.Embed(requestMessageShape, func(i *requestItem) *requestMessage { return &i.requestMessage }),
)

// turns makes a request of a body.
func (b *body) request() (r request) {
	r.model, r.previous = b.model, b.previous
	add := func(t turn) {
		if t.role != "" || len(t.results) > 0 {
			r.turns = append(r.turns, t)
		}
	}
	for _, v := range b.system {
		if text, _ := anthropic.Content(v); text != "" {
			add(turn{role: "system", text: text})
		}
	}
	for i := range b.messages {
		add(b.messages[i].turn())
	}
	for _, text := range b.texts {
		if text != "" {
			add(turn{role: "user", text: text})
		}
	}
	for i := range b.input {
		t := b.input[i].turn()
		// The items of one response are one turn.
		if n := len(r.turns); n > 0 && t.role == "assistant" && r.turns[n-1].role == "assistant" {
			last := &r.turns[n-1]
			last.text += t.text
			last.thinking += t.thinking
			last.calls = append(last.calls, t.calls...)
			continue
		}
		add(t)
	}
	return r
}

func (m *requestMessage) turn() (t turn) {
	switch t.role = m.role; t.role {
	case "developer":
		t.role = "system"
	case "model":
		t.role = "assistant"
	case "system", "user", "assistant":
	case "tool", "function":
		t.role = ""
		text, media := anthropic.Content(m.content)
		t.result(cmp.Or(m.call, m.name), text, media)
		return t
	default:
		return turn{}
	}
	t.thinking = cmp.Or(m.thinking[:]...)
	t.content(m)
	for i := range m.calls {
		t.call(m.calls[i].ID, m.calls[i].Function())
	}
	if m.function != nil {
		t.call("", m.function)
	}
	if t.role == "user" && t.text == "" && len(t.results) > 0 {
		t.role = ""
	}
	return t
}

// content reads the texts of a message, and the blocks of Anthropic's.
func (t *turn) content(m *requestMessage) {
	if m.content.Kind() == '"' {
		t.text = m.content.Text()
		return
	}
	var texts []string
	for i := range m.blocks {
		switch b := &m.blocks[i]; {
		case b.Kind == "thinking":
			t.thinking += b.Thinking
		case b.IsCall():
			t.call(b.ID, &openai.Function{Name: b.Name, Args: b.Input})
			t.calls[len(t.calls)-1].Provider = b.IsProviderCall()
		case b.IsResult():
			t.results = append(t.results, outcome{b.Call, b.Result()})
		case b.text != nil:
			texts = append(texts, b.Text)
		case b.refusal != nil:
			texts = append(texts, b.refusal.Text())
		}
	}
	sep := "\n"
	if t.role == "assistant" {
		sep = "" // as the deltas of a stream are joined
	}
	t.text = strings.Join(texts, sep)
}

func (t *turn) call(id string, f *openai.Function) {
	t.calls = append(t.calls, newCall(id, f.Name, f.Args.Argument()))
}

func newCall(id, tool, args string) transcript.Call {
	return transcript.Call{ID: id, Tool: tool, Args: args, ArgsInvalid: !record.Valid(args), Took: -1}
}

func (t *turn) result(id, text string, media []transcript.Media) {
	r := transcript.Result{Status: transcript.ResultUnflagged, Text: text, Media: media}
	t.results = append(t.results, outcome{id, r})
}

func (o *requestItem) turn() (t turn) {
	kind := o.kind
	switch {
	case kind == "" || kind == "message":
		return o.requestMessage.turn()
	case kind == "reasoning":
		t.role = "assistant"
		for _, v := range []record.Value{o.summary, o.item.content} {
			text, _ := anthropic.Content(v)
			t.thinking += text
		}
	case strings.HasSuffix(kind, "_output"):
		text, media := anthropic.Content(o.output)
		t.result(o.item.call, text, media)
	case strings.HasSuffix(kind, "_call"):
		t.role = "assistant"
		c := newCall(cmp.Or(o.item.call, o.id), o.tool(), o.argument())
		if c.Provider = o.isProviderCall(); c.Provider {
			c.Result = o.item.result(&Event{})
		}
		t.calls = []transcript.Call{c}
	}
	return t
}

// digestOf stands for what the model said, as far as clients send it back
// unchanged: they drop thinking, trim texts and write arguments anew. It is ""
// if there is nothing to tell it by.
func digestOf(text string, calls []transcript.Call) string {
	text = strings.TrimSpace(text)
	for i := range calls {
		if !calls[i].Provider { // those of the provider are dropped, too
			text += "\x00" + calls[i].ID + "\x00" + calls[i].Tool
		}
	}
	return text
}
