// Package js has the strings of JavaScript, as far as MiMo Code's detectors need
// them: lower case, white space, and code units. A string is UTF-8 in which a lone
// surrogate keeps its three-byte form, so that halves can be joined again.
package js

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Sigma is the one letter whose lower case depends on its neighbours.
const (
	Sigma      = 'Σ'
	FinalSigma = 'ς'
)

const dottedI = 'İ' // the one letter whose lower case is two code points

// A Kind is what tokens and lower-casing need to know of a character.
type Kind uint8

const (
	Space     Kind = 1 << iota // white space
	CJK                        // a token of its own
	Cased                      // has case, so a sigma after it may be final
	Ignorable                  // transparent to the search for a cased neighbour
)

var asciiKind = func() (t [utf8.RuneSelf]Kind) {
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

// KindOf is the kind of a character.
func KindOf(r rune) Kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF,
		0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA:
		return CJK
	case 0xAC00 <= r && r <= 0xD7A3:
		return 0
	}
	return slowKind(r)
}

// ASCIIKind is the kind of an ASCII character.
func ASCIIKind(c byte) Kind { return asciiKind[c&0x7F] }

// LowerASCII is the lower case of an ASCII character.
func LowerASCII(c byte) byte { return asciiLower[c&0x7F] }

func slowKind(r rune) Kind {
	var k Kind
	if IsSpace(r) {
		k |= Space
	}
	if isCJK(r) {
		k |= CJK
	}
	switch {
	case unicode.IsLower(r), unicode.IsUpper(r), unicode.IsTitle(r):
		k |= Cased
	case isIgnorable(r):
		k |= Ignorable
	case unicode.In(r, unicode.Other_Lowercase, unicode.Other_Uppercase):
		k |= Cased
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
		r, size := Decode(s[i:])
		i += size
		k := KindOf(r)
		word := after
		if k&Ignorable == 0 {
			if last >= 0 && k&Cased != 0 {
				out[last+1]++ // ς to σ
			}
			last, after = -1, k&Cased != 0
		}
		if r == Sigma && word {
			last = len(out)
		}
		out = AppendLower(out, r, word)
	}
	return string(out)
}

// AppendLower appends the lower case of r. A sigma becomes a final one in a
// word; the caller takes that back if the word goes on.
func AppendLower(b []byte, r rune, word bool) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(b, asciiLower[r])
	case r == dottedI:
		return append(b, "i\u0307"...)
	case r == Sigma && word:
		return utf8.AppendRune(b, FinalSigma)
	case utf16.IsSurrogate(r):
		return appendHalf(b, r)
	case 0x2E80 <= r && r <= 0xA000: // ideographs and kana: no case, and many
		return utf8.AppendRune(b, r)
	}
	return utf8.AppendRune(b, unicode.ToLower(r))
}
