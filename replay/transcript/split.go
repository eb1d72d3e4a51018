package transcript

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// The splitters here need no vocabulary. Package cut has one that splits at tokens.

// Words splits before each word, so that a piece is a word with the white space before
// it, and around each CJK character.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, word := 0, false // word: the piece holds something other than white space
		for i, r := range text {
			cjk := isCJK(r)
			if i > start && (cjk && word || word && unicode.IsSpace(r)) {
				if !yield(text[start:i]) {
					return
				}
				start, word = i, false
			}
			if cjk {
				end := i + utf8.RuneLen(r)
				if !yield(text[start:end]) {
					return
				}
				start, word = end, false
				continue
			}
			word = word || !unicode.IsSpace(r)
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// isCJK reports whether a character is a word of its own: kana, ideographs, their
// compatibility forms and full-width forms are.
func isCJK(r rune) bool {
	return r >= 0x3000 && r <= 0x30ff || r >= 0x3400 && r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xffef
}

// Chars splits after each character. A byte that is not UTF-8 is a piece of its own.
func Chars(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			_, n := utf8.DecodeRuneInString(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// Whole does not split. A detector that looks only at the end of a long delta then sees
// only the end of the text, so it is used only where a user asks for it.
func Whole(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if text != "" {
			yield(text)
		}
	}
}
