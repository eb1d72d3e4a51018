package stream

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var sequences = flag.Int("sequences", 3000, "how many random `sequences` the property tests try")

// Pieces that random texts are made of: words that are prefixes of each other,
// all that is special about lower-casing, CJK in its two flavours (with and
// without case-ignorable characters), halves of surrogate pairs, every kind of
// white space, table rows and rules.
var pieces = []string{
	"a", "b", "ab", "re", "repeat", "A", "B", " ", " ", " ", "\n", "\t", "\u3000", "\uFEFF", "  ",
	"我", "再", "。", "ア", "ー", "々", "ﾞ", "Ａ", "ａ", "：", "．", "한",
	"Σ", "σ", "ς", "ΑΣ", "ας", "İ", "i̇", "'", ".", "\u0301", "ß", "É",
	"😀", "\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xa0\x81", "\xed\xb0\x80", "𐐀",
	"|", "-", ":", "---", "| a | b |\n", "|---|:-|\n", "-- |\n", "\n\n", "\u0085", "\x85", "\u180e", "\u200b",
}

// Two smaller sets: after a sigma, pieces that leave it unsettled, some of them
// tokens of their own; and pieces that give one word with different sigmas.
var (
	loosePieces = []string{"ー", "々", "ﾞ", "\uFEFF", "\u0301", "ー", "々ー", "aΣ", "a"}
	sigmaPieces = []string{"a", "Σ", "σ", "ς", "'", "aΣ'", "aσ'", " ", "\uFEFF"}
)

// A dice gives numbers below n: from a generator, or from bytes that a fuzzer
// can change one by one.
type dice func(n int) int

func rolled(seed uint64) dice { return rand.New(rand.NewPCG(seed, 1)).IntN }

func fuzzed(data []byte) dice {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		x := int(data[0])
		data = data[1:]
		return x % n
	}
}

// text draws a text over a small alphabet with blocks that repeat, sometimes
// with one thing changed.
func (d dice) text() string {
	pieces, loose := pieces, false
	switch d(6) {
	case 0:
		pieces, loose = loosePieces, true
	case 1:
		pieces = sigmaPieces
	}
	var alphabet []string
	for range 1 + d(7) {
		alphabet = append(alphabet, pieces[d(len(pieces))])
	}
	if !loose && d(3) > 0 { // or the text is all one word
		alphabet = append(alphabet, " ", " ", "a", "\n")
	}
	word := func() string {
		s := alphabet[d(len(alphabet))]
		if d(2) == 0 {
			s += alphabet[d(len(alphabet))]
		}
		return s
	}
	var b strings.Builder
	for range 1 + d(4) {
		for range d(12) {
			b.WriteString(word())
		}
		if loose {
			b.WriteString("aΣ")
		}
		var block []string
		for range 1 + d(8) {
			block = append(block, word())
		}
		for range d(14) {
			for _, w := range block {
				b.WriteString(w)
			}
			if d(16) == 0 {
				b.WriteString(word())
			}
		}
	}
	return b.String()
}

// cuts draws a split of u. Some deltas are empty.
func (d dice) cuts(u units) []units {
	size := 1 + d(2)*d(40)
	var out []units
	for len(u) > 0 {
		n := min(len(u), d(2*size)+d(2))
		out = append(out, u[:n])
		u = u[n:]
		if len(out) > 400 {
			break
		}
	}
	return append(out, u)
}

func (d dice) shape() Shape {
	return Shape{Window: 1 + d(4)*d(16) + d(8), MinDistinct: 1 + d(4), Floor: 2 + d(2)*d(5)}
}

