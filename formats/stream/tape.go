package stream

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// This file turns exchanges into steps.
//
// A request repeats the whole conversation, so each new one is held against
// what is known: it goes on after the last answer that a cassette has, or that
// an earlier request had told of. What stands behind that answer is new. A
// comparison of whole prefixes was considered; clients change old messages
// (cache marks, dates, shortened results), but hardly ever the last answer.
//
// A cassette may hold several conversations. One that begins after the others
// have ended is a further run of the session; one that begins between two
// requests of another is a sub-agent's and has a lane of its own.

// A tape is a cassette being played.
type tape struct {
	session   *transcript.Session
	limit     int64
	exchanges int
	steps     []*transcript.Step
	threads   []*thread
	said      map[string]*thread // by what the model said
	ids       map[string]*thread // by the id of a response
	open      *pending
	thread    *thread // of the exchange that is played
	failed    bool    // the last request failed for good
	cut       bool    // the last response has no end
}

// A thread is one conversation.
type thread struct {
	steps       []*transcript.Step
	first, last int // where its steps begin and end among all
}

// A pending is a request whose attempts have failed so far.
type pending struct {
	key      string
	thread   *thread
	attempts []transcript.Attempt
	partial  *Response // what the last attempt gave before it broke off
}

// play takes the next exchange.
func (t *tape) play(x *exchange) {
	if t.said == nil {
		t.said, t.ids = make(map[string]*thread), make(map[string]*thread)
	}
	if x.packed {
		t.session.Note(x.line, notePacked)
	}
	if t.session.Started.IsZero() {
		t.session.Started = x.at
	}
	var b body
	if record.Valid(x.request) {
		bodyShape.Parse(record.Value(x.request), &b)
	}
	if !b.asks {
		t.session.Note(x.line, noteForeign)
		return
	}
	refused := x.status >= 400 || x.broken != ""
	var heard []*Response
	if !refused {
		if heard = t.listen(x); len(heard) == 0 {
			t.giveUp()
			t.failed, t.cut = false, false
			t.session.Note(x.line, noteForeign)
			return
		}
	}
	key := x.url + "\n" + x.request
	if t.open == nil || t.open.key != key {
		t.giveUp()
		t.open = &pending{key: key, thread: t.turnsOf(b.request(), x)}
	}
	t.thread = t.open.thread
	if refused {
		t.attempt(refusal(x), nil)
	}
	for _, r := range heard {
		t.answer(r, x)
	}
}

// listen puts together what the server answered.
func (t *tape) listen(x *exchange) (heard []*Response) {
	a := &Assembler{
		Session: t.session,
		Emit:    func(r *Response) { heard = append(heard, r) },
		Earlier: func(id string) *transcript.Call {
			for i := len(t.steps) - 1; i >= 0; i-- {
				if c := openCall(t.steps[i], id); c != nil {
					return c
				}
			}
			return nil
		},
	}
	body := x.response
	f := &formats.File{Name: "body", Size: int64(len(body)), Open: func() (formats.ReadAtCloser, error) {
		return memory{strings.NewReader(body)}, nil
	}}
	var in record.Reader
	for rec, err := range Records(f, t.limit) {
		if err != nil || rec.Noise || rec.Long > 0 {
			continue
		}
		if string(rec.Data) == done {
			a.Done()
			continue
		}
		for in.Reset(rec.Data); in.Next(); {
			var e Event
			if EventShape.Read(&in, &e) == nil {
				a.Event(&e, rec.Event, x.line, time.Time{}) // what is no event is a foreign answer
			}
		}
	}
	a.End()
	return heard
}

type memory struct{ *strings.Reader }

func (memory) Close() error { return nil }

// refusal is the attempt of a request that the server refused, or never saw.
func refusal(x *exchange) *transcript.Attempt {
	at := &transcript.Attempt{
		Status: x.status, Headers: x.headers, Body: x.response, Phase: "request", Outcome: "failed",
		Delay: -1, RetryAfter: record.RetryAfter(x.headers, x.at), Time: x.at, Line: x.line,
	}
	if body := record.Value(strings.TrimSpace(x.response)); body.Kind() == '{' && record.Valid(x.response) {
		var f failure
		failureShape.Parse(body, &f)
		f.describe(at)
		at.Status = x.status
	}
	// What stands in a header is the provider's own.
	id := cmp.Or(record.Header(x.headers, "request-id"), record.Header(x.headers, "x-request-id"))
	at.RequestID = cmp.Or(id, at.RequestID)
	if at.Message == "" {
		at.Message = x.reason
	}
	if x.broken != "" && x.status == 0 {
		at.Message = x.broken
	}
	return at
}

