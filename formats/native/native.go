// Package native reads and writes the canonical JSONL, transcript/1: one object
// a line, with "t" saying what it is. It is the form in which other tools hand
// sessions over, and the only one that can carry what an instrumented agent
// knew about a call (signals).
package native

import (
	"errors"
	"iter"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// Format is the canonical JSONL.
var Format = &formats.Format{
	Name: "transcript",
	Doc: "canonical JSONL, transcript/1\n\n" +
		"Lines of session, step, attempt, delta, result and end; signals of instrumented agents.",
	Sniff: sniff,
	Find:  find,
	Write: newWriter,
}

// version is the one this package reads and writes.
const version = 1

var kinds = map[string]bool{"session": true, "step": true, "attempt": true, "delta": true, "result": true, "end": true}

func sniff(h *formats.Head) formats.Confidence {
	for _, r := range h.Records {
		if kinds[r.Str("t")] && r.Has("sid") {
			return formats.Certain
		}
	}
	return formats.No
}

// A head is what finding needs of a line.
type head struct {
	t, kind       string
	version       int
	sid           *string
	mid           record.Value
	parent        string
	formatVersion string
	agent         string
	agentVersion  string
	model         string
	started       time.Time
	labels        *transcript.Recorded
}

var headShape = record.NewShape(
	record.Word("t", func(h *head) *string { return &h.t }),
	record.Int("v", func(h *head) *int { return &h.version }),
	record.Word("sid", func(h *head) *string { h.sid = new(string); return h.sid }),
	record.Text("mid", func(h *head) *record.Value { return &h.mid }),
	record.Word("kind", func(h *head) *string { return &h.kind }),
	record.String("parent", func(h *head) *string { return &h.parent }),
	record.Word("format_version", func(h *head) *string { return &h.formatVersion }),
	record.Word("agent", func(h *head) *string { return &h.agent }),
	record.Word("agent_version", func(h *head) *string { return &h.agentVersion }),
	record.Word("model", func(h *head) *string { return &h.model }),
	record.Time("started_at", func(h *head) *time.Time { return &h.started }),
	record.Object("labels", labelsShape, func(h *head) *transcript.Recorded {
		h.labels = &transcript.Recorded{}
		return h.labels
	}),
).Strict()

var labelsShape = record.NewShape(
	record.String("task_set", func(r *transcript.Recorded) *string { return &r.TaskSet }),
	record.String("task_id", func(r *transcript.Recorded) *string { return &r.Task }),
	record.Func("trial", func(r *transcript.Recorded, v record.Value) { r.Trial = v.Word() }),
	record.Number("reward", func(r *transcript.Recorded) *float64 { r.Reward = new(float64); return r.Reward }),
	record.Maybe("success", func(r *transcript.Recorded) **bool { return &r.Success }),
	record.String("exit_status", func(r *transcript.Recorded) *string { return &r.ExitStatus }),
)

// find reads the file once and tells its sessions apart by sid. Lines of one
// session need not be contiguous. A line that cannot be read belongs to the
// session of the line before it.
func find(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		var order []*found
		bySID := make(map[string]*found)
		var last *found
		var early []error // unreadable lines before the first session
		var r record.Reader
		for line, err := range f.Lines(o.Cap()) {
			if err != nil {
				yield(nil, err)
				return
			}
			var h head
			bad := readHead(&r, line, &h)
			if bad != nil && h.sid == nil {
				if last == nil {
					if len(early) < maxEarly {
						early = append(early, &formats.SyntaxError{File: f.Name, Line: line.Num, Msg: bad.Error()})
					}
					continue
				}
			} else if s := bySID[*h.sid]; s != nil {
				last = s
			} else {
				last = &found{unit: &formats.Unit{Session: &transcript.Session{ID: *h.sid}}}
				bySID[*h.sid] = last
				order = append(order, last)
			}
			last.take(line, &h)
		}
		for _, err := range early {
			if !yield(nil, err) {
				return
			}
		}
		for _, s := range order {
			s.unit.Steps = steps(f, o, s.unit.Session, s.ranges)
			if !yield(s.unit, nil) {
				return
			}
		}
	}
}

// maxEarly bounds the complaints about a file whose first lines cannot be read.
const maxEarly = 3

// found is a session in the making.
type found struct {
	unit   *formats.Unit
	ranges []record.Range
}

var errNoSID = errors.New(`no "sid": every line of transcript/1 names its session`)

// readHead decodes the first value of a line.
func readHead(r *record.Reader, line record.Line, h *head) error {
	if line.Long {
		return errors.New("the record is over the size limit; --max-record raises it")
	}
	r.Reset(line.Data)
	if r.Next() {
		if err := headShape.Read(r, h); err != nil {
			return err
		}
	}
	for r.Next() {
		r.Skip()
	}
	if r.Err() == nil && h.sid == nil {
		return errNoSID
	}
	return r.Err()
}

// take adds a line to the session.
func (s *found) take(line record.Line, h *head) {
	u := s.unit
	u.Size += line.End - line.Off
	u.Records++
	if n := len(s.ranges); n > 0 && s.ranges[n-1].End == line.Off {
		s.ranges[n-1].End = line.End
	} else {
		s.ranges = append(s.ranges, record.Range{Off: line.Off, End: line.End, Line: line.Num})
	}
	switch h.t {
	case "session":
		h.fill(u.Session)
	case "step":
		if id := h.mid.Text(); id != "" && h.kind == "assistant" {
			u.Messages = append(u.Messages, formats.MessageKey(id))
		}
	}
}

func (h *head) fill(s *transcript.Session) {
	s.Parent, s.Agent, s.AgentVersion, s.Model = h.parent, h.agent, h.agentVersion, h.model
	s.Origin.FormatVersion = h.formatVersion
	s.Started = h.started
	if h.labels != nil {
		s.Recorded = *h.labels
	}
}
