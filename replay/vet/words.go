package vet

import (
	"fmt"
	"strings"
)

// plural is a count with its word, whose plural ends in s.
func plural(n int, what string) string { return pluralOf(n, what, what+"s") }

// pluralOf is a count with its word.
func pluralOf(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}

// joined joins words with commas, and the last two with a conjunction.
func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
