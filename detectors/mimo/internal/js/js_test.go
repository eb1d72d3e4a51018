package js

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const (
	high = "\xed\xa0\xbd" // U+D83D
	low  = "\xed\xb8\x80" // U+DE00
)

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"Hello, WORLD":         "hello, world",
		"İ":                    "i\u0307",
		"ΑΣ":                   "ας",
		"Σ":                    "σ",
		"ΑΣΒ":                  "ασβ",
		"ΑΣ ΑΣ'":               "ας ας'",
		"ΑΣ'Β":                 "ασ'β",
		"Α'Σ":                  "α'ς",
		"ΣΣΣ":                  "σσς",
		"中Σ":                   "中σ",
		"ΑΣ中":                  "ας中",
		"A\u1d2cΣ":             "a\u1d2cς", // a modifier letter is cased and ignorable: passed over
		"ＡＢ":                   "ａｂ",
		"\U00010400":           "\U00010428",
		"Σ" + high:             "σ" + high,
		"ΑΣ" + high + "Α":      "ας" + high + "α",
		"𝐀Σ":                   "𝐀ς",
		high + low:             "😀",
		"Ä" + low + high + "Ä": "ä" + low + high + "ä",
		"Ä\xff":                "ä\ufffd",
	} {
		if got := Lower(in); got != want {
			t.Errorf("Lower(%+q) = %+q, want %+q", in, got, want)
		}
	}
	// Apart from what the rules above say, it is the library's.
	for r := range unicode.MaxRune + 1 {
		if r == 0x130 || r >= 0xd800 && r < 0xe000 {
			continue
		}
		if got, want := Lower(string(r)), strings.ToLower(string(r)); got != want {
			t.Errorf("Lower(%U) = %+q, want %+q", r, got, want)
		}
	}
}

func TestSpace(t *testing.T) {
	const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	for r := range unicode.MaxRune + 1 {
		if got, want := IsSpace(r), strings.ContainsRune(space, r) && r != utf8.RuneError; got != want {
			t.Errorf("IsSpace(%U) = %v", r, got)
		}
	}
	if got := Collapse(Trim("\ufeff a\u3000\n" + high + "\u00a0" + low + "\u200b\u0085 ")); got != "a "+high+" "+low+"\u200b\u0085" {
		t.Errorf("got %+q", got)
	}
}

// FuzzCut compares cutting with its definition, code units.
func FuzzCut(f *testing.F) {
	f.Add("a😀b", 2)
	f.Add(high+low+high, 2)
	f.Add("é\xff"+low, 1)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		want := AppendUnits(nil, s)
		want = want[:min(len(want), limit)]
		if got := AppendUnits(nil, Cut(s, limit)); !reflect.DeepEqual(append([]uint16{}, got...), append([]uint16{}, want...)) {
			t.Errorf("Cut(%+q, %d) is %x, want %x", s, limit, got, want)
		}
	})
}

// What is told by ranges and tables is what the slow way tells.
func TestKinds(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		if KindOf(r) != slowKind(r) {
			t.Errorf("KindOf(%U) = %b, want %b", r, KindOf(r), slowKind(r))
		}
		if r < utf8.RuneSelf && (ASCIIKind(byte(r)) != slowKind(r) || rune(LowerASCII(byte(r))) != unicode.ToLower(r)) {
			t.Errorf("%U is of kind %b, in lower case %U", r, ASCIIKind(byte(r)), LowerASCII(byte(r)))
		}
	}
}
