package stream

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// screen asks for a verdict on a text and, if it is no, looks for a split at
// which the original fires.
func screen(t *testing.T, s *Screen, d dice, tries int) (no bool) {
	t.Helper()
	text := d.text()
	shape := d.shape()
	l := Limit{Period: 1 + d(5), Threshold: 2 + d(4), Window: shape.Window, MinDistinct: shape.MinDistinct}
	if s.MayFire(text, l) {
		return false
	}
	for range tries {
		o := literal{window: l.Window}
		deltas := d.cuts(unitsOf(text))
		for i, u := range deltas {
			o.feed(u)
			if repeat(o.last, l.Period, l.Threshold, l.MinDistinct) {
				t.Fatalf("%+v: screened out, but fires at delta %d of %q", l, i, show(deltas))
			}
		}
	}
	return true
}

func TestScreenNeverMissesAHit(t *testing.T) {
	var s Screen
	no := 0
	for seed := range uint64(*sequences) {
		if screen(t, &s, rolled(seed), 4) {
			no++
		}
	}
	t.Logf("%d of %d texts screened out, none of them fires at any of 4 splits", no, *sequences)
}

// A repeat that only a trim makes, by gluing two words, with half of the rest on
// each side, and the beginning of a longer word as its last token.
func TestScreenSeesGluedRepeats(t *testing.T) {
	var s Screen
	for p := 1; p <= 4; p++ {
		for threshold := 2; threshold <= 8; threshold++ {
			for glued := range p*threshold - 1 {
				window := p * threshold
				var deltas []string
				for i := range 2*window - glued { // so that the glued word is one too many
					deltas = append(deltas, fmt.Sprint("x", i, " "))
				}
				for i := range window {
					w := fmt.Sprintf("long%dword", i%p)
					switch i {
					case glued:
						deltas = append(deltas, w[:4]+" ", w[4:]+" ")
					case window - 1:
						deltas = append(deltas, w, "er")
					default:
						deltas = append(deltas, w+" ")
					}
				}
				o := literal{window: window}
				hit := false
				for _, d := range deltas {
					o.feed(unitsOf(d))
					hit = hit || repeat(o.last, p, threshold, p)
				}
				if !hit {
					t.Fatalf("period %d, threshold %d, glued at %d: the original does not fire on %q", p, threshold, glued, deltas)
				}
				if !s.MayFire(strings.Join(deltas, ""), Limit{p, threshold, window, p}) {
					t.Errorf("period %d, threshold %d, glued at %d: screened out", p, threshold, glued)
				}
			}
		}
	}
}

func TestScreen(t *testing.T) {
	var s Screen
	for _, tt := range []struct {
		text string
		want bool
	}{
		{strings.Repeat("one two three four ", 20), true},
		{strings.Repeat("one two three four ", 19), false},
		{strings.Repeat("one Two\n\nthree four ONE two three\tfour ", 10), true},
		{strings.Repeat("aς b c d aΣ b c d ", 10), true},
		{strings.Repeat("aσ b c d aΣ b c d ", 10), true},
		{strings.Repeat("İ b c d i̇ b c d ", 10), true},
		{strings.Repeat("我再检查一下这个文件。", 20), true},
		{strings.Repeat("我再检查一下这个文件。", 19), false},
		{strings.Repeat("- ", 5000), false},
		{strings.Repeat("哈", 5000), false},
		{"", false},
	} {
		if got := s.MayFire(tt.text, Limit{4, 20, 500, 3}); got != tt.want {
			t.Errorf("MayFire(%.40q…) = %v", tt.text, got)
		}
	}
	if !s.MayFire("a a a ab", Limit{1, 4, 500, 1}) {
		t.Error("a a a a is screened out")
	}
}

func FuzzScreen(f *testing.F) {
	for seed := range uint64(64) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b []byte
		for range 10 + r.IntN(60) {
			b = binary.LittleEndian.AppendUint64(b, r.Uint64())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		screen(t, new(Screen), fuzzed(data), 2)
	})
}
