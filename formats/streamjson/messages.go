package streamjson

import (
	"slices"
	"strings"
	"unicode/utf8"

	"groundhog/formats"
	"groundhog/formats/anthropic"
	"groundhog/replay/transcript"
)

// assistant joins a record to the response it is a piece of.
func (r *reader) assistant(l *lane, rec *event) {
	if rec.message == nil {
		return
	}
	m := &rec.message.Message
	id, list := m.ID, m.Blocks
	e := l.find(id)
	if e == nil {
		late := id != "" && r.gone[formats.MessageKey(id)]
		if late {
			r.header.Note(rec.line, formats.NoteLateRecord)
			if !slices.ContainsFunc(list, func(b anthropic.Block) bool { return b.IsCall() }) {
				return
			}
		}
		e = l.begin(id, rec)
	}
	s := e.step
	s.Usage.Max(m.Usage)
	if s.Model == "" {
		s.Model = m.Model
	}
	// A response that only says that the request has failed is the client's own.
	failed := rec.errorText != "" || rec.isAPIError
	if l.name == "" {
		r.final = transcript.EndUnknown
		if failed {
			r.final = transcript.EndError
		}
	}
	if m.Model == synthetic {
		s.Flags |= transcript.Synthetic
		if failed {
			s.Flags |= transcript.ErrorMessage
		}
	}
	if raw := m.Stop; raw != "" {
		s.Finish, s.FinishRaw = anthropic.Finish(raw), raw
		if string(s.Finish) == raw {
			s.FinishRaw = ""
		}
	}
	if !rec.time.IsZero() {
		s.Ended = rec.time
	}
	for i := range list {
		r.block(l, e, &list[i], rec)
	}
	r.advance(l)
}

func (r *reader) block(l *lane, e *entry, b *anthropic.Block, rec *event) {
	s := e.step
	text := func(kind transcript.PartKind, text string) {
		if text != "" { // of some thinking only the signature is recorded
			s.Parts = append(s.Parts, transcript.Part{Kind: kind, Text: r.checked(rec.line, text)})
		}
	}
	switch {
	case b.IsCall():
		id, tool, args := b.ID, b.Name, string(b.Input)
		same := func(c transcript.Call) bool { return c.ID == id && c.Tool == tool && c.Args == args }
		if id != "" && slices.ContainsFunc(s.Calls, same) {
			r.header.Note(rec.line, formats.NoteDuplicate)
			return
		}
		s.Parts = append(s.Parts, transcript.Part{Kind: transcript.ToolInput, Text: args, Call: len(s.Calls)})
		s.Calls = append(s.Calls, transcript.Call{ID: id, Tool: tool, Args: args, ArgsInvalid: args == "",
			Provider: b.IsProviderCall(), Time: rec.time, Took: -1, Line: rec.line})
	case b.IsResult():
		r.result(l, rec, b, false)
	case b.Kind == "text":
		text(transcript.Text, b.Text)
	case b.Kind == "thinking":
		text(transcript.Thinking, b.Thinking)
	}
}

// interruption opens the text that the client leaves where a person stopped it.
const interruption = "[Request interrupted by user"

// result gives a call what its tool reported. alone says that it is the only
// result of its record, so that what the record says is said of it.
func (r *reader) result(l *lane, rec *event, b *anthropic.Block, alone bool) {
	id := b.Call
	c := l.match(id)
	if c == nil { // perhaps only the events have the call
		for _, e := range l.waiting {
			r.join(e)
		}
		c = l.match(id)
	}
	res := b.Result()
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
	if r.denied[id] {
		res.Status = transcript.ResultDenied
	}
	c.Interrupted = res.Status == transcript.ResultError && strings.HasPrefix(res.Text, interruption)
	c.Result = res
	if !c.Time.IsZero() && !rec.time.Before(c.Time) {
		c.Took = rec.time.Sub(c.Time)
	}
	if alone {
		c.Interrupted = c.Interrupted || rec.outcome.interrupted
		if rec.outcome.took >= 0 {
			c.Took = rec.outcome.took
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
func (r *reader) user(l *lane, rec *event) {
	list := rec.content().Blocks
	step := &transcript.Step{Kind: transcript.Prompt, Lane: l.name, Flags: l.flags(), Time: rec.time, Line: rec.line}
	results, own, interrupted := 0, 0, false
	for i := range list {
		if list[i].IsResult() {
			results++
		}
	}
	for i := range list {
		b := &list[i]
		if b.IsResult() {
			r.result(l, rec, b, results == 1)
			continue
		}
		if b.Kind == "text" {
			step.Parts = append(step.Parts, transcript.Part{Text: r.checked(rec.line, b.Text)})
		}
		text := strings.TrimLeft(b.Text, " \n")
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
	marked := own == 0 || rec.synthetic || rec.meta
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
