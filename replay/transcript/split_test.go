package transcript

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  nil,
		"one two  three":    {"one", " two", "  three"},
		" lead and trail ":  {" lead", " and", " trail", " "},
		"a\n\nb":            {"a", "\n\nb"},
		"漢字 kana かな。ok":     {"漢", "字", " kana", " か", "な", "。", "ok"},
		"half \xed\xa0\xbd": {"half", " \xed\xa0\xbd"},
	} {
		if got := slices.Collect(Words(text)); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzSplitters(f *testing.F) {
	f.Add("one two 漢字\xff\u3000end ")
	f.Fuzz(func(t *testing.T, text string) {
		for name, split := range map[string]Splitter{"words": Words, "chars": Chars, "whole": Whole} {
			pieces := slices.Collect(split(text))
			if strings.Join(pieces, "") != text || slices.Contains(pieces, "") {
				t.Errorf("%s(%q) = %q", name, text, pieces)
			}
			for range split(text) {
				break // must not yield again
			}
		}
	})
}
