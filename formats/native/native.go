// Package native reads and writes the canonical JSONL, transcript/1: one object
// a line, with "t" saying what it is. It is the form in which other tools hand
// sessions over, and the only one that can carry what an instrumented agent
// knew about a call (signals).
package native

import (
	"errors"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// Format is the canonical JSONL.
var Format = &formats.Format{
	Name:  "transcript",
	Doc:   "canonical JSONL, transcript/1\n\nLines of session, step, attempt, delta, result and end; signals of instrumented agents.",
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
	T             string    `json:"t"`
	V             int       `json:"v"`
	SID           *string   `json:"sid"`
	Mid           string    `json:"mid"`
	Kind          string    `json:"kind"`
	Parent        string    `json:"parent"`
	FormatVersion string    `json:"format_version"`
	Agent         string    `json:"agent"`
	AgentVersion  string    `json:"agent_version"`
	Model         string    `json:"model"`
	StartedAt     timestamp `json:"started_at"`
	Labels        *labels   `json:"labels"`
}

type labels struct {
	TaskSet    string         `json:"task_set"`
	TaskID     string         `json:"task_id"`
	Trial      jsontext.Value `json:"trial"`
	Reward     *float64       `json:"reward"`
	Success    *bool          `json:"success"`
	ExitStatus string         `json:"exit_status"`
}

// lenient decodes as writers in the field write.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// A timestamp is an RFC 3339 time; anything else is the zero time, because a
// clock that cannot be read is no reason to lose a session.
type timestamp struct{ time.Time }

func (t *timestamp) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() != '"' {
		return err
	}
	t.Time, _ = time.Parse(time.RFC3339, formats.Unquote(raw))
	return nil
}

// find reads the file once and tells its sessions apart by sid. Lines of one
// session need not be contiguous. A line that cannot be read belongs to the
// session of the line before it.
func find(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		var order []*found
		bySID := make(map[string]*found)
		var last *found
		var early []error // unreadable lines before the first session
		for line, err := range formats.Lines(f, o.Cap()) {
			if err != nil {
				yield(nil, err)
				return
			}
			var h head
			bad := readHead(line, &h)
			if bad != nil && h.SID == nil {
				if last == nil {
					if len(early) < maxEarly {
						early = append(early, &formats.SyntaxError{File: f.Name, Line: line.Num, Msg: bad.Error()})
					}
					continue
				}
			} else if s := bySID[*h.SID]; s != nil {
				last = s
			} else {
				last = &found{unit: &formats.Unit{Session: &transcript.Session{ID: *h.SID}}}
				bySID[*h.SID] = last
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
	ranges []formats.Range
}

var errNoSID = errors.New(`no "sid": every line of transcript/1 names its session`)

// readHead decodes the first value of a line.
func readHead(line formats.Line, h *head) error {
	if line.Long {
		return errors.New("the record is over the size limit; --max-record raises it")
	}
	first := true
	err := formats.Values(line.Data, func(dec *jsontext.Decoder) error {
		if !first {
			return dec.SkipValue()
		}
		first = false
		return json.UnmarshalDecode(dec, h, lenient)
	})
	if err == nil && h.SID == nil {
		err = errNoSID
	}
	return err
}

// take adds a line to the session.
func (s *found) take(line formats.Line, h *head) {
	u := s.unit
	u.Size += line.End - line.Off
	u.Records++
	if n := len(s.ranges); n > 0 && s.ranges[n-1].End == line.Off {
		s.ranges[n-1].End = line.End
	} else {
		s.ranges = append(s.ranges, formats.Range{Off: line.Off, End: line.End, Line: line.Num})
	}
	switch h.T {
	case "session":
		h.fill(u.Session)
	case "step":
		if h.Mid != "" && h.Kind == "assistant" {
			u.Messages = append(u.Messages, formats.MessageKey(h.Mid))
		}
	}
}

func (h *head) fill(s *transcript.Session) {
	s.Parent, s.Agent, s.AgentVersion, s.Model = h.Parent, h.Agent, h.AgentVersion, h.Model
	s.Origin.FormatVersion = h.FormatVersion
	s.Started = h.StartedAt.Time
	if l := h.Labels; l != nil {
		s.Recorded = transcript.Recorded{Task: l.TaskID, TaskSet: l.TaskSet, Reward: l.Reward, Success: l.Success, ExitStatus: l.ExitStatus}
		switch l.Trial.Kind() { // a name, or a number as it is written
		case '"':
			s.Recorded.Trial = formats.Unquote(l.Trial)
		case '0':
			s.Recorded.Trial = string(l.Trial)
		}
	}
}
