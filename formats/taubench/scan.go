package taubench

import (
	"bytes"
	"io"
	"strings"
)

// A span is one value of a file, by its brackets and quotes alone.
type span struct {
	off, end int64
	line     int   // of its first byte
	kind     byte  // its first byte
	open     bool  // it has no end: the file ends, or a bracket or quote is wrong
	eof      bool  // the file ends inside it
	longest  int64 // bytes of its longest string
	nans     []patch
}

// maxDepth is how deep a decoder follows brackets.
const maxDepth = 10_000

// A scanner cuts a file into its values: the elements of an array, or values
// one after the other.
type scanner struct {
	r      io.ReaderAt
	size   int64
	line   int  // of the next byte
	inside bool // an array has begun and not ended
	err    error

	buf []byte // what is read ahead
	at  int    // the next byte in it
	off int64  // of its first byte in the file
}

// ahead gives the next n bytes, or fewer at the end of the file.
func (s *scanner) ahead(n int) []byte {
	if len(s.buf)-s.at >= n || s.off+int64(len(s.buf)) >= s.size || s.err != nil {
		return s.buf[s.at:min(s.at+n, len(s.buf))]
	}
	rest := copy(s.buf[:cap(s.buf)], s.buf[s.at:])
	s.off, s.at = s.off+int64(s.at), 0
	from := s.off + int64(rest)
	space := s.buf[rest:cap(s.buf)]
	m, err := s.r.ReadAt(space[:min(int64(len(space)), s.size-from)], from)
	s.buf = s.buf[:rest+m]
	switch {
	case err != nil && err != io.EOF:
		s.err = err
	case m == 0:
		s.err = io.ErrUnexpectedEOF // the file has shrunk
	}
	return s.buf[:min(n, len(s.buf))]
}

func (s *scanner) peek() (c byte, ok bool) {
	if s.at == len(s.buf) && len(s.ahead(1)) == 0 {
		return 0, false
	}
	return s.buf[s.at], true
}

// skip passes the byte that peek gave.
func (s *scanner) skip() {
	if s.buf[s.at] == '\n' {
		s.line++
	}
	s.at++
}

func (s *scanner) pos() int64 { return s.off + int64(s.at) }

// seek goes to a place on a line.
func (s *scanner) seek(to int64, line int) {
	s.off, s.at, s.buf, s.line = to, 0, s.buf[:0], line
}

// next finds the next value. Commas are not missed: who writes results one
// after the other writes none.
func (s *scanner) next() (v span, ok bool) {
	for {
		c, ok := s.peek()
		if !ok {
			return v, false
		}
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',':
		case c == '[' && !s.inside:
			s.inside = true
		case c == ']' && s.inside:
			s.inside = false
		case c == '{' || c == '[':
			return s.brackets(), true
		default:
			return s.word(), true
		}
		s.skip()
	}
}

// word passes what is no result, as far as it is one mistake.
func (s *scanner) word() span {
	v := span{off: s.pos(), line: s.line}
	v.kind, _ = s.peek()
	s.skip()
	for {
		c, ok := s.peek()
		if !ok || strings.IndexByte(",\n{]", c) >= 0 {
			v.end = s.pos()
			return v
		}
		s.skip()
	}
}

// brackets passes an object or array.
func (s *scanner) brackets() span {
	v := span{off: s.pos(), line: s.line, open: true}
	v.kind, _ = s.peek()
	var closing []byte
	for {
		c, ok := s.peek()
		if !ok {
			v.end, v.eof = s.pos(), true
			return v
		}
		good := true
		switch c {
		case '"':
			from := s.pos()
			good = s.quoted()
			v.longest = max(v.longest, s.pos()-from)
			if good {
				continue
			}
			_, ok := s.peek()
			v.end, v.eof = s.pos(), !ok
			return v
		case '{', '[':
			closing = append(closing, c+2) // the closing ones come two later
			good = len(closing) <= maxDepth
		case '}', ']':
			good = c == closing[len(closing)-1]
			closing = closing[:len(closing)-1]
		case 'N', 'I', '-':
			v.nans = addNaN(v.nans, s)
		}
		s.skip()
		v.end = s.pos()
		switch {
		case !good:
			return v
		case len(closing) == 0:
			v.open = false
			return v
		case c == '\n' && bytes.HasPrefix(s.ahead(len(begin)), begin):
			return v // the line before is cut off
		}
	}
}

// begin is how a writer's result begins.
var begin = []byte(`{"task_id"`)

// quoted passes a string. It is false if the file or the line ends inside it.
func (s *scanner) quoted() bool {
	s.skip()
	for {
		c, ok := s.peek()
		if !ok || c == '\n' {
			return false
		}
		s.skip()
		switch c {
		case '"':
			return true
		case '\\':
			if c, ok := s.peek(); !ok || c == '\n' {
				return false
			}
			s.skip()
		}
	}
}

// result goes on to what looks like the beginning of a result.
func (s *scanner) result() {
	for {
		c, ok := s.peek()
		if !ok {
			return
		}
		if c == '{' {
			rest := bytes.TrimLeft(s.ahead(64)[1:], " \t\r\n")
			if bytes.HasPrefix(rest, begin[1:]) {
				return
			}
		}
		s.skip()
	}
}
