package stream

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	sigma      = 'Σ' // the one letter whose lower case depends on its neighbours
	finalSigma = 'ς'
	dottedI    = 'İ' // the one letter whose lower case is two code points
)

// A kind is what the tokenizer and lower-casing need to know of a character.
type kind uint8

const (
	space     kind = 1 << iota // JavaScript white space
	cjk                        // a token of its own
	cased                      // has case, so a sigma after it may be final
	ignorable                  // transparent to the search for a cased neighbour
)

var asciiKind = func() (t [utf8.RuneSelf]kind) {
	for r := range t {
		t[r] = slowKind(rune(r))
	}
	return t
}()

var asciiLower = func() (t [utf8.RuneSelf]byte) {
	for r := range t {
		t[r] = byte(unicode.ToLower(rune(r)))
	}
	return t
}()

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF,
		0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA:
		return cjk
	case 0xAC00 <= r && r <= 0xD7A3:
		return 0
	}
	return slowKind(r)
}

func slowKind(r rune) kind {
	var k kind
	if IsSpace(r) {
		k |= space
	}
	if isCJK(r) {
		k |= cjk
	}
	switch {
	case unicode.IsLower(r), unicode.IsUpper(r), unicode.IsTitle(r):
		k |= cased
	case isIgnorable(r):
		k |= ignorable
	case unicode.In(r, unicode.Other_Lowercase, unicode.Other_Uppercase):
		k |= cased
	}
	return k
}

// IsSpace tells JavaScript's white space: unicode.IsSpace without U+0085 and
// with U+FEFF.
func IsSpace(r rune) bool {
	switch {
	case r <= ' ':
		return r == ' ' || '\t' <= r && r <= '\r'
	case r < 0x1680:
		return r == 0xA0
	case 0x2000 <= r && r <= 0x200A:
		return true
	}
	switch r {
	case 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

func isCJK(r rune) bool {
	return 0x3000 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF ||
		0xF900 <= r && r <= 0xFAFF || 0xFF00 <= r && r <= 0xFFEF
}

func isIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// Lower is JavaScript's toLowerCase: strings.ToLower with a final sigma, with
// two code points for U+0130, and with lone surrogates kept.
func Lower(s string) string {
	out := make([]byte, 0, len(s))
	after := false // the last character that was not ignorable is cased
	last := -1     // where a sigma stands that is final unless a cased letter follows
	for i := 0; i < len(s); {
		r, size := decode(s[i:])
		i += size
		k := kindOf(r)
		word := after
		if k&ignorable == 0 {
			if last >= 0 && k&cased != 0 {
				out[last+1]++ // ς to σ
			}
			last, after = -1, k&cased != 0
		}
		if r == sigma && word {
			last = len(out)
		}
		out = appendLower(out, r, word)
	}
	return string(out)
}

// appendLower appends the lower case of r. A sigma becomes a final one in a
// word; the caller takes that back if the word goes on.
func appendLower(b []byte, r rune, word bool) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(b, asciiLower[r])
	case r == dottedI:
		return append(b, "i\u0307"...)
	case r == sigma && word:
		return utf8.AppendRune(b, finalSigma)
	case utf16.IsSurrogate(r):
		return append(b, 0xED, byte(r>>6)&0x3F|0x80, byte(r)&0x3F|0x80)
	case 0x2E80 <= r && r <= 0xA000: // ideographs and kana: no case, and many
		return utf8.AppendRune(b, r)
	}
	return utf8.AppendRune(b, unicode.ToLower(r))
}

// decode is utf8.DecodeRuneInString with surrogates in their three-byte form.
// Two halves side by side are one character. Any other byte out of place is
// U+FFFD.
func decode(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	high, ok := half(s)
	if !ok {
		return r, size
	}
	if isHigh(high) {
		if low, ok := half(s[3:]); ok && !isHigh(low) {
			return utf16.DecodeRune(high, low), 6
		}
	}
	return high, 3
}

// half reads a surrogate in its three-byte form.
func half(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

func isHigh(r rune) bool { return 0xD800 <= r && r < 0xDC00 }
func isLow(r rune) bool  { return 0xDC00 <= r && r < 0xE000 }

// appendUnits appends the UTF-16 code units of s.
func appendUnits(u []uint16, s string) []uint16 {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			u = append(u, uint16(s[i]))
			i++
			continue
		}
		r, size := decode(s[i:])
		i += size
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			u = append(u, uint16(high), uint16(low))
			continue
		}
		u = append(u, uint16(r))
	}
	return u
}
