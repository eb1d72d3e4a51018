package review

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What is shown of the text before a cut is the text, and the block is found
// wherever one stands there often enough.
func TestRepeatedBlocks(t *testing.T) {
	word := rapid.SampledFrom([]string{"I check. ", "a", "ab ", "再检查一下。", "检", "x y z ", "é", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "before"), "")
		block := strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "block"), "")
		copies := rapid.IntRange(0, 9).Draw(t, "copies")
		text := before + strings.Repeat(block, copies)
		size, tail := lastBlock(text)
		if size == 0 {
			if copies >= leastCopy {
				t.Fatalf("no block in %q", text)
			}
			return
		}
		if copies >= leastCopy && size > len(block) {
			t.Fatalf("a block of %d bytes in %q", size, text)
		}
		rest := text[:len(text)-tail]
		found := rest[len(rest)-size:]
		if !utf8.ValidString(found) || !utf8.ValidString(text[len(text)-tail:]) {
			t.Fatalf("%q is cut inside a character: block %q, tail %q", text, found, text[len(text)-tail:])
		}
		if !strings.HasSuffix(rest, strings.Repeat(found, 2)) {
			t.Fatalf("%q does not repeat at the end of %q", found, rest)
		}
	})
}

// Arguments with one member changed differ in that member alone, and what is no
// object stays as it is.
func TestWithField(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{`{"at":"10:00","id":7}`, `{"at":"0:0","id":7}`},
		{`{"id":{"at":5},"n":[1]}`, `{"id":{"at":5},"n":[1]}`},
		{`{"at":42}`, `{"at":"0"}`},
		{`[1,2]`, `[1,2]`},
		{`{"at":`, `{"at":`},
		{``, ``},
	} {
		if got := withField(test.args, "at", withoutDigits); got != test.want {
			t.Errorf("withField(%s) = %s, want %s", test.args, got, test.want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":"b","c":[1,{"d":null}]}`, `{"a":1`, `x`, `{"a":"\ud800"}`, "{\"\xff\":\"\xfe\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		shorten(argsText(args), maxLineText)
		if once, twice := canonical(args), canonical(canonical(args)); once != twice {
			t.Errorf("canonical(%q) = %q, and then %q", args, once, twice)
		}
		withField(args, "a", withoutDigits)
	})
}
