package stream

import (
	"slices"
	"testing"
	"unicode"

	"groundhog/detectors/mimo/internal/js"
)

func TestLowerAndTokenize(t *testing.T) {
	for seed := range uint64(*sequences) {
		text := rolled(seed).text()
		u := unitsOf(text)
		if got, want := js.Lower(text), stringOf(literalLower(u)); got != want {
			t.Fatalf("js.Lower(%q) = %q, want %q", text, got, want)
		}
		if got, want := Tokenize(text), literalTokens(u); !slices.Equal(got, want) {
			t.Fatalf("Tokenize(%q) = %q, want %q", text, got, want)
		}
	}
}

// Every character by itself, and what a trim relies on: that lower case stays
// as it is, and is no more a space or CJK than the character was.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == 0x20000 {
			r = 0xE0000 // ideographs and nothing between
		}
		if r == 0xE1000 {
			break
		}
		u := units{uint16(r)}
		if r > 0xFFFF {
			u = unitsOf(string(r))
		}
		s := stringOf(u)
		low := js.Lower(s)
		if want := stringOf(literalLower(u)); low != want {
			t.Errorf("js.Lower(%q) = %q, want %q", s, low, want)
		}
		if again := js.Lower(low); again != low {
			t.Errorf("js.Lower(%q) = %q", low, again)
		}
		if r <= 0xFFFF && js.IsSpace(r) != whiteSpace[r] {
			t.Errorf("js.IsSpace(%U) = %v", r, js.IsSpace(r))
		}
		l, _ := js.Decode(low)
		if k := js.KindOf(r); k&(js.Space|js.CJK) != js.KindOf(l)&(js.Space|js.CJK) {
			t.Errorf("%U is of kind %b, in lower case of kind %b", r, k, js.KindOf(l))
		}
		if got, want := Tokenize("a"+s+"b"), literalTokens(slices.Concat(unitsOf("a"), u, unitsOf("b"))); !slices.Equal(got, want) {
			t.Errorf("tokens of %q are %q, want %q", "a"+s+"b", got, want)
		}
	}
}

// Tokenize splits a whole text.
func Tokenize(text string) []string {
	var l lexer
	l.write(text, len(text))
	out := make([]string, len(l.words))
	for i := range l.words {
		out[i] = string(l.word(i))
	}
	return out
}
