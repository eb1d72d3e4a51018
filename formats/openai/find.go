package openai

import (
	"bytes"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
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
			f.values(open(r, record.Range{Off: begin, End: file.Size, Line: 1}, f.limit), true)
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
	if n, _ := f.r.ReadAt(mark[:], 0); n == 3 && string(mark[:]) == record.Mark {
		begin = 3
	}
	from, end, err := f.firstLine(begin)
	if err != nil || end < 0 || end >= f.file.Size {
		return begin, false, err
	}
	next, after, err := f.firstLine(end)
	if err != nil || after < 0 {
		return begin, false, err // only blank lines follow
	}
	// With the first character of what follows it shows whether a value that has
	// no end on its line can go on there.
	r := open(f.r, record.Range{Off: from, End: next + 1, Line: 1}, f.limit)
	err = r.Skip()
	return begin, err != record.ErrCut && r.End().Off <= end, nil
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
	var r record.Reader
	for line, err := range f.file.Lines(f.limit) {
		switch {
		case err != nil:
			f.yield(nil, err)
			return
		case line.Long:
			f.report(line.Num, explain(record.ErrLong, f.limit))
		default:
			r.ResetAt(line.Data, record.Place{Off: line.Off, Line: line.Num})
			f.values(&r, line.Last)
		}
		if f.stopped {
			return
		}
	}
}

// values finds sessions in the values of a text. last says that an end inside a
// value is the end of the file.
func (f *finder) values(r *record.Reader, last bool) {
	for !f.stopped && r.Next() {
		switch kind := r.Kind(); kind {
		case '{':
			o, err := readObject(r)
			f.emit(r, &o, err, last)
		case '[':
			f.array(r, last)
		default:
			if r.Skip() == nil {
				f.report(r.End().Line, "expected an object with messages or an array of messages, found "+kind.String())
			}
		}
	}
	switch err := r.Err(); {
	case err == nil || f.stopped:
	case !last || err != record.ErrCut:
		f.report(r.End().Line, explain(err, f.limit))
	case !f.rescued:
		f.report(r.End().Line, "the last line is cut off")
	}
}

// array reads an array of messages, which is a session, or of sessions. The
// first element that is either decides.
func (f *finder) array(r *record.Reader, last bool) {
	list := object{Place: r.Place(), messages: true}
	sessions, empty := false, true
	for range r.Elements() {
		empty = false
		var o object
		switch r.Kind() {
		case '{':
			o, _ = readObject(r)
		case '[':
			sessions = true
			if f.array(r, last); r.Err() == nil && !f.stopped {
				continue
			}
		default:
			r.Skip()
		}
		switch err := r.Err(); {
		case o.messages && list.n == 0:
			sessions = true
			f.emit(r, &o, err, last)
		case err != nil:
		case sessions, o.role == "" && list.n == 0:
			f.report(r.End().Line, "expected a message, or an object with messages")
		default:
			list.add(&o)
		}
		if f.stopped {
			return
		}
	}
	switch err := r.Err(); {
	case err == nil && empty:
		f.report(list.Line, "expected messages, found an empty array")
	case list.n > 0 && (err != nil || !sessions):
		f.emit(r, &list, err, last)
	}
}

// emit yields a session. err is how reading it ended: a session that the file
// ends in is kept as far as it goes.
func (f *finder) emit(r *record.Reader, o *object, err error, last bool) {
	cut := last && err == record.ErrCut
	switch {
	case err != nil && (!cut || o.n == 0):
		return
	case !o.messages:
		f.report(o.Line, "expected messages: an array of objects with a role")
		return
	}
	f.rescued = f.rescued || cut
	p := place{
		file: f.file, off: o.Off, end: r.End().Off, line: o.Line, limit: f.limit,
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
		if u.Session.ID, err = f.file.ID(name, record.Range{Off: p.off, End: p.end}); err != nil {
			f.stopped = true
			f.yield(nil, err)
			return
		}
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