func (t *tape) attempt(at *transcript.Attempt, partial *Response) {
	p := t.open
	if n := len(p.attempts); n > 0 {
		p.attempts[n-1].Outcome = "retry"
	}
	if p.partial != nil && len(p.partial.Step.Parts) > 0 {
		t.session.Note(p.partial.Step.Line, noteRetried)
	}
	p.attempts = append(p.attempts, *at)
	p.partial = partial
}

// answer takes a response. One that broke off is an attempt: the same request
// may follow. So is one without an end, but only if it does follow.
func (t *tape) answer(r *Response, x *exchange) {
	s := r.Step
	if t.open == nil { // a second response in one body
		t.open = &pending{thread: t.thread}
	}
	if !x.at.IsZero() {
		s.Time = x.at
		if x.took >= 0 {
			s.Ended = x.at.Add(x.took)
		}
	}
	switch {
	case r.Failed != nil:
		at := *r.Failed
		at.Headers, at.Time = x.headers, x.at
		t.attempt(&at, r)
	case !r.Complete:
		t.attempt(&transcript.Attempt{
			Message: "the stream has no end", Phase: "stream", Outcome: "failed", Headers: x.headers,
			AfterCall: Arrived(s), Delay: -1, RetryAfter: -1, Time: x.at, Line: x.line,
		}, r)
	default:
		t.settle(s)
		t.failed, t.cut = false, false
	}
}

// settle ends a request with the response that it came to.
func (t *tape) settle(s *transcript.Step) {
	p := t.open
	t.open = nil
	s.Attempts = p.attempts
	if n := len(s.Attempts); n > 0 && !s.Has(transcript.Synthetic) && s.Finish != transcript.FinishError {
		s.Attempts[n-1].Outcome = "retry"
		if p.partial != nil && p.partial.Step != s && len(p.partial.Step.Parts) > 0 {
			t.session.Note(p.partial.Step.Line, noteRetried)
		}
	}
	numbered(s.Attempts)
	if t.session.Model == "" {
		t.session.Model = s.Model
	}
	t.put(p.thread, s)
	if s.ID != "" {
		t.ids[s.ID] = p.thread
	}
}

// giveUp ends a request that was not sent again. What its last attempt gave is
// the response all the same.
func (t *tape) giveUp() {
	p := t.open
	if p == nil {
		return
	}
	t.failed, t.cut = true, false
	s := &transcript.Step{Kind: transcript.Response, Flags: transcript.Synthetic}
	if p.partial != nil && len(p.partial.Step.Parts) > 0 {
		s = p.partial.Step
		if p.partial.Failed == nil { // it only has no end
			p.attempts = p.attempts[:len(p.attempts)-1]
			t.failed, t.cut = false, true
		}
	} else if n := len(p.attempts); n > 0 {
		s.Line, s.Time = p.attempts[0].Line, p.attempts[0].Time
	}
	t.settle(s)
}

// put adds a step to a conversation.
func (t *tape) put(th *thread, s *transcript.Step) {
	t.steps = append(t.steps, s)
	th.steps = append(th.steps, s)
	th.last = len(t.steps)
	if s.Kind == transcript.Response {
		if d := digestOf(s.Text(transcript.Text), s.Calls); d != "" {
			t.said[d] = th
		}
	}
}

// finish ends the tape: lanes, missing results, and how it ends.
func (t *tape) finish() {
	t.giveUp()
	main := -1 // where the last conversation of the main lane ends
	lanes := 0
	for _, th := range t.threads {
		if th.first > main || main < 0 {
			main = max(main, th.last-1)
			continue
		}
		lanes++
		for _, s := range th.steps {
			s.Lane = fmt.Sprintf("conversation-%d", lanes)
		}
	}
	for _, s := range t.steps {
		missing(t.session, s)
	}
	switch {
	case t.session.End != transcript.EndUnknown:
	case t.failed:
		t.session.End = transcript.EndError
	case t.cut:
		t.session.End = transcript.EndTruncated
	}
}
