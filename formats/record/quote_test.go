package record_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats/record"
)

// Halves of a surrogate pair in the form that Unquote keeps them in.
const (
	high = "\xed\xa0\xbd"
	low  = "\xed\xb8\x80"
)

func TestUnquote(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`""`, ""},
		{`"a b"`, "a b"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u00e9\u00E9é"`, "ééé"},
		{`"\ud83d\ude00"`, "😀"},
		{`"x\ud83d"`, "x" + high},
		{`"\ude00x"`, low + "x"},
		{`"\ude00\ud83d"`, low + high},
		{`"\ud83d\ud83d\ude00"`, high + "😀"},
		{`"\ud83d\\ude00"`, high + `\ude00`},
		{`"\ud83d` + low + `"`, high + low},
		{"\"a\xffb\"", "a\xffb"},
		{`"\u0000"`, "\x00"},
	} {
		if got := record.Unquote([]byte(test.in)); got != test.want {
			t.Errorf("Unquote(%s) = %q, want %q", test.in, got, test.want)
		}
	}
}

// bytesOfAnyKind draws strings that are not kind to a quoter.
var bytesOfAnyKind = rapid.Map(rapid.SliceOf(rapid.OneOf(
	rapid.SampledFrom([]string{high, low, "\xed", "\xa0", "\x80", "\xed\xa0", "\"", "\\", "u", `\ud83d`, `\ude00`, "\x00", "\x7f", "\n", "\xff", "\xed\x9f\xbf", "\xee\x80\x80"}),
	rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) }),
	rapid.Map(rapid.Rune(), func(r rune) string { return string(r) }),
)), func(list []string) string { return strings.Join(list, "") })

func TestQuoteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bytesOfAnyKind.Draw(t, "s")
		raw := record.AppendQuote([]byte("before"), s)
		quoted, ok := strings.CutPrefix(string(raw), "before")
		if !ok {
			t.Fatalf("AppendQuote dropped what was there: %q", raw)
		}
		if got := record.Unquote([]byte(quoted)); got != s {
			t.Errorf("%q became %s and then %q", s, quoted, got)
		}
		if !jsontext.Value(quoted).IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%q became %s, which is not JSON", s, quoted)
		}
		for i := range len(quoted) {
			if quoted[i] < 0x20 || quoted[i] == 0x7f {
				t.Errorf("%q became %q, with a control character", s, quoted)
			}
		}
		if utf8.ValidString(s) && !utf8.ValidString(quoted) {
			t.Errorf("%q became invalid UTF-8: %q", s, quoted)
		}
	})
}

// A valid string without lone surrogates is what every reader says it is.
func TestUnquoteEqualsTheStandardLibrary(t *testing.T) {
	hex := rapid.SampledFrom([]string{`\u%04x`, `\u%04X`})
	piece := rapid.Custom(func(t *rapid.T) string {
		r := rapid.Rune().Draw(t, "rune")
		switch form := hex.Draw(t, "hex"); rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			return rapid.SampledFrom([]string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`}).Draw(t, "escape")
		case 1:
			if a, b := utf16.EncodeRune(r); a != utf8.RuneError {
				return fmt.Sprintf(form, a) + fmt.Sprintf(form, b)
			}
			return fmt.Sprintf(form, r)
		default:
			if r < 0x20 || r == '"' || r == '\\' {
				return "x"
			}
			return string(r)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		raw := `"` + strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "") + `"`
		var want string
		if err := stdjson.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got := record.Unquote([]byte(raw)); got != want {
			t.Errorf("Unquote(%s) = %q, want %q", raw, got, want)
		}
	})
}

// Halves that come in two deltas give the character when they are put together.
func TestUnquoteJoinsHalves(t *testing.T) {
	var texts []string
	for v := range record.Value(`["a\ud83d", "\ude00b", null, "\u00e9"]`).Elements() {
		texts = append(texts, v.Text())
	}
	if want := []string{"a" + high, low + "b", "", "é"}; !cmp.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}
