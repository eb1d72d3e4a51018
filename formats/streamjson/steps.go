package streamjson

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// synthetic is the model that the client names when it speaks itself.
const synthetic = "<synthetic>"

// A reader turns the records of one session into steps.
type reader struct {
	*session
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

// A record is an object with where it stands.
type record struct {
	stream.Object
	line int
	time time.Time
	lane *lane
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
		r.stopped = !r.yield(nil, &formats.SyntaxError{File: r.file.Name, Line: line, Msg: fmt.Sprintf(format, args...)})
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
	err := formats.Values(rec.Data, func(dec *jsontext.Decoder) error {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		o := stream.Parse(raw)
		if o == nil {
			r.broken(rec.Line, "expected a record, which is an object; found %s", raw.Kind())
			return nil
		}
		r.current = cmp.Or(sessionID(o), r.current)
		if r.id == "" || r.current == r.id {
			r.record(record{Object: o, line: rec.Line, time: when(o)})
		}
		return nil
	})
	switch {
	case err == nil || r.stopped:
	case rec.Last && errors.Is(err, formats.ErrCut):
		r.header.Note(rec.Line, formats.NoteCutLine)
		r.header.End = transcript.EndTruncated
	default:
		r.broken(rec.Line, "expected a record of Claude Code: %v", err)
	}
}

func (r *reader) record(rec record) {
	kind := rec.Str("type")
	if kind == "assistant" || kind == "user" {
		if id := rec.Str("uuid"); id != "" {
			if key := formats.MessageKey(id); r.records[key] {
				r.header.Note(rec.line, formats.NoteDuplicate)
				return
			} else {
				r.records[key] = true
			}
		}
	}
	if !rec.time.IsZero() {
		r.header.Ended = rec.time
	}
	rec.lane = r.lane(rec.Str("parent_tool_use_id"))
	switch kind {
	case "assistant":
		r.assistant(rec)
	case "user":
		r.user(rec)
	case "stream_event":
		// What is no event of a message says nothing.
		rec.lane.events.Event(rec.Get("event"), "", rec.line, rec.time)
	case "system":
		rec.Object = inner(rec.Object)
		r.system(rec)
	case "result":
		rec.Object = inner(rec.Object)
		r.header.End = ended(rec.Object)
	}
}

// ended says how a session ends that has a last record.
func ended(o stream.Object) transcript.End {
	switch subtype := o.Str("subtype"); {
	case strings.HasPrefix(subtype, "error_max_"):
		return transcript.EndLimit
	case o.Get("is_error").Kind() == 't' || strings.HasPrefix(subtype, "error"):
		return transcript.EndError
	case subtype == "success":
		return transcript.EndCompleted
	}
	return transcript.EndUnknown
}

func (r *reader) system(rec record) {
	l := rec.lane
	switch rec.Str("subtype") {
	case "api_retry":
		r.retry(rec)
	case "compact_boundary":
		// What came before has left the context, so no more of it is to come.
		r.leaveAll(l)
		r.emit(&transcript.Step{Kind: transcript.Compaction, Lane: l.name, Flags: l.flags(), Time: rec.time, Line: rec.line})
	}
}

// retry takes the record of a request that is made again. What had come of its
// answer is dropped by the client, and so it is here.
func (r *reader) retry(rec record) {
	l := rec.lane
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
	count := func(to *int, name string) {
		if n, ok := rec.Count(name); ok && n < 1<<31 {
			*to = int(n)
		}
	}
	count(&at.N, "attempt")
	count(&at.Max, "max_retries")
	count(&at.Status, "error_status")
	if ms, ok := rec.Count("retry_delay_ms"); ok && ms < 1<<40 {
		at.Delay = time.Duration(ms) * time.Millisecond
	}
	about := rec.Obj("error")
	at.Type = cmp.Or(at.Type, rec.Str("error"), about.Str("type"))
	at.Message = cmp.Or(at.Message, rec.Str("error_message"), about.Str("message"))
	at.RequestID = cmp.Or(at.RequestID, rec.Str("request_id"))
	l.attempts = append(l.attempts, at)
}

func (r *reader) emit(s *transcript.Step) {
	if !r.stopped && !r.yield(s, nil) {
		r.stopped = true
	}
}
