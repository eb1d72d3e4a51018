package native

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// maxPending is how many steps may wait for a result that is written late.
const maxPending = 64

// steps decodes one session. A step is complete when the next one begins and
// all its calls have results; results that come later than maxPending steps
// are orphans.
func steps(
	f *formats.File, o formats.Options, s *transcript.Session, ranges []record.Range,
) func() iter.Seq2[*transcript.Step, error] {
	return func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			d := &decoder{file: f, session: s, yield: yield}
			s.Notes, s.End = nil, ""
			for line, err := range f.Lines(o.Cap(), ranges...) {
				if err != nil {
					d.fail(err)
					return
				}
				if !d.line(line) {
					return
				}
			}
			d.finish()
		}
	}
}

type decoder struct {
	in      record.Reader
	file    *formats.File
	session *transcript.Session
	yield   func(*transcript.Step, error) bool
	stopped bool

	pending  []*pending
	attempts []transcript.Attempt // of the step to come
	lane     string               // of those attempts
	number   int                  // the step they were made for
	early    []deltaLine          // of a step to come
}

// pending is a step that has been read but not yielded.
type pending struct {
	step *transcript.Step
	i    int
	open int // calls that wait for a result
	last int // index of the part that the last delta belongs to; -1 if none
}

func (d *decoder) fail(err error) bool {
	d.stopped = d.stopped || !d.yield(nil, err)
	return !d.stopped
}

func (d *decoder) syntax(line int, format string, args ...any) bool {
	return d.fail(&formats.SyntaxError{File: d.file.Name, Line: line, Msg: fmt.Sprintf(format, args...)})
}

func (d *decoder) line(line record.Line) bool {
	if line.Long {
		d.session.Note(line.Num, formats.NoteLongRecord)
		return d.syntax(line.Num, "the record is over the size limit; --max-record raises it")
	}
	for d.in.Reset(line.Data); d.in.Next(); {
		if err := d.record(line.Num); err != nil {
			return d.bad(line, err)
		}
		if d.stopped {
			return false
		}
	}
	if err := d.in.Err(); err != nil {
		return d.bad(line, err)
	}
	return true
}

// bad reports a line, or takes note that the file was cut off in it.
func (d *decoder) bad(line record.Line, err error) bool {
	if line.Last && errors.Is(err, record.ErrCut) {
		d.session.Note(line.Num, formats.NoteCutLine)
		d.session.End = transcript.EndTruncated
		return true
	}
	return d.syntax(line.Num, "%v", err)
}

// kind finds "t", which writers put first.
func (d *decoder) kind() (string, error) {
	if rest, ok := bytes.CutPrefix(d.in.Ahead(), []byte(`{"t":"`)); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0 {
			return string(rest[:i]), nil
		}
	}
	var n named
	err := namedShape.Parse(d.in.Ahead(), &n)
	if bad := (*record.KindError)(nil); err != nil && !errors.As(err, &bad) {
		return "", d.in.Skip() // which says where in the line
	}
	if err == nil && !n.sid {
		err = errNoSID
	}
	return n.t, err
}

// A named is a line whose kind does not stand first.
type named struct {
	t   string
	sid bool
}

var namedShape = record.NewShape(
	record.Word("t", func(n *named) *string { return &n.t }),
	record.Func("sid", func(n *named, _ record.Value) { n.sid = true }).Only('"'),
).Strict()

func (d *decoder) record(line int) error {
	t, err := d.kind()
	if err != nil {
		return err
	}
	switch t {
	case "session":
		var h head
		err = headShape.Read(&d.in, &h)
		if err == nil && h.version > version {
			return fmt.Errorf("transcript version %d: this build reads version %d", h.version, version)
		}
	case "step":
		var l stepLine
		if err = stepShape.Read(&d.in, &l); err == nil {
			return d.step(&l, line)
		}
	case "attempt":
		var l attemptLine
		if err = attemptShape.Read(&d.in, &l); err == nil {
			d.attempt(&l, line)
		}
	case "delta":
		var l deltaLine
		if err = deltaShape.Read(&d.in, &l); err == nil {
			return d.delta(l)
		}
	case "result":
		var l resultLine
		if err = resultShape.Read(&d.in, &l); err == nil {
			d.late(&l, line)
		}
	case "end":
		var l endLine
		if err = endShape.Read(&d.in, &l); err == nil {
			d.session.Ended = l.ended
			if l.end != "unknown" {
				d.session.End = transcript.End(l.end)
			}
		}
	default:
		err = d.in.Skip()
	}
	return err
}

