package script

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"groundhog/formats/record"
)

// blanks separate the words of a line. A carriage return is one of them, so
// that a line end of Windows leaves no trace.
const blanks = " \t\r"

// A statement is one line that is not a comment. Its scanner stands after the
// first word.
type statement struct {
	word     string
	indented bool
	line     int
	scanner
}

// open begins to read a line. ok is false for a blank line or a comment.
func open(data []byte, line int) (st *statement, ok bool) {
	text := bytes.Trim(data, blanks)
	if len(text) == 0 || text[0] == '#' {
		return nil, false
	}
	st = &statement{line: line, indented: data[0] == ' ' || data[0] == '\t'}
	st.rest = text
	st.word = st.take()
	return st, true
}

// source is the text of a line. The byte order mark of a file is no part of it.
func source(line record.Line) []byte {
	if line.Off == 0 {
		return record.Clean(line.Data)
	}
	return line.Data
}

// A scanner takes a line apart, from left to right. It stands before a word,
// never before a blank.
type scanner struct {
	rest    []byte
	badText bool // some text was not valid UTF-8
}

// more reports whether there is a further word. A # where a word could begin
// is a comment; bare text never asks, and so may contain one.
func (c *scanner) more() bool {
	if len(c.rest) > 0 && c.rest[0] == '#' {
		c.rest = nil
	}
	return len(c.rest) > 0
}

// atQuote reports whether a text in quotes comes next.
func (c *scanner) atQuote() bool { return c.more() && c.rest[0] == '"' }

// take reads up to the next blank.
func (c *scanner) take() string {
	n := bytes.IndexAny(c.rest, blanks)
	if n < 0 {
		n = len(c.rest)
	}
	word := string(c.rest[:n])
	c.advance(n)
	return word
}

func (c *scanner) advance(n int) { c.rest = bytes.TrimLeft(c.rest[n:], blanks) }

// name reads a word or a JSON string.
func (c *scanner) name(what string) (string, error) {
	if !c.more() {
		return "", fmt.Errorf("expected %s", what)
	}
	if c.rest[0] == '"' {
		return c.quoted(what)
	}
	word := c.take()
	if word == arrow {
		return "", fmt.Errorf("expected %s before ->", what)
	}
	c.check(word)
	return word, nil
}

// value reads one JSON value and gives its exact bytes.
func (c *scanner) value(what string) ([]byte, error) {
	raw, n, err := valueOf(c.rest)
	if err != nil {
		return nil, fmt.Errorf("expected %s: %w", what, err)
	}
	if n < len(c.rest) && bytes.IndexByte([]byte(blanks), c.rest[n]) < 0 {
		return nil, fmt.Errorf("expected a blank after %s, found %s", what, excerpt(c.rest[n:]))
	}
	c.advance(n)
	return raw, nil
}

func (c *scanner) quoted(what string) (string, error) {
	raw, err := c.value(what)
	if err != nil {
		return "", err
	}
	text := record.Unquote(raw)
	c.check(text)
	return text, nil
}

// text reads TEXT, which always ends the line.
func (c *scanner) text() (string, error) {
	const want = " # want " // the only comment in bare text
	if len(c.rest) > 0 && c.rest[0] == '"' {
		text, err := c.quoted("a text that begins with a quote to be a JSON string")
		if err == nil {
			err = c.end()
		}
		return text, err
	}
	if bytes.HasPrefix(c.rest, []byte(want[1:])) {
		c.more()
	} else if i := bytes.Index(c.rest, []byte(want)); i >= 0 {
		c.rest = bytes.TrimRight(c.rest[:i], blanks)
	}
	if len(c.rest) == 0 {
		return "", errors.New(`expected a text ("" for an empty one)`)
	}
	text := string(c.rest)
	c.rest = nil
	c.check(text)
	return text, nil
}

func (c *scanner) check(text string) {
	if !utf8.ValidString(text) {
		c.badText = true
	}
}

// key reads the KEY= of an option, or nothing.
func (c *scanner) key() string {
	n := bytes.IndexAny(c.rest, "=\""+blanks)
	if n <= 0 || c.rest[n] != '=' {
		return ""
	}
	key := string(c.rest[:n])
	c.rest = c.rest[n+1:]
	return key
}

// count reads a number that is not negative.
func (c *scanner) count(what string) (int64, error) {
	if len(c.rest) == 0 {
		return 0, fmt.Errorf("expected %s", what)
	}
	word := c.take()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("expected %s, found %s", what, excerpt([]byte(word)))
	}
	return n, nil
}

func (c *scanner) duration(key string) (time.Duration, error) {
	word := c.take()
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("expected a duration such as 1.5s after %s=, found %s", key, excerpt([]byte(word)))
	}
	return d, nil
}

// times reads xN, and gives 0 if none comes next.
func (c *scanner) times() (int, error) {
	if !c.more() || len(c.rest) < 2 || c.rest[0] != 'x' || c.rest[1] < '0' || c.rest[1] > '9' {
		return 0, nil
	}
	word := c.take()
	n, err := strconv.Atoi(word[1:])
	if err != nil || n < 1 || n > maxTimes {
		return 0, fmt.Errorf("expected x1 to x%d, found %s", maxTimes, excerpt([]byte(word)))
	}
	return n, nil
}

// end makes sure that nothing but a comment is left.
func (c *scanner) end() error {
	if c.more() {
		return fmt.Errorf("expected the end of the line, found %s", excerpt(c.rest))
	}
	return nil
}

// valueOf reads the JSON value that data begins with; n is where it ends.
func valueOf(data []byte) (v record.Value, n int, err error) {
	v, n, err = record.First(data)
	var syntax *record.SyntaxError
	switch {
	case err == nil && v == nil:
		err = errors.New("the line ends here")
	case errors.Is(err, record.ErrCut):
		err = errors.New("the line ends inside it")
	case errors.As(err, &syntax):
		err = fmt.Errorf("%s, at %s", syntax.Reason, excerpt(data[min(int(syntax.Off), len(data)):]))
	}
	return v, n, err
}

// excerpt is enough of what was found to find it.
func excerpt(found []byte) string {
	const most = 24
	if len(found) == 0 {
		return "nothing"
	}
	if i := bytes.IndexAny(found, blanks); i > 0 {
		found = found[:i]
	}
	if len(found) > most {
		return strconv.Quote(string(found[:most])) + "…"
	}
	return strconv.Quote(string(found))
}