// agree feeds the same deltas to Monitor and to the literal original and
// compares every verdict that may be asked for; without all, some of them.
func agree(t *testing.T, d dice, m *Monitor, deltas []units, all bool) (verdicts, hits int) {
	t.Helper()
	l := literal{window: m.shape.Window}
	for i, u := range deltas {
		m.Feed(stringOf(u))
		l.feed(u)
		got := m.Repeats()
		if l.heavy() != got.TableHeavy {
			t.Fatalf("delta %d of %q: table heavy = %v", i, show(deltas), got.TableHeavy)
		}
		if w := strings.Join(l.last, "|"); m.window() != w {
			t.Fatalf("delta %d of %q: window %q, want %q", i, show(deltas), m.window(), w)
		}
		try := func(n, threshold int) {
			want := repeat(l.last, n, threshold, m.shape.MinDistinct)
			verdicts++
			if want {
				hits++
			}
			if c := got.Runs[n-1].Copies; (c >= threshold) != want {
				t.Fatalf("%+v: delta %d of %q: REPEAT(n=%d, threshold=%d) = %v, copies = %d of %q",
					m.shape, i, show(deltas), n, threshold, want, c, l.last)
			}
			exempt := d(2) == 0
			if got.Hit(n, threshold, exempt) != (want && !(exempt && l.heavy())) {
				t.Fatalf("delta %d of %q: Hit(%d, %d, %v) is wrong", i, show(deltas), n, threshold, exempt)
			}
		}
		for n, r := range got.Runs {
			checkRun(t, m, l.last, n+1, r)
		}
		if all {
			for n := 1; n <= MaxMinPeriod; n++ {
				for th := m.shape.Floor; th <= min(100, m.shape.Window+1); th++ {
					try(n, th)
				}
			}
			continue
		}
		for range 2 {
			n := 1 + d(MaxMinPeriod)
			try(n, m.shape.Floor+d(6))
			if c := got.Runs[n-1].Copies; c > 0 {
				try(n, c)
				try(n, c+1)
			}
		}
	}
	return verdicts, hits
}

// checkRun checks that a run is what it says.
func checkRun(t *testing.T, m *Monitor, window []string, n int, r Run) {
	t.Helper()
	if r == (Run{}) {
		return
	}
	w0 := m.first()
	if r.Start < w0 || r.End > m.tokens() || r.Period < n || r.Copies < m.shape.Floor || (r.End-r.Start)/r.Period != r.Copies {
		t.Fatalf("run %+v for n=%d is not one: tokens %d to %d", r, n, w0, m.tokens())
	}
	for j := r.Start; j+r.Period < r.End; j++ {
		if window[j-w0] != window[j-w0+r.Period] {
			t.Fatalf("run %+v does not repeat at %d: %q", r, j, window)
		}
	}
	if want := strings.Join(window[r.Start-w0:r.Start-w0+r.Period], " "); m.Block(r) != want {
		t.Fatalf("block of %+v is %q, want %q", r, m.Block(r), want)
	}
}

// window is the tokens in the window, for comparison.
func (m *Monitor) window() string {
	var out []string
	for j := m.first(); j < m.tokens(); j++ {
		out = append(out, string(m.token(j)))
	}
	return strings.Join(out, "|")
}

func show(deltas []units) []string {
	var out []string
	for _, u := range deltas {
		out = append(out, stringOf(u))
	}
	return out
}

func TestMonitorIsTheOriginal(t *testing.T) {
	deltas, verdicts, hits := 0, 0, 0
	monitors := map[Shape]*Monitor{} // used again, to test Reset
	for seed := range uint64(*sequences) {
		d := rolled(seed)
		s := d.shape()
		m := monitors[s]
		if m == nil {
			m = NewMonitor(s)
			monitors[s] = m
		}
		m.Reset()
		c := d.cuts(unitsOf(d.text()))
		v, h := agree(t, d, m, c, seed%32 == 0)
		deltas, verdicts, hits = deltas+len(c), verdicts+v, hits+h
	}
	t.Logf("%d sequences, %d deltas: %d verdicts agree, %d of them hits", *sequences, deltas, verdicts, hits)
}

func FuzzMonitor(f *testing.F) {
	for seed := range uint64(64) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b []byte
		for range 10 + r.IntN(60) {
			b = binary.LittleEndian.AppendUint64(b, r.Uint64())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := fuzzed(data)
		m := NewMonitor(d.shape())
		agree(t, d, m, d.cuts(unitsOf(d.text())), false)
	})
}

