package stream

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"groundhog/formats"
	"groundhog/formats/anthropic"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The notes of this package.
const (
	noteChoices  = "answers other than the first were left out"
	noteResent   = "arguments that the server sent more than once were taken once"
	noteNoEnd    = "streams without a last event"
	noteRetried  = "texts of failed attempts were left out"
	noteLost     = "texts that are longer than their deltas"
	noteUnknown  = "events of an unknown kind were skipped"
	noteNoise    = "lines that are no events were skipped"
	noteForeign  = "exchanges with no model, or of an unknown API, were left out"
	notePacked   = "bodies that could not be unpacked"
	noteUnsealed = "events before the beginning of a message"
)

// An Assembler puts events together to responses. The zero value with Session
// and Emit set is ready to use. It speaks the dialects of OpenAI's chat
// completions, of Anthropic's messages and of OpenAI's responses, and tells
// them apart event by event. Complete answers, as they come without streaming,
// are events to it, too: their texts have no cuts.
type Assembler struct {
	Session *transcript.Session              // takes the notes
	Emit    func(*Response)                  // is given each response when it has ended
	Earlier func(id string) *transcript.Call // finds a call of an earlier response that a result belongs to; may be nil

	cur  *building
	last string // id of the response that ended last
}

// A Response is what one stream came to.
type Response struct {
	Step     *transcript.Step
	Failed   *transcript.Attempt // what broke the stream off; nil if nothing did
	Complete bool                // the last event is there
}

// errStray says that a value is no event of a known API.
var errStray = errors.New("expected an event of a chat completion, a message or a response")

// Event takes one event. name is what stands beside it, for servers that do not
// repeat it inside; line is where it stands in the file; at is zero if no time is
// recorded beside it.
func (a *Assembler) Event(e *Event, name string, line int, at time.Time) error {
	e.line = line
	if !at.IsZero() {
		e.at = at
	}
	e.settle(name)
	switch {
	case e.whole.Kind() != '{':
		return errStray
	case e.object == "response":
		a.response(e)
	case e.kind == "error" || e.kind == "" && !e.err.Null():
		var f failure
		failureShape.Parse(e.whole, &f)
		a.fail(e, &f)
	case e.isChat():
		a.chunk(e)
	case e.kind == "message" && e.isMessage:
		anthropic.MessageShape.Parse(e.whole, &e.message)
		a.wholeMessage(e)
	case strings.HasPrefix(e.kind, "response."):
		a.response(e)
	case isMessageEvent(e.kind):
		a.message(e)
	default:
		return errStray
	}
	return nil
}

// Done takes the mark that ends a stream of chunks.
func (a *Assembler) Done() {
	if a.cur != nil && a.cur.chat {
		a.cur.Complete = true
		a.end()
	}
}

// End ends what has not ended by itself.
func (a *Assembler) End() {
	if a.cur == nil {
		return
	}
	if !a.cur.Complete {
		a.Session.Note(a.cur.Step.Line, noteNoEnd)
	}
	a.end()
}

// Drop forgets the response in the making and gives what there is of it, or nil.
func (a *Assembler) Drop() *Response {
	b := a.cur
	if b == nil {
		return nil
	}
	a.cur = nil
	b.finish(a.Session)
	return &b.Response
}

// A building is a response in the making.
type building struct {
	Response
	chat   bool
	began  time.Time
	texts  [][]byte  // of the parts
	inputs []initial // of the calls
	keys   map[key]int
}

// A key is where a server says that a piece belongs.
type key struct {
	kind byte
	a, b int64
}

// An initial is the input of a call as far as it did not come in deltas.
type initial struct {
	part  int
	whole string
	done  bool // the call's end is there
}

// begin opens a response. What was open has been cut off.
func (a *Assembler) begin(e *Event) *building {
	a.End()
	a.cur = &building{began: e.at, keys: make(map[key]int)}
	a.cur.Step = &transcript.Step{Kind: transcript.Response, Line: e.line, Time: e.at}
	return a.cur
}

func (a *Assembler) end() {
	b := a.cur
	a.cur = nil
	a.last = b.Step.ID
	b.finish(a.Session)
	a.Emit(&b.Response)
}

// touch notes that something of a response came.
func (b *building) touch(e *Event) {
	if !e.at.IsZero() {
		b.Step.Ended = e.at
	}
}

// part is the part that a key stands for, made if there is none.
func (b *building) part(k key, kind transcript.PartKind) int {
	if i, ok := b.keys[k]; ok {
		return i
	}
	b.keys[k] = b.add(kind, 0)
	return b.keys[k]
}

