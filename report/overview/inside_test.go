package overview

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRepeated(t *testing.T) {
	for _, test := range []struct {
		name, text string
		copies     int
		want       string
	}{
		{"a sentence", strings.Repeat("I look again. ", 5), 5, "I look again."},
		{"cut in the middle of a copy", "So. " + strings.Repeat("I look again. ", 5) + "I lo", 5, "I look again."},
		{"no blank before the first copy", strings.TrimSpace(strings.Repeat("I look again. ", 5)), 5, "I look again."},
		{"an end that the block shares", "Let me think about the word. " + strings.Repeat("The word is lantern. Say the word. ", 4), 4, "The word is lantern. Say the word."},
		{"no sentence", "1 of 9 " + strings.Repeat("pass | 0 | ", 4), 4, "pass | 0 |"},
		{"no blanks at all", "文件已读。" + strings.Repeat("我再检查一下。", 4), 4, "我再检查一下。"},
		{"signs alone", strings.Repeat("| - ", 4), 4, "| -"},
		{"a long block is shortened", strings.Repeat(strings.Repeat("0123456789", 9)+"\n", 4), 4, strings.Repeat("0123456789", 8) + "…"},
		{"other bytes", "Look. look. LOOK. look. ", 4, ""},
		{"fewer copies", "a b c a b c", 4, ""},
		{"too few copies to tell", "a a", 2, ""},
		{"nothing", "", 20, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := repeated(test.text, test.copies); got != test.want {
				t.Errorf("%q in %d copies: %q, want %q", test.text, test.copies, got, test.want)
			}
		})
	}
}

func FuzzRepeated(f *testing.F) {
	f.Add("ab ab ab ab ", 3)
	f.Add("\xe6\x88\xe6\x88\xe6\x88", 3)
	f.Fuzz(func(t *testing.T, text string, copies int) {
		got := repeated(text, copies)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > longestBlock+1 {
			t.Errorf("%q in %d copies: %q", text, copies, got)
		}
	})
}
