// Package cut names the ways in which whole text is split into deltas that might
// have been recorded. The one that cuts at tokens carries a vocabulary of some
// 12 MB; a build with the tag slim leaves it out, and its default is word.
package cut

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/replay/transcript"
)

// A Named is a splitter with the name that outputs give it.
type Named struct {
	Name string
	Doc  string
	Cut  transcript.Splitter
}

// All lists the splitters of this build, the default first.
func All() []Named {
	return append(tokens(),
		Named{"word", "words, and CJK characters each for itself", transcript.Words},
		Named{"char", "characters", transcript.Chars},
		Named{"whole", "the whole text as one delta: only its end is then seen", transcript.Whole},
	)
}

// Apart lists the splitters that a position in the stream is compared under: all
// but whole, under which nearly nothing would be seen.
func Apart() []Named {
	return slices.DeleteFunc(All(), func(n Named) bool { return n.Name == "whole" })
}

// Find is the splitter of a name; "" means the default.
func Find(name string) (Named, error) {
	var names []string
	for _, n := range All() {
		if n.Name == name || name == "" {
			return n, nil
		}
		names = append(names, n.Name)
	}
	return Named{}, fmt.Errorf("unknown splitter %q: expected one of %s", name, strings.Join(names, ", "))
}
