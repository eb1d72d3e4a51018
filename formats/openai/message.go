package openai

import (
	"strings"
	"time"
	"unicode/utf8"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A message is one element of "messages", whatever its role.
type message struct {
	role     string
	id       string
	model    string
	name     string // of the tool, on a result
	callID   string // on a result
	content  []part
	refusal  string
	reasons  []string // texts of thinking, under whatever names
	thoughts []part   // thinking_blocks
	tools    []Call
	function *Function // function_call
	failed   *bool
	finish   string
	usage    transcript.Usage
	time     time.Time

	// Made of the above by settle.
	text     string
	thinking string
	refused  bool
	calls    []transcript.Call
	media    []transcript.Media
	parts    int // parts that are not text
	badText  int // texts that are not UTF-8
}

// messageShape reads a message. Fields of an unexpected type are as good as
// absent: vendors add their own, and one of them is no reason to lose the message.
var messageShape = record.NewShape(
	record.Word("role", func(m *message) *string { return &m.role }),
	record.String("id", func(m *message) *string { return &m.id }),
	record.Word("model", func(m *message) *string { return &m.model }),
	record.Word("name", func(m *message) *string { return &m.name }),
	record.String("tool_call_id", func(m *message) *string { return &m.callID }),
	record.List("content", partShape, func(m *message) *[]part { return &m.content }).
		Only('"', '{', '[', '0', 't', 'f'),
	record.String("refusal", func(m *message) *string { return &m.refusal }),
	record.Func("reasoning_content", func(m *message, v record.Value) {
		m.reasons = append(m.reasons, v.Text())
	}).Only('"').Or("reasoning", "thinking"),
	record.Each("thinking_blocks", partShape, func(m *message) *[]part { return &m.thoughts }),
	record.Each("tool_calls", CallShape, func(m *message) *[]Call { return &m.tools }),
	record.Object("function_call", FunctionShape, func(m *message) *Function {
		m.function = &Function{}
		return m.function
	}),
	record.Maybe("is_error", func(m *message) **bool { return &m.failed }).Or("error"),
	record.Word("finish_reason", func(m *message) *string { return &m.finish }),
	record.Object("usage", UsageShape, func(m *message) *transcript.Usage { return &m.usage }),
	record.Time("timestamp", func(m *message) *time.Time { return &m.time }).Or("created_at", "created"),
)

// A part is one piece of a content: a bare text, an object, or JSON that a tool
// gave in the place of a text.
type part struct {
	whole    record.Value // as it stands
	kind     string
	text     record.Value
	thoughts string
	url      record.Value
}

var partShape = record.NewShape(
	record.Raw(record.Itself, func(p *part) *record.Value { return &p.whole }),
	record.Word("type", func(p *part) *string { return &p.kind }),
	record.Text("text", func(p *part) *record.Value { return &p.text }).Or("refusal"),
	record.Func("thinking", (*part).think).Or("reasoning"),
	record.Text("image_url", func(p *part) *record.Value { return &p.url }),
	record.In("image_url", record.Text("url", func(p *part) *record.Value { return &p.url })),
)

// think takes a thought: a text, or a list of objects with texts.
func (p *part) think(v record.Value) {
	p.thoughts += v.Text()
	for v := range v.Elements() {
		var t thought
		thoughtShape.Parse(v, &t)
		p.thoughts += t.text
	}
}

type thought struct{ text string }

var thoughtShape = record.NewShape(record.String("text", func(t *thought) *string { return &t.text }))

// A Call is an element of tool_calls, or a piece of one that comes in pieces. Its
// function stands in an object of its own, or flat in the call itself.
type Call struct {
	ID      string
	Index   int64 // of the call that a piece belongs to
	Indexed bool  // there is an index
	own     *Function
	flat    Function
}

// Function is what the call asks for.
func (c *Call) Function() *Function {
	if c.own != nil {
		return c.own
	}
	return &c.flat
}

// A Function is the name of a tool and what the model wrote as its input.
type Function struct {
	Name string
	Args record.Value // a string that holds JSON, as a rule: a view
}

// CallShape reads a Call, or a piece of one.
var CallShape = record.NewShape(
	record.String("id", func(c *Call) *string { return &c.ID }),
	record.Func("index", func(c *Call, v record.Value) { c.Index, c.Indexed = v.Count() }).Only('0', '"'),
	record.Object("function", FunctionShape, func(c *Call) *Function {
		c.own = &Function{}
		return c.own
	}).Or("custom"),
	record.Embed(FunctionShape, func(c *Call) *Function { return &c.flat }),
)

// FunctionShape reads a Function.
var FunctionShape = record.NewShape(
	record.Word("name", func(f *Function) *string { return &f.Name }),
	record.Raw("arguments", func(f *Function) *record.Value { return &f.Args }).Or("input"),
)

// readMessage decodes a message.
func readMessage(v record.Value) *message {
	m := &message{}
	messageShape.Parse(v, m)
	m.settle()
	return m
}

// settle makes texts and calls of what was read.
func (m *message) settle() {
	var texts []string
	for i := range m.content {
		if text, ok := m.part(&m.content[i]); ok {
			texts = append(texts, text)
		}
	}
	// Joined by a line feed, results in one piece and in several compare equal.
	m.text = strings.Join(texts, "\n")
	m.checked(m.refusal)
	if m.text == "" && m.refusal != "" {
		m.text, m.refused = m.refusal, true
	}
	for _, s := range m.reasons {
		// Vendors repeat the same text under two of these names.
		if m.checked(s); s != "" && !strings.Contains(m.thinking, s) {
			m.thinking = s
		}
	}
	if m.thinking == "" {
		for i := range m.thoughts {
			m.part(&m.thoughts[i])
		}
	}
	for i := range m.tools {
		m.call(m.tools[i].ID, m.tools[i].Function())
	}
	if m.function != nil {
		m.call("", m.function)
	}
	m.usage = WithoutCache(m.usage)
	m.content, m.reasons, m.thoughts, m.tools, m.function = nil, nil, nil, nil, nil // views
}

// checked counts a text that is not UTF-8.
func (m *message) checked(s string) string {
	if !utf8.ValidString(s) {
		m.badText++
	}
	return s
}

// part is the text of one part. ok is false if it has none of its own: thinking,
// an image, a file.
func (m *message) part(p *part) (text string, ok bool) {
	switch p.whole.Kind() {
	case '"':
		return m.checked(p.whole.Text()), true
	case '{':
	default:
		return string(p.whole), true // a tool that gave JSON, not text
	}
	switch p.kind {
	case "text", "input_text", "output_text", "refusal":
		return m.checked(p.text.Text()), p.text != nil
	case "thinking", "reasoning":
		m.thinking += m.checked(p.thoughts)
		return "", false
	case "":
		if p.text == nil {
			return string(p.whole), true
		}
		return m.checked(p.text.Text()), true
	}
	m.parts++
	if media, ok := record.DataURL(p.url.Text()); ok {
		m.media = append(m.media, media)
	}
	return "", false
}

// call keeps the arguments as the model wrote them: a string's text, or the
// bytes of whatever else stands there.
func (m *message) call(id string, f *Function) {
	c := transcript.Call{ID: id, Tool: m.checked(f.Name), Took: -1, ArgsInvalid: f.Args == nil, Args: string(f.Args)}
	if f.Args.Kind() == '"' {
		c.Args = m.checked(f.Args.Text())
		c.ArgsInvalid = !record.Valid(c.Args)
	}
	m.calls = append(m.calls, c)
}
