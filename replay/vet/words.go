package vet

import (
	"fmt"
	"strings"
)

func plural(n int, what string) string { return pluralOf(n, what, what+"s") }

func pluralOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// list joins words with commas and a conjunction.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
