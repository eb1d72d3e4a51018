package stream

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// findCapture yields the session of a file: the responses in it, in order.
func findCapture(name string, f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		u := &formats.Unit{Session: &transcript.Session{}, Size: f.Size}
		seen := make(map[string]bool)
		events := 0
		var in record.Reader
		for rec, err := range Records(f, o.Cap()) {
			var syntax *formats.SyntaxError
			switch {
			case errors.As(err, &syntax):
				u.Records++ // it is reported when it is decoded
				continue
			case err != nil:
				yield(nil, err)
				return
			case rec.Noise:
				continue
			}
			u.Records++
			for in.Reset(rec.Data); in.Next(); {
				var k skim
				if skimShape.Read(&in, &k) == nil && k.note(u, seen) || in.Err() == nil && rec.Event != "" {
					events++
				}
			}
		}
		if events == 0 {
			yield(nil, &formats.SyntaxError{
				File: f.Name, Msg: "no events; expected server-sent events or one JSON event a line",
			})
			return
		}
		id, err := f.ID(name, f.All())
		if err != nil {
			yield(nil, err)
			return
		}
		u.Session.ID = id
		u.Steps = func() iter.Seq2[*transcript.Step, error] {
			return func(yield func(*transcript.Step, error) bool) {
				r := &reader{file: f, limit: o.Cap(), session: u.Session, yield: yield, whole: true}
				r.run()
			}
		}
		yield(u, nil)
	}
}

// A skim is what the header of a session needs of an event.
type skim struct {
	about
	kind, object string
	choices      bool
	at           time.Time
	within       *about // of what the event is about: a response, or a message
}

// An about names what an event is of.
type about struct {
	id, model string
	created   time.Time
}

var aboutShape = record.NewShape(
	record.String("id", func(a *about) *string { return &a.id }),
	record.Word("model", func(a *about) *string { return &a.model }),
	record.Time("created", func(a *about) *time.Time { return &a.created }).Or("created_at"),
)

var skimShape = record.NewShape(
	record.Embed(aboutShape, func(k *skim) *about { return &k.about }),
	record.Word("type", func(k *skim) *string { return &k.kind }),
	record.Word("object", func(k *skim) *string { return &k.object }),
	record.Has("choices", func(k *skim) *bool { return &k.choices }),
	record.Time("timestamp", func(k *skim) *time.Time { return &k.at }).Or("ts", "received_at"),
	record.Object("response", aboutShape, func(k *skim) *about {
		k.within = &about{}
		return k.within
	}).Or("message"),
)

// note puts an event into the header of a session, and reports whether it is one.
func (k *skim) note(u *formats.Unit, seen map[string]bool) bool {
	about := k.within
	if about == nil {
		about = &k.about
	}
	s := u.Session
	if s.Model == "" {
		s.Model = about.model
	}
	if s.Started.IsZero() {
		s.Started = k.at
	}
	if s.Started.IsZero() {
		s.Started = about.created
	}
	streamed := k.choices || k.kind != "" || k.object != ""
	if id := about.id; streamed && !seen[id] && telling(id) {
		seen[id] = true
		u.Messages = append(u.Messages, formats.MessageKey(id))
	}
	return streamed
}

// telling reports whether an id is likely to be the only one of its kind, which
// those of fixtures and redacted recordings are not.
func telling(id string) bool {
	return len(id) >= 16 && strings.ContainsAny(id, "0123456789")
}

// A reader turns the responses of a capture into steps.
type reader struct {
	in       record.Reader
	file     *formats.File
	limit    int64
	session  *transcript.Session
	yield    func(*transcript.Step, error) bool
	stopped  bool
	waiting  []*transcript.Step // for what a provider's tool will answer in a later response
	failed   *Response          // the last one, if it failed: perhaps it is tried again
	attempts []transcript.Attempt
	whole    bool // the last response has its last event
}

// maxWaiting is how many responses wait for an answer of a provider's tool.
const maxWaiting = 4

func (r *reader) run() {
	r.session.Notes, r.session.End = nil, transcript.EndUnknown
	a := &Assembler{Session: r.session, Emit: r.emit, Earlier: r.earlier}
	cut := false
	for rec, err := range Records(r.file, r.limit) {
		var syntax *formats.SyntaxError
		switch {
		case errors.As(err, &syntax):
			r.stopped = r.stopped || !r.yield(nil, err)
		case err != nil:
			r.stopped = true
			r.yield(nil, err)
		default:
			cut = r.record(a, rec)
		}
		if r.stopped {
			return
		}
	}
	a.End()
	r.finish(cut)
}

