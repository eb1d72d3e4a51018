package board

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// paragraphs are the numbers by name, in lines.
func paragraphs(t *testing.T) map[string][]string {
	t.Helper()
	list := make(map[string][]string)
	for _, part := range strings.Split(Numbers, "\n## ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		text, _, _ = strings.Cut(text, "\n# ")
		if list[name] != nil {
			t.Errorf("%q stands twice", name)
		}
		list[name] = strings.Split(strings.TrimSpace(text), "\n")
	}
	return list
}

// A paragraph can be read at a glance.
func TestNumbersAreShort(t *testing.T) {
	list := paragraphs(t)
	if len(list) < 40 {
		t.Errorf("%d numbers, want at least 40", len(list))
	}
	for name, lines := range list {
		if len(lines) > 5 || strings.Contains(strings.Join(lines, "\n"), "\n\n") {
			t.Errorf("%q is %d lines, want one paragraph of at most 5", name, len(lines))
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n == 0 || n > 108 {
				t.Errorf("%q has a line of %d characters, want 1 to 108: %s", name, n, line)
			}
		}
	}
}

// Where a comment in the code says "see help numbers: NAME", there is such a number.
func TestReferencesToNumbers(t *testing.T) {
	list := paragraphs(t)
	reference := regexp.MustCompile(`[Ss]ee help numbers: ([^\n]*?)\.(\s|$)`)
	gap := regexp.MustCompile(`\s*\n\s*//\s*`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(gap.ReplaceAllString(string(src), " ")) {
			for _, m := range reference.FindAllStringSubmatch(line, -1) {
				found++
				if list[m[1]] == nil {
					t.Errorf("%s refers to %q, which is no heading of numbers.md", path, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no reference was found: has their form changed?")
	}
}
