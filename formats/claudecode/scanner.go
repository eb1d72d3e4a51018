package claudecode

import (
	"bufio"
	"bytes"
	"io"

	"groundhog/formats"
)

// A scanner cuts JSON values out of a stream by counting brackets. A JSON
// decoder was considered: it has to hold a value, or at least the longest
// string in it, before it can say that it is over the limit.
type scanner struct {
	in    *bufio.Reader
	limit int64
	off   int64 // of the next byte
	line  int   // that the next byte is in
	held  []byte
}

// next yields the next value. The error is io.EOF at the end.
func (s *scanner) next() (formats.Line, error) {
	c, err := s.byte()
	for err == nil && bytes.IndexByte([]byte(between), c) >= 0 {
		c, err = s.byte()
	}
	if err != nil {
		return formats.Line{}, err
	}
	rec := formats.Line{Num: s.line, Off: s.off - 1}
	s.held = append(s.held[:0], c)
	err = s.value(c, &rec)
	rec.End = s.off
	if err == io.EOF {
		rec.Last, err = true, nil
	}
	if rec.Data = s.held; rec.Long {
		rec.Data = nil
	}
	return rec, err
}

// value reads on to the end of a value whose first byte is c. Beyond the limit
// it only counts.
func (s *scanner) value(c byte, rec *formats.Line) error {
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
func (s *scanner) ends() bool {
	p, err := s.in.Peek(1)
	return err != nil || bytes.IndexByte([]byte(between+`{"`), p[0]) >= 0
}

func (s *scanner) hold(rec *formats.Line) (byte, error) {
	c, err := s.byte()
	if err != nil {
		return c, err
	}
	if rec.Long = rec.Long || int64(len(s.held)) >= s.limit; !rec.Long {
		s.held = append(s.held, c)
	}
	return c, nil
}

func (s *scanner) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err == nil {
		s.off++
		if c == '\n' {
			s.line++
		}
	}
	return c, err
}
