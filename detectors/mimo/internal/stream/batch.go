package stream

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"groundhog/detectors/mimo/internal/js"
)

// A Limit is one setting of the monitor.
type Limit struct {
	Period, Threshold, Window, MinDistinct int // Period is the shortest that counts
}

// A Screen tells from a whole text that the monitor cannot fire on it, whatever
// the deltas: MayFire is false only then. It errs towards true. Most texts never
// come near a repeat, and Screen is many times faster than Monitor.
//
// # Why it may say no
//
// Call the tokens of the whole text canonical. At any delta of any split, the
// window is a stretch of consecutive canonical tokens, except that
//
//   - the last token may be the beginning of a canonical one, or of a glued one;
//   - after a trim two tokens may be glued to one, or a sigma may have another
//     form than in the whole text.
//
// A trim needs more than 2·window tokens and leaves window of them, so the next
// one is at least window+1 tokens later: there is none if the whole text has no
// more than 2·window canonical tokens, and the window never holds two glued
// places. Sigma is taken out by reading all its forms as one, which can only
// make tokens equal.
//
// A hit of period p at threshold t is a p-periodic stretch of p·t tokens of the
// window. Without its last token, and around the glued one, at least p·t−1
// (short text) or, on the longer side, ⌈(p·t−2)/2⌉ (long text) are canonical and
// consecutive. So the canonical tokens hold a run of need(p) matches T[x] =
// T[x−p] in a row, need(p) being that less p. The need grows with p for t ≥ 2,
// so every such run, of any period, covers a multiple of stride = need(Period):
// it is enough to look there, to compare with the tokens Period to window/t
// before, and to count matches to both sides where one is equal.
//
// Tokens are compared by 32-bit hashes; a collision can only make them equal.
// Different tokens in the block that ends at x are counted by their bytes in the
// text as it is, and there are at least as many of these as different tokens,
// as long as no capital sigma, whose form depends on its neighbours, is about.
//
// The zero Screen is ready; it is worth keeping for its buffers. Not safe for
// concurrent use.
type Screen struct {
	hash  []uint32
	start []uint32
	sigma bool     // there is a capital one
	seen  []string // in diverse
}

// MayFire tells whether the monitor may fire on text at some split. Pass all
// that one monitor would see, reasoning and text, as one string.
func (s *Screen) MayFire(text string, l Limit) bool {
	p, t := max(l.Period, 1), l.Threshold
	longest := max(l.Window, 1) / max(t, 1)
	// A token has at least two bytes of text, its own and a space, or a byte and
	// the three of a CJK character, which is the next one.
	if t < 2 || p > longest || len(text)/2+1 < p*t {
		return false
	}
	if len(text) > math.MaxUint32 {
		return true
	}
	s.read(text)
	if len(s.hash) < p*t {
		return false
	}
	need := func(p int) int { return p*(t-1) - 1 }
	if len(s.hash) > 2*l.Window {
		need = func(p int) int { return (p*t-1)/2 - p }
	}
	stride := need(p)
	if stride < 1 {
		return true
	}
	budget := 64 * len(s.hash)
	for x := stride; x < len(s.hash); x += stride {
		h := s.hash[x]
		before := s.hash[max(0, x-longest):max(0, x-p+1)]
		shortest := 0 // period whose block has enough different tokens; 0 until asked
		for i := len(before) - 1; i >= 0; i-- {
			if before[i] != h {
				continue
			}
			if shortest == 0 {
				shortest = s.diverse(text, x, longest, l.MinDistinct)
			}
			q := p + len(before) - 1 - i
			if q < shortest {
				continue
			}
			n := s.matches(x, q, need(q))
			if budget -= n; n >= need(q) || budget < 0 {
				return true // a text this close to a repeat may as well be tried
			}
		}
	}
	return false
}

// matches counts the matches in a row around x, up to need.
func (s *Screen) matches(x, p, need int) int {
	h := s.hash
	n := 1
	for y := x + 1; n < need && y < len(h) && h[y] == h[y-p]; y++ {
		n++
	}
	for y := x - 1; n < need && y >= p && h[y] == h[y-p]; y-- {
		n++
	}
	return n
}

// diverse is the shortest block that ends at x and may have atLeast different
// tokens; longest+1 if none up to longest has.
func (s *Screen) diverse(text string, x, longest, atLeast int) int {
	if s.sigma {
		return 1
	}
	s.seen = s.seen[:0]
	for p := 1; p <= min(longest, x+1); p++ {
		i := x - p + 1
		word := text[s.start[i]:]
		if i+1 < len(s.start) {
			word = text[s.start[i]:s.start[i+1]]
		}
		word = strings.TrimRight(word, " \t\r\n")
		if slices.Contains(s.seen, word) {
			continue
		}
		if s.seen = append(s.seen, word); len(s.seen) >= atLeast {
			return p
		}
	}
	return longest + 1
}

const (
	seed32  = 2166136261 // FNV-1a, 32 bits
	prime32 = 16777619
)

// asciiFold is the lower case of a byte that makes a word longer, and 0 for
// white space and for whatever is not ASCII. NUL counts as not ASCII.
var asciiFold = func() (t [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		if js.ASCIIKind(c)&js.Space == 0 {
			t[c] = js.LowerASCII(c)
		}
	}
	return t
}()

// read splits text into canonical tokens.
func (s *Screen) read(text string) {
	s.hash, s.start, s.sigma = s.hash[:0], s.start[:0], false
	start, h := -1, uint32(seed32)
	for i := 0; i < len(text); {
		if c := asciiFold[text[i]]; c != 0 {
			if start < 0 {
				start, h = i, seed32
			}
			h = (h ^ uint32(c)) * prime32
			i++
			continue
		}
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = js.Decode(text[i:])
		}
		k := js.KindOf(r)
		if k&(js.Space|js.CJK) != 0 && start >= 0 {
			s.token(h, start)
			start = -1
		}
		switch {
		case k&js.Space != 0:
		case k&js.CJK != 0:
			s.token(hashRune(seed32, r), i)
		default:
			if start < 0 {
				start, h = i, seed32
			}
			s.sigma = s.sigma || r == js.Sigma
			h = hashRune(h, r)
		}
		i += size
	}
	if start >= 0 {
		s.token(h, start)
	}
}

func (s *Screen) token(hash uint32, start int) {
	s.hash = append(s.hash, hash)
	s.start = append(s.start, uint32(start))
}

// hashRune adds the lower case of r, all sigmas being one. A dotted capital I
// is the two code points that its lower case is.
func hashRune(h uint32, r rune) uint32 {
	var buf [utf8.UTFMax]byte
	if r == js.FinalSigma {
		r = js.Sigma
	}
	for _, c := range js.AppendLower(buf[:0], r, false) {
		h = (h ^ uint32(c)) * prime32
	}
	return h
}
