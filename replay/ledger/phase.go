package ledger

import (
	"fmt"

	"groundhog/replay/transcript"
)

// phases are the values of the column phase, which says at which kind of event a meter
// measured. They are those of fire lines and two more, request and response.
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
	return "" // no meter measures at other events
}

func phaseOf(word string) (transcript.Kind, error) {
	for _, p := range phases {
		if p.word == word {
			return p.kind, nil
		}
	}
	return 0, fmt.Errorf("phase %q: expected request, stream, response, pre, post or step_end", word)
}
