package js

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode is utf8.DecodeRuneInString for JavaScript strings: a surrogate in its
// three-byte form is a code point, and two halves side by side are one character.
func Decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n != 1 {
		return r, n
	}
	high, ok := Half(s)
	if !ok {
		return utf8.RuneError, 1
	}
	if low, ok := Half(s[3:]); ok {
		if pair := utf16.DecodeRune(high, low); pair != utf8.RuneError {
			return pair, 6
		}
	}
	return high, 3
}

// Half reads a surrogate in its three-byte form.
func Half(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// IsHigh and IsLow tell the halves of a surrogate pair.
func IsHigh(r rune) bool { return 0xd800 <= r && r < 0xdc00 }
func IsLow(r rune) bool  { return 0xdc00 <= r && r < 0xe000 }

// AppendRune is utf8.AppendRune with surrogates in their three-byte form. A low
// half behind a high one completes it, so equal strings have equal bytes.
func AppendRune(dst []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	if n := len(dst); n >= 3 {
		if high, ok := Half(string(dst[n-3:])); ok {
			if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
				return utf8.AppendRune(dst[:n-3], pair)
			}
		}
	}
	return appendHalf(dst, r)
}

func appendHalf(dst []byte, r rune) []byte {
	return append(dst, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

// AppendUnits appends the UTF-16 code units of s.
func AppendUnits(u []uint16, s string) []uint16 {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			u = append(u, uint16(s[i]))
			i++
			continue
		}
		r, size := Decode(s[i:])
		i += size
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			u = append(u, uint16(high), uint16(low))
			continue
		}
		u = append(u, uint16(r))
	}
	return u
}

// CompareUnits orders strings as JavaScript does: U+10000 before U+E000.
func CompareUnits(a, b string) int {
	// Below the surrogates the order of units is the order of bytes, and so it is
	// where the strings part within a character.
	if i := common(a, b); i < len(a) && i < len(b) && a[i] >= 0xed && b[i] >= 0xed {
		return slices.Compare(AppendUnits(nil, a), AppendUnits(nil, b))
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
		r, size := Decode(s[i:])
		if r >= 0x10000 {
			if n++; n == limit {
				high, _ := utf16.EncodeRune(r)
				return string(AppendRune([]byte(s[:i]), high))
			}
		}
		i += size
	}
	return s[:i]
}

// Trim is JavaScript's trim.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// Blank reports whether s is white space only.
func Blank(s string) bool { return strings.TrimLeftFunc(s, IsSpace) == "" }

// Collapse makes one space of each run of white space.
func Collapse(s string) string {
	dst := make([]byte, 0, len(s))
	space := false
	for s != "" {
		r, n := Decode(s)
		s = s[n:]
		if IsSpace(r) {
			if !space {
				dst = append(dst, ' ')
			}
			space = true
			continue
		}
		space = false
		dst = AppendRune(dst, r)
	}
	return string(dst)
}
