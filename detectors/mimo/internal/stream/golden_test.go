package stream

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// A golden is one line of the golden data: what the originals gave.
type golden struct {
	ID, Fn, Tag string

	Text    string
	TextU16 []uint16 `json:"text_u16"`
	Pieces  []any
	Split   struct {
		Kind string
		N    int
		At   []int
	}

	Params struct {
		N, Threshold, Window int
		MinDistinct          int  `json:"min_distinct"`
		TableExempt          bool `json:"table_exempt"`
	}
	N, Threshold int
	MinDistinct  int `json:"min_distinct"`

	Tokens    json.RawMessage // a list of strings, or one string with spaces
	TokensU16 [][]uint16      `json:"tokens_u16"`
	Out       bool
	Fire      int
	FireEnd   int `json:"fire_end_u16"`
	Period    int
	Count     int
}

// eachGolden calls test for every line of testdata/<name>.jsonl.gz, which is
// every tenth of the golden file, and then for all of them if GROUNDHOG_SHARED
// says where they are.
func eachGolden(t *testing.T, name string, test func(t *testing.T, g *golden)) {
	t.Run("sample", func(t *testing.T) {
		f, err := os.Open(filepath.Join("testdata", name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		eachLine(t, r, test)
	})
	t.Run("all", func(t *testing.T) {
		shared := os.Getenv("GROUNDHOG_SHARED")
		if shared == "" {
			t.Skip("GROUNDHOG_SHARED is not set: only every tenth line is tested")
		}
		f, err := os.Open(filepath.Join(shared, "golden", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		eachLine(t, f, test)
	})
}

func eachLine(t *testing.T, r io.Reader, test func(t *testing.T, g *golden)) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	n, failed := 0, 0
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		if !t.Run(g.ID, func(t *testing.T) { test(t, &g) }) {
			failed++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d lines agree", n-failed, n)
	if n == 0 {
		t.Error("no lines")
	}
}

// deltas is the text of a line in its split.
func (g *golden) deltas() []units {
	var b strings.Builder
	b.WriteString(g.Text)
	for _, p := range g.Pieces {
		p := p.([]any)
		b.WriteString(strings.Repeat(p[0].(string), int(p[1].(float64))))
	}
	u := utf16.Encode([]rune(b.String()))
	switch g.Split.Kind {
	case "whole":
		return []units{u}
	case "fixed":
		return fixed(u, g.Split.N)
	case "cuts":
		var out []units
		from := 0
		for _, at := range append(g.Split.At, len(u)) {
			out = append(out, u[from:at])
			from = at
		}
		return out
	}
	panic("split of kind " + g.Split.Kind)
}

func TestGoldenTokenizer(t *testing.T) {
	eachGolden(t, "mimo-tokenizer", func(t *testing.T, g *golden) {
		var want []string
		text := g.Text
		if g.TextU16 != nil {
			text = stringOf(g.TextU16)
			for _, u := range g.TokensU16 {
				want = append(want, stringOf(u))
			}
		} else if err := json.Unmarshal(g.Tokens, &want); err != nil {
			t.Fatal(err)
		}
		if got := Tokenize(text); !slices.Equal(got, want) {
			t.Errorf("Tokenize(%q) = %q, want %q", text, got, want)
		}
		if got := literalTokens(unitsOf(text)); !slices.Equal(got, want) {
			t.Errorf("literal: %q gives %q, want %q", text, got, want)
		}
	})
}

func TestGoldenConsecutive(t *testing.T) {
	eachGolden(t, "mimo-consecutive", func(t *testing.T, g *golden) {
		var text string
		if err := json.Unmarshal(g.Tokens, &text); err != nil {
			t.Fatal(err)
		}
		tokens := strings.Fields(text)
		if g.Fn == "legacy_ngram" {
			if got := legacyRepeat(tokens, g.N, g.Threshold); got != g.Out {
				t.Errorf("legacy count of %q (n=%d, threshold=%d) = %v", text, g.N, g.Threshold, got)
			}
			return
		}
		if got := repeat(tokens, g.N, g.Threshold, g.MinDistinct); got != g.Out {
			t.Errorf("literal REPEAT(%q, n=%d, threshold=%d, distinct=%d) = %v", text, g.N, g.Threshold, g.MinDistinct, got)
		}
		for _, floor := range []int{2, g.Threshold} {
			m := NewMonitor(Shape{Window: len(tokens), MinDistinct: g.MinDistinct, Floor: floor})
			m.Feed(text)
			r := m.Repeats()
			if got := r.Hit(g.N, g.Threshold, false); got != g.Out {
				t.Errorf("REPEAT(%q, n=%d, threshold=%d, distinct=%d) = %v with floor %d", text, g.N, g.Threshold, g.MinDistinct, got, floor)
			}
		}
	})
}

func TestGoldenMonitor(t *testing.T) {
	var s Screen
	screened := 0
	eachGolden(t, "mimo-monitor", func(t *testing.T, g *golden) {
		p, deltas := g.Params, g.deltas()
		fire, end := fires(p.N, p.Threshold, Shape{Window: p.Window, MinDistinct: p.MinDistinct}, p.TableExempt, deltas)
		if fire != g.Fire || end != g.FireEnd {
			t.Errorf("%s: fires at delta %d, unit %d; want %d, %d", g.Tag, fire, end, g.Fire, g.FireEnd)
		}
		text := strings.Join(show(deltas), "")
		if !s.MayFire(text, Limit{p.N, p.Threshold, p.Window, p.MinDistinct}) {
			screened++
			if g.Fire >= 0 {
				t.Errorf("%s: the screen lets a hit go", g.Tag)
			}
		}
	})
	t.Logf("%d texts screened out", screened)
}

func TestGoldenChars(t *testing.T) {
	table := DefaultCharTable()
	eachGolden(t, "mimo-kmp", func(t *testing.T, g *golden) {
		c := NewChars(8192, 256)
		for i, u := range g.deltas() {
			s, _ := c.Feed(stringOf(u))
			if !s.Hit(&table) {
				continue
			}
			period, count := c.First(&table)
			if i != g.Fire || period != g.Period || count != g.Count {
				t.Errorf("%s: delta %d, %d×%d; want delta %d, %d×%d", g.Tag, i, period, count, g.Fire, g.Period, g.Count)
			}
			return
		}
		if g.Fire >= 0 {
			t.Errorf("%s: does not fire, want delta %d, %d×%d", g.Tag, g.Fire, g.Period, g.Count)
		}
	})
}
