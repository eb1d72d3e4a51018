package steps

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"groundhog/detectors/mimo/internal/js"
)

// string copies a string and returns what it means.
func (w *writer) string() (string, bool) {
	if !w.next('"') {
		return "", false
	}
	end, escaped := 0, false
	for ; ; end++ {
		if end >= len(w.src) || w.src[end] < ' ' {
			return "", false
		}
		if w.src[end] == '"' {
			break
		}
		if w.src[end] == '\\' {
			escaped = true
			end++
		}
	}
	inner := w.src[:end]
	w.src = w.src[end+1:]
	if !escaped && utf8.ValidString(inner) {
		w.dst = append(w.dst, '"')
		w.dst = append(w.dst, inner...)
		w.dst = append(w.dst, '"')
		return inner, true
	}
	s, ok := unquote(inner)
	w.dst = appendQuoted(w.dst, s)
	return s, ok
}

// unquote resolves escapes. Halves of a character that meet are joined,
// whether they were escaped or not.
func unquote(s string) (string, bool) {
	dst := make([]byte, 0, len(s))
	for s != "" {
		r, n := js.Decode(s)
		s = s[n:]
		if r != '\\' {
			dst = js.AppendRune(dst, r)
			continue
		}
		if s == "" {
			return "", false
		}
		c := s[0]
		s = s[1:]
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			dst = append(dst, "\"\\/\b\f\n\r\t"[i])
			continue
		}
		if c != 'u' || len(s) < 4 {
			return "", false
		}
		u, ok := hex4(s)
		if !ok {
			return "", false
		}
		dst = js.AppendRune(dst, u)
		s = s[4:]
	}
	return string(dst), true
}

func hex4(s string) (r rune, ok bool) {
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendQuoted appends s as JSON.stringify writes it.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for s != "" {
		r, n := js.Decode(s)
		s = s[n:]
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			if i := strings.IndexByte("\b\f\n\r\t", byte(r)); i >= 0 {
				dst = append(dst, '\\', "bfnrt"[i])
			} else {
				dst = appendEscape(dst, r)
			}
		case utf16.IsSurrogate(r):
			dst = appendEscape(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// number prints a double as JavaScript does. What a double cannot hold is
// Infinity, and JSON.stringify writes null for that.
func (w *writer) number() bool {
	n := numberLen(w.src)
	if n == 0 {
		return false
	}
	text := w.src[:n]
	w.src = w.src[n:]
	x, _ := strconv.ParseFloat(text, 64) // out of range gives Infinity, which is meant
	w.dst = appendNumber(w.dst, x)
	return true
}

func appendNumber(dst []byte, x float64) []byte {
	switch abs := math.Abs(x); {
	case math.IsInf(x, 0):
		return append(dst, "null"...)
	case x == 0:
		return append(dst, '0') // minus zero too
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') { // e-07
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// numberLen is the length of the JSON number that s begins with, or 0.
func numberLen(s string) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}
