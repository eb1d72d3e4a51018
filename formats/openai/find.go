package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// find yields the sessions of a file.
func find(file *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		r, err := file.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		f := &finder{file: file, r: r, limit: o.Cap(), yield: yield}
		begin, lines, err := f.layout()
		switch {
		case err != nil:
			yield(nil, err)
		case lines:
			f.lines()
		default:
			f.values(open(r, begin, file.Size, 1, f.limit), true)
		}
	}
}

// A finder looks for the sessions of one file.
type finder struct {
	file    *formats.File
	r       io.ReaderAt
	limit   int64
	yield   func(*formats.Unit, error) bool
	stopped bool
	rescued bool // the session that the file ends in has been found
}

// layout tells one record a line from values that are spread over lines or
// stand alone. begin is where the text begins.
//
// It is a file of lines if a value ends on the line it began on, or the first
// line can be no beginning of a longer value, and something follows. A single
// line is left to the other reader, which needs less memory.
func (f *finder) layout() (begin int64, lines bool, err error) {
	var mark [3]byte
	if n, _ := f.r.ReadAt(mark[:], 0); n == 3 && string(mark[:]) == "\xef\xbb\xbf" {
		begin = 3
	}
	from, end, err := f.firstLine(begin)
	if err != nil || end < 0 || end >= f.file.Size {
		return begin, false, err
	}
	if _, after, err := f.firstLine(end); err != nil || after < 0 {
		return begin, false, err // only blank lines follow
	}
	s := open(f.r, from, f.file.Size, 1, f.limit)
	for s.offset() < end {
		if _, err := s.ReadToken(); err != nil {
			return begin, true, nil
		}
		if s.StackDepth() == 0 {
			return begin, s.offset() <= end, nil
		}
	}
	return begin, false, nil
}

// firstLine finds the first line that is not blank: where its text begins, and
// where the next line does. end is negative if there is none.
func (f *finder) firstLine(from int64) (text, end int64, err error) {
	text = -1
	buf := make([]byte, 64<<10)
	for at := from; at < f.file.Size; {
		n, err := f.r.ReadAt(buf[:min(int64(len(buf)), f.file.Size-at)], at)
		if err != nil && err != io.EOF || n == 0 {
			return 0, 0, err
		}
		piece := buf[:n]
		if text < 0 {
			blank := len(piece) - len(bytes.TrimLeft(piece, " \t\r\n"))
			if blank == n {
				at += int64(n)
				continue
			}
			text = at + int64(blank)
			at, piece = text, piece[blank:]
		}
		if i := bytes.IndexByte(piece, '\n'); i >= 0 {
			return text, at + int64(i) + 1, nil
		}
		at += int64(len(piece))
	}
	if text < 0 {
		return from, -1, nil
	}
	return text, f.file.Size, nil
}

// lines reads one record a line. What is wrong with one line does not concern
// the next.
func (f *finder) lines() {
	for line, err := range formats.Lines(f.file, f.limit) {
		switch {
		case err != nil:
			f.yield(nil, err)
			return
		case line.Long:
			f.report(line.Num, explain(errLong, f.limit))
		default:
			data := bytes.TrimPrefix(line.Data, []byte("\xef\xbb\xbf"))
			off := line.Off + int64(len(line.Data)-len(data))
			f.values(decode(bytes.NewReader(data), off, line.Num, f.limit), line.Last)
		}
		if f.stopped {
			return
		}
	}
}

// values finds sessions in the values of a stream. last says that an end inside
// a value is the end of the file.
func (f *finder) values(s *stream, last bool) {
	for !f.stopped {
		kind := s.PeekKind()
		var err error
		switch kind {
		case '{':
			var o object
			o, err = f.object(s)
			f.emit(s, &o, err, last)
		case '[':
			err = f.array(s, last)
		case 0:
			if _, err = s.ReadToken(); err == io.EOF {
				return
			}
		default:
			if err = s.SkipValue(); err == nil {
				f.report(s.line(), "expected an object with messages or an array of messages, found "+kind.String())
			}
		}
		switch {
		case err == nil:
			continue
		case !last || !errors.Is(err, io.ErrUnexpectedEOF):
			f.report(s.line(), explain(err, f.limit))
		case !f.rescued:
			f.report(s.line(), "the last line is cut off")
		}
		return
	}
}

// array reads an array of messages, which is a session, or of sessions. The
// first element that is either decides.
func (f *finder) array(s *stream, last bool) error {
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	list := object{off: s.offset() - 1, line: s.line(), messages: true}
	if s.PeekKind() == ']' {
		f.report(list.line, "expected messages, found an empty array")
	}
	sessions := false
	for !f.stopped && s.PeekKind() != ']' {
		o, err := object{}, error(nil)
		switch s.PeekKind() {
		case '{':
			o, err = f.object(s)
		case '[':
			sessions = true
			err = f.array(s, last)
			if err == nil {
				continue
			}
		default:
			err = s.SkipValue()
		}
		switch {
		case o.messages && list.n == 0:
			sessions = true
			f.emit(s, &o, err, last)
		case err != nil:
			f.emit(s, &list, err, last)
		case sessions, o.role == "" && list.n == 0:
			f.report(s.line(), "expected a message, or an object with messages")
		default:
			list.add(&o)
		}
		if err != nil {
			return err
		}
	}
	if f.stopped {
		return nil
	}
	_, err := s.ReadToken()
	if !sessions && list.n > 0 {
		f.emit(s, &list, err, last)
	}
	return err
}

// emit yields a session. err is how reading it ended: a session that the file
// ends in is kept as far as it goes.
func (f *finder) emit(s *stream, o *object, err error, last bool) {
	cut := last && errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case err != nil && (!cut || o.n == 0):
		return
	case !o.messages:
		f.report(o.line, "expected messages: an array of objects with a role")
		return
	}
	f.rescued = f.rescued || cut
	p := place{
		file: f.file, off: o.off, end: s.offset(), line: o.line, limit: f.limit,
		cut: cut, request: o.request,
	}
	if cut {
		p.end = f.file.Size
	}
	u := &formats.Unit{
		Session: &transcript.Session{ID: o.id, Model: o.model, Started: o.started, Recorded: o.rec},
		Size:    p.end - p.off, Records: o.n, Messages: o.keys,
	}
	if o.request {
		u.Records++
	}
	if o.id == "" {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(f.r, p.off, u.Size)); err != nil {
			f.stopped = true
			f.yield(nil, err)
			return
		}
		u.Session.ID = "openai:" + hex.EncodeToString(sum.Sum(nil)[:8])
	}
	u.Steps = func() iter.Seq2[*transcript.Step, error] { return p.steps(u.Session) }
	if o.request {
		// The ids of a request log are made from whole messages.
		u.Messages, u.History = nil, true
		for step := range u.Steps() {
			if step != nil && step.ID != "" {
				u.Messages = append(u.Messages, formats.MessageKey(step.ID))
			}
		}
	}
	f.stopped = f.stopped || !f.yield(u, nil)
}

func (f *finder) report(line int, msg string) {
	f.stopped = f.stopped || !f.yield(nil, &formats.SyntaxError{File: f.file.Name, Line: line, Msg: msg})
}
