package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
)

// A Record is one event of a capture: the data of a server-sent event, a line
// of JSON, or an element of a JSON array. Data is valid until the next record
// is asked for.
type Record struct {
	Data  []byte
	Event string // its name, if the capture has one
	Line  int    // 1-based, of its first byte
	Last  bool   // the file ends with it, so that a crash may have cut it off
	Long  int64  // its size, if it is over the limit; Data is nil then
	Noise bool   // a line that is neither an event nor JSON
}

// Records yields the records of a file. How a line is put down is decided for
// each by itself: a log that mixes bare JSON with server-sent events is read as
// far as it goes. A *formats.SyntaxError or a read error is yielded last.
func Records(f *formats.File, limit int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		spread, err := spreads(f, limit)
		switch {
		case err != nil:
			yield(Record{}, err)
		case spread:
			values(f, limit, yield)
		default:
			lines(f, limit, yield)
		}
	}
}

// spreads reports whether the records are the elements of an array, or values
// that go on over several lines. The first two lines of JSON tell; that of an
// array may be all of the file.
func spreads(f *formats.File, limit int64) (bool, error) {
	head, err := begin(f)
	if err != nil {
		return false, err
	}
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		return len(rest) == 0 || rest[0] == '{' || rest[0] == ']', nil // a log may begin with a date in brackets
	}
	open := false
	for line, err := range f.Lines(limit) {
		data := trim(line.Data)
		switch {
		case err != nil:
			return false, err
		case line.Long || len(data) == 0:
			return false, nil
		case open:
			return data[0] != '{', nil
		case data[0] == '{':
			_, _, err := record.First(data)
			if open = errors.Is(err, record.ErrCut); !open {
				return false, nil
			}
		default:
			if _, ok := sseField(data); ok {
				return false, nil
			}
		}
	}
	return false, nil
}

// begin is the beginning of a file's text.
func begin(f *formats.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, min(f.Size, 4<<10))
	n, err := r.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return bytes.TrimLeft(record.Clean(head[:n]), " \t\r\n"), err
}

// done is what OpenAI sends after the last chunk.
const done = "[DONE]"

func trim(line []byte) []byte {
	return bytes.TrimLeft(record.Clean(line), " \t")
}

// sseField is the name of the field that a line of server-sent events holds.
func sseField(line []byte) (name string, ok bool) {
	for _, name := range [...]string{"data", "event", "id", "retry", ""} {
		if rest, found := bytes.CutPrefix(line, []byte(name)); found && (len(rest) == 0 || rest[0] == ':') {
			return name, true
		}
	}
	return "", false
}

// An assembly is a server-sent event in the making.
type assembly struct {
	Record
	held []byte
	open bool // has data
	long bool // is known to go on over several lines
}

func lines(f *formats.File, limit int64, yield func(Record, error) bool) {
	var a assembly
	flush := func(last bool) bool {
		rec := a.Record
		rec.Last = last
		if rec.Long == 0 {
			rec.Data = a.held
		}
		ok := !a.open || yield(rec, nil)
		a.Record, a.open, a.long, a.held = Record{}, false, false, a.held[:0]
		return ok
	}
	previous, last := 0, false
	for line, err := range f.Lines(limit) {
		if err != nil {
			yield(Record{}, err)
			return
		}
		blank := line.Num > previous+1 // blank lines are passed over, and end an event
		previous, last = line.Num, line.Last
		if blank && !flush(false) {
			return
		}
		if line.Long {
			if !flush(false) || !yield(Record{Line: line.Num, Long: line.End - line.Off, Last: line.Last}, nil) {
				return
			}
			continue
		}
		data := trim(line.Data)
		name, field := sseField(data)
		value := bytes.TrimPrefix(bytes.TrimPrefix(data, []byte(name)), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(data) > 0 && data[0] == '{' || string(data) == done:
			if !flush(false) || !yield(Record{Data: data, Line: line.Num, Last: line.Last}, nil) {
				return
			}
		case !field:
			if !flush(false) || !yield(Record{Data: data, Line: line.Num, Last: line.Last, Noise: true}, nil) {
				return
			}
		case name == "event":
			if a.open && !flush(false) { // the blank line between two events is gone
				return
			}
			a.Event = string(value)
		case name == "data":
			if a.open && a.complete(value) && !flush(false) {
				return
			}
			a.add(value, line.Num, limit)
		}
	}
	flush(last)
}

// complete reports whether the data held so far is an event of its own although
// no blank line ends it: it is whole, and the next line begins anew. What once
// was not whole there cannot become so; this is asked only once.
func (a *assembly) complete(next []byte) bool {
	if a.long || a.Long > 0 || len(next) == 0 || next[0] != '{' && string(next) != done {
		return false
	}
	a.long = !record.Valid(a.held)
	return !a.long
}

func (a *assembly) add(value []byte, line int, limit int64) {
	size := int64(len(a.held) + len(value))
	switch {
	case a.Long > 0:
		a.Long += int64(len(value))
	case size > limit:
		a.Long, a.held = size, a.held[:0]
	default:
		if a.open {
			a.held = append(a.held, '\n')
		}
		a.held = append(a.held, value...)
	}
	if !a.open {
		a.Line, a.open = line, true
	}
}

// values reads JSON values, or the elements of arrays, wherever lines end.
func values(f *formats.File, limit int64, yield func(Record, error) bool) {
	r, err := f.Open()
	if err != nil {
		yield(Record{}, err)
		return
	}
	defer r.Close()
	src := bufio.NewReader(io.NewSectionReader(r, 0, f.Size))
	var at record.Place
	if mark, _ := src.Peek(len(record.Mark)); string(mark) == record.Mark {
		src.Discard(len(mark))
		at.Off = int64(len(mark))
	}
	at.Line = 1
	in := record.Open(src, at, limit)
	fail := func(line int, err error) {
		if err == record.ErrCut {
			yield(Record{Data: []byte("{"), Line: line, Last: true}, nil)
		} else {
			yield(Record{}, &formats.SyntaxError{File: f.Name, Line: line, Msg: explain(err, limit)})
		}
	}
	next := func() bool {
		line := in.Place().Line
		v, err := in.View()
		if err != nil {
			fail(line, err)
		}
		return err == nil && yield(Record{Data: v, Line: line}, nil)
	}
	for in.Next() {
		if in.Kind() != '[' {
			if !next() {
				return
			}
			continue
		}
		for range in.Elements() {
			if !next() {
				return
			}
		}
	}
	if err := in.Err(); err != nil {
		fail(in.Place().Line, err)
	}
}

// explain says what is wrong with the JSON of a capture.
func explain(err error, limit int64) string {
	var syntax *record.SyntaxError
	switch {
	case errors.Is(err, record.ErrLong):
		return fmt.Sprintf("a value is over the limit of %d bytes; raise it with --max-record", limit)
	case errors.As(err, &syntax):
		return "not valid JSON: " + syntax.Reason
	}
	return err.Error()
}
