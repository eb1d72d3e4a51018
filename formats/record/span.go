package record

import (
	"bytes"
	"io"
	"strings"
)

// A Span is one value of a file, by its brackets and quotes alone.
type Span struct {
	Off, End int64
	Line     int       // of its first byte
	Kind     byte      // its first byte
	Open     bool      // it has no end: the file ends, or a bracket or quote is wrong
	EOF      bool      // the file ends inside it
	Longest  int64     // bytes of its longest string
	NaN      []Literal // numbers that Python writes and JSON does not have
}

// A Literal is a piece of text and where it stands.
type Literal struct {
	Off  int64
	Text string
}

// maxDepth is how deep a decoder follows brackets.
const maxDepth = 10_000

// maxNaN is how many numbers that are none a Span lists.
const maxNaN = 10_000

// A Scanner cuts a file into its values: the elements of an array, or values one
// after the other. It holds none of them and goes on after a mistake, which a
// JSON decoder cannot. It is for files whose records may be of any size; who
// wants them one by one, and held, reads them with Spread.
type Scanner struct {
	// Begin is how a record of the format begins, such as {"task_id": one that
	// stands at the beginning of a line shows that the one before it is cut off.
	Begin []byte

	r      io.ReaderAt
	size   int64
	line   int  // of the next byte
	inside bool // an array has begun and not ended
	err    error

	buf []byte // what is read ahead
	at  int    // the next byte in it
	off int64  // of its first byte in the file
}

// NewScanner makes a scanner of a file that has size bytes.
func NewScanner(file io.ReaderAt, size int64, begin string) *Scanner {
	s := &Scanner{Begin: []byte(begin), r: file, size: size, line: 1, buf: make([]byte, 0, 64<<10)}
	if string(s.ahead(len(Mark))) == Mark {
		s.Seek(Place{Off: int64(len(Mark)), Line: 1})
	}
	return s
}

// Next finds the next value. It reports false at the end, and if the file cannot
// be read. Commas are not missed: who writes records one after the other writes
// none.
func (s *Scanner) Next() (v Span, ok bool) {
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
			return s.brackets(), s.err == nil
		default:
			return s.word(), s.err == nil
		}
		s.skip()
	}
}

// Err is the error of reading the file.
func (s *Scanner) Err() error { return s.err }

// Inside reports whether an array has begun and not ended.
func (s *Scanner) Inside() bool { return s.inside }

// Place is where the scanner stands.
func (s *Scanner) Place() Place { return Place{Off: s.off + int64(s.at), Line: s.line} }

// Seek goes to a place.
func (s *Scanner) Seek(to Place) { s.off, s.at, s.buf, s.line = to.Off, 0, s.buf[:0], to.Line }

// Find goes on to what looks like the beginning of a record.
func (s *Scanner) Find() {
	for {
		c, ok := s.peek()
		if !ok {
			return
		}
		if c == '{' {
			rest := bytes.TrimLeft(s.ahead(64)[1:], " \t\r\n")
			if bytes.HasPrefix(rest, s.Begin[1:]) {
				return
			}
		}
		s.skip()
	}
}

// ahead gives the next n bytes, or fewer at the end of the file.
func (s *Scanner) ahead(n int) []byte {
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

func (s *Scanner) peek() (c byte, ok bool) {
	if s.at == len(s.buf) && len(s.ahead(1)) == 0 {
		return 0, false
	}
	return s.buf[s.at], true
}

// skip passes the byte that peek gave.
func (s *Scanner) skip() {
	if s.buf[s.at] == '\n' {
		s.line++
	}
	s.at++
}

// begin is a span that begins at the next byte.
func (s *Scanner) begin() Span {
	at := s.Place()
	kind, _ := s.peek()
	return Span{Off: at.Off, Line: at.Line, Kind: kind}
}

// word passes what is no record, as far as it is one mistake.
func (s *Scanner) word() Span {
	v := s.begin()
	s.skip()
	for {
		c, ok := s.peek()
		if !ok || strings.IndexByte(",\n{]", c) >= 0 {
			v.End = s.Place().Off
			return v
		}
		s.skip()
	}
}

// brackets passes an object or array.
func (s *Scanner) brackets() Span {
	v := s.begin()
	v.Open = true
	var closing []byte
	for {
		c, ok := s.peek()
		if !ok {
			v.End, v.EOF = s.Place().Off, true
			return v
		}
		good := true
		switch c {
		case '"':
			from := s.Place().Off
			good = s.quoted()
			v.Longest = max(v.Longest, s.Place().Off-from)
			if good {
				continue
			}
			_, ok := s.peek()
			v.End, v.EOF = s.Place().Off, !ok
			return v
		case '{', '[':
			closing = append(closing, c+2) // the closing ones come two later
			good = len(closing) <= maxDepth
		case '}', ']':
			good = c == closing[len(closing)-1]
			closing = closing[:len(closing)-1]
		case 'N', 'I', '-':
			s.noteNaN(&v)
		}
		s.skip()
		v.End = s.Place().Off
		switch {
		case !good:
			return v
		case len(closing) == 0:
			v.Open = false
			return v
		case c == '\n' && len(s.Begin) > 0 && bytes.HasPrefix(s.ahead(len(s.Begin)), s.Begin):
			return v // the line before is cut off
		}
	}
}

// noteNaN takes down a number that is none, if one is next.
func (s *Scanner) noteNaN(v *Span) {
	n := nanAt(s.ahead(len("-Infinity")))
	if n == 0 || len(v.NaN) >= maxNaN {
		return
	}
	at := s.Place().Off
	// The second half of -Infinity has been seen with the first.
	if k := len(v.NaN); k > 0 && v.NaN[k-1].Off == at-1 {
		return
	}
	v.NaN = append(v.NaN, Literal{at, string(s.ahead(n))})
}

// quoted passes a string. It is false if the file or the line ends inside it.
func (s *Scanner) quoted() bool {
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
