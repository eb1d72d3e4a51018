package streamjson

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// blocks yields the blocks of a message; a bare text counts as one.
func blocks(m stream.Object) (list []stream.Object) {
	v := m.Get("content")
	if v.Kind() == '"' {
		return []stream.Object{textBlock(v)}
	}
	for v := range stream.Elems(v) {
		if v.Kind() == '"' {
			list = append(list, textBlock(v))
		} else if o := stream.Parse(v); o != nil {
			list = append(list, o)
		}
	}
	return list
}

func textBlock(v jsontext.Value) stream.Object {
	return stream.Parse([]byte(`{"type":"text","text":` + string(v) + `}`))
}

// A call asks for a tool that the client runs, or the model's provider.
func isCall(b stream.Object) bool {
	kind := b.Str("type")
	return kind == "tool_use" || kind == "server_tool_use" || kind == "mcp_tool_use"
}

func isResult(b stream.Object) bool {
	kind := b.Str("type")
	return kind == "tool_result" || strings.HasSuffix(kind, "_tool_result")
}

// assistant joins a record to the response it is a piece of.
func (r *reader) assistant(rec record) {
	l, m := rec.lane, rec.Obj("message")
	if m == nil {
		return
	}
	id, list := m.Str("id"), blocks(m)
	e := l.find(id)
	if e == nil {
		late := id != "" && r.gone[formats.MessageKey(id)]
		if late {
			r.header.Note(rec.line, formats.NoteLateRecord)
			if !slices.ContainsFunc(list, isCall) {
				return
			}
		}
		e = l.begin(id, rec)
	}
	s := e.step
	s.Usage.Max(stream.MessageUsage(m.Get("usage")))
	if s.Model == "" {
		s.Model = m.Str("model")
	}
	// A response that only says that the request has failed is the client's own.
	failed := rec.Str("error") != "" || rec.Get("isApiErrorMessage").Kind() == 't'
	if l.name == "" {
		r.final = transcript.EndUnknown
		if failed {
			r.final = transcript.EndError
		}
	}
	if m.Str("model") == synthetic {
		s.Flags |= transcript.Synthetic
		if failed {
			s.Flags |= transcript.ErrorMessage
		}
	}
	if raw := m.Str("stop_reason"); raw != "" {
		s.Finish, s.FinishRaw = stream.MessageFinish(raw), raw
		if string(s.Finish) == raw {
			s.FinishRaw = ""
		}
	}
	if !rec.time.IsZero() {
		s.Ended = rec.time
	}
	for _, b := range list {
		r.block(e, b, rec)
	}
	r.advance(l)
}

func (r *reader) block(e *entry, b stream.Object, rec record) {
	s := e.step
	text := func(kind transcript.PartKind, text string) {
		if text != "" { // of some thinking only the signature is recorded
			s.Parts = append(s.Parts, transcript.Part{Kind: kind, Text: r.checked(rec.line, text)})
		}
	}
	switch {
	case isCall(b):
		id, tool, args := b.Str("id"), b.Str("name"), string(b.Get("input"))
		if id != "" && slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return c.ID == id && c.Tool == tool && c.Args == args }) {
			r.header.Note(rec.line, formats.NoteDuplicate)
			return
		}
		s.Parts = append(s.Parts, transcript.Part{Kind: transcript.ToolInput, Text: args, Call: len(s.Calls)})
		s.Calls = append(s.Calls, transcript.Call{ID: id, Tool: tool, Args: args, ArgsInvalid: args == "",
			Provider: b.Str("type") != "tool_use", Time: rec.time, Took: -1, Line: rec.line})
	case isResult(b):
		r.result(rec, b, false)
	case b.Str("type") == "text":
		text(transcript.Text, b.Str("text"))
	case b.Str("type") == "thinking":
		text(transcript.Thinking, b.Str("thinking"))
	}
}

// refusals open the result of a call that was not allowed.
var refusals = []string{
	"The user doesn't want to proceed",
	"The user doesn't want to take this action",
}