func (d *decoder) step(l *stepLine, line int) error {
	k, ok := kindWords[l.kind]
	if !ok {
		return fmt.Errorf("step of kind %q: expected assistant, user, system, compaction or note", l.kind)
	}
	p := &pending{i: l.i, last: -1, step: &transcript.Step{
		Kind: k, Lane: l.lane, ID: l.id, Model: l.model, FinishRaw: l.finishRaw,
		Time: l.time, Ended: l.ended, Line: line,
	}}
	s := p.step
	if l.finish != "unknown" {
		s.Finish = transcript.Finish(l.finish)
	}
	s.Flags = FlagsOf(l.flags)
	if k == transcript.Prompt && s.Has(transcript.Synthetic) {
		s.Kind = transcript.Injection
	}
	if l.usage != nil {
		s.Usage = *l.usage
	}
	for i := range l.calls {
		call, waits := d.call(&l.calls[i], line)
		if waits {
			p.open++
		}
		s.Calls = append(s.Calls, call)
	}
	list, err := parts(l, len(s.Calls))
	if err != nil {
		return err
	}
	s.Parts = list
	past := s.Kind == transcript.Prompt || k == transcript.Response && l.i != d.number
	if past && len(d.attempts) > 0 && s.Lane == d.lane {
		d.giveUp()
	}
	if k == transcript.Response && s.Lane == d.lane {
		s.Attempts, d.attempts = d.attempts, nil
	}
	if k != transcript.Response {
		p.open = 0
	}
	if s.Kind == transcript.Prompt {
		d.flush(0)
	}
	d.pending = append(d.pending, p)
	for _, delta := range d.takeEarly(l.i) {
		if err := p.add(delta); err != nil {
			return err
		}
	}
	d.flush(1)
	return nil
}

// parts puts reasoning before text, unless the line gives an order.
func parts(l *stepLine, calls int) ([]transcript.Part, error) {
	var list []transcript.Part
	if l.parts == nil {
		if l.reasoning != nil {
			list = append(list, transcript.Part{Kind: transcript.Thinking, Text: l.reasoning.Text()})
		}
		if l.text != nil {
			list = append(list, transcript.Part{Kind: transcript.Text, Text: l.text.Text()})
		}
		return list, nil
	}
	for _, p := range l.parts {
		k, ok := KindOf(p.channel)
		if !ok {
			return nil, fmt.Errorf("part of channel %q: expected text, reasoning or args", p.channel)
		}
		if k == transcript.ToolInput && (p.call < 0 || p.call >= calls) {
			return nil, fmt.Errorf("part belongs to call %d of %d", p.call, calls)
		}
		list = append(list, transcript.Part{Kind: k, Text: p.text, Call: p.call})
	}
	return list, nil
}

func (d *decoder) call(l *callLine, line int) (c transcript.Call, waits bool) {
	c = transcript.Call{ID: l.id, Tool: l.name, Args: string(l.args), Provider: l.provider, State: l.state,
		Interrupted: l.interrupted, Signals: l.signals, Time: l.time, Line: line}
	if l.raw != nil {
		c.Args, c.ArgsInvalid = l.raw.Text(), true
	}
	l.resultLine.fill(&c, line)
	return c, c.Result.Status == transcript.ResultMissing && !l.missing
}

// fill gives a call its result.
func (l *resultLine) fill(c *transcript.Call, line int) {
	c.Took = l.took
	if l.missing || l.text == nil && l.failed == nil && l.errorText == "" {
		return
	}
	c.Result = transcript.Result{Text: l.text.Text(), ErrorText: l.errorText, ExitCode: l.exit, Truncated: l.truncated,
		Media: l.media, Time: l.arrived, Line: line}
	switch r := &c.Result; {
	case c.State == "denied":
		r.Status = transcript.ResultDenied
	case c.State == "cancelled":
		r.Status = transcript.ResultCancelled
	case l.failed == nil:
		r.Status = transcript.ResultUnflagged
	case *l.failed:
		r.Status = transcript.ResultError
	default:
		r.Status = transcript.ResultOK
	}
}

// late joins a result line to the newest step that waits for it.
func (d *decoder) late(l *resultLine, line int) {
	for i := len(d.pending) - 1; i >= 0; i-- {
		p := d.pending[i]
		for j := range p.step.Calls {
			c := &p.step.Calls[j]
			if c.ID == l.id && c.Result.Status == transcript.ResultMissing {
				l.fill(c, line)
				p.open--
				d.flush(1)
				return
			}
		}
	}
	d.session.Note(line, formats.NoteOrphanResult)
}

// flush yields the steps that are complete, in order, and all but keep of them
// if keep is 0 or too many wait.
func (d *decoder) flush(keep int) {
	for len(d.pending) > keep && !d.stopped {
		p := d.pending[0]
		if p.open > 0 && keep > 0 && len(d.pending) <= maxPending {
			return
		}
		d.pending = d.pending[1:]
		p.settle(d.session)
		d.stopped = !d.yield(p.step, nil)
	}
}

// settle counts what a step lacks and drops deltas that do not add up to its text.
func (p *pending) settle(s *transcript.Session) {
	for i := range p.step.Calls {
		if p.step.Calls[i].Result.Status == transcript.ResultMissing {
			s.Note(p.step.Line, formats.NoteMissingResult)
		}
	}
	for i := range p.step.Parts {
		part := &p.step.Parts[i]
		if n := len(part.Cuts); n > 0 && part.Cuts[n-1].End != len(part.Text) {
			part.Cuts = nil
			s.Note(p.step.Line, noteDeltas)
		}
	}
}

const noteDeltas = "deltas that do not add up to the text of their step were dropped"

func (d *decoder) finish() {
	if d.stopped {
		return
	}
	d.flush(0)
	d.giveUp()
}
