package stream

import (
	"strings"

	"groundhog/detectors/mimo/internal/js"
)

// tableLines tells whether a text is mostly a Markdown table: whether more than
// two fifths of its lines that are not blank start, after white space, with "|",
// or with a run of "-" and ":", optional white space, and "|".
//
// The zero value is an empty text.
type tableLines struct {
	tables, lines int // complete lines
	line          lineStart
}

// A lineStart is what the beginning of a line has been so far.
type lineStart uint8

const (
	blank   lineStart = iota
	rule              // a run of "-" and ":"
	ruleEnd           // white space after it
	table
	prose
)

func (t *tableLines) heavy() bool {
	tables, lines := t.tables, t.lines
	if t.line != blank {
		lines++
	}
	if t.line == table {
		tables++
	}
	return 5*tables > 2*lines
}

func (t *tableLines) write(s string) {
	for s != "" {
		if t.line >= table {
			n := strings.IndexByte(s, '\n')
			if n < 0 {
				return
			}
			s = s[n:]
		}
		r, size := js.Decode(s)
		s = s[size:]
		switch {
		case r == '\n':
			if t.line != blank {
				t.lines++
			}
			if t.line == table {
				t.tables++
			}
			t.line = blank
		case r == '|':
			t.line = table
		case (r == '-' || r == ':') && t.line <= rule:
			t.line = rule
		case !js.IsSpace(r):
			t.line = prose
		case t.line == rule:
			t.line = ruleEnd
		}
	}
}
