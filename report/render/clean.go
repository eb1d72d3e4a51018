// Package render writes a report in one style or another. It computes nothing.
package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from a transcript safe to show: control characters and
// characters that reorder a line are written out, invalid bytes become U+FFFD.
func Clean(s string) string {
	if !strings.ContainsFunc(s, unsafe) && utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case unsafe(r) && r < 0x100:
			fmt.Fprintf(&out, `\x%02x`, r)
		case unsafe(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// unsafe: C0 and C1 controls, and the marks that change the direction of text.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// CleanJSON makes JSON safe to show without changing what it means: inside
// strings, the same characters become escapes.
func CleanJSON(in []byte) []byte {
	clean := true
	for _, c := range in {
		if c >= 0x80 || c == 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return in
	}
	out := make([]byte, 0, len(in)+16)
	for i := 0; i < len(in); {
		r, n := utf8.DecodeRune(in[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\ufffd"...)
		case r >= 0x7f && unsafe(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, in[i:i+n]...)
		}
		i += n
	}
	return out
}
