// Package cut lists the splitters, which split whole text into deltas that might have
// been recorded, and counts tokens. The splitter that splits at tokens needs a
// vocabulary of some 12 MB; a build with the tag slim leaves it out, and its default
// splitter is word.
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

// Apart lists the splitters under which fires in the stream are compared: all but
// whole, under which a detector would see next to nothing.
func Apart() []Named {
	return slices.DeleteFunc(All(), func(n Named) bool { return n.Name == "whole" })
}

// Find is the splitter of a name, the default for "".
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
