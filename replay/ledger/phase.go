package ledger

import (
	"fmt"

	"groundhog/replay/transcript"
)

// phases are the words of the column phase: when in a step a meter measured.
// They are those of fire lines, and two more: for a response that is about to
// be asked for, and for a complete one.
var phases = []struct {
	word string
	kind transcript.Kind
}{
	{"request", transcript.Requested},
	{"stream", transcript.Streamed},
	{"response", transcript.Responded},
	{"pre", transcript.Proposed},
	{"post", transcript.Called},
	{"step_end", transcript.StepEnds},
}

func phaseWord(k transcript.Kind) string {
	for _, p := range phases {
		if p.kind == k {
			return p.word
		}
	}
	return "" // at other events nobody measures
}

func phaseOf(word string) (transcript.Kind, error) {
	for _, p := range phases {
		if p.word == word {
			return p.kind, nil
		}
	}
	return 0, fmt.Errorf("phase %q: expected request, stream, response, pre, post or step_end", word)
}
