package formats

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// HeadSize is how much of a file is looked at to tell its format.
const HeadSize = 1 << 20

// headRecords is how many records of it are looked at.
const headRecords = 50

// A Head is the beginning of a file, as far as it is needed to tell its format.
type Head struct {
	Data    []byte // unwrapped, byte order mark removed
	Whole   bool   // Data is all there is
	Shape   Shape
	Records []Record // the first JSON objects; elements, if the file is one array
}

// Shape is how a file is put together.
type Shape uint8

const (
	Other Shape = iota // not JSON
	JSON               // one value
	Array              // one value, an array
	JSONL              // values one after the other
)

// A Record is the outline of one JSON value. For an object, Fields holds what
// lies directly in it. Where the head ends inside the record, Cut names the
// field that was cut and Fields holds what there is of it, which is then not
// valid JSON.
type Record struct {
	Fields map[string]jsontext.Value
	Cut    string
	Kind   jsontext.Kind // '{' for an object, '[' for an array (Fields is nil)
}

// Str is the string in a field, or "".
func (r Record) Str(field string) string {
	v := r.Fields[field]
	if v.Kind() != '"' || field == r.Cut {
		return ""
	}
	return Unquote(v)
}

// Has reports whether all fields are there, whatever is in them.
func (r Record) Has(fields ...string) bool {
	for _, f := range fields {
		if _, ok := r.Fields[f]; !ok {
			return false
		}
	}
	return true
}

// Obj looks into a field that holds an object, whole or cut.
func (r Record) Obj(field string) Record {
	return outline(r.Fields[field])
}

// Elems looks into a field that holds an array, whole or cut: its first
// elements, at most max.
func (r Record) Elems(field string, max int) []Record {
	v := r.Fields[field]
	if v.Kind() != '[' {
		return nil
	}
	recs, _ := outlines(v, '[', max)
	return recs
}

// newHead outlines the first bytes of a file.
func newHead(data []byte, whole bool) *Head {
	h := &Head{Data: bytes.TrimPrefix(data, bom), Whole: whole}
	body := bytes.TrimLeft(withoutNaN(h.Data), " \t\r\n")
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		// Shell noise often precedes the records of a captured stream.
		for line := range bytes.Lines(body) {
			if line[0] == '{' {
				h.Records, _ = outlines(body, 0, headRecords)
				if len(h.Records) > 0 {
					h.Shape = JSONL
				}
				return h
			}
			body = body[len(line):]
		}
		return h
	}
	if body[0] == '[' {
		h.Records, _ = outlines(body, '[', headRecords)
		h.Shape = Array
		return h
	}
	var more bool
	h.Records, more = outlines(body, 0, headRecords)
	if h.Shape = JSON; more {
		h.Shape = JSONL
	}
	return h
}

// outlines reads the values of data in turn, or the elements of the array that
// data begins with. more reports whether there was a second value.
func outlines(data []byte, open jsontext.Kind, max int) (recs []Record, more bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), lenient, jsontext.AllowInvalidUTF8(true))
	if open == '[' {
		if _, err := dec.ReadToken(); err != nil {
			return nil, false
		}
	}
	for len(recs) < max {
		switch k := dec.PeekKind(); k {
		case '{', '[':
			rec, whole := readOutline(dec, data)
			rec.Kind = k
			recs = append(recs, rec)
			if !whole {
				return recs, len(recs) > 1
			}
		case ']', 0:
			return recs, len(recs) > 1
		default:
			if _, err := dec.ReadValue(); err != nil {
				return recs, len(recs) > 1
			}
		}
	}
	return recs, len(recs) > 1
}

func outline(data []byte) Record {
	if recs, _ := outlines(data, 0, 1); len(recs) > 0 {
		return recs[0]
	}
	return Record{}
}

// readOutline reads one value. whole is false if the data ends inside it or it
// is not JSON.
func readOutline(dec *jsontext.Decoder, data []byte) (rec Record, whole bool) {
	if dec.PeekKind() != '{' {
		_, err := dec.ReadValue()
		return rec, err == nil
	}
	rec.Fields = make(map[string]jsontext.Value)
	if _, err := dec.ReadToken(); err != nil {
		return rec, false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return rec, false
		}
		key := name.String()
		at := dec.InputOffset()
		v, err := dec.ReadValue()
		if err != nil {
			rec.Cut = key
			rec.Fields[key] = bytes.TrimLeft(data[at:], ": \t\r\n")
			return rec, false
		}
		rec.Fields[key] = v.Clone()
	}
	_, err := dec.ReadToken()
	return rec, err == nil
}

// An UnknownError says that no format fits a file.
type UnknownError struct{ Why string }

func (e *UnknownError) Error() string { return e.Why }

// Detect chooses the format of a file by its head.
func Detect(h *Head, list []*Format) (*Format, error) {
	var best []*Format
	top := Maybe
	for _, f := range list {
		switch c := f.Sniff(h); {
		case c > top:
			top, best = c, []*Format{f}
		case c == top:
			best = append(best, f)
		}
	}
	switch len(best) {
	case 1:
		return best[0], nil
	case 0:
		return nil, &UnknownError{describe(h)}
	}
	var names []string
	for _, f := range best {
		names = append(names, f.Name)
	}
	return nil, &UnknownError{fmt.Sprintf("looks like %s alike; settle it with --input-format", strings.Join(names, " and "))}
}

// describe says what a file of no known format looks like.
func describe(h *Head) string {
	switch {
	case len(bytes.TrimSpace(h.Data)) == 0 && h.Whole:
		return "the file is empty"
	case bytes.IndexByte(h.Data, 0) >= 0:
		return "a binary file; expected recorded sessions (groundhog list formats)"
	case h.Shape == Other:
		return "no known format: expected JSON, JSONL or a .session script (groundhog list formats)"
	}
	return "JSON of no known format (groundhog list formats; --input-format NAME to insist)"
}
