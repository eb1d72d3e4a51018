package kocoro

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file re-encodes JSON as Go's encoder would, without decoding it. It
// knows the easy cases, which are nearly all there are, and gives up on the
// rest: encodeFirst is the definition, and a fuzz test compares the two.

// maxNesting is how deep a value may be to count as easy.
const maxNesting = 64

// appendCanonical appends the object that s begins with to dst, compact, with
// sorted keys and numbers as written. ok is false if it is no easy case; dst is
// then of no use.
func appendCanonical(dst []byte, s string) (out []byte, ok bool) {
	c := canonical{out: dst, s: s}
	ok = c.object(0)
	return c.out, ok
}

type canonical struct {
	out []byte
	s   string // what is left
}

// member is one key of an object, with where its text lies in out.
type member struct {
	key      string
	from, to int
}

func (c *canonical) space() { c.s = strings.TrimLeft(c.s, " \t\r\n") }

func (c *canonical) take(b byte) bool {
	if len(c.s) == 0 || c.s[0] != b {
		return false
	}
	c.s = c.s[1:]
	return true
}

func (c *canonical) value(depth int) bool {
	if len(c.s) == 0 || depth > maxNesting {
		return false
	}
	switch c.s[0] {
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth)
	case '"':
		_, ok := c.text(true)
		return ok
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	return c.number()
}

func (c *canonical) word(w string) bool {
	if !strings.HasPrefix(c.s, w) {
		return false
	}
	c.s = c.s[len(w):]
	c.out = append(c.out, w...)
	return true
}

func (c *canonical) object(depth int) bool {
	if !c.take('{') {
		return false
	}
	c.out = append(c.out, '{')
	var few [8]member
	members := few[:0]
	sorted := true
	for c.space(); !c.take('}'); c.space() {
		if len(members) > 0 {
			if !c.take(',') {
				return false
			}
			c.space()
			c.out = append(c.out, ',')
		}
		from := len(c.out)
		key, ok := c.text(false)
		if !ok {
			return false
		}
		if c.space(); !c.take(':') {
			return false
		}
		c.space()
		c.out = append(c.out, ':')
		if !c.value(depth + 1) {
			return false
		}
		sorted = sorted && (len(members) == 0 || members[len(members)-1].key < key)
		members = append(members, member{key, from, len(c.out)})
	}
	if !sorted && !c.sort(members) {
		return false
	}
	c.out = append(c.out, '}')
	return true
}

// sort puts the members of an object in the order of their keys. It gives up on
// a key that stands twice.
func (c *canonical) sort(members []member) bool {
	start := members[0].from
	text := string(c.out[start:])
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	c.out = c.out[:start]
	for i, m := range members {
		if i > 0 {
			if members[i-1].key == m.key {
				return false
			}
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, text[m.from-start:m.to-start]...)
	}
	return true
}

func (c *canonical) array(depth int) bool {
	c.take('[')
	c.out = append(c.out, '[')
	for first := true; ; first = false {
		if c.space(); c.take(']') {
			c.out = append(c.out, ']')
			return true
		}
		if !first {
			if !c.take(',') {
				return false
			}
			c.space()
			c.out = append(c.out, ',')
		}
		if !c.value(depth + 1) {
			return false
		}
	}
}

// text copies a string that the encoder would write as it stands. Escapes that
// it writes the same way are easy, except in keys, whose order they would hide.
func (c *canonical) text(escapes bool) (string, bool) {
	if len(c.s) == 0 || c.s[0] != '"' {
		return "", false
	}
	ascii := true
	for i := 1; i < len(c.s); i++ {
		switch b := c.s[i]; {
		case b == '"':
			body := c.s[1:i]
			if !ascii && (!utf8.ValidString(body) || strings.Contains(body, "\u2028") || strings.Contains(body, "\u2029")) {
				return "", false
			}
			c.out = append(c.out, c.s[:i+1]...)
			c.s = c.s[i+1:]
			return body, true
		case b == '\\':
			if !escapes || i+1 >= len(c.s) || strings.IndexByte(`"\nrt`, c.s[i+1]) < 0 {
				return "", false
			}
			i++
		case b < 0x20 || b == '<' || b == '>' || b == '&':
			return "", false
		case b >= 0x80:
			ascii = false
		}
	}
	return "", false
}

// number copies a number. Its grammar is the encoder's, so that what it would
// refuse is no easy case.
func (c *canonical) number() bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(c.s) && c.s[i] >= '0' && c.s[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set string) bool {
		if i < len(c.s) && strings.IndexByte(set, c.s[i]) >= 0 {
			i++
			return true
		}
		return false
	}
	at("-")
	if !at("0") && !digits() {
		return false
	}
	if at(".") && !digits() {
		return false
	}
	if at("eE") {
		at("+-")
		if !digits() {
			return false
		}
	}
	c.out = append(c.out, c.s[:i]...)
	c.s = c.s[i:]
	return true
}
