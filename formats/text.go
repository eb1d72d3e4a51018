package formats

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"
)

// Text is a JSON string as detectors compare it: byte for byte. A lone
// surrogate keeps its three-byte form, so that halves split over two deltas can
// be joined again; a byte that is not UTF-8 stays as it is. (A JSON library
// would put U+FFFD in both places, and two different texts would become equal.)
type Text string

// UnmarshalJSONFrom reads a string or null.
func (t *Text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == 'n' {
		*t = ""
		return nil
	}
	if raw.Kind() != '"' {
		return &kindError{want: "a string", got: raw.Kind()}
	}
	*t = Text(Unquote(raw))
	return nil
}

// A kindError is a value of another JSON type than expected.
type kindError struct {
	want string
	got  jsontext.Kind
}

func (e *kindError) Error() string { return "expected " + e.want + ", found " + e.got.String() }

// Unquote decodes a valid JSON string.
func Unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	body := string(raw)
	i := strings.IndexByte(body, '\\')
	if i < 0 {
		return body
	}
	out := make([]byte, 0, len(body))
	for i >= 0 {
		out = append(out, body[:i]...)
		body = body[i:]
		if body[1] == 'u' {
			r, n := unescape(body)
			out = appendRune(out, r)
			body = body[n:]
		} else {
			c := body[1]
			if j := strings.IndexByte("bfnrt", c); j >= 0 {
				c = "\b\f\n\r\t"[j]
			}
			out = append(out, c)
			body = body[2:]
		}
		i = strings.IndexByte(body, '\\')
	}
	return string(append(out, body...))
}

// unescape decodes the \u escape, or the pair of them, that s begins with.
func unescape(s string) (r rune, n int) {
	r = hex4(s[2:6])
	if r >= 0xd800 && r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low := hex4(s[8:12]); low >= 0xdc00 && low < 0xe000 {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
		}
	}
	return r, 6
}

func hex4(s string) (r rune) {
	for i := range 4 {
		c := s[i]
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
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f|0x80, 0x80|byte(r)&0x3f)
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

// MessageKey is the stable key of a message id: XXH3, 64 bits.
func MessageKey(id string) uint64 { return xxh3.HashString(id) }
