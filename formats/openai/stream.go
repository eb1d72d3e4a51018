package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
)

// A stream is a JSON decoder that knows where it stands in a file, and that
// refuses to hold more than one record of the allowed size.
type stream struct {
	*jsontext.Decoder
	base int64 // offset in the file of the decoder's first byte
	in   *input
}

// errLong is what reading a value of more than the allowed size gives. The
// decoder can still skip the value, unless a single string is as long as that.
var errLong = errors.New("over the size limit")

// slack is what may lie between two values: a comma and the indentation.
const slack = 64 << 10

// lenient is how recorded JSON is read: names repeat, characters are cut.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// open reads a stretch of a file, which begins on the given line.
func open(r io.ReaderAt, off, end int64, line int, limit int64) *stream {
	size := min(end-off, 64<<10)
	return decode(bufio.NewReaderSize(io.NewSectionReader(r, off, end-off), int(size)), off, line, limit)
}

// decode reads what begins at off in the file.
func decode(r io.Reader, off int64, line int, limit int64) *stream {
	in := &input{r: r, limit: limit, line: line}
	in.dec = jsontext.NewDecoder(in, lenient)
	return &stream{Decoder: in.dec, base: off, in: in}
}

// offset is where in the file the last token ended.
func (s *stream) offset() int64 { return s.base + s.InputOffset() }

// line is the number of the line that the last token ended on. It must not be
// asked for an earlier place than before.
func (s *stream) line() int { return s.in.lineAt(s.InputOffset()) }

// lineOf is the number of the line that the value just read begins on.
func (s *stream) lineOf(v jsontext.Value) int { return s.in.lineAt(s.InputOffset() - int64(len(v))) }

// record reads a value that must not be over the limit. After errLong the value
// is still to come.
func (s *stream) record() (jsontext.Value, error) {
	v, err := s.ReadValue()
	if err == nil && int64(len(v)) > s.in.limit {
		return nil, errTaken
	}
	return v, err
}

// errTaken is errLong for a value that has been read all the same, because
// little was missing.
var errTaken = fmt.Errorf("%w", errLong)

// pass skips the value that record refused with err.
func (s *stream) pass(err error) error {
	if err == errTaken {
		return nil
	}
	return s.SkipValue()
}

// An input feeds a decoder, counts lines and keeps the decoder from growing
// without bound: it asks where the last token ended, and gives at most the
// limit from there. What a token or value needs beyond that is errLong.
type input struct {
	r     io.Reader
	dec   *jsontext.Decoder
	limit int64
	pos   int64   // bytes given so far
	line  int     // of the last place asked for
	ends  []int64 // line ends beyond that place
}

func (in *input) Read(p []byte) (int, error) {
	at := in.dec.InputOffset()
	in.lineAt(at) // nobody asks for an earlier place, so its line ends can go
	room := at + in.limit + slack - in.pos
	if room <= 0 {
		return 0, errLong
	}
	n, err := in.r.Read(p[:min(int64(len(p)), room)])
	for from := 0; ; {
		i := bytes.IndexByte(p[from:n], '\n')
		if i < 0 {
			break
		}
		from += i + 1
		in.ends = append(in.ends, in.pos+int64(from))
	}
	in.pos += int64(n)
	return n, err
}

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
		return fmt.Sprintf("a message or text of more than %d bytes; raise the limit with --max-record", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON value is cut off"
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON: %v; expected an object with messages, or an array of messages", syntax.Err)
	}
	return err.Error()
}

// fields calls fn for each field of a valid JSON object.
func fields(object []byte, fn func(name string, v jsontext.Value)) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), lenient)
	if dec.PeekKind() != '{' {
		return
	}
	dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		v, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(key, v)
	}
}

// elems calls fn for each element of a valid JSON array.
func elems(array []byte, fn func(v jsontext.Value)) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(array), lenient)
	if dec.PeekKind() != '[' {
		return
	}
	dec.ReadToken()
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(v)
	}
}

// str is a JSON string's text, or "" for any other value.
func str(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return formats.Unquote(v)
}
