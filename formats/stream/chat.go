package stream

import (
	"bytes"
	"cmp"
	"strings"

	"groundhog/formats/openai"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// chunk takes a chunk of a chat completion, or a whole completion. Only the
// first choice is the step: a second one is another answer to the same request,
// which no agent has acted on.
func (a *Assembler) chunk(e *Event) {
	var first *choice
	for i := range e.choices {
		c := &e.choices[i]
		if c.index > 0 {
			a.otherChoice(e, c.index)
			continue
		}
		first = c
	}
	var piece *chatPiece
	whole := false
	if first != nil {
		if piece = first.delta; piece == nil {
			piece, whole = first.message, first.message != nil
		}
	}
	b := a.cur
	if b == nil || !b.chat || b.succeeded(e, piece) {
		if b == nil && first == nil && !strings.HasPrefix(e.object, "chat.completion") {
			return // counts that come after the end
		}
		b = a.begin(e)
		b.chat = true
	}
	b.touch(e)
	b.identify(e.id, e.model, e.created)
	b.count(e.usage)
	b.count(e.groq)
	if piece != nil {
		b.piece(piece, e, whole)
	}
	if first != nil {
		b.count(first.usage)
		if raw := first.finish; raw != "" {
			b.end(openai.Finish(raw), raw)
			b.Complete = true
		}
	}
	if piece != nil && piece.refusal != "" {
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

// otherChoice notes, once a response, that there is another answer.
func (a *Assembler) otherChoice(e *Event, index int64) {
	k := key{'n', index, 0}
	if a.cur == nil || a.cur.keys[k] == 0 {
		a.Session.Note(e.line, noteChoices)
	}
	if a.cur != nil {
		a.cur.keys[k] = 1
	}
}

// count adds the counts of a chunk.
func (b *building) count(v record.Value) {
	var u transcript.Usage
	if v.Kind() == '{' {
		openai.UsageShape.Parse(v, &u)
		b.Step.Usage.Max(openai.WithoutCache(u))
	}
}

// succeeded reports whether a chunk belongs to a later response. An id alone
// does not tell: there are servers that make up one for each chunk.
func (b *building) succeeded(e *Event, piece *chatPiece) bool {
	other := e.id != "" && b.Step.ID != "" && e.id != b.Step.ID
	starts := piece != nil && piece.role != ""
	return other && (b.Complete || starts) || b.Complete && starts && piece.text == "" && b.Step.ID == ""
}

// piece adds what a chunk brings.
func (b *building) piece(p *chatPiece, e *Event, whole bool) {
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
	put(transcript.Thinking, cmp.Or(p.thinking[:]...))
	put(transcript.Text, p.text)
	for i := range p.parts {
		put(p.parts[i].read())
	}
	put(transcript.Text, p.refusal)
	for i := range p.calls {
		c := &p.calls[i]
		b.toolCall(c, c.Function(), e, whole)
	}
	if p.isFunction {
		b.toolCall(&openai.Call{Indexed: true}, &p.function, e, whole)
	}
}

// read is the text of a part and what kind of text it is.
func (p *chatPart) read() (transcript.PartKind, string) {
	if p.kind != "thinking" {
		return transcript.Text, p.text
	}
	if p.thinking != "" {
		return transcript.Thinking, p.thinking
	}
	var text strings.Builder
	for _, t := range p.thoughts {
		text.WriteString(t.text)
	}
	return transcript.Thinking, text.String()
}

// toolCall adds a piece of a call. The index says to which; where it is missing
// it is the last call, unless the piece names another one. Servers that send
// parallel calls whole give all of them the index 0, others make up a new id
// for each piece: only an id with a name begins a call.
func (b *building) toolCall(piece *openai.Call, f *openai.Function, e *Event, whole bool) {
	k := key{'i', piece.Index, 0}
	n, known := b.keys[k]
	if !piece.Indexed {
		n = len(b.Step.Calls) - 1
		known = n >= 0
	}
	if known && f.Name != "" {
		c := &b.Step.Calls[n]
		switch {
		case piece.ID != "" && c.ID != "":
			known = piece.ID == c.ID
		case !piece.Indexed && piece.ID == "":
			known = !record.Valid(b.texts[b.inputs[n].part])
		}
	}
	if !known || whole {
		n = b.call(transcript.Call{ID: piece.ID, Tool: f.Name, Line: e.line, Time: e.at})
		b.keys[k] = n
	}
	c := &b.Step.Calls[n]
	c.ID, c.Tool = cmp.Or(c.ID, piece.ID), cmp.Or(c.Tool, f.Name)
	if part := b.inputs[n].part; whole {
		b.whole(part, f.Args.Argument())
	} else {
		b.delta(part, f.Args.Argument(), e.at)
	}
}

// takeOnce repairs the input of a call that is no JSON because the server sent
// it whole with each delta, or once more at the end.
func (b *building) takeOnce(part int) bool {
	text, cuts := b.texts[part], b.Step.Parts[part].Cuts
	if len(cuts) < 2 || record.Valid(text) {
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
	if last := piece(len(cuts) - 1); grows && record.Valid(last) {
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
		if bytes.Equal(bytes.Repeat(once, len(text)/len(once)), text) && record.Valid(once) {
			b.texts[part], b.Step.Parts[part].Cuts = once, cuts[:n]
			return true
		}
	}
	return false
}
