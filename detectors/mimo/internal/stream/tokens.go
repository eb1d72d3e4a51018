package stream

import (
	"unicode/utf16"
	"unicode/utf8"

	"groundhog/detectors/mimo/internal/js"
)

// A lexer splits a text the way the monitor does, one delta at a time: lower-cased,
// at white space, with every kana, ideograph and full-width form a token of its
// own. Its words are those of the text so far, less the ones that drop took. The
// last word may still grow. A sigma is written as a final one, and changes if the
// text goes on with a cased letter; what lies between is case-ignorable, but may
// hold spaces (U+FEFF) and words (U+30FC), so words before the last can be
// unsettled too.
//
// The zero value is ready. It does not allocate once its buffers have grown to
// the longest delta.
type lexer struct {
	text  []byte // the words, one after the other
	words []lexeme
	state
	// A half of a surrogate pair at the end of the text counts as it is, and is
	// taken back if the other half comes.
	half rune // 0 if there is none
	back undo
}

// A lexeme is a word, text[start:end]; hash is its hash, and alt what the hash would
// be with the unsettled sigma, if the word holds it, the other way.
type lexeme struct {
	start, end int
	hash, alt  uint64
}

// A state is what one character hands to the next.
type state struct {
	open    bool // the last word goes on
	cased   bool // the last character that was not ignorable is cased
	pending bool // there is an unsettled sigma,
	holder  int  // in this word,
	at      int  // at this offset of text
}

type undo struct {
	state
	words, text int
	last        lexeme
}

const (
	hashSeed  = 14695981039346656037 // FNV-1a, 64 bits; never leaves memory
	hashPrime = 1099511628211
)

func (l *lexer) word(i int) []byte { return l.text[l.words[i].start:l.words[i].end] }

// settled is how many leading words nothing can change any more. The last word
// is never among them: even a closed one is opened again by a trim.
func (l *lexer) settled() int {
	s := &l.state
	if l.half != 0 {
		s = &l.back.state
	}
	n := len(l.words) - 1
	if s.pending {
		n = min(n, s.holder)
	}
	return max(n, 0)
}

// write reads s up to its most-th new word and gives back what it left.
func (l *lexer) write(s string, most int) string {
	most += len(l.words)
	i := 0
	if l.half != 0 && s != "" {
		if low, ok := js.Half(s); ok && js.IsLow(low) {
			r := utf16.DecodeRune(l.half, low)
			l.state = l.back.state
			l.text, l.words = l.text[:l.back.text], l.words[:l.back.words]
			if n := len(l.words); n > 0 {
				l.words[n-1] = l.back.last
			}
			l.put(r)
			i = 3
		}
		l.half = 0
	}
	for i < len(s) && len(l.words) < most {
		if s[i] < utf8.RuneSelf {
			if n := l.run(s[i:]); n > 0 {
				i += n
				continue
			}
			l.put(rune(s[i]))
			i++
			continue
		}
		r, size := js.Decode(s[i:])
		i += size
		if js.IsHigh(r) && i == len(s) {
			l.hold(r)
		}
		l.put(r)
	}
	return s[i:]
}

// run is put for the ASCII characters at the head of s that only make the open
// word longer: nearly all there are.
func (l *lexer) run(s string) int {
	if !l.open || l.pending {
		return 0
	}
	w := &l.words[len(l.words)-1]
	hash, after, i := w.hash, l.cased, 0
	for ; i < len(s) && s[i] < utf8.RuneSelf; i++ {
		k := js.ASCIIKind(s[i])
		if k&js.Space != 0 {
			break
		}
		if k&js.Ignorable == 0 {
			after = k&js.Cased != 0
		}
		c := js.LowerASCII(s[i])
		l.text = append(l.text, c)
		hash = (hash ^ uint64(c)) * hashPrime
	}
	w.hash, w.end, l.cased = hash, len(l.text), after
	return i
}

// put reads one character.
func (l *lexer) put(r rune) {
	k := js.KindOf(r)
	inWord := l.cased
	if k&js.Ignorable == 0 {
		if l.pending && k&js.Cased != 0 {
			l.text[l.at+1]++ // ς to σ
			l.words[l.holder].hash = l.words[l.holder].alt
		}
		l.pending, l.cased = false, k&js.Cased != 0
	}
	if k&js.Space != 0 {
		l.open = false
		return
	}
	if !l.open || k&js.CJK != 0 {
		n := len(l.text)
		l.words = append(l.words, lexeme{n, n, hashSeed, hashSeed})
	}
	n := len(l.text)
	w := &l.words[len(l.words)-1]
	l.text = js.AppendLower(l.text, r, inWord)
	w.end = len(l.text)
	if r == js.Sigma && inWord {
		l.pending, l.holder, l.at = true, len(l.words)-1, n
		w.alt = w.hash
		w.hash = add(w.hash, "ς")
		w.alt = add(w.alt, "σ")
	} else {
		w.hash = add(w.hash, l.text[n:])
		if l.pending {
			w.alt = add(w.alt, l.text[n:])
		}
	}
	l.open = k&js.CJK == 0
}

func add[T string | []byte](hash uint64, b T) uint64 {
	for i := range len(b) {
		hash = (hash ^ uint64(b[i])) * hashPrime
	}
	return hash
}

// hold remembers how to take back the high surrogate that comes next.
func (l *lexer) hold(r rune) {
	l.half = r
	l.back = undo{state: l.state, words: len(l.words), text: len(l.text)}
	if n := len(l.words); n > 0 {
		l.back.last = l.words[n-1]
	}
}

// drop forgets the first n words.
func (l *lexer) drop(n int) {
	if n == 0 {
		return
	}
	cut := l.words[n-1].end
	l.text = l.text[:copy(l.text, l.text[cut:])]
	l.words = l.words[:copy(l.words, l.words[n:])]
	for i := range l.words {
		l.words[i].start -= cut
		l.words[i].end -= cut
	}
	l.holder, l.at = l.holder-n, l.at-cut
	b := &l.back
	b.holder, b.at, b.words, b.text = b.holder-n, b.at-cut, b.words-n, b.text-cut
	b.last.start, b.last.end = b.last.start-cut, b.last.end-cut
}

// reopen makes the last word, the only one left, the raw text it was lower-cased
// to: what is written next is glued to it, and its sigma, if any, stays final.
func (l *lexer) reopen() {
	s := string(l.word(0))
	l.state, l.half = state{}, 0
	l.words, l.text = l.words[:0], l.text[:0]
	l.write(s, len(s))
}

func (l *lexer) reset() {
	*l = lexer{text: l.text[:0], words: l.words[:0]}
}
