package stream

import (
	"strings"
	"time"

	"groundhog/formats/anthropic"
	"groundhog/formats/openai"
	"groundhog/formats/record"
)

// An Event is one event of a stream, of whichever API: the members of all
// dialects that are known. Its values are views of the text it was read from.
type Event struct {
	whole  record.Value // as it stands
	kind   string       // type, or the name beside the event
	object string
	at     time.Time // zero if not recorded
	line   int
	err    record.Value // error

	// Of a chunk of a chat completion.
	id, model string
	created   time.Time
	isChunk   bool // it has choices
	choices   []choice
	usage     record.Value // of an Anthropic message, too
	groq      record.Value // usage that Groq puts into x_groq

	// Of an Anthropic message.
	isMessage bool // it has content
	message   anthropic.Message
	index     int64
	block     anthropic.Block
	delta     delta

	// Of a response of the Responses API.
	response               *response
	output, part, summary  int64 // indexes
	piece                  string
	text, refusal          string
	arguments, input, code string
	item                   item
}

// EventShape reads an Event.
var EventShape = record.NewShape(
	record.Raw(record.Itself, func(e *Event) *record.Value { return &e.whole }),
	record.Word("type", func(e *Event) *string { return &e.kind }),
	record.Word("object", func(e *Event) *string { return &e.object }),
	record.Time("timestamp", func(e *Event) *time.Time { return &e.at }).Or("ts", "received_at"),
	record.Raw("error", func(e *Event) *record.Value { return &e.err }),

	record.Word("id", func(e *Event) *string { return &e.id }),
	record.Word("model", func(e *Event) *string { return &e.model }),
	record.Time("created", func(e *Event) *time.Time { return &e.created }),
	record.Visit("choices", (*Event).readChoices),
	record.Raw("usage", func(e *Event) *record.Value { return &e.usage }),
	record.In("x_groq", record.Raw("usage", func(e *Event) *record.Value { return &e.groq })),

	record.Has("content", func(e *Event) *bool { return &e.isMessage }),
	record.Object("message", anthropic.MessageShape, func(e *Event) *anthropic.Message { return &e.message }),
	record.Count("index", func(e *Event) *int64 { return &e.index }),
	record.Object("content_block", anthropic.BlockShape, func(e *Event) *anthropic.Block { return &e.block }),
	record.Object("delta", deltaShape, func(e *Event) *delta { return &e.delta }),

	record.Object("response", responseShape, func(e *Event) *response {
		e.response = &response{}
		return e.response
	}),
	record.Count("output_index", func(e *Event) *int64 { return &e.output }),
	record.Count("content_index", func(e *Event) *int64 { return &e.part }),
	record.Count("summary_index", func(e *Event) *int64 { return &e.summary }),
	record.String("delta", func(e *Event) *string { return &e.piece }),
	record.String("text", func(e *Event) *string { return &e.text }),
	record.String("refusal", func(e *Event) *string { return &e.refusal }),
	record.String("arguments", func(e *Event) *string { return &e.arguments }),
	record.String("input", func(e *Event) *string { return &e.input }),
	record.String("code", func(e *Event) *string { return &e.code }),
	record.Object("item", itemShape, func(e *Event) *item { return &e.item }),
)

func (e *Event) readChoices(r *record.Reader) error {
	e.isChunk, e.choices = true, e.choices[:0]
	for range r.Elements() {
		e.choices = append(e.choices, choice{})
		if err := choiceShape.Read(r, &e.choices[len(e.choices)-1]); err != nil {
			return err
		}
	}
	return r.Err()
}

// A choice is one answer of a chat completion, or a piece of it.
type choice struct {
	index   int64
	delta   *chatPiece
	message *chatPiece
	finish  string
	usage   record.Value
}

var choiceShape = record.NewShape(
	record.Count("index", func(c *choice) *int64 { return &c.index }),
	record.Object("delta", chatShape, func(c *choice) *chatPiece { c.delta = &chatPiece{}; return c.delta }),
	record.Object("message", chatShape, func(c *choice) *chatPiece { c.message = &chatPiece{}; return c.message }),
	record.Word("finish_reason", func(c *choice) *string { return &c.finish }),
	record.Raw("usage", func(c *choice) *record.Value { return &c.usage }),
)

// A chatPiece is what a chunk brings, or a message that came whole.
type chatPiece struct {
	role, text string
	parts      []chatPart
	thinking   [3]string // under the names that vendors have for it
	refusal    string
	calls      []openai.Call
	function   openai.Function // function_call
	isFunction bool
}

