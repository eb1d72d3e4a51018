package claudecode

import (
	"slices"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/formats/anthropic"
	"groundhog/replay/transcript"
)

// assistant joins a record to the response it is a piece of.
func (r *reader) assistant(rec *event, index int32) {
	m := rec.message
	if m == nil {
		return
	}
	if index == 0 {
		r.final = transcript.EndUnknown
		if rec.apiError {
			r.final = transcript.EndError
		}
	}
	if m.ID == "" {
		l := r.lane(index)
		r.extend(l, r.begin(l, rec, 0), rec)
		r.advance(l)
		return
	}
	key := formats.MessageKey(m.ID)
	own, known := r.messages[key]
	if !known {
		own = owner{index, rec.nested}
		r.messages[key] = own
	}
	l := r.lane(own.lane)
	e := l.find(key)
	switch {
	case e != nil:
	case !known:
		e = r.begin(l, rec, key)
	case own.nested != rec.nested:
		// The same message in the other of the two places that record it.
		r.header.Note(rec.line, formats.NoteDuplicate)
		return
	default:
		r.header.Note(rec.line, formats.NoteLateRecord)
		if !slices.ContainsFunc(m.Blocks, func(b anthropic.Block) bool { return b.IsCall() }) {
			return
		}
		attempts := l.attempts // those belong to the next request
		l.attempts = nil
		e = r.begin(l, rec, key)
		l.attempts = attempts
	}
	r.extend(l, e, rec)
	r.advance(l)
}

// extend adds the content of a record to a response.
func (r *reader) extend(l *lane, e *entry, rec *event) {
	m, s := rec.message, e.step
	m.Usage.Cost = rec.cost
	m.Usage.Known = m.Usage.Known || rec.cost > 0
	s.Usage.Max(m.Usage)
	if s.Model == "" {
		s.Model = m.Model
	}
	if m.Model == synthetic {
		s.Flags |= transcript.Synthetic
	}
	if rec.apiError {
		s.Flags |= transcript.Synthetic | transcript.ErrorMessage
	}
	if m.Stop != "" {
		s.Finish, s.FinishRaw = anthropic.Finish(m.Stop), m.Stop
		if string(s.Finish) == m.Stop {
			s.FinishRaw = ""
		}
	}
	if !rec.time.IsZero() {
		s.Ended = rec.time
	}
	other := e.nested != rec.nested
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind == "text":
			addText(s, transcript.Text, r.checked(rec.line, b.Text), other)
		case b.Kind == "thinking":
			addText(s, transcript.Thinking, r.checked(rec.line, b.Thinking), other)
		case b.IsCall():
			r.call(e, b, rec)
		case b.IsResult():
			r.result(l, b, rec)
		}
	}
}

// addText adds a part. An empty one, such as thinking of which only the
// signature was recorded, says nothing. Of a message that is recorded in two
// places, what is there already is not added again.
func addText(s *transcript.Step, kind transcript.PartKind, text string, other bool) {
	if text == "" {
		return
	}
	if other && slices.ContainsFunc(s.Parts, func(p transcript.Part) bool {
		return p.Kind == kind && p.Text == text
	}) {
		return
	}
	s.Parts = append(s.Parts, transcript.Part{Kind: kind, Text: text})
}

func (r *reader) call(e *entry, b *anthropic.Block, rec *event) {
	s, args := e.step, string(b.Input)
	again := b.ID != "" && slices.ContainsFunc(s.Calls, func(c transcript.Call) bool {
		return c.ID == b.ID && c.Tool == b.Name && c.Args == args
	})
	if again {
		r.header.Note(rec.line, formats.NoteDuplicate)
		return
	}
	s.Parts = append(s.Parts, transcript.Part{Kind: transcript.ToolInput, Text: args, Call: len(s.Calls)})
	s.Calls = append(s.Calls, transcript.Call{
		ID: b.ID, Tool: b.Name, Args: args, ArgsInvalid: args == "",
		Provider: b.IsProviderCall(), Time: rec.time, Took: -1, Line: rec.line,
	})
	e.open++
}

// interruption opens the text that the client leaves where a person stopped it.
const interruption = "[Request interrupted by user"

// result gives a call what its tool reported.
func (r *reader) result(l *lane, b *anthropic.Block, rec *event) {
	e, c := l.match(b.Call)
	if c == nil {
		r.header.Note(rec.line, formats.NoteOrphanResult)
		return
	}
	res := b.Result()
	if c.Result.Status != transcript.ResultMissing {
		note := formats.NoteOrphanResult
		if c.Result.Text == res.Text {
			note = formats.NoteDuplicate
		}
		r.header.Note(rec.line, note)
		return
	}
	e.open--
	failed := res.Status == transcript.ResultError
	if failed && rec.denial != "" && only(rec.message.Blocks) {
		res.Status = transcript.ResultDenied
	}
	r.checked(rec.line, res.Text)
	res.Time, res.Line = rec.time, rec.line
	c.Result = res
	c.Took = took(c.Time, rec.time)
	if only(rec.message.Blocks) {
		// toolUseResult describes one result, and does not say which.
		c.Interrupted = rec.outcome.interrupted
		if rec.outcome.took >= 0 {
			c.Took = rec.outcome.took
		}
	}
	c.Interrupted = c.Interrupted || failed && strings.HasPrefix(res.Text, interruption)
}

// only reports whether there is a single result among the blocks.
func only(blocks []anthropic.Block) bool {
	n := 0
	for i := range blocks {
		if blocks[i].IsResult() {
			n++
		}
	}
	return n == 1
}

func took(from, to time.Time) time.Duration {
	if from.IsZero() || to.Before(from) { // to is zero, or a clock went back
		return -1
	}
	return to.Sub(from)
}

// harness opens the texts in user records that no person typed. Slash commands
// are not among them: a person typed those.
var harness = []string{
	interruption,
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
	"<bash-stdout>", "<bash-stderr>", "<task-notification>",
}

// user takes the results out of a user record and tells a person's message
// from what the client put there.
func (r *reader) user(rec *event, index int32) {
	m := rec.message
	if m == nil {
		return
	}
	l := r.lane(index)
	step := &transcript.Step{Kind: transcript.Prompt, Lane: l.name,
		Flags: sidechain(l, rec), Time: rec.time, Line: rec.line}
	results, own, interrupted := false, 0, false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.IsResult():
			results = true
			r.result(l, b, rec)
			continue
		case b.Kind == "text":
			step.Parts = append(step.Parts, transcript.Part{Text: r.checked(rec.line, b.Text)})
		}
		text := strings.TrimLeft(b.Text, " \n")
		if !slices.ContainsFunc(harness, func(p string) bool { return strings.HasPrefix(text, p) }) {
			own++
		}
		interrupted = interrupted || strings.HasPrefix(text, interruption)
	}
	if index == 0 {
		r.final = transcript.EndUnknown
		if interrupted {
			r.final = transcript.EndAborted
		}
	}
	marked := rec.meta || rec.summary || own == 0
	if marked {
		step.Flags |= transcript.Synthetic
	}
	switch {
	case results && step.Parts == nil || len(m.Blocks) == 0:
	case marked || results:
		step.Kind = transcript.Injection
		r.inject(l, step)
	default:
		r.end(l)
		r.emit(step)
	}
	r.advance(l)
}

// inject lets an injection wait behind the responses that began before it.
func (r *reader) inject(l *lane, step *transcript.Step) {
	if l.injections >= maxInjections {
		r.emit(step)
		return
	}
	l.add(&entry{step: step})
}