// record takes one record of the file, and reports whether the file ends in it.
func (r *reader) record(a *Assembler, rec Record) (cut bool) {
	switch {
	case rec.Noise:
		r.session.Note(rec.Line, noteNoise)
		return false
	case rec.Long > 0:
		r.session.Note(rec.Line, formats.NoteLongRecord)
		r.broken(rec.Line, fmt.Sprintf("event of %d bytes is over the limit of %d; raise it with --max-record",
			rec.Long, r.limit))
		return false
	case string(rec.Data) == done:
		a.Done()
		return false
	}
	for r.in.Reset(rec.Data); r.in.Next(); {
		var e Event
		if EventShape.Read(&r.in, &e) != nil {
			break
		}
		if err := a.Event(&e, rec.Event, rec.Line, time.Time{}); err != nil {
			r.broken(rec.Line, err.Error())
		}
	}
	switch err := r.in.Err(); {
	case err == nil:
	case rec.Last && errors.Is(err, record.ErrCut):
		r.session.Note(rec.Line, formats.NoteCutLine)
		return true
	default:
		r.broken(rec.Line, err.Error())
	}
	return false
}

func (r *reader) broken(line int, msg string) {
	r.stopped = r.stopped || !r.yield(nil, &formats.SyntaxError{File: r.file.Name, Line: line, Msg: msg})
}

// emit takes a response that has ended. One that failed becomes an attempt of
// the response that follows it: in one capture, this is the same request again.
func (r *reader) emit(resp *Response) {
	r.retried()
	r.whole = resp.Complete
	if resp.Failed != nil {
		r.failed = resp
		return
	}
	resp.Step.Attempts, r.attempts = r.attempts, nil
	numbered(resp.Step.Attempts)
	r.put(resp.Step)
}

// retried counts the failed response as an attempt. A client drops what it had
// received of it.
func (r *reader) retried() {
	if r.failed == nil {
		return
	}
	if len(r.failed.Step.Parts) > 0 {
		r.session.Note(r.failed.Step.Line, noteRetried)
	}
	r.failed.Failed.Outcome = "retry"
	r.attempts = append(r.attempts, *r.failed.Failed)
	r.failed = nil
}

// put lets a step leave, unless a provider's tool may still answer one of its calls.
func (r *reader) put(s *transcript.Step) {
	r.waiting = append(r.waiting, s)
	for len(r.waiting) > 0 && (len(r.waiting) > maxWaiting || !expects(r.waiting[0])) {
		r.leave()
	}
}

func (r *reader) leave() {
	s := r.waiting[0]
	r.waiting = r.waiting[1:]
	missing(r.session, s)
	r.stopped = r.stopped || !r.yield(s, nil)
}

// missing notes the calls of a step that have no result.
func missing(session *transcript.Session, s *transcript.Step) {
	for i := range s.Calls {
		if s.Calls[i].Result.Status == transcript.ResultMissing {
			session.Note(s.Calls[i].Line, formats.NoteMissingResult)
		}
	}
}

func expects(s *transcript.Step) bool {
	for i := range s.Calls {
		c := &s.Calls[i]
		if c.Result.Status == transcript.ResultMissing && (c.Provider || c.State == "pending") {
			return true
		}
	}
	return false
}

func (r *reader) earlier(id string) *transcript.Call {
	for i := len(r.waiting) - 1; i >= 0; i-- {
		if c := openCall(r.waiting[i], id); c != nil {
			return c
		}
	}
	return nil
}

// finish lets all leave that waits, and says how the capture ends.
func (r *reader) finish(cut bool) {
	if f := r.failed; f != nil {
		r.failed = nil
		f.Step.Attempts = append(r.attempts, *f.Failed)
		numbered(f.Step.Attempts)
		if len(f.Step.Parts) == 0 {
			// There is no response, only attempts.
			*f.Step = transcript.Step{
				Flags: transcript.Synthetic, Attempts: f.Step.Attempts, Time: f.Step.Time, Line: f.Step.Line,
			}
		}
		r.session.End = transcript.EndError
		r.waiting = append(r.waiting, f.Step)
	} else if !r.whole || cut {
		r.session.End = transcript.EndTruncated
	}
	for len(r.waiting) > 0 && !r.stopped {
		r.leave()
	}
}

func numbered(list []transcript.Attempt) {
	for i := range list {
		list[i].N = i + 1
	}
}