var chatShape = record.NewShape(
	record.Word("role", func(p *chatPiece) *string { return &p.role }),
	record.String("content", func(p *chatPiece) *string { return &p.text }),
	record.Each("content", chatPartShape, func(p *chatPiece) *[]chatPart { return &p.parts }),
	record.String("reasoning_content", func(p *chatPiece) *string { return &p.thinking[0] }),
	record.String("reasoning", func(p *chatPiece) *string { return &p.thinking[1] }),
	record.String("thinking", func(p *chatPiece) *string { return &p.thinking[2] }),
	record.String("refusal", func(p *chatPiece) *string { return &p.refusal }),
	record.Each("tool_calls", openai.CallShape, func(p *chatPiece) *[]openai.Call { return &p.calls }),
	record.Object("function_call", openai.FunctionShape, func(p *chatPiece) *openai.Function {
		p.isFunction = true
		return &p.function
	}),
)

// A chatPart is a piece of a content that is a list.
type chatPart struct {
	kind, text, thinking string
	thoughts             []thought
}

type thought struct{ text string }

var chatPartShape = record.NewShape(
	record.Word("type", func(p *chatPart) *string { return &p.kind }),
	record.String("text", func(p *chatPart) *string { return &p.text }),
	record.String("thinking", func(p *chatPart) *string { return &p.thinking }),
	record.Each("thinking", thoughtShape, func(p *chatPart) *[]thought { return &p.thoughts }),
)

var thoughtShape = record.NewShape(record.String("text", func(t *thought) *string { return &t.text }))

// A delta is what an Anthropic message grows by.
type delta struct{ kind, text, thinking, json, stop string }

var deltaShape = record.NewShape(
	record.Word("type", func(d *delta) *string { return &d.kind }),
	record.String("text", func(d *delta) *string { return &d.text }),
	record.String("thinking", func(d *delta) *string { return &d.thinking }),
	record.String("partial_json", func(d *delta) *string { return &d.json }),
	record.Word("stop_reason", func(d *delta) *string { return &d.stop }),
)

// A response is the state of an answer of the Responses API.
type response struct {
	failure
	model   string
	created time.Time
	status  string
	reason  string // incomplete_details.reason
	usage   record.Value
	output  []item
}

var responseShape = record.NewShape(
	record.Embed(failureShape, func(r *response) *failure { return &r.failure }),
	record.Word("model", func(r *response) *string { return &r.model }),
	record.Time("created_at", func(r *response) *time.Time { return &r.created }),
	record.Word("status", func(r *response) *string { return &r.status }),
	record.In("incomplete_details", record.Word("reason", func(r *response) *string { return &r.reason })),
	record.Raw("usage", func(r *response) *record.Value { return &r.usage }),
	record.Each("output", itemShape, func(r *response) *[]item { return &r.output }),
)

// An item is one piece of a response, or of the input of a request.
type item struct {
	kind, id, call, name string
	status, approval     string
	input                [5]record.Value // under the names that types have for it
	queries              record.Value
	output, results      record.Value
	err                  record.Value
	summary, content     record.Value
}

var itemShape = record.NewShape(
	record.Word("type", func(o *item) *string { return &o.kind }),
	record.String("id", func(o *item) *string { return &o.id }),
	record.String("call_id", func(o *item) *string { return &o.call }),
	record.Word("name", func(o *item) *string { return &o.name }),
	record.Word("status", func(o *item) *string { return &o.status }),
	record.String("approval_request_id", func(o *item) *string { return &o.approval }),
	record.Raw("arguments", func(o *item) *record.Value { return &o.input[0] }),
	record.Raw("input", func(o *item) *record.Value { return &o.input[1] }),
	record.Raw("action", func(o *item) *record.Value { return &o.input[2] }),
	record.Raw("operation", func(o *item) *record.Value { return &o.input[3] }),
	record.Raw("code", func(o *item) *record.Value { return &o.input[4] }),
	record.Raw("queries", func(o *item) *record.Value { return &o.queries }),
	record.Raw("output", func(o *item) *record.Value { return &o.output }),
	record.Raw("outputs", func(o *item) *record.Value { return &o.results }).Or("results"),
	record.Raw("error", func(o *item) *record.Value { return &o.err }),
	record.Raw("summary", func(o *item) *record.Value { return &o.summary }),
	record.Raw("content", func(o *item) *record.Value { return &o.content }),
)

// settle says which API the event is of; name is what stands beside it.
func (e *Event) settle(name string) {
	if e.kind == "" && !e.isChunk {
		e.kind = name
	}
	if e.object == "response" { // a whole answer
		e.response = &response{}
		responseShape.Parse(e.whole, e.response)
		e.kind = "response." + e.response.status
	}
}

// isChat reports whether the event is a chunk of a chat completion, or all of one.
func (e *Event) isChat() bool { return e.isChunk || strings.HasPrefix(e.object, "chat.completion") }
