package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Line is one line of a file, without its end. Data is valid until the next
// line is asked for.
type Line struct {
	Data []byte
	Num  int   // 1-based in the file
	Off  int64 // of its first byte in the file
	End  int64 // of the first byte after it, line end included
	Cut  bool  // the file ends without a line end
	Last bool  // the file ends with it, so that a crash may have cut it off
	Long bool  // over the size limit; Data is nil
}

// A Range is a stretch of whole lines of a file.
type Range struct {
	Off, End int64
	Line     int // number of its first line
}

// Lines yields the lines of the given ranges, or of the whole file if there are
// none. Blank lines are passed over. A read error is yielded last.
func Lines(f *File, limit int64, ranges ...Range) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r, err := f.Open()
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer r.Close()
		if len(ranges) == 0 {
			ranges = []Range{{Off: 0, End: f.Size, Line: 1}}
		}
		buf := bufio.NewReaderSize(nil, 64<<10)
		var held []byte
		for _, part := range ranges {
			buf.Reset(io.NewSectionReader(r, part.Off, part.End-part.Off))
			line := Line{Num: part.Line - 1, End: part.Off}
			for {
				line.Num++
				line.Off, line.Long, line.Cut = line.End, false, false
				held, err = readLine(buf, held[:0], limit, &line)
				line.Last = line.End >= f.Size
				if err != nil && err != io.EOF {
					yield(Line{}, fmt.Errorf("%s: %w", f.Name, err))
					return
				}
				if len(bytes.TrimSpace(line.Data)) > 0 || line.Long {
					if !yield(line, nil) {
						return
					}
				}
				if err == io.EOF {
					break
				}
			}
		}
	}
}

// readLine reads up to and including the next line feed. The result is in
// line.Data, which may point into buf or into held.
func readLine(buf *bufio.Reader, held []byte, limit int64, line *Line) ([]byte, error) {
	for {
		piece, err := buf.ReadSlice('\n')
		line.End += int64(len(piece))
		if err == bufio.ErrBufferFull {
			if !line.Long && int64(len(held)+len(piece)) > limit+1 { // one more: it may be the line's carriage return
				line.Long = true
				held = held[:0]
			}
			if !line.Long {
				held = append(held, piece...)
			}
			continue
		}
		line.Cut = err == io.EOF
		if len(held) > 0 {
			held = append(held, piece...)
			piece = held
		}
		line.Data = bytes.TrimSuffix(bytes.TrimSuffix(piece, lf), cr)
		if line.Long || int64(len(line.Data)) > limit {
			line.Long, line.Data = true, nil
		}
		return held, err
	}
}

var (
	lf  = []byte("\n")
	cr  = []byte("\r")
	bom = []byte("\xef\xbb\xbf")
)

// lenient is how recorded JSON is read: writers in the field repeat names and
// cut characters in half.
var lenient = jsontext.AllowDuplicateNames(true)

// Values calls fn for each JSON value of a line: crashed writers glue two
// records together. The decoder stands before the value, and fn must read
// exactly one. The error says what was expected and at which column.
func Values(line []byte, fn func(*jsontext.Decoder) error) error {
	line = withoutNaN(bytes.TrimPrefix(line, bom))
	dec := jsontext.NewDecoder(bytes.NewBuffer(line), lenient, jsontext.AllowInvalidUTF8(true))
	for {
		if dec.PeekKind() == 0 {
			if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return jsonError(err)
			}
		}
		if err := fn(dec); err != nil {
			return jsonError(err)
		}
	}
}

// ErrCut says that a record ends before its JSON value does.
var ErrCut = errors.New("the JSON value is cut off")

// jsonError says in a few words what is wrong with a record.
func jsonError(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCut
	case errors.As(err, &syntax):
		return fmt.Errorf("not valid JSON at byte %d: %v", syntax.ByteOffset+1, syntax.Err)
	case errors.As(err, &semantic):
		where := ""
		if field := strings.TrimPrefix(string(semantic.JSONPointer), "/"); field != "" {
			where = "field " + strings.ReplaceAll(field, "/", ".") + ": "
		}
		if kind := (*kindError)(nil); errors.As(semantic.Err, &kind) {
			return fmt.Errorf("%s%v", where, kind)
		}
		return fmt.Errorf("%sexpected %s, found %s", where, kindOf(semantic.GoType), semantic.JSONKind)
	}
	return err
}

// kindOf names the JSON type that a Go type is read from.
func kindOf(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number that fits"
}

// withoutNaN puts null where a writer in Python has left NaN or Infinity. (No
// other way: to a JSON library they are mistakes.) The line itself stays as it is.
func withoutNaN(line []byte) []byte {
	if !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) {
		return line
	}
	out := make([]byte, 0, len(line))
	quoted := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted && c == '\\' && i+1 < len(line):
			out = append(out, c)
			i++
			c = line[i]
		case c == '"':
			quoted = !quoted
		case !quoted:
			if n := nanAt(line[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

func nanAt(s []byte) int {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
