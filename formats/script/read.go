package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A reader decodes one session. Its methods report whether to go on.
type reader struct {
	file    string
	session *transcript.Session
	yield   func(*transcript.Step, error) bool

	lane    string
	scratch transcript.Session // for checking the head again
	body    bool               // the head is over
	ended   int                // line of the end statement
	open    *block             // the step that indented lines belong to
}

func steps(
	f *formats.File, o formats.Options, s *transcript.Session, part record.Range,
) iter.Seq2[*transcript.Step, error] {
	return func(yield func(*transcript.Step, error) bool) {
		s.Notes, s.End = nil, transcript.EndUnknown
		r := &reader{file: f.Name, session: s, yield: yield}
		for line, err := range f.Lines(o.Cap(), part) {
			if err != nil {
				yield(nil, err)
				return
			}
			if line.Long {
				s.Note(line.Num, formats.NoteLongRecord)
				continue
			}
			data := source(line)
			if st, ok := open(data, line.Num); ok && !r.statement(st, data) {
				return
			}
		}
		r.closeStep()
	}
}

func (r *reader) fail(line int, err error) bool {
	return r.yield(nil, &formats.SyntaxError{File: r.file, Line: line, Msg: err.Error()})
}

// emit yields a step.
func (r *reader) emit(s *transcript.Step, badText bool) bool {
	s.Lane = r.lane
	if s.Kind == transcript.Response && s.Model == "" {
		s.Model = r.session.Model
	}
	if badText {
		r.session.Note(s.Line, formats.NoteBadText)
	}
	for i := range s.Calls {
		if s.Calls[i].Result.Status == transcript.ResultMissing {
			r.session.Note(s.Calls[i].Line, formats.NoteMissingResult)
		}
	}
	return r.yield(s, nil)
}

func (r *reader) statement(st *statement, data []byte) bool {
	switch {
	case r.ended > 0:
		return r.fail(st.line, fmt.Errorf("the session ended in line %d: expected a session statement", r.ended))
	case st.indented && r.open != nil:
		r.open.lines = append(r.open.lines, indented{data: bytes.Clone(data), line: st.line})
		return true
	case st.indented:
		return r.fail(st.line, errors.New("an indented line belongs to the step above it, and there is none"))
	}
	if !r.closeStep() {
		return false
	}
	if isHead(st.word) {
		err := errors.New(st.word + " belongs to the head of a session, before anything else")
		if !r.body {
			err = head(&r.scratch, st)
		}
		return err == nil || r.fail(st.line, err)
	}
	r.body = true
	switch st.word {
	case "call":
		return r.calls(data, st.line)
	case "step":
		// A step line with a mistake still holds what is below it.
		times, err := st.times()
		r.open = &block{line: st.line, times: times}
		err = cmp.Or(err, st.end())
		return err == nil || r.fail(st.line, err)
	}
	step, err := r.simple(st)
	switch {
	case err != nil:
		return r.fail(st.line, err)
	case step == nil:
		return true
	}
	return r.emit(step, st.badText)
}

// simple reads a statement that makes one step, or none.
func (r *reader) simple(st *statement) (step *transcript.Step, err error) {
	step = &transcript.Step{Line: st.line}
	switch st.word {
	case "user":
		step.Kind = transcript.Prompt
	case "inject":
		step.Kind, step.Flags = transcript.Injection, transcript.Synthetic
	case "system":
		step.Kind = transcript.System
	case "compact":
		step.Kind = transcript.Compaction
		if !st.more() {
			return step, nil
		}
	case "say":
		step.Finish = transcript.FinishStop
	case "lane":
		return nil, r.enter(st)
	case "end":
		return nil, r.end(st)
	default:
		return nil, misplaced(st)
	}
	text, err := st.text()
	if text != "" || step.Kind == transcript.Response {
		step.Parts = []transcript.Part{{Kind: transcript.Text, Text: text}}
	}
	return step, err
}

// mainLane is the word for the main agent, whose lane has no name. In quotes it
// is a name like any other.
const mainLane = "main"

func (r *reader) enter(st *statement) error {
	isName := st.atQuote()
	lane, err := st.name(`the name of a sub-agent, or main`)
	if err = cmp.Or(err, st.end()); err != nil {
		return err
	}
	if lane == mainLane && !isName {
		lane = ""
	}
	r.lane = lane
	return nil
}

var ends = []transcript.End{
	transcript.EndCompleted, transcript.EndError, transcript.EndLimit, transcript.EndAborted, transcript.EndTruncated,
}

func (r *reader) end(st *statement) error {
	if !st.more() {
		return fmt.Errorf("expected one of %s", words(ends))
	}
	end := transcript.End(st.take())
	if !slices.Contains(ends, end) {
		return fmt.Errorf("expected one of %s, found %s", words(ends), excerpt([]byte(end)))
	}
	if err := st.end(); err != nil {
		return err
	}
	r.session.End, r.ended = end, st.line
	return nil
}

// calls yields a step for each repetition of a lone call.
func (r *reader) calls(data []byte, line int) bool {
	c, err := readCalls(data, line, 0)
	if err != nil {
		return r.fail(line, err)
	}
	for n := 1; n <= c.times; n++ {
		call, err := c.at(n)
		if err != nil {
			return r.fail(line, err)
		}
		step := &transcript.Step{Line: line, Calls: []transcript.Call{call}, Finish: transcript.FinishToolCalls}
		if !r.emit(step, c.badText) {
			return false
		}
	}
	return true
}

// closeStep yields the step whose lines have been gathered.
func (r *reader) closeStep() bool {
	b := r.open
	r.open = nil
	if b == nil {
		return true
	}
	for n := 1; n <= max(b.times, 1); n++ {
		more := true
		m := b.build(n, func(line int, err error) { more = more && r.fail(line, err) })
		if !more || !r.emit(&m.step, m.badText) {
			return false
		}
	}
	return true
}

var (
	topWords = []string{
		"session", "label", "agent", "model", "time",
		"user", "inject", "system", "compact", "lane", "call", "say", "step", "end",
	}
	insideWords = []string{
		"think", "text", "delta", "call", "attempt", "finish", "usage", "id", "model", "synthetic",
	}
)

// misplaced says what is wrong with a word that may not stand where it stands.
func misplaced(st *statement) error {
	expect := topWords
	if st.indented {
		expect = insideWords
	}
	switch {
	case st.indented && slices.Contains(topWords, st.word):
		return fmt.Errorf("%s is no part of a step: it must not be indented", st.word)
	case !st.indented && slices.Contains(insideWords, st.word):
		return fmt.Errorf("%s is a part of a step: indent it below a step line", st.word)
	}
	return fmt.Errorf("unknown statement %s: expected one of %s", excerpt([]byte(st.word)), words(expect))
}
