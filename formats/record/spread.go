package record

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// between is what may stand between two values, the brackets of an array around
// them included.
const between = " \t\r\n\xef\xbb\xbf,[]"

// Spread yields the JSON values of a stretch of a file as if each stood on a
// line: values that go on over several lines, or the elements of an array. Its
// Lines have the number of the line that they begin on, and neither separators
// nor brackets around them. A read error is yielded last.
//
// It counts brackets. A JSON decoder was considered: it has to hold a value, or
// at least the longest string in it, before it can say that it is over the
// limit, and it cannot go on after a mistake.
func Spread(file io.ReaderAt, part Range, limit int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		s := spreader{
			in:    bufio.NewReaderSize(io.NewSectionReader(file, part.Off, part.End-part.Off), 64<<10),
			limit: limit, off: part.Off, line: part.Line,
		}
		for {
			rec, err := s.next()
			if err == io.EOF {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// A spreader cuts values out of a stream.
type spreader struct {
	in    *bufio.Reader
	limit int64
	off   int64 // of the next byte
	line  int   // that the next byte is in
	held  []byte
}

// next yields the next value. The error is io.EOF at the end.
func (s *spreader) next() (Line, error) {
	c, err := s.byte()
	for err == nil && bytes.IndexByte([]byte(between), c) >= 0 {
		c, err = s.byte()
	}
	if err != nil {
		return Line{}, err
	}
	rec := Line{Num: s.line, Off: s.off - 1}
	s.held = append(s.held[:0], c)
	err = s.value(c, &rec)
	rec.End = s.off
	switch {
	case err == io.EOF:
		rec.Last = true
	case err != nil:
		return Line{}, err
	}
	if rec.Data = s.held; rec.Long {
		rec.Data = nil
	}
	return rec, nil
}

// value reads on to the end of a value whose first byte is c. Beyond the limit
// it only counts.
func (s *spreader) value(c byte, rec *Line) error {
	depth, quoted := 0, false
	for {
		switch {
		case quoted && c == '\\':
			if _, err := s.hold(rec); err != nil {
				return err
			}
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth <= 0 && !quoted && (c == '}' || c == ']' || c == '"' || s.ends()) {
			return nil
		}
		var err error
		if c, err = s.hold(rec); err != nil {
			return err
		}
	}
}

// ends reports whether a bare word, such as null, ends before the next byte.
func (s *spreader) ends() bool {
	p, err := s.in.Peek(1)
	return err != nil || bytes.IndexByte([]byte(between+`{"`), p[0]) >= 0
}

func (s *spreader) hold(rec *Line) (byte, error) {
	c, err := s.byte()
	if err != nil {
		return c, err
	}
	if rec.Long = rec.Long || int64(len(s.held)) >= s.limit; !rec.Long {
		s.held = append(s.held, c)
	}
	return c, nil
}

func (s *spreader) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err == nil {
		s.off++
		if c == '\n' {
			s.line++
		}
	}
	return c, err
}