// interruption opens the text that the client leaves where a person stopped it.
const interruption = "[Request interrupted by user"

// result gives a call what its tool reported. alone says that it is the only
// result of its record, so that what the record says is said of it.
func (r *reader) result(rec record, b stream.Object, alone bool) {
	l, id := rec.lane, b.Str("tool_use_id")
	c := l.match(id)
	if c == nil { // perhaps only the events have the call
		for _, e := range l.waiting {
			r.join(e)
		}
		c = l.match(id)
	}
	res := stream.Result(b)
	res.Text = r.checked(rec.line, res.Text)
	if c == nil || c.Result.Status != transcript.ResultMissing {
		note := formats.NoteOrphanResult
		if c != nil && c.Result.Text == res.Text {
			note = formats.NoteDuplicate
		}
		r.header.Note(rec.line, note)
		return
	}
	res.Time, res.Line = rec.time, rec.line
	refused := slices.ContainsFunc(refusals, func(p string) bool { return strings.HasPrefix(res.Text, p) })
	if r.denied[id] || refused && res.Status == transcript.ResultError {
		res.Status = transcript.ResultDenied
	}
	c.Interrupted = res.Status == transcript.ResultError && strings.HasPrefix(res.Text, interruption)
	c.Result = res
	if !c.Time.IsZero() && !rec.time.Before(c.Time) {
		c.Took = rec.time.Sub(c.Time)
	}
	if detail := rec.Obj("tool_use_result"); alone {
		c.Interrupted = c.Interrupted || detail.Get("interrupted").Kind() == 't'
		for _, name := range []string{"durationMs", "totalDurationMs"} {
			if ms, ok := detail.Count(name); ok && ms < 1<<40 {
				c.Took = time.Duration(ms) * time.Millisecond
			}
		}
	}
	// The sub-agent that the call had started is done, or goes on unseen.
	if sub := r.lanes[id]; sub != nil && sub != l {
		r.end(sub)
	}
}

// harness opens the texts in user records that no person typed.
var harness = []string{
	interruption,
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
	"<bash-stdout>", "<bash-stderr>", "<task-notification>",
}

// user takes the results out of a user record and tells a message from what the
// client put there. In a sub-agent's lane the message is its task.
func (r *reader) user(rec record) {
	l, list := rec.lane, blocks(rec.Obj("message"))
	step := &transcript.Step{Kind: transcript.Prompt, Lane: l.name, Flags: l.flags(), Time: rec.time, Line: rec.line}
	results, own, interrupted := 0, 0, false
	for _, b := range list {
		if isResult(b) {
			results++
		}
	}
	for _, b := range list {
		if isResult(b) {
			r.result(rec, b, results == 1)
			continue
		}
		if b.Str("type") == "text" {
			step.Parts = append(step.Parts, transcript.Part{Text: r.checked(rec.line, b.Str("text"))})
		}
		text := strings.TrimLeft(b.Str("text"), " \n")
		if !slices.ContainsFunc(harness, func(p string) bool { return strings.HasPrefix(text, p) }) {
			own++
		}
		interrupted = interrupted || strings.HasPrefix(text, interruption)
	}
	if l.name == "" {
		r.final = transcript.EndUnknown
		if interrupted {
			r.final = transcript.EndAborted
		}
	}
	marked := own == 0 || rec.Get("isSynthetic").Kind() == 't' || rec.Get("isMeta").Kind() == 't'
	if marked {
		step.Flags |= transcript.Synthetic
	}
	switch {
	case results > 0 && step.Parts == nil || len(list) == 0:
	case marked || results > 0:
		step.Kind = transcript.Injection
		l.waiting = append(l.waiting, &entry{step: step})
	default:
		r.end(l)
		r.emit(step)
	}
	r.advance(l)
}

// checked counts a text that is kept although it is no valid UTF-8.
func (r *reader) checked(line int, s string) string {
	if !utf8.ValidString(s) {
		r.header.Note(line, formats.NoteBadText)
	}
	return s
}
