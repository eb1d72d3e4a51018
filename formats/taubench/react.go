package taubench

import (
	"strings"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// outputPrefix begins the message that brings a text action's result.
const outputPrefix = "API output: "

// respond is the action that is no call: its content goes to the user.
const respond = "respond"

const marker = "Action:"

// A react reads the calls of act and react runs out of their texts. A response
// with a call waits in it for the next message, which is its result. The text
// stays as the model wrote it.
type react struct {
	session *transcript.Session
	open    *transcript.Step
	marked  bool // the session has actions: its prompt says so, or an earlier text
}

// add takes the next step and gives the steps that are ready.
func (t *react) add(s *transcript.Step) (ready []*transcript.Step) {
	text := s.Text(transcript.Text)
	t.marked = t.marked || s.Kind != transcript.Prompt && strings.Contains(text, marker)
	if output, ok := strings.CutPrefix(text, outputPrefix); ok && s.Kind == transcript.Prompt && t.open != nil {
		t.open.Calls[0].Result = transcript.Result{
			Status: transcript.ResultUnflagged, Text: output, Time: s.Time, Line: s.Line,
		}
		return append(ready, t.flush())
	}
	if waiting := t.flush(); waiting != nil {
		ready = append(ready, waiting)
	}
	if s.Kind == transcript.Response && t.marked {
		if tool, args, ok := action(text); ok && tool != respond {
			s.Calls = []transcript.Call{{Tool: tool, Args: args, Took: -1, Line: s.Line}}
			t.open = s
			return ready
		}
	}
	return append(ready, s)
}

// flush gives the response that waits, if there is one.
func (t *react) flush() *transcript.Step {
	s := t.open
	t.open = nil
	if s != nil && s.Calls[0].Result.Status == transcript.ResultMissing {
		t.session.Note(s.Line, formats.NoteMissingResult)
	}
	return s
}

// action reads a text as the benchmark does: what follows the last marker is
// one JSON object, or else it is for the user. Models forget the marker, and
// the benchmark does not insist on it.
func action(text string) (tool, args string, ok bool) {
	if i := strings.LastIndex(text, marker); i >= 0 {
		text = text[i+len(marker):]
	}
	body := record.Value(strings.TrimSpace(text))
	if body.Kind() != '{' || !record.Valid(body) {
		return "", "", false
	}
	var a textAction
	actionShape.Parse(body, &a)
	return a.tool, string(a.args), a.tool != "" && len(a.args) > 0
}

type textAction struct {
	tool string
	args record.Value
}

var actionShape = record.NewShape(
	record.String("name", func(a *textAction) *string { return &a.tool }),
	record.Raw("arguments", func(a *textAction) *record.Value { return &a.args }),
)
