package render

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is one report with every kind of cell.
func sample() *report.Report {
	return &report.Report{
		Title: "sample",
		Notes: []string{"read 1 session, \x1b[31mred\x1b[0m"},
		Sections: []report.Section{
			{
				Key: "cells", Title: "cells", Doc: "every kind of cell, and what surrounds a zero",
				Columns: []report.Column{{Key: "name", Name: "NAME", Keep: true}, {Key: "n", Name: "N", Keep: true}, {Key: "share", Name: "SHARE", Keep: true},
					{Key: "per_k", Name: "PER 1K"}, {Key: "by", Name: "BY"}},
				Rows: [][]report.Cell{
					{{Text: "some"}, {Kind: report.KindCount, N: 7}, {Kind: report.KindShare, N: 1, D: 233}, {Kind: report.KindPerK, N: 3, D: 1000}, {Kind: report.KindCounts, List: []report.Named{{Name: "a", N: 2}, {Name: "b", N: 1}}}},
					{{Text: "none"}, {Kind: report.KindCount}, {Kind: report.KindShare, D: 13}, {Kind: report.KindPerK, D: 12000}, {Kind: report.KindNull}},
					{{Text: "no data"}, {Kind: report.KindNull}, {Kind: report.KindShare}, {Kind: report.KindPerK}, {Kind: report.KindNull}},
					{{Text: "漢字 \u202egnirts\u202c"}, {Kind: report.KindCount, N: 12, Tier: "C"}, {Kind: report.KindShare, N: 17, D: 138, Tier: "H"}, {Kind: report.KindPerK, N: 1, D: 7}, {Kind: report.KindNull}},
				},
			},
			{Key: "lines", Title: "lines", Lines: []string{"1. a line", strings.Repeat("long ", 30)}},
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestText(t *testing.T) {
	for name, style := range map[string]Style{"wide.txt": {}, "narrow.txt": {Width: 60}} {
		var out bytes.Buffer
		if err := Text(&out, sample(), style); err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(out.Bytes(), 0x1b) >= 0 {
			t.Errorf("%s: an escape sequence came through", name)
		}
		golden(t, name, out.Bytes())
	}
}

func TestTextSaysWhatItLeavesOut(t *testing.T) {
	var out bytes.Buffer
	if err := Text(&out, sample(), Style{Width: 60}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "not shown at this width: per 1k, by") {
		t.Errorf("the columns left out are not named:\n%s", out.String())
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, sample()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", out.Bytes())
	var v struct {
		Sections []struct {
			Rows []map[string]any `json:"rows"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if name := v.Sections[0].Rows[3]["name"]; name != "漢字 \u202egnirts\u202c" {
		t.Errorf("a text came back as %q", name)
	}
	if strings.ContainsRune(out.String(), '\u202e') {
		t.Error("a mark that turns text around came through")
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"a\nb\tc":             `a\nb\tc`,
		"\x1b]0;title\x07":    `\x1b]0;title\x07`,
		"\u009b31m":           `\x9b31m`,
		"\u202eabc":           `\u202eabc`,
		"caf\xc3":             "caf\ufffd",
		"half \xed\xa0\xbd":   "half \ufffd\ufffd\ufffd",
		"日本語 \U0001f600 é ok": "日本語 \U0001f600 é ok",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[2J\u202e\u009b")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsFunc(Clean(s), unsafe) {
			t.Errorf("Clean(%q) = %q", s, Clean(s))
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if json.Unmarshal(raw, &want) != nil || json.Unmarshal(CleanJSON(raw), &got) != nil || got != want {
			t.Errorf("CleanJSON changes %q to %q", want, got)
		}
		if strings.ContainsFunc(string(CleanJSON(raw)), unsafe) {
			t.Errorf("CleanJSON(%q) = %q", raw, CleanJSON(raw))
		}
	})
}
