package stream

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// proseText is n characters of words, some of them Chinese, that never repeat in
// blocks, and the same text a token at a time.
func proseText(n int) (text string, deltas []string) {
	r := rand.New(rand.NewPCG(1, 1))
	var words []string
	for i := range 3000 {
		w := fmt.Sprint(i*7919%100000, "x")
		if i%11 > 0 {
			w = strings.Map(func(c rune) rune { return 'a' + (c*7+rune(i%5))%26 }, w)
		}
		words = append(words, w)
	}
	var b strings.Builder
	for chars := 0; chars < n; {
		// Words are as unequal as in real text: a few make up most of it.
		s := " " + words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
		switch r.IntN(20) {
		case 0:
			s += ".\n"
		case 1:
			s = string(rune(0x4E00 + r.IntN(2000)))
		}
		chars += len([]rune(s))
		deltas = append(deltas, s)
		b.WriteString(s)
	}
	return b.String(), deltas
}

var defaults = Shape{Window: 500, MinDistinct: 3, Floor: 20}

// One iteration is one delta of one token, in a text of 200,000 characters.
func BenchmarkMonitor(b *testing.B) {
	for _, floor := range []int{20, 3, 2} {
		b.Run(fmt.Sprint("floor=", floor), func(b *testing.B) {
			text, deltas := proseText(200_000)
			s := defaults
			s.Floor = floor
			m := NewMonitor(s)
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / len(deltas)))
			i := 0
			for b.Loop() {
				if i == len(deltas) {
					m.Reset()
					i = 0
				}
				m.Feed(deltas[i])
				i++
			}
		})
	}
}

func BenchmarkLiteral(b *testing.B) {
	text, deltas := proseText(200_000)
	l := literal{window: defaults.Window}
	b.SetBytes(int64(len(text) / len(deltas)))
	i := 0
	for b.Loop() {
		if i == len(deltas) {
			l, i = literal{window: defaults.Window}, 0
		}
		l.feed(unitsOf(deltas[i]))
		repeat(l.last, 4, 20, 3)
		l.heavy()
		i++
	}
}

// One iteration is the whole text.
func BenchmarkScreen(b *testing.B) {
	text, _ := proseText(200_000)
	for _, threshold := range []int{20, 10, 5, 3} {
		b.Run(fmt.Sprint("threshold=", threshold), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var s Screen
			for b.Loop() {
				if s.MayFire(text, Limit{4, threshold, 500, 3}) && threshold > 3 {
					b.Fatal("prose may fire")
				}
			}
		})
	}
}

// A block over and over that stops short of the limit: the worst for both.
func BenchmarkChant(b *testing.B) {
	text := strings.Repeat(strings.Repeat("let me check the file again. ", 15)+"no. ", 400)
	deltas := show(fixed(unitsOf(text), 5))
	b.Run("monitor", func(b *testing.B) {
		m := NewMonitor(defaults)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m.Reset()
			for _, s := range deltas {
				m.Feed(s)
			}
		}
	})
	b.Run("screen", func(b *testing.B) {
		var s Screen
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			s.MayFire(text, Limit{4, 20, 500, 3})
		}
	})
}

func BenchmarkChars(b *testing.B) {
	text, deltas := proseText(200_000)
	b.SetBytes(int64(len(text)))
	c := NewChars(8192, 256)
	for b.Loop() {
		c.Reset()
		for _, s := range deltas {
			c.Feed(s)
		}
	}
}
