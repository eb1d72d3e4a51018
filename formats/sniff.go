package formats

import (
	"bytes"
	"strings"

	"groundhog/formats/record"
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
	Records []record.Outline // the first JSON objects; elements, if the file is one array
}

// Shape is how a file is put together.
type Shape uint8

const (
	Other Shape = iota // not JSON
	JSON               // one value
	Array              // one value, an array
	JSONL              // values one after the other
)

// NewHead outlines the first bytes of a file; whole says that they are all of it.
func NewHead(data []byte, whole bool) *Head {
	h := &Head{Data: record.Clean(data), Whole: whole}
	body := bytes.TrimLeft(record.WithoutNaN(h.Data), " \t\r\n")
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		// Shell noise often precedes the records of a captured stream.
		for line := range bytes.Lines(body) {
			if line[0] == '{' {
				h.Records = record.Outlines(body, headRecords)
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
		h.Records = record.OutlineElements(body, headRecords)
		h.Shape = Array
		return h
	}
	h.Records = record.Outlines(body, headRecords)
	if h.Shape = JSON; len(h.Records) > 1 {
		h.Shape = JSONL
	}
	return h
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
	return nil, &UnknownError{"looks like " + strings.Join(names, " and ") + " alike; settle it with --input-format"}
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