func (b *building) add(kind transcript.PartKind, call int) int {
	b.Step.Parts = append(b.Step.Parts, transcript.Part{Kind: kind, Call: call})
	b.texts = append(b.texts, nil)
	return len(b.texts) - 1
}

// tail is the last part, if it is of a kind, or else a new one.
func (b *building) tail(kind transcript.PartKind) int {
	if n := len(b.Step.Parts); n > 0 && b.Step.Parts[n-1].Kind == kind {
		return n - 1
	}
	return b.add(kind, 0)
}

// call begins a call and the part that its input streams into.
func (b *building) call(c transcript.Call) int {
	n := len(b.Step.Calls)
	c.Took = -1
	b.Step.Calls = append(b.Step.Calls, c)
	part := b.add(transcript.ToolInput, n)
	b.inputs = append(b.inputs, initial{part: part})
	return n
}

// delta adds what came to a part. An empty delta carries nothing and is none.
func (b *building) delta(part int, text string, at time.Time) {
	if text == "" {
		return
	}
	b.texts[part] = append(b.texts[part], text...)
	cut := transcript.Cut{End: len(b.texts[part]), At: -1}
	if !at.IsZero() && !b.began.IsZero() {
		cut.At = max(at.Sub(b.began), 0)
	}
	b.Step.Parts[part].Cuts = append(b.Step.Parts[part].Cuts, cut)
}

// whole sets a text that came in one piece at its end. What came in deltas
// stays as it came: the detectors of a stream saw nothing else.
func (b *building) whole(part int, text string) (lost bool) {
	if len(b.texts[part]) > 0 {
		return len(b.texts[part]) < len(text)
	}
	b.texts[part] = []byte(text)
	return false
}

// finish puts texts and inputs in their places, and drops parts that stayed empty.
func (b *building) finish(s *transcript.Session) {
	step := b.Step
	if b.chat {
		for i := range step.Calls {
			p := b.inputs[i].part
			if b.takeOnce(p) {
				s.Note(step.Line, noteResent)
			}
		}
	}
	for i := range step.Calls {
		c, in := &step.Calls[i], &b.inputs[i]
		if in.whole == "{}" && !in.done && !b.Complete {
			in.whole = "" // only a place for what was to come
		}
		if len(b.texts[in.part]) == 0 {
			b.texts[in.part] = []byte(in.whole)
		}
		c.Args = string(b.texts[in.part])
		c.ArgsInvalid = !record.Valid(c.Args)
	}
	parts := step.Parts[:0]
	for i := range step.Parts {
		p := step.Parts[i]
		p.Text = string(b.texts[i])
		if p.Kind == transcript.ToolInput {
			p.Text = step.Calls[p.Call].Args
		}
		if !utf8.ValidString(p.Text) {
			s.Note(step.Line, formats.NoteBadText)
		}
		if p.Text != "" || p.Kind == transcript.ToolInput {
			parts = append(parts, p)
		}
	}
	step.Parts = parts
	if b.Failed != nil {
		b.Failed.AfterCall = Arrived(step)
	}
	if step.Time.IsZero() {
		step.Ended = time.Time{}
	}
}

// result gives an outcome to the call that it belongs to: one of this response,
// or of an earlier one.
func (a *Assembler) result(id string, r transcript.Result) {
	var c *transcript.Call
	if a.cur != nil {
		c = openCall(a.cur.Step, id)
	}
	if c == nil && a.Earlier != nil {
		c = a.Earlier(id)
	}
	if c == nil || c.Result.Status != transcript.ResultMissing {
		a.Session.Note(r.Line, formats.NoteOrphanResult)
		return
	}
	c.Result = r
}

// openCall is the first call of a step with an id and without a result.
func openCall(s *transcript.Step, id string) *transcript.Call {
	for i := range s.Calls {
		if c := &s.Calls[i]; c.ID == id && c.Result.Status == transcript.ResultMissing {
			return c
		}
	}
	return nil
}

func (b *building) identify(id, model string, created time.Time) {
	s := b.Step
	if s.ID == "" {
		s.ID = id
	}
	if s.Model == "" {
		s.Model = model
	}
	if s.Time.IsZero() {
		s.Time = created
	}
}

func (b *building) end(reason transcript.Finish, raw string) {
	b.Step.Finish, b.Step.FinishRaw = reason, raw
	if string(reason) == raw {
		b.Step.FinishRaw = ""
	}
}