// fires is the first delta at which a monitor fires, or -1, and where it ends.
func fires(n, threshold int, s Shape, exempt bool, deltas []units) (delta, end int) {
	s.Floor = threshold
	m := NewMonitor(s)
	for i, u := range deltas {
		end += len(u)
		m.Feed(stringOf(u))
		r := m.Repeats()
		if r.Hit(n, threshold, exempt) {
			return i, end
		}
	}
	return -1, -1
}

func fixed(u units, n int) []units {
	var out []units
	for len(u) > n {
		out = append(out, u[:n])
		u = u[n:]
	}
	return append(out, u)
}

// The worked examples of the description, at the defaults.
func TestExamples(t *testing.T) {
	const sentence = "我再检查一下这个文件。"
	words := func(n int) string { // n different words
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String()
	}
	tests := []struct {
		name     string
		text     string
		split    int
		fire     int
		fireByte int
	}{
		{"sentence x19", strings.Repeat(sentence, 19), 1, -1, -1},
		{"sentence x19 at once", strings.Repeat(sentence, 19), 10000, -1, -1},
		{"sentence x20", strings.Repeat(sentence, 20), 1, 219, 220},
		{"sentence x20 at once", strings.Repeat(sentence, 20), 10000, 0, 220},
		{"one character x200", strings.Repeat("哈", 200), 1, -1, -1},
		{"25 words x20", strings.Repeat(words(25), 20), 1, 25*20*3 + 15*20 - 2, 25*20*3 + 15*20 - 1},
		{"25 words x20 and two more at once", strings.Repeat(words(25), 20) + "x y", 10000, -1, -1},
		{"26 words x40", strings.Repeat(words(26), 40), 1, -1, -1},
		{"last window only", strings.Repeat(sentence, 20) + words(500), 1 << 20, -1, -1},
	}
	for _, tt := range tests {
		fire, end := fires(4, 20, Shape{Window: 500, MinDistinct: 3}, false, fixed(unitsOf(tt.text), tt.split))
		if fire != tt.fire || end != tt.fireByte {
			t.Errorf("%s: fires at delta %d, unit %d; want %d, %d", tt.name, fire, end, tt.fire, tt.fireByte)
		}
	}
}

// A hit that the table exemption hides counts once the text is a table no more.
func TestHiddenHitIsKept(t *testing.T) {
	m := NewMonitor(Shape{Window: 40, MinDistinct: 2, Floor: 3})
	m.Feed("| a\n| b\n| a\n| b\n| a\n| b\n")
	if r := m.Repeats(); !r.Hit(4, 3, false) || r.Hit(4, 3, true) {
		t.Fatalf("rows: %+v", r)
	}
	for i := range 8 {
		m.Feed(fmt.Sprintf("x%d\n", i))
	}
	if r := m.Repeats(); r.Hit(4, 3, true) {
		t.Fatalf("6 rows of 14 lines are more than two fifths: %+v", r)
	}
	m.Feed("y\n")
	if r := m.Repeats(); !r.Hit(4, 3, true) {
		t.Fatalf("6 rows of 15 lines are not more than two fifths: %+v", r)
	}
}

func TestMonitorDoesNotAllocate(t *testing.T) {
	m := NewMonitor(Shape{Window: 100, MinDistinct: 3, Floor: 3})
	d := rolled(7)
	var deltas []string
	for range 400 {
		deltas = append(deltas, show(fixed(unitsOf(d.text()), 3))...)
	}
	feed := func() {
		for _, s := range deltas {
			m.Feed(s)
			m.Repeats()
		}
	}
	feed()
	feed()
	feed()
	if n := testing.AllocsPerRun(3, feed) / float64(len(deltas)); n > 0.001 {
		t.Errorf("%v allocations a delta", n)
	}
	if len(m.names.names) > 2*len(m.ids)+300 {
		t.Errorf("%d interned words for a window of %d", len(m.names.names), m.shape.Window)
	}
}
