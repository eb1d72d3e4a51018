//go:build !slim

package cut

import (
	"slices"
	"testing"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"The quick brown fox": {"The", " quick", " brown", " fox"},
		"":                    nil,
		"a\n\nb":              {"a", "\n\n", "b"},
	} {
		if got := slices.Collect(Tokens(text)); !slices.Equal(got, want) {
			t.Errorf("Tokens(%q) = %q, want %q", text, got, want)
		}
	}
}
