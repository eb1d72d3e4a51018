package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
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
	for line, err := range formats.Lines(f, limit) {
		data := trim(line.Data)
		switch {
		case err != nil:
			return false, err
		case line.Long || len(data) == 0:
			return false, nil
		case open:
			return data[0] != '{', nil
		case data[0] == '{':
			dec := jsontext.NewDecoder(bytes.NewBuffer(data), lenient)
			if open = errors.Is(dec.SkipValue(), io.ErrUnexpectedEOF); !open {
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
	return bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n"), err
}

// done is what OpenAI sends after the last chunk.
const done = "[DONE]"

func trim(line []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), " \t")
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
	for line, err := range formats.Lines(f, limit) {
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
	a.long = !jsontext.Value(a.held).IsValid(lenient)
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
	in := &input{r: bufio.NewReader(io.NewSectionReader(r, 0, f.Size)), limit: limit, line: 1}
	if mark, _ := in.r.Peek(3); string(mark) == "\xef\xbb\xbf" {
		in.r.Discard(3)
	}
	in.dec = jsontext.NewDecoder(in, lenient)
	for {
		kind := in.dec.PeekKind()
		if kind == '[' && in.dec.StackDepth() == 0 || kind == ']' {
			if _, err = in.dec.ReadToken(); err == nil {
				continue
			}
		}
		var v jsontext.Value
		if err == nil {
			v, err = in.dec.ReadValue()
		}
		line := in.lineAt(in.dec.InputOffset() - int64(len(v)))
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			yield(Record{Data: []byte("{"), Line: line, Last: true}, nil)
		case err == io.EOF:
		case err != nil:
			yield(Record{}, &formats.SyntaxError{File: f.Name, Line: line, Msg: explain(err, limit)})
		default:
			if !yield(Record{Data: v, Line: line}, nil) {
				return
			}
			continue
		}
		return
	}
}

// An input feeds a decoder, counts lines, and refuses to give more than the
// limit after the end of the last token, so that the decoder cannot hold more.
type input struct {
	r     *bufio.Reader
	dec   *jsontext.Decoder
	limit int64
	pos   int64
	line  int     // of the last place asked for
	ends  []int64 // line ends beyond that place
}

// slack is what may lie between two values: a comma and the indentation.
const slack = 4 << 10

var errLong = errors.New("over the size limit")

func (in *input) Read(p []byte) (int, error) {
	at := in.dec.InputOffset()
	in.lineAt(at)
	room := at + in.limit + slack - in.pos
	if room <= 0 {
		return 0, errLong
	}
	n, err := in.r.Read(p[:min(int64(len(p)), room)])
	for i, c := range p[:n] {
		if c == '\n' {
			in.ends = append(in.ends, in.pos+int64(i)+1)
		}
	}
	in.pos += int64(n)
	return n, err
}

// lineAt is the line of a place, which lies not before the last one asked for.
func (in *input) lineAt(off int64) int {
	n := 0
	for n < len(in.ends) && in.ends[n] <= off {
		n++
	}
	in.line += n
	in.ends = append(in.ends[:0], in.ends[n:]...)
	return in.line
}

// explain says in a few words what is wrong with JSON.
func explain(err error, limit int64) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errLong):
		return fmt.Sprintf("a value is over the limit of %d bytes; raise it with --max-record", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON value is cut off"
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON: %v", syntax.Err)
	}
	return err.Error()
}
