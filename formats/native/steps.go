package native

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// maxPending is how many steps may wait for a result that is written late.
const maxPending = 64

// steps decodes one session. A step is complete when the next one begins and
// all its calls have results; results that come later than maxPending steps
// are orphans.
func steps(f *formats.File, o formats.Options, s *transcript.Session, ranges []formats.Range) func() iter.Seq2[*transcript.Step, error] {
	return func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			d := &decoder{file: f, session: s, yield: yield}
			s.Notes, s.End = nil, ""
			for line, err := range formats.Lines(f, o.Cap(), ranges...) {
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

func (d *decoder) line(line formats.Line) bool {
	if line.Long {
		d.session.Note(line.Num, formats.NoteLongRecord)
		return d.syntax(line.Num, "the record is over the size limit; --max-record raises it")
	}
	err := formats.Values(line.Data, func(dec *jsontext.Decoder) error {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return d.record(raw, line.Num)
	})
	switch {
	case d.stopped:
		return false
	case err == nil:
		return true
	case line.Last && errors.Is(err, formats.ErrCut):
		d.session.Note(line.Num, formats.NoteCutLine)
		d.session.End = transcript.EndTruncated
		return true
	}
	return d.syntax(line.Num, "%v", err)
}

// kind finds "t", which writers put first.
func kind(raw jsontext.Value) (string, error) {
	if rest, ok := bytes.CutPrefix(raw, []byte(`{"t":"`)); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0 {
			return string(rest[:i]), nil
		}
	}
	var h struct {
		T   string  `json:"t"`
		SID *string `json:"sid"`
	}
	if err := json.Unmarshal(raw, &h, lenient); err != nil {
		return "", err
	}
	if h.SID == nil {
		return "", errNoSID
	}
	return h.T, nil
}

func (d *decoder) record(raw jsontext.Value, line int) error {
	t, err := kind(raw)
	if err != nil {
		return err
	}
	switch t {
	case "session":
		var h head
		if err := json.Unmarshal(raw, &h, lenient); err != nil {
			return err
		}
		if h.V > version {
			return fmt.Errorf("transcript version %d: this build reads version %d", h.V, version)
		}
	case "step":
		var l stepLine
		if err := json.Unmarshal(raw, &l, lenient); err != nil {
			return err
		}
		return d.step(&l, line)
	case "attempt":
		var l attemptLine
		if err := json.Unmarshal(raw, &l, lenient); err != nil {
			return err
		}
		d.attempt(&l, line)
	case "delta":
		var l deltaLine
		if err := json.Unmarshal(raw, &l, lenient); err != nil {
			return err
		}
		return d.delta(l)
	case "result":
		var l struct {
			ID string `json:"id"`
			resultLine
		}
		if err := json.Unmarshal(raw, &l, lenient); err != nil {
			return err
		}
		d.late(l.ID, &l.resultLine, line)
	case "end":
		var l endLine
		if err := json.Unmarshal(raw, &l, lenient); err != nil {
			return err
		}
		d.session.Ended = l.EndedAt.Time
		if l.End != "unknown" {
			d.session.End = transcript.End(l.End)
		}
	}
	return nil
}

func (d *decoder) step(l *stepLine, line int) error {
	k, ok := kindWords[l.Kind]
	if !ok {
		return fmt.Errorf("step of kind %q: expected assistant, user, system, compaction or note", l.Kind)
	}
	p := &pending{i: l.I, last: -1, step: &transcript.Step{
		Kind: k, Lane: l.Lane, ID: l.Mid, Model: l.Model, FinishRaw: l.FinishRaw,
		Time: l.TS.Time, Ended: l.TSEnd.Time, Line: line,
	}}
	s := p.step
	if l.Finish != "unknown" {
		s.Finish = transcript.Finish(l.Finish)
	}
	for _, word := range l.Flags {
		for _, f := range flagWords {
			if f.word == word {
				s.Flags |= f.flag
			}
		}
	}
	if k == transcript.Prompt && s.Has(transcript.Synthetic) {
		s.Kind = transcript.Injection
	}
	if u := l.Usage; u != nil {
		s.Usage = transcript.Usage{Known: true, Input: u.In, Output: u.Out, Reasoning: u.Rsn, CacheRead: u.CR, CacheWrite: u.CW, Cost: u.Cost}
	}
	for i := range l.Calls {
		call, waits := d.call(&l.Calls[i], line)
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
	if len(d.attempts) > 0 && s.Lane == d.lane && (s.Kind == transcript.Prompt || k == transcript.Response && l.I != d.number) {
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
	for _, delta := range d.takeEarly(l.I) {
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
	if l.Parts == nil {
		if l.Reasoning != nil {
			list = append(list, transcript.Part{Kind: transcript.Thinking, Text: string(*l.Reasoning)})
		}
		if l.Text != nil {
			list = append(list, transcript.Part{Kind: transcript.Text, Text: string(*l.Text)})
		}
		return list, nil
	}
	for _, p := range l.Parts {
		k, ok := channel(p.Ch)
		if !ok {
			return nil, fmt.Errorf("part of channel %q: expected text, reasoning or args", p.Ch)
		}
		if k == transcript.ToolInput && (p.Call < 0 || p.Call >= calls) {
			return nil, fmt.Errorf("part belongs to call %d of %d", p.Call, calls)
		}
		list = append(list, transcript.Part{Kind: k, Text: string(p.Text), Call: p.Call})
	}
	return list, nil
}

func (d *decoder) call(l *callLine, line int) (c transcript.Call, waits bool) {
	c = transcript.Call{ID: l.ID, Tool: l.Name, Args: string(l.Args), Provider: l.Provider, State: l.State,
		Interrupted: l.Stopped, Time: l.TS.Time, Line: line}
	if l.ArgsRaw != nil {
		c.Args, c.ArgsInvalid = string(*l.ArgsRaw), true
	}
	if g := l.Signals; g != nil {
		c.Signals = &transcript.Signals{ResultSig: string(g.ResultSig), OutcomeSig: string(g.OutcomeSig),
			ReadOnly: g.ReadOnly, TrustsProgress: g.TrustsProgress, NonActionable: g.NonActionable}
	}
	l.resultLine.fill(&c, line)
	return c, c.Result.Status == transcript.ResultMissing && !l.Missing
}

// fill gives a call its result.
func (l *resultLine) fill(c *transcript.Call, line int) {
	c.Took = millis(l.DurMS)
	if l.Missing || l.Result == nil && l.IsError == nil && l.ErrorText == "" {
		return
	}
	r := &c.Result
	r.Line, r.Time, r.ErrorText, r.ExitCode, r.Truncated = line, l.ResultTS.Time, string(l.ErrorText), l.ExitCode, l.Truncated
	if l.Result != nil {
		r.Text = string(*l.Result)
	}
	for _, m := range l.Media {
		r.Media = append(r.Media, transcript.Media(m))
	}
	switch {
	case c.State == "denied":
		r.Status = transcript.ResultDenied
	case l.IsError == nil:
		r.Status = transcript.ResultUnflagged
	case *l.IsError:
		r.Status = transcript.ResultError
	default:
		r.Status = transcript.ResultOK
	}
}

// late joins a result line to the newest step that waits for it.
func (d *decoder) late(id string, l *resultLine, line int) {
	for i := len(d.pending) - 1; i >= 0; i-- {
		p := d.pending[i]
		for j := range p.step.Calls {
			c := &p.step.Calls[j]
			if c.ID == id && c.Result.Status == transcript.ResultMissing {
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
