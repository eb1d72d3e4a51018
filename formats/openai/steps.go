package openai

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A place is where a session lies in its file.
type place struct {
	file     *formats.File
	off, end int64
	line     int
	limit    int64
	cut      bool // the file ends inside the session
	request  bool // a LiteLLM request log
}

// steps decodes a session from the beginning.
func (p place) steps(session *transcript.Session) iter.Seq2[*transcript.Step, error] {
	return func(yield func(*transcript.Step, error) bool) {
		session.Notes, session.End = nil, transcript.EndUnknown
		r, err := p.file.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		d := &decoder{
			place:   p,
			in:      open(r, record.Range{Off: p.off, End: p.end, Line: p.line}, p.limit),
			session: session,
			yield:   yield,
		}
		err = d.run()
		if p.cut && err == record.ErrCut {
			session.Note(0, formats.NoteCutLine)
			session.End = transcript.EndTruncated
			err = nil
		}
		d.flush()
		if err != nil && !d.stopped {
			yield(nil, d.fault(d.in.End().Line, explain(err, p.limit)))
		}
	}
}

// A decoder turns the messages of one session into steps. A response waits in
// it until all its calls have results, or the next message of the model or a
// person shows that there are none to come.
type decoder struct {
	place
	in      *record.Reader
	session *transcript.Session
	yield   func(*transcript.Step, error) bool
	stopped bool // the consumer has had enough

	open  *transcript.Step   // a response that waits for results
	after []*transcript.Step // what came while it waited
	chain [sha256.Size]byte  // of the messages so far, in a request log
}

// errStopped ends the reading when the consumer has had enough.
var errStopped = errors.New("stopped")

func (d *decoder) fault(line int, msg string) error {
	return &formats.SyntaxError{File: d.file.Name, Line: line, Msg: msg}
}

// open reads a stretch of a file that begins on a line.
func open(file io.ReaderAt, part record.Range, limit int64) *record.Reader {
	src := io.NewSectionReader(file, part.Off, part.End-part.Off)
	size := int(min(part.End-part.Off, 64<<10))
	return record.Open(bufio.NewReaderSize(src, size), record.Place{Off: part.Off, Line: part.Line}, limit)
}

// explain says what is wrong with the JSON of a session.
func explain(err error, limit int64) string {
	var syntax *record.SyntaxError
	switch {
	case errors.Is(err, record.ErrLong):
		return fmt.Sprintf("a message or text of more than %d bytes; raise the limit with --max-record", limit)
	case errors.As(err, &syntax):
		return "not valid JSON: " + syntax.Reason + "; expected an object with messages, or an array of messages"
	}
	return err.Error()
}

// run reads the value that the session is.
func (d *decoder) run() error {
	if d.in.Kind() == '[' {
		return d.messages()
	}
	log := &log{decoder: d}
	err := logShape.Walk(d.in, log)
	// The cost may stand after the response.
	if answer := log.answer; answer != nil && !d.stopped {
		if log.cost > 0 {
			answer.usage.Cost, answer.usage.Known = log.cost, true
		}
		d.message(answer, log.line)
	}
	return err
}

// A log is an object with messages, as it passes.
type log struct {
	*decoder
	cost   float64 // of the request, in a request log
	answer *message
	line   int // of the answer
}

var logShape = record.NewShape(
	record.Visit("messages", func(l *log, _ *record.Reader) error { return l.messages() }).Only('['),
	record.Visit("response", (*log).response).Only('{'),
	record.Number("cost", func(l *log) *float64 { return &l.cost }),
)

func (l *log) response(r *record.Reader) error {
	if !l.request {
		return nil
	}
	l.line = r.Place().Line
	v, err := r.Value()
	if err != nil {
		return err
	}
	var more bool
	if l.answer, more = readResponse(v); more {
		l.session.Note(l.line, noteChoices)
	}
	return nil
}

// messages reads an array of messages. One that is too long or no object is
// reported, and the next one is read.
func (d *decoder) messages() error {
	for range d.in.Elements() {
		kind, line := d.in.Kind(), d.in.Place().Line
		switch v, err := d.in.Value(); {
		case errors.Is(err, record.ErrLong):
			d.session.Note(line, formats.NoteLongRecord)
			d.report(d.fault(line, explain(err, d.limit)))
		case err != nil:
			return err
		case kind != '{':
			d.report(d.fault(line, "expected a message, found "+kind.String()))
		default:
			d.message(readMessage(v), line)
		}
		if d.stopped {
			return errStopped
		}
	}
	return d.in.Err()
}

// message turns one message into a step, or into the result of a call.
func (d *decoder) message(m *message, line int) {
	d.link(m)
	kept := 0
	if m.role == "tool" || m.role == "function" {
		kept = len(m.media)
	}
	if m.parts > kept {
		d.session.Note(line, noteParts)
	}
	if m.badText > 0 {
		d.session.Note(line, formats.NoteBadText)
	}
	switch m.role {
	case "assistant":
		d.flush()
		s := m.response(line)
		if d.request {
			s.ID = "prefix:" + hex.EncodeToString(d.chain[:8])
		}
		if d.session.Model == "" {
			d.session.Model = s.Model
		}
		if len(s.Calls) == 0 {
			d.put(s)
			return
		}
		d.open = s
	case "user":
		d.flush()
		d.put(m.step(transcript.Prompt, line))
	case "system", "developer":
		s := m.step(transcript.System, line)
		if d.open != nil {
			d.after = append(d.after, s) // a reminder between results
			return
		}
		d.put(s)
	case "tool", "function":
		d.result(m, line)
	default:
		d.session.Note(line, noteRole)
	}
}

// result gives a message to the call it belongs to.
func (d *decoder) result(m *message, line int) {
	c := d.match(m)
	if c == nil {
		d.session.Note(line, formats.NoteOrphanResult)
		return
	}
	c.Result = transcript.Result{
		Status: transcript.ResultUnflagged, Text: m.text, Media: m.media, Time: m.time, Line: line,
	}
	if m.failed != nil {
		c.Result.Status = transcript.ResultOK
		if *m.failed {
			c.Result.Status = transcript.ResultError
		}
	}
	for i := range d.open.Calls {
		if d.open.Calls[i].Result.Status == transcript.ResultMissing {
			return
		}
	}
	d.flush()
}

// match finds the call of the waiting response that a result belongs to: the
// oldest one without a result that has its id. Without an id on either side it
// is the oldest of the tool's name, and without a name the oldest of all. Ids
// come again in later responses, so no earlier response is searched.
func (d *decoder) match(m *message) *transcript.Call {
	if d.open == nil {
		return nil
	}
	for i := range d.open.Calls {
		c := &d.open.Calls[i]
		switch {
		case c.Result.Status != transcript.ResultMissing:
		case m.callID != "" && c.ID != "":
			if m.callID == c.ID {
				return c
			}
		case m.name == "" || m.name == c.Tool:
			return c
		}
	}
	return nil
}

// flush ends the wait for results.
func (d *decoder) flush() {
	if s := d.open; s != nil {
		d.open = nil
		for i := range s.Calls {
			if s.Calls[i].Result.Status == transcript.ResultMissing {
				d.session.Note(s.Calls[i].Line, formats.NoteMissingResult)
			}
		}
		d.put(s)
	}
	for _, s := range d.after {
		d.put(s)
	}
	d.after = nil
}

func (d *decoder) put(s *transcript.Step) {
	d.stopped = d.stopped || !d.yield(s, nil)
}

func (d *decoder) report(err error) {
	d.stopped = d.stopped || !d.yield(nil, err)
}
