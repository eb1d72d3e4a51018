package cut

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	first, err := Find("")
	if err != nil || first.Name != All()[0].Name {
		t.Errorf("the default is %q, %v", first.Name, err)
	}
	for _, n := range All() {
		got, err := Find(n.Name)
		if err != nil || got.Name != n.Name || got.Doc == "" {
			t.Errorf("Find(%q) = %q, %v", n.Name, got.Name, err)
		}
	}
	if _, err := Find("syllable"); err == nil || !strings.Contains(err.Error(), "word, char, whole") {
		t.Errorf("an unknown splitter: %v", err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("The quick brown fox, 我再检查一下这个文件。 \U0001f600\xed\xa0\xbd\xff <|endoftext|>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range All() {
			pieces := slices.Collect(n.Cut(text))
			if strings.Join(pieces, "") != text || slices.Contains(pieces, "") {
				t.Errorf("%s(%q) = %q", n.Name, text, pieces)
			}
			if again := slices.Collect(n.Cut(text)); !slices.Equal(again, pieces) {
				t.Errorf("%s(%q) = %q, and then %q", n.Name, text, pieces, again)
			}
		}
	})
}
