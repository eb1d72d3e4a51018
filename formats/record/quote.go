package record

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Unquote is what a valid JSON string says, byte for byte as detectors compare
// it. A lone surrogate keeps its three-byte form, so that halves split over two
// deltas can be joined again, and a byte that is not UTF-8 stays as it is. (A
// JSON library would put U+FFFD in both places, and two different texts would
// become equal.)
func Unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	body := raw[1 : len(raw)-1]
	i := bytes.IndexByte(body, '\\')
	if i < 0 {
		return string(body)
	}
	var out strings.Builder
	out.Grow(len(body))
	var char [utf8.UTFMax]byte
	for ; i >= 0; i = bytes.IndexByte(body, '\\') {
		out.Write(body[:i])
		decoded, n := appendEscape(char[:0], body[i:])
		out.Write(decoded)
		body = body[i+n:]
	}
	out.Write(body)
	if out.Len() < out.Cap()/2 {
		return strings.Clone(out.String()) // a text of escapes would keep room for six times its size
	}
	return out.String()
}

// appendUnquoted appends what a valid JSON string says.
func appendUnquoted(out, raw []byte) []byte {
	body := raw[1 : len(raw)-1]
	for i := bytes.IndexByte(body, '\\'); i >= 0; i = bytes.IndexByte(body, '\\') {
		out = append(out, body[:i]...)
		var n int
		out, n = appendEscape(out, body[i:])
		body = body[i+n:]
	}
	return append(out, body...)
}

// appendEscape decodes the escape that s begins with, of n bytes.
func appendEscape(out, s []byte) (more []byte, n int) {
	c := s[1]
	if c == 'u' {
		r, n := unescape(s)
		return appendRune(out, r), n
	}
	if j := strings.IndexByte("bfnrt", c); j >= 0 {
		c = "\b\f\n\r\t"[j]
	}
	return append(out, c), 2
}

// unescape decodes the \u escape, or the pair of them, that s begins with.
func unescape(s []byte) (r rune, n int) {
	r = hex4(s[2:6])
	if r >= 0xd800 && r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low := hex4(s[8:12]); low >= 0xdc00 && low < 0xe000 {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
		}
	}
	return r, 6
}

func hex4(s []byte) (r rune) {
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// appendRune is utf8.AppendRune, with surrogates in their three-byte form.
func appendRune(out []byte, r rune) []byte {
	if r >= 0xd800 && r < 0xe000 {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

// AppendQuote appends s as a JSON string from which Unquote gives s again:
// surrogates in their three-byte form become escapes, other bytes stay. The low
// half of two that stand side by side stays, too: two escapes would read as one
// character.
func AppendQuote(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	high := -1 // where the last high half ended
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20 || c == 0x7f:
			if j := strings.IndexByte("\b\f\n\r\t", c); j >= 0 {
				out = append(out, '\\', "bfnrt"[j])
			} else {
				out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		case c == 0xed && i+2 < len(s) && s[i+1] >= 0xa0 && s[i+1]&0xc0 == 0x80 && s[i+2]&0xc0 == 0x80:
			r := rune(c&0x0f)<<12 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
			if r >= 0xdc00 && high == i {
				out = append(out, s[i:i+3]...)
				i += 2
				continue
			}
			if r < 0xdc00 {
				high = i + 3
			}
			out = append(out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
			i += 2
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
