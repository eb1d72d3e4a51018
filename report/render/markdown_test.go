package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"groundhog/report"
)

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := Markdown(&out, sample()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", out.Bytes())
}

// Text from a transcript stays text: it opens no cell, no tag, no list, and calls
// nobody.
func TestMarkdownEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":                   `a\|b`,
		"`x`":                   "\\`x\\`",
		"*bold* _it_ sleep_7a":  `\*bold\* \_it\_ sleep_7a`,
		"[x](u) <b>&amp;":       `[x\](u) \<b\>&amp;amp;`,
		"ask @mira @ 5 sleep@9": "ask @<!-- -->mira @ 5 sleep@9",
		`a\|b`:                  `a\\\|b`,
		"two\nlines":            `two\\nlines`,
		"漢字":                    "漢字",
	} {
		if got := markdown(in); got != want {
			t.Errorf("markdown(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"# x": `\# x`, "- x": `\- x`, "1. x": `1\. x`, "12) x": `12\) x`, "1.5 x": "1.5 x", "[x] y": `\[x] y`, "x - y": "x - y"} {
		if got := beginning(in); got != want {
			t.Errorf("beginning(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever a cell holds, a table has as many cells as columns.
func FuzzMarkdown(f *testing.F) {
	f.Add("a|b\\", "`\n|")
	f.Add("\xff\\", "\u202e@x")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := report.Section{Columns: []report.Column{{Name: a}, {Name: "B"}}, Rows: [][]report.Cell{{{Text: a}, {Text: b}}}}
		var out bytes.Buffer
		if err := Markdown(&out, &report.Report{Title: a, Notes: []string{b}, Sections: []report.Section{s}}); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out.Bytes()) {
			t.Errorf("%q is no UTF-8", out.String())
		}
		rows := 0
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			rows++
			if n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|"); n != 3 {
				t.Errorf("%d signs between cells in %q", n, line)
			}
		}
		if rows != 3 {
			t.Errorf("%d lines of a table in %q", rows, out.String())
		}
	})
}
