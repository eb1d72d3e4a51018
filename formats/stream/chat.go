package stream

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// chunk takes a chunk of a chat completion, or a whole completion. Only the
// First choice is the step: a second one is another answer to the same request,
// which no agent has acted on.
func (a *Assembler) chunk(e *event) {
	first := Object(nil)
	for v := range Elems(e.Get("choices")) {
		o := Parse(v)
		if n, ok := o.Count("index"); ok && n > 0 {
			if a.cur == nil || a.cur.keys[key{'n', n, 0}] == 0 {
				a.Session.Note(e.line, noteChoices)
			}
			if a.cur != nil {
				a.cur.keys[key{'n', n, 0}] = 1
			}
			continue
		}
		first = o
	}
	piece := first.Obj("delta")
	whole := piece == nil && first.Has("message")
	if whole {
		piece = first.Obj("message")
	}
	b := a.cur
	if b == nil || !b.chat || b.succeeded(e, piece) {
		if b == nil && first == nil && !strings.HasPrefix(e.Str("object"), "chat.completion") {
			return // counts that come after the end
		}
		b = a.begin(e)
		b.chat = true
	}
	b.touch(e)
	b.identify(e.Str("id"), e.Str("model"), e.Time("created"))
	for _, o := range []Object{e.Object, first, e.Obj("x_groq")} {
		b.Step.Usage.Max(chatUsage(o.Get("usage")))
	}
	b.piece(piece, e, whole)
	if raw := first.Str("finish_reason"); raw != "" {
		b.end(chatFinish(raw), raw)
		b.Complete = true
	}
	if refusal := piece.Str("refusal"); refusal != "" {
		b.keys[key{kind: 'r'}] = 1
	}
	if b.keys[key{kind: 'r'}] == 1 && b.Step.Finish == transcript.FinishStop {
		b.Step.Finish, b.Step.FinishRaw = transcript.FinishRefusal, "stop"
	}
	if whole {
		b.Complete = true
		a.end()
	}
}

// succeeded reports whether a chunk belongs to a later response. An id alone
// does not tell: there are servers that make up one for each chunk.
func (b *building) succeeded(e *event, piece Object) bool {
	id := e.Str("id")
	other := id != "" && b.Step.ID != "" && id != b.Step.ID
	starts := piece.Str("role") != ""
	return other && (b.Complete || starts) || b.Complete && starts && piece.Str("content") == "" && len(piece) > 0 && b.Step.ID == ""
}

// piece adds what a chunk brings.
func (b *building) piece(o Object, e *event, whole bool) {
	put := func(kind transcript.PartKind, text string) {
		switch {
		case text == "":
		case whole:
			b.whole(b.add(kind, 0), text)
		default:
			b.delta(b.tail(kind), text, e.at)
		}
	}
	// Servers that send two of these send the same text twice.
	put(transcript.Thinking, o.First("reasoning_content", "reasoning", "thinking"))
	switch v := o.Get("content"); v.Kind() {
	case '"':
		put(transcript.Text, str(v))
	case '[':
		for v := range Elems(v) {
			put(contentPart(v))
		}
	}
	put(transcript.Text, o.Str("refusal"))
	for v := range Elems(o.Get("tool_calls")) {
		b.toolCall(Parse(v), e, whole)
	}
	if f := o.Obj("function_call"); f != nil {
		b.toolCall(Object{{"index", jsontext.Value("0")}, {"function", o.Get("function_call")}}, e, whole)
	}
}

// contentPart reads a part of a content in pieces.
func contentPart(v jsontext.Value) (transcript.PartKind, string) {
	o := Parse(v)
	if o.Str("type") != "thinking" {
		return transcript.Text, o.Str("text")
	}
	if s := o.Str("thinking"); s != "" {
		return transcript.Thinking, s
	}
	var text strings.Builder
	for v := range Elems(o.Get("thinking")) {
		text.WriteString(Parse(v).Str("text"))
	}
	return transcript.Thinking, text.String()
}

