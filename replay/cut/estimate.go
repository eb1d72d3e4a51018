package cut

import "unicode/utf8"

// Estimate is about how many tokens of o200k a text has, by the kinds of its characters.
// It needs no vocabulary.
func Estimate(text string) int64 {
	var c classes
	c.count(text)
	sum := int64(0)
	for i, n := range c {
		sum += n * weights[i]
	}
	return (sum + 500) / 1000
}

// weights are thousandths of a token. All but the last three are a least-squares fit to
// o200k over Go, Python, Markdown and sessions of agents. wide and foreign come from
// prose in Chinese, Japanese, Russian and French, of which code holds too little.
var weights = classes{
	words: 1020, letters: 136, digits: 1788, marks: 617, changes: 323, lines: 0, indents: 1512,
	wide: 650, foreign: 300, signs: 1374,
}

// classes counts what a text is made of, by constants of this file.
type classes [kinds]int64

const (
	words   = iota // runs of ASCII letters, cut before a capital that follows a small letter
	letters        // of a word beyond its sixth
	digits         // groups of three
	marks          // runs of other ASCII characters
	changes        // of character inside such a run
	lines          // runs of white space with a line break
	indents        // runs of two blanks or more, with none
	wide           // ideographs and kana
	foreign        // letters of other scripts, and Latin ones with accents
	signs          // emoji, arrows, boxes
	kinds
)

// count counts the classes of a text in one pass.
func (c *classes) count(text string) {
	for i := 0; i < len(text); {
		b := text[i]
		n := 1
		switch {
		case letter(b):
			for i+n < len(text) && letter(text[i+n]) && !(upper(text[i+n]) && !upper(text[i+n-1])) {
				n++
			}
			c[words]++
			c[letters] += int64(max(0, n-6))
		case b >= '0' && b <= '9':
			for i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '9' {
				n++
			}
			c[digits] += int64(n+2) / 3
		case space(b):
			breaks := b == '\n' || b == '\r'
			for i+n < len(text) && space(text[i+n]) {
				breaks = breaks || text[i+n] == '\n' || text[i+n] == '\r'
				n++
			}
			if breaks {
				c[lines]++
			}
			if last := text[i+n-1]; n > 1 && (last == ' ' || last == '\t') {
				c[indents]++
			}
		case b < utf8.RuneSelf:
			c[marks]++
			for i+n < len(text) && mark(text[i+n]) {
				if text[i+n] != text[i+n-1] {
					c[changes]++
				}
				n++
			}
		default:
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			switch {
			case r >= 0x3000 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7af,
				r >= 0xf900 && r <= 0xfaff, r >= 0xff00 && r <= 0xffef:
				c[wide]++
			case r < 0x2000 && r != utf8.RuneError:
				c[foreign]++
			default:
				c[signs]++
			}
		}
		i += n
	}
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func upper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func space(b byte) bool  { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
func mark(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf && !letter(b) && (b < '0' || b > '9')
}
