package stream

import (
	"strings"
	"testing"
)

// chars draws a text for the character-level detector: blocks repeated about as
// often as the table asks, back-ticks in every number, and some units between.
func (d dice) chars() string {
	var b strings.Builder
	noise := func(n int) {
		for range n {
			b.WriteByte("abcdefghij \n"[d(12)])
		}
	}
	for range 1 + d(3) {
		noise(d(3) * d(300))
		b.WriteString(strings.Repeat("`", d(6)))
		var block strings.Builder
		length := []int{1, 2, 4, 5, 14, 15, 29, 30, 49, 50, 199, 200, 250}[d(13)]
		for block.Len() < length {
			block.WriteString([]string{"a", "b", "c", "d", "e", "f", "😀"}[d(7)])
		}
		about := []int{300, 80, 40, 24, 16, 8, 5}[d(7)]
		b.WriteString(strings.Repeat(block.String(), about-1+d(3)))
		noise(d(2) * d(20))
	}
	return b.String()
}

// agreeChars feeds the same deltas to Chars and to the literal original.
func agreeChars(t *testing.T, d dice, c *Chars, deltas []units) (checks, hits int) {
	t.Helper()
	table := DefaultCharTable()
	if c.window < 8192 {
		for row := range table.Outside {
			table.Outside[row], table.Inside[row] = 2+d(8), d(8)
			if table.Inside[row] == 1 {
				table.Inside[row] = 0
			}
		}
	}
	l := literalChars{window: c.window, interval: c.interval, table: table}
	for i, u := range deltas {
		s, checked := c.Feed(stringOf(u))
		period, copies, hit := l.feed(u)
		if s.Hit(&table) != hit {
			t.Fatalf("delta %d of %q: hit = %v, %+v", i, show(deltas), !hit, s)
		}
		if !checked {
			continue
		}
		checks++
		if p, n := c.First(&table); p != period || n != copies {
			t.Fatalf("delta %d of %q: first is %d×%d, want %d×%d", i, show(deltas), p, n, period, copies)
		}
		if hit {
			hits++
		}
	}
	return checks, hits
}

func TestCharsAreTheOriginal(t *testing.T) {
	checks, hits := 0, 0
	for seed := range uint64(min(*sequences, 300)) {
		d := rolled(seed)
		c := NewChars(8192, 256)
		if seed%2 == 0 {
			c = NewChars(10+d(500), 1+d(64))
			c.Feed("```abcabcabcabcabcabcabcabcabcabc")
			c.Reset()
		}
		n, h := agreeChars(t, d, c, fixed(unitsOf(d.chars()), []int{1, 3, 64, 256, 257, 5000, 20000}[d(7)]))
		checks, hits = checks+n, hits+h
	}
	t.Logf("%d checks agree, %d of them hits", checks, hits)
}

func FuzzChars(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), 3)
	f.Add([]byte("\x02\x00\x03\x04\x05\x06\x07\x08\x09\x10\x11"), 256)
	f.Fuzz(func(t *testing.T, data []byte, split int) {
		d := fuzzed(data)
		agreeChars(t, d, NewChars(8192, 256), fixed(unitsOf(d.chars()), 1+max(0, split%1000)))
	})
}

func TestFenceCarry(t *testing.T) {
	for _, tt := range []struct {
		deltas []string
		inside bool
	}{
		{[]string{"```"}, true},
		{[]string{"````"}, true},
		{[]string{"```", "`"}, false}, // the carry counts twice
		{[]string{"`", "`", "`"}, true},
		{[]string{"``", "x`"}, false},
		{[]string{"``````"}, false},
	} {
		c := NewChars(8192, 256)
		for _, s := range tt.deltas {
			c.Feed(s)
		}
		if c.inside != tt.inside {
			t.Errorf("after %q: inside = %v", tt.deltas, c.inside)
		}
	}
}