// toolCall adds a piece of a call. The index says to which; where it is missing
// it is the last call, unless the piece names another one. Servers that send
// parallel calls whole give all of them the index 0, others make up a new id
// for each piece: only an id with a name begins a call.
func (b *building) toolCall(o Object, e *event, whole bool) {
	f := o.Obj("function")
	if f == nil {
		f = o.Obj("custom")
	}
	if f == nil {
		f = o
	}
	id, name := o.Str("id"), f.Str("name")
	index, indexed := o.Count("index")
	k := key{'i', index, 0}
	n, known := b.keys[k]
	if !indexed {
		n = len(b.Step.Calls) - 1
		known = n >= 0
	}
	if known && name != "" {
		c := &b.Step.Calls[n]
		switch {
		case id != "" && c.ID != "":
			known = id == c.ID
		case !indexed && id == "":
			known = !validJSON(string(b.texts[b.inputs[n].part]))
		}
	}
	if !known || whole {
		n = b.call(transcript.Call{ID: id, Tool: name, Line: e.line, Time: e.at})
		b.keys[k] = n
	}
	c := &b.Step.Calls[n]
	if c.ID == "" {
		c.ID = id
	}
	if c.Tool == "" {
		c.Tool = name
	}
	v := f.Get("arguments")
	if v == nil {
		v = f.Get("input")
	}
	if part := b.inputs[n].part; whole {
		b.whole(part, argument(v))
	} else {
		b.delta(part, argument(v), e.at)
	}
}

// takeOnce repairs the input of a call that is no JSON because the server sent
// it whole with each delta, or once more at the end.
func (b *building) takeOnce(part int) bool {
	text, cuts := b.texts[part], b.Step.Parts[part].Cuts
	if len(cuts) < 2 || validJSON(string(text)) {
		return false
	}
	piece := func(i int) []byte {
		from := 0
		if i > 0 {
			from = cuts[i-1].End
		}
		return text[from:cuts[i].End]
	}
	grows := true
	for i := 1; i < len(cuts) && grows; i++ {
		grows = bytes.HasPrefix(piece(i), piece(i-1))
	}
	if last := piece(len(cuts) - 1); grows && validJSON(string(last)) {
		kept := cuts[:0:0]
		for i := range cuts {
			if n := len(piece(i)); len(kept) == 0 || kept[len(kept)-1].End < n {
				kept = append(kept, transcript.Cut{End: n, At: cuts[i].At})
			}
		}
		b.texts[part], b.Step.Parts[part].Cuts = bytes.Clone(last), kept
		return true
	}
	for n := 1; n < len(cuts); n++ {
		once := text[:cuts[n-1].End]
		if len(text)%len(once) != 0 || !bytes.Equal(piece(n), once) {
			continue
		}
		if bytes.Equal(bytes.Repeat(once, len(text)/len(once)), text) && validJSON(string(once)) {
			b.texts[part], b.Step.Parts[part].Cuts = once, cuts[:n]
			return true
		}
	}
	return false
}

func chatFinish(raw string) transcript.Finish {
	switch raw {
	case "stop", "end_turn", "stop_sequence", "eos":
		return transcript.FinishStop
	case "tool_calls", "function_call", "tool_use":
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
	}
	return transcript.FinishUnknown
}

// chatUsage reads the counts of a response. The prompt's count includes what
// came from a cache.
func chatUsage(v jsontext.Value) (u transcript.Usage) {
	o := Parse(v)
	if o == nil {
		return u
	}
	put := func(to *int64, o Object, names ...string) {
		for _, name := range names {
			if n, ok := o.Count(name); ok {
				*to, u.Known = max(*to, n), true // some write a count under two names
			}
		}
	}
	in, out := o.Obj("prompt_tokens_details"), o.Obj("completion_tokens_details")
	put(&u.Input, o, "prompt_tokens")
	put(&u.Output, o, "completion_tokens")
	put(&u.CacheRead, o, "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
	put(&u.CacheRead, in, "cached_tokens")
	put(&u.CacheWrite, o, "cache_creation_input_tokens")
	put(&u.Reasoning, o, "reasoning_tokens")
	put(&u.Reasoning, out, "reasoning_tokens")
	u.Input = max(0, u.Input-u.CacheRead)
	if f, err := strconv.ParseFloat(string(o.Get("cost")), 64); err == nil && f > 0 {
		u.Cost, u.Known = f, true
	}
	return u
}
