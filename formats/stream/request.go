package stream

import (
	"slices"
	"strings"

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

// asks reports whether a body looks like a request to a model at all.
func asks(o Object) bool {
	return slices.ContainsFunc([]string{"messages", "input", "prompt", "message", "contents", "inputs"}, o.Has)
}

func readRequest(o Object) (r request) {
	r.model, r.previous = o.Str("model"), o.Str("previous_response_id")
	add := func(t turn) {
		if t.role != "" || len(t.results) > 0 {
			r.turns = append(r.turns, t)
		}
	}
	for _, name := range []string{"system", "instructions"} {
		if text, _ := content(o.Get(name)); text != "" {
			add(turn{role: "system", text: text})
		}
	}
	for v := range Elems(o.Get("messages")) {
		add(readMessage(Parse(v)))
	}
	for _, name := range []string{"input", "prompt", "message"} {
		if text := o.Str(name); text != "" {
			add(turn{role: "user", text: text})
		}
	}
	for v := range Elems(o.Get("input")) {
		t := readItem(Parse(v))
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

// readMessage reads a message of a chat or of Anthropic's API.
func readMessage(o Object) (t turn) {
	switch t.role = o.Str("role"); t.role {
	case "developer":
		t.role = "system"
	case "model":
		t.role = "assistant"
	case "system", "user", "assistant":
	case "tool", "function":
		t.role = ""
		text, media := content(o.Get("content"))
		t.results = []outcome{{o.First("tool_call_id", "name"), transcript.Result{Status: transcript.ResultUnflagged, Text: text, Media: media}}}
		return t
	default:
		return turn{}
	}
	t.thinking = o.First("reasoning_content", "reasoning")
	t.content(o)
	for v := range Elems(o.Get("tool_calls")) {
		c := Parse(v)
		f := c.Obj("function")
		if f == nil {
			f = c.Obj("custom")
		}
		t.call(c.Str("id"), f.Str("name"), argument(f.Get("arguments"))+argument(f.Get("input")))
	}
	if f := o.Obj("function_call"); f != nil {
		t.call("", f.Str("name"), argument(f.Get("arguments")))
	}
	if t.role == "user" && t.text == "" && len(t.results) > 0 {
		t.role = ""
	}
	return t
}

// content reads the texts of a message, and the blocks of Anthropic's.
func (t *turn) content(o Object) {
	v := o.Get("content")
	if v.Kind() == '"' {
		t.text = str(v)
		return
	}
	var texts []string
	for v := range Elems(v) {
		b := Parse(v)
		switch kind := b.Str("type"); {
		case v.Kind() == '"':
			texts = append(texts, str(v))
		case kind == "thinking":
			t.thinking += b.Str("thinking")
		case kind == "tool_use", kind == "server_tool_use", kind == "mcp_tool_use":
			t.call(b.Str("id"), b.Str("name"), argument(b.Get("input")))
			t.calls[len(t.calls)-1].Provider = kind != "tool_use"
		case kind == "tool_result", strings.HasSuffix(kind, "_tool_result"):
			t.results = append(t.results, outcome{b.Str("tool_use_id"), Result(b)})
		case b.Has("text"):
			texts = append(texts, b.Str("text"))
		case b.Has("refusal"):
			texts = append(texts, b.Str("refusal"))
		}
	}
	sep := "\n"
	if t.role == "assistant" {
		sep = "" // as the deltas of a stream are joined
	}
	t.text = strings.Join(texts, sep)
}

func (t *turn) call(id, tool, args string) {
	t.calls = append(t.calls, transcript.Call{ID: id, Tool: tool, Args: args, ArgsInvalid: !validJSON(args), Took: -1})
}

// readItem reads an input item of the Responses API.
func readItem(o Object) (t turn) {
	kind := o.Str("type")
	switch {
	case kind == "" || kind == "message":
		return readMessage(o)
	case kind == "reasoning":
		t.role = "assistant"
		for _, name := range []string{"summary", "content"} {
			text, _ := content(o.Get(name))
			t.thinking += text
		}
	case strings.HasSuffix(kind, "_output"):
		text, media := content(o.Get("output"))
		t.results = []outcome{{o.Str("call_id"), transcript.Result{Status: transcript.ResultUnflagged, Text: text, Media: media}}}
	case strings.HasSuffix(kind, "_call"):
		t.role = "assistant"
		t.call(o.First("call_id", "id"), itemTool(o), itemInput(o))
		c := &t.calls[0]
		if c.Provider = ofProvider(kind); c.Provider {
			c.Result = itemResult(o, &event{})
		}
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
