package stream

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The originals as they are described, on code units, with nothing remembered
// between deltas but their text. Slow on purpose, and written apart from the
// package: nothing here calls it.

type units = []uint16

func unitsOf(s string) units {
	var u units
	for i := 0; i < len(s); {
		if i+3 <= len(s) && s[i] == 0xED && s[i+1] >= 0xA0 {
			u = append(u, 0xD000|uint16(s[i+1]&0x3F)<<6|uint16(s[i+2]&0x3F))
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		u = append(u, utf16.Encode([]rune{r})...)
		i += size
	}
	return u
}

// stringOf is the text of code units, lone halves in their three-byte form.
func stringOf(u units) string {
	var b strings.Builder
	for i := 0; i < len(u); i++ {
		c := u[i]
		switch {
		case c >= 0xD800 && c < 0xDC00 && i+1 < len(u) && u[i+1] >= 0xDC00 && u[i+1] < 0xE000:
			b.WriteRune(utf16.DecodeRune(rune(c), rune(u[i+1])))
			i++
		case c >= 0xD800 && c < 0xE000:
			b.Write([]byte{0xED, 0x80 | byte(c>>6)&0x3F, 0x80 | byte(c)&0x3F})
		default:
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// points is the code points of u; a lone half is one.
func points(u units) []rune {
	var out []rune
	for i := 0; i < len(u); i++ {
		if i+1 < len(u) {
			if r := utf16.DecodeRune(rune(u[i]), rune(u[i+1])); r != 0xFFFD {
				out = append(out, r)
				i++
				continue
			}
		}
		out = append(out, rune(u[i]))
	}
	return out
}

func literalLower(u units) units {
	ignorable := func(r rune) bool {
		return strings.ContainsRune("'.:··՟״‘’․‧︓﹒﹕＇．：", r) || // U+0387 may be normalised away here
			r == 0x387 || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
	}
	isCased := func(r rune) bool {
		return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
	}
	in := points(u)
	var out units
	for i, r := range in {
		switch r {
		case 0x130:
			out = append(out, 0x69, 0x307)
			continue
		case 0x3A3:
			before, after := i-1, i+1
			for before >= 0 && ignorable(in[before]) {
				before--
			}
			for after < len(in) && ignorable(in[after]) {
				after++
			}
			r = 0x3C3
			if before >= 0 && isCased(in[before]) && !(after < len(in) && isCased(in[after])) {
				r = 0x3C2
			}
		default:
			r = unicode.ToLower(r)
		}
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			out = append(out, uint16(high), uint16(low))
			continue
		}
		out = append(out, uint16(r))
	}
	return out
}

var whiteSpace = func() (t [1 << 16]bool) {
	for _, r := range []uint16{0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF} {
		t[r] = true
	}
	for r := 0x9; r <= 0xD; r++ {
		t[r] = true
	}
	for r := 0x2000; r <= 0x200A; r++ {
		t[r] = true
	}
	return t
}()

func literalTokens(u units) []string {
	var spaced units
	for _, c := range literalLower(u) {
		switch {
		case whiteSpace[c]:
			spaced = append(spaced, ' ')
		case c >= 0x3000 && c <= 0x30FF, c >= 0x3400 && c <= 0x4DBF, c >= 0x4E00 && c <= 0x9FFF,
			c >= 0xF900 && c <= 0xFAFF, c >= 0xFF00 && c <= 0xFFEF:
			spaced = append(spaced, ' ', c, ' ')
		default:
			spaced = append(spaced, c)
		}
	}
	var out []string
	for len(spaced) > 0 {
		n := slices.Index(spaced, ' ')
		if n < 0 {
			n = len(spaced)
		}
		if n > 0 {
			out = append(out, stringOf(spaced[:n]))
		}
		spaced = spaced[min(n+1, len(spaced)):]
	}
	return out
}

// repeat is REPEAT.
func repeat(t []string, n, threshold, minDistinct int) bool {
	if threshold < 2 || len(t) < n*threshold {
		return false
	}
	for p := n; p <= len(t)/threshold; p++ {
		run := 0
		for i := 0; i <= len(t)-p-1; i++ {
			if t[i] != t[i+p] {
				run = 0
				continue
			}
			if run++; run < p*(threshold-1) {
				continue
			}
			block := map[string]bool{}
			for _, s := range t[i-run+1 : i-run+p+1] {
				block[s] = true
			}
			if len(block) >= minDistinct {
				return true
			}
			run = 0
		}
	}
	return false
}

// legacyRepeat is the counter of equal n-grams that the original kept as legacy.
func legacyRepeat(t []string, n, threshold int) bool {
	if threshold < 2 || len(t) < n {
		return false
	}
	count := map[string]int{}
	for i := 0; i+n <= len(t); i++ {
		key := strings.Join(t[i:i+n], " ")
		if count[key]++; count[key] >= threshold {
			return true
		}
	}
	return false
}

func literalHeavy(u units) bool {
	tables, lines := 0, 0
	for len(u) > 0 {
		n := slices.Index(u, '\n')
		if n < 0 {
			n = len(u)
		}
		line := u[:n]
		u = u[min(n+1, len(u)):]
		for len(line) > 0 && whiteSpace[line[0]] {
			line = line[1:]
		}
		if len(line) == 0 {
			continue
		}
		lines++
		k := 0
		for k < len(line) && (line[k] == '-' || line[k] == ':') {
			k++
		}
		if k > 0 {
			for k < len(line) && whiteSpace[line[k]] {
				k++
			}
		}
		if k < len(line) && line[k] == '|' {
			tables++
		}
	}
	return 5*tables > 2*lines
}

// literal is the original's monitor.
type literal struct {
	window int
	text   units
	last   []string // the tokens REPEAT is asked about
}

func (l *literal) feed(d units) {
	if len(d) == 0 {
		return
	}
	l.text = append(l.text, d...)
	all := literalTokens(l.text)
	l.last = all[max(0, len(all)-l.window):]
	if len(all) > 2*l.window {
		l.text = unitsOf(strings.Join(l.last, " "))
	}
}

func (l *literal) heavy() bool { return literalHeavy(l.text) }

// literalChars is the original's character-level detector.
type literalChars struct {
	window, interval int
	table            CharTable
	text, carry      units
	fences, pending  int
}

func (l *literalChars) feed(d units) (period, count int, hit bool) {
	if len(d) == 0 {
		return 0, 0, false
	}
	s := append(slices.Clone(l.carry), d...)
	for i := 0; i+3 <= len(s); {
		if s[i] == '`' && s[i+1] == '`' && s[i+2] == '`' {
			l.fences++
			i += 3
		} else {
			i++
		}
	}
	l.carry = s[max(0, len(s)-2):]
	l.text = append(l.text, d...)
	l.pending += len(d)
	if l.pending < l.interval {
		return 0, 0, false
	}
	l.pending = 0
	return literalCheck(l.text[max(0, len(l.text)-l.window):], l.fences%2 == 1, l.table)
}

func literalCheck(u units, inside bool, table CharTable) (period, count int, hit bool) {
	if len(u) < 16 {
		return 0, 0, false
	}
	r := slices.Clone(u)
	slices.Reverse(r)
	pi := make([]int, len(r))
	for i := 1; i < len(r); i++ {
		k := pi[i-1]
		for k > 0 && r[k] != r[i] {
			k = pi[k-1]
		}
		if r[k] == r[i] {
			k++
		}
		pi[i] = k
		q := i + 1 - k
		n := (i + 1) / q
		if k == 0 || n < 2 {
			continue
		}
		row := 0
		switch {
		case q == 1:
		case q < 5:
			row = 1
		case q < 15:
			row = 2
		case q < 30:
			row = 3
		case q < 50:
			row = 4
		case q < 200:
			row = 5
		default:
			row = 6
		}
		need := table.Outside[row]
		if inside {
			need = table.Inside[row]
		}
		if need > 0 && n >= need {
			return q, n, true
		}
	}
	return 0, 0, false
}
