package steps

import "strings"

// A Part is one piece of an assistant's or a user's message.
type Part struct {
	Kind      Kind
	Text      string // of Text and Reasoning
	Synthetic bool   // the harness wrote it
	Ignored   bool   // the model never sees it

	Tool        string // name
	Input       string // raw JSON of the arguments; "" if there are none
	Undefined   bool   // the part has a key for its input, and nothing in it
	State       State
	Provider    bool // the model's provider executed the tool
	Interrupted bool // a person stopped the tool
}

// Kind says what a part is. Kinds that no algorithm tells apart (the start and
// the end of a step, a patch) are Other.
type Kind uint8

const (
	Text Kind = iota
	Reasoning
	Tool
	Other
)

// State is how far a tool part has come.
type State uint8

const (
	Pending State = iota // announced, arguments incomplete
	Running
	Completed
	Failed
)

// client reports whether the agent itself has to run the tool.
func (p *Part) client() bool { return p.Kind == Tool && !p.Provider }

// spoken reports whether p is text that the model said to the user.
func (p *Part) spoken() bool { return p.Kind == Text && !p.Synthetic && !p.Ignored }

// json is JS_JSON of the input.
func (p *Part) json() string {
	switch {
	case p.Input != "":
		return render(p.Input, JSJSON)
	case p.Undefined:
		return "undefined"
	default:
		return `""`
	}
}

// stable is STABLE_JSON of the input.
func (p *Part) stable() string {
	if p.Input == "" {
		return "{}"
	}
	return render(p.Input, StableJSON)
}

// render is form(input). Arguments that are no JSON count as one string: a
// model that repeats the same broken text repeats itself.
func render(input string, form func(string) (string, bool)) string {
	if s, ok := form(input); ok {
		return s
	}
	return string(appendQuoted(nil, input))
}

// Signature is what a step did: its tools and their arguments, with sorted
// keys. A step without tool parts has none.
func Signature(parts []Part) (string, bool) {
	var b strings.Builder
	for i := range parts {
		p := &parts[i]
		if p.Kind != Tool {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("tool:")
		b.WriteString(p.Tool)
		b.WriteByte(':')
		b.WriteString(p.stable())
	}
	return b.String(), b.Len() > 0
}
