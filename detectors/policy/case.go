package policy

import "groundhog/replay/transcript"

// A Case is a place where an agent's documents and its code disagree, or where a
// stop is not what it seems, and the failures that it concerns.
type Case struct {
	Policy   string // that it is about
	Title    string
	Doc      string
	Concerns func(*transcript.Attempt, *Answer) bool
}
