package steps

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// decode is utf8.DecodeRuneInString for JavaScript strings: a surrogate in its
// three-byte form is a code point, and two halves side by side are one character.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n != 1 {
		return r, n
	}
	high, ok := half(s)
	if !ok {
		return utf8.RuneError, 1
	}
	if low, ok := half(s[3:]); ok {
		if pair := utf16.DecodeRune(high, low); pair != utf8.RuneError {
			return pair, 6
		}
	}
	return high, 3
}

// half reads a surrogate in its three-byte form.
func half(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// appendRune is utf8.AppendRune with surrogates in their three-byte form. A low
// half behind a high one completes it, so equal strings have equal bytes.
func appendRune(dst []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	if n := len(dst); n >= 3 {
		if high, ok := half(string(dst[n-3:])); ok {
			if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
				return utf8.AppendRune(dst[:n-3], pair)
			}
		}
	}
	return append(dst, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

// whole joins halves that stand side by side, as they do where two parts meet.
func whole(s string) string {
	if strings.IndexByte(s, 0xed) < 0 || utf8.ValidString(s) {
		return s
	}
	dst := make([]byte, 0, len(s))
	for s != "" {
		r, n := decode(s)
		dst = appendRune(dst, r)
		s = s[n:]
	}
	return string(dst)
}

// units is s in UTF-16.
func units(s string) []uint16 {
	list := make([]uint16, 0, len(s))
	for s != "" {
		r, n := decode(s)
		s = s[n:]
		if utf16.IsSurrogate(r) {
			list = append(list, uint16(r))
		} else {
			list = utf16.AppendRune(list, r)
		}
	}
	return list
}

// compareUnits orders strings as JavaScript does: U+10000 before U+E000.
func compareUnits(a, b string) int {
	// Below the surrogates the order of units is the order of bytes, and so it is
	// where the strings part within a character.
	if i := common(a, b); i < len(a) && i < len(b) && a[i] >= 0xed && b[i] >= 0xed {
		return slices.Compare(units(a), units(b))
	}
	return strings.Compare(a, b)
}

// common is the length of what a and b have in common.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Cut is the first limit code units of s. A pair may be cut in half.
func Cut(s string, limit int) string {
	if len(s) <= limit { // no string has more units than bytes
		return s
	}
	i := 0
	for n := 0; i < len(s) && n < limit; n++ {
		r, size := decode(s[i:])
		if r >= 0x10000 {
			if n++; n == limit {
				high, _ := utf16.EncodeRune(r)
				return string(appendRune([]byte(s[:i]), high))
			}
		}
		i += size
	}
	return s[:i]
}

// isSpace is JavaScript's white space.
func isSpace(r rune) bool {
	switch {
	case r <= ' ':
		return r == ' ' || r >= '\t' && r <= '\r'
	case r < 0x1680:
		return r == 0xa0
	}
	switch r {
	case 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// Trim is JavaScript's trim.
func Trim(s string) string { return strings.TrimFunc(s, isSpace) }

// Blank reports whether s is white space only.
func Blank(s string) bool { return strings.TrimLeftFunc(s, isSpace) == "" }

// Collapse makes one space of each run of white space.
func Collapse(s string) string {
	dst := make([]byte, 0, len(s))
	space := false
	for s != "" {
		r, n := decode(s)
		s = s[n:]
		if isSpace(r) {
			if !space {
				dst = append(dst, ' ')
			}
			space = true
			continue
		}
		space = false
		dst = appendRune(dst, r)
	}
	return string(dst)
}

// Lower is JavaScript's toLowerCase. It differs from strings.ToLower in
// U+0130, in the sigma that ends a word, and in that it keeps surrogates.
func Lower(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = whole(s)
	dst := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := decode(s[i:])
		switch {
		case r == 0x130:
			dst = append(dst, "i\u0307"...)
		case r == 'Σ' && casedBefore(s[:i]) && !casedAfter(s[i+n:]):
			dst = append(dst, "ς"...)
		default:
			dst = appendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return string(dst)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// casedBefore and casedAfter look past what is case-ignorable. A surrogate is
// neither that nor cased, and so is the U+FFFD that the library makes of it.

func casedBefore(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !caseIgnorable(r) {
			return cased(r)
		}
		s = s[:len(s)-n]
	}
	return false
}

func casedAfter(s string) bool {
	for s != "" {
		r, n := decode(s)
		if !caseIgnorable(r) {
			return cased(r)
		}
		s = s[n:]
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
