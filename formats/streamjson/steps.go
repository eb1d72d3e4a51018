package streamjson

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// synthetic is the model that the client names when it speaks itself.
const synthetic = "<synthetic>"

// A reader turns the records of one session into steps.
type reader struct {
	*session
	in      record.Reader
	header  *transcript.Session
	yield   func(*transcript.Step, error) bool
	stopped bool
	current string // session id of the records around
	lanes   map[string]*lane
	order   []*lane         // by their first records
	records map[uint64]bool // keys of the uuids of messages
	gone    map[uint64]bool // keys of messages whose steps have left
	cut     bool            // the message that streamed last has no end
	final   transcript.End  // what the last message of the main agent amounts to
}

// steps decodes the session. It may be called again and starts anew.
func (s *session) steps() iter.Seq2[*transcript.Step, error] {
	return func(yield func(*transcript.Step, error) bool) {
		r := &reader{session: s, header: s.unit.Session, yield: yield, current: s.id,
			lanes: make(map[string]*lane), records: make(map[uint64]bool), gone: make(map[uint64]bool)}
		r.header.Notes, r.header.End, r.header.Ended = nil, transcript.EndUnknown, time.Time{}
		n := -1
		for rec, err := range stream.Records(s.file, s.limit) {
			n++
			if n < s.first && !rec.Noise {
				continue
			}
			if n > s.last && err == nil && !rec.Noise {
				break
			}
			var syntax *formats.SyntaxError
			if err != nil {
				if !yield(nil, err) || !errors.As(err, &syntax) {
					return
				}
				break
			}
			if r.read(rec); r.stopped {
				return
			}
		}
		for _, l := range r.order {
			r.end(l)
		}
		switch {
		case r.header.End != transcript.EndUnknown:
		case r.cut:
			r.header.End = transcript.EndTruncated
		default:
			r.header.End = r.final
		}
	}
}

func (r *reader) broken(line int, format string, args ...any) {
	if r.current == r.id && !r.stopped {
		msg := fmt.Sprintf(format, args...)
		r.stopped = !r.yield(nil, &formats.SyntaxError{File: r.file.Name, Line: line, Msg: msg})
	}
}

func (r *reader) read(rec stream.Record) {
	switch {
	case rec.Noise:
		r.header.Note(rec.Line, noteNoise)
		return
	case rec.Long > 0:
		if r.current == r.id {
			r.header.Note(rec.Line, formats.NoteLongRecord)
		}
		r.broken(rec.Line, "record of %d bytes is over the limit of %d; raise it with --max-record", rec.Long, r.limit)
		return
	case idle(rec.Data):
		return
	}
	for r.in.Reset(rec.Data); r.in.Next() && !r.stopped; {
		if k := r.in.Kind(); k != '{' {
			if r.in.Skip() == nil {
				r.broken(rec.Line, "expected a record, which is an object; found %s", k)
			}
			continue
		}
		e := &event{}
		if eventShape.Read(&r.in, e) != nil {
			break
		}
		e.line = rec.Line
		r.current = cmp.Or(e.sessionID(), r.current)
		if r.id == "" || r.current == r.id {
			r.record(e)
		}
	}
	switch err := r.in.Err(); {
	case err == nil || r.stopped:
	case rec.Last && errors.Is(err, record.ErrCut):
		r.header.Note(rec.Line, formats.NoteCutLine)
		r.header.End = transcript.EndTruncated
	default:
		r.broken(rec.Line, "expected a record of Claude Code: %v", err)
	}
}

func (r *reader) record(rec *event) {
	if rec.kind == "assistant" || rec.kind == "user" {
		if rec.uuid != "" {
			key := formats.MessageKey(rec.uuid)
			if r.records[key] {
				r.header.Note(rec.line, formats.NoteDuplicate)
				return
			}
			r.records[key] = true
		}
	}
	if !rec.time.IsZero() {
		r.header.Ended = rec.time
	}
	l := r.lane(rec.lane)
	switch rec.kind {
	case "assistant":
		r.assistant(l, rec)
	case "user":
		r.user(l, rec)
	case "stream_event":
		// What is no event of a message says nothing.
		l.events.Event(&rec.streamed, "", rec.line, rec.time)
	case "system":
		r.system(l, rec)
	case "result":
		r.header.End = ended(rec.inner())
	}
}

// ended says how a session ends that has a last record.
func ended(a *about) transcript.End {
	switch subtype := a.subtype; {
	case strings.HasPrefix(subtype, "error_max_"):
		return transcript.EndLimit
	case a.failed || strings.HasPrefix(subtype, "error"):
		return transcript.EndError
	case subtype == "success":
		return transcript.EndCompleted
	}
	return transcript.EndUnknown
}

func (r *reader) system(l *lane, rec *event) {
	switch rec.inner().subtype {
	case "api_retry":
		r.retry(l, rec)
	case "compact_boundary":
		// What came before has left the context, so no more of it is to come.
		r.leaveAll(l)
		r.emit(&transcript.Step{
			Kind: transcript.Compaction, Lane: l.name, Flags: l.flags(), Time: rec.time, Line: rec.line,
		})
	}
}

// retry takes the record of a request that is made again. What had come of its
// answer is dropped by the client, and so it is here.
func (r *reader) retry(l *lane, rec *event) {
	at := transcript.Attempt{Delay: -1, RetryAfter: -1, Phase: "request"}
	if l.failed && len(l.attempts) > 0 { // the stream has said already that it broke off
		at = l.attempts[len(l.attempts)-1]
		l.attempts = l.attempts[:len(l.attempts)-1]
	}
	l.failed = false
	if dropped := l.events.Drop(); dropped != nil {
		at.Phase, at.AfterCall = "stream", stream.Arrived(dropped.Step)
		r.forget(l, dropped.Step.ID)
	}
	at.Outcome, at.Time, at.Line = "retry", rec.time, rec.line
	about := rec.inner()
	for _, n := range []struct {
		to *int
		n  int64
	}{{&at.N, about.attempt}, {&at.Max, about.most}, {&at.Status, about.status}} {
		if n.n > 0 && n.n < 1<<31 {
			*n.to = int(n.n)
		}
	}
	if about.delay >= 0 {
		at.Delay = about.delay
	}
	at.Type = cmp.Or(at.Type, about.errorText, about.errorKind)
	at.Message = cmp.Or(at.Message, about.errorMessage, about.innerErrorMessage)
	at.RequestID = cmp.Or(at.RequestID, about.request)
	l.attempts = append(l.attempts, at)
}

func (r *reader) emit(s *transcript.Step) {
	if !r.stopped && !r.yield(s, nil) {
		r.stopped = true
	}
}
