package claudecode

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
	"unicode/utf8"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// synthetic is the model that the client names when it speaks itself.
const synthetic = "<synthetic>"

// unnamed is the lane of sub-agents that nothing tells apart.
const unnamed = "sidechain"

// A reader turns the records of one session into steps.
type reader struct {
	*session
	in      record.Reader
	header  *transcript.Session
	yield   func(*transcript.Step, error) bool
	stopped bool
	current string // sessionId of the records around

	names    []string         // of lanes, by index; the main lane is 0
	lanes    map[string]int32 // by name
	records  map[uint64]int32 // lane of each record, by the key of its uuid
	messages map[uint64]owner // by the key of the message id
	active   []*lane          // those that wait, the last used last

	final transcript.End // what the last record of the main lane amounts to
	ended time.Time
}

// An owner is where a message was first met.
type owner struct {
	lane   int32
	nested bool
}

// steps decodes the session. It may be called again and starts anew.
func (s *session) steps() iter.Seq2[*transcript.Step, error] {
	return func(yield func(*transcript.Step, error) bool) {
		r := &reader{
			session: s, header: s.unit.Session, yield: yield, current: s.id,
			names:    []string{""},
			lanes:    map[string]int32{"": 0},
			records:  make(map[uint64]int32),
			messages: make(map[uint64]owner),
		}
		if s.self != "" {
			r.lanes[s.self] = 0 // in its own file a sub-agent is the main agent
		}
		r.header.Notes, r.header.End, r.header.Ended = nil, transcript.EndUnknown, time.Time{}
		for line, err := range s.src.records(s.part) {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.line(line); r.stopped {
				return
			}
		}
		slices.SortFunc(r.active, func(a, b *lane) int { return cmp.Compare(a.index, b.index) })
		for _, l := range r.active {
			r.end(l)
		}
		if r.header.End == transcript.EndUnknown {
			r.header.End = r.final
		}
		r.header.Ended = r.ended
	}
}

func (r *reader) emit(s *transcript.Step) {
	if !r.stopped && !r.yield(s, nil) {
		r.stopped = true
	}
}

// broken reports a record that could not be understood, to the session it is
// in the middle of.
func (r *reader) broken(line int, format string, args ...any) {
	if r.current != r.id || r.stopped {
		return
	}
	err := &formats.SyntaxError{File: r.src.file.Name, Line: line, Msg: fmt.Sprintf(format, args...)}
	r.stopped = !r.yield(nil, err)
}

func (r *reader) line(line record.Line) {
	if line.Long {
		if r.current == r.id {
			r.header.Note(line.Num, formats.NoteLongRecord)
		}
		r.broken(line.Num, "record of %d bytes is over the limit of %d; raise it with --max-record",
			line.End-line.Off, r.src.limit)
		return
	}
	for r.in.Reset(line.Data); r.in.Next(); {
		if k := r.in.Kind(); k != '{' {
			if r.in.Skip() == nil {
				r.broken(line.Num, "expected a record, which is an object; found %s", k)
			}
			continue
		}
		rec := &event{}
		if rec.read(&r.in) != nil {
			break
		}
		rec.line = line.Num
		if r.record(rec); r.stopped {
			return
		}
	}
	switch err := r.in.Err(); {
	case err == nil || r.stopped:
	case line.Last && errors.Is(err, record.ErrCut):
		if r.current == r.id {
			r.header.Note(line.Num, formats.NoteCutLine)
			r.header.End = transcript.EndTruncated
		}
	default:
		r.broken(line.Num, "expected a record of Claude Code: %v", err)
	}
}

func (r *reader) record(rec *event) {
	if speaks(rec.kind) && rec.session != "" {
		r.current = rec.session
	}
	if r.current != r.id {
		return
	}
	if !rec.time.IsZero() {
		r.ended = rec.time
	}
	index, fresh := r.place(rec)
	if !fresh {
		return
	}
	switch rec.kind {
	case "assistant":
		r.assistant(rec, index)
	case "user":
		r.user(rec, index)
	case "system":
		r.system(rec, index)
	case "progress":
		r.progress(rec)
	}
}

// place finds the lane of a record, and whether the record is new.
func (r *reader) place(rec *event) (index int32, fresh bool) {
	var key uint64
	if rec.uuid != "" {
		key = formats.MessageKey(rec.uuid)
		if _, seen := r.records[key]; seen {
			r.header.Note(rec.line, formats.NoteDuplicate)
			return 0, false
		}
	}
	switch {
	case rec.kind == "progress":
		// data.agentId names the lane of what is inside. The record itself
		// belongs to the thread that it hangs from.
		if rec.sidechain && rec.parent != "" {
			index = r.records[formats.MessageKey(rec.parent)]
		}
	case rec.agent != "":
		index = r.index(rec.agent)
	case rec.sidechain:
		if rec.parent != "" {
			index = r.records[formats.MessageKey(rec.parent)]
		}
		if index == 0 {
			index = r.index(cmp.Or(rec.uuid, unnamed))
		}
	}
	if key != 0 {
		r.records[key] = index
	}
	return index, true
}

// index numbers the lanes by name.
func (r *reader) index(name string) int32 {
	if i, ok := r.lanes[name]; ok {
		return i
	}
	i := int32(len(r.names))
	r.names = append(r.names, name)
	r.lanes[name] = i
	return i
}

// progress unwraps what a sub-agent did. Other progress is a display's business.
func (r *reader) progress(rec *event) {
	inner := rec.inner
	if rec.progress != "agent_progress" || inner == nil {
		return
	}
	inner.line = rec.line
	if inner.agent == "" {
		inner.agent = rec.agent
	}
	if inner.agent == "" {
		inner.agent = cmp.Or(rec.toolUse, unnamed)
	}
	if inner.time.IsZero() {
		inner.time = rec.time
	}
	index, fresh := r.place(inner)
	if !fresh {
		return
	}
	switch inner.kind {
	case "assistant":
		r.assistant(inner, index)
	case "user":
		r.user(inner, index)
	}
}

func (r *reader) system(rec *event, index int32) {
	l := r.lane(index)
	switch rec.subtype {
	case "api_error":
		l.attempts = append(l.attempts, newAttempt(rec))
	case "compact_boundary":
		// What came before has left the context, so no more of it is to come.
		r.leaveAll(l)
		step := &transcript.Step{Kind: transcript.Compaction, Lane: l.name,
			Flags: sidechain(l, rec), Time: rec.time, Line: rec.line}
		if rec.content != "" {
			step.Parts = []transcript.Part{{Text: rec.content}}
		}
		r.emit(step)
	}
}

func sidechain(l *lane, rec *event) transcript.Flags {
	if l.name != "" || rec.sidechain || rec.nested {
		return transcript.Sidechain
	}
	return 0
}

// checked counts a text that is kept although it is no valid UTF-8.
func (r *reader) checked(line int, s string) string {
	if !utf8.ValidString(s) {
		r.header.Note(line, formats.NoteBadText)
	}
	return s
}
