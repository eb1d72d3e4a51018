package record

import "bytes"

// Mark is the byte order mark, which may stand before a text and is no part of it.
const Mark = "\xef\xbb\xbf"

// Clean is a text without the byte order mark.
func Clean(text []byte) []byte { return bytes.TrimPrefix(text, []byte(Mark)) }

// WithoutNaN puts null where a writer in Python has left NaN or Infinity. (No
// other way: to a JSON library they are mistakes.) The text itself stays as it is.
func WithoutNaN(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	out := make([]byte, 0, len(text))
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case !quoted:
			if n := nanAt(text[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// nanAt is the length of the word that s begins with, if it is no number.
func nanAt(s []byte) int {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
