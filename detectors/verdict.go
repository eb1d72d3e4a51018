package detectors

import (
	"fmt"
	"strings"

	"groundhog/replay/transcript"
)

// A Verdict is what a detector asks for. Larger is more severe.
type Verdict uint8

const (
	Continue  Verdict = iota
	Annotate          // edit or crop the context; say nothing to the model
	Nudge             // tell the model: remind, replan, warn
	Block             // veto one call; the run goes on
	ForceStop         // end the run, with a summary
)

var verdictNames = [...]string{"continue", "annotate", "nudge", "block", "force_stop"}

func (v Verdict) String() string { return verdictNames[v] }

// ParseVerdict is the inverse of String.
func ParseVerdict(s string) (Verdict, error) {
	for i, name := range verdictNames {
		if s == name {
			return Verdict(i), nil
		}
	}
	return 0, fmt.Errorf("unknown verdict %q: expected one of %s", s, strings.Join(verdictNames[:], ", "))
}

// A Phase says when, within a step, a detector spoke.
type Phase string

const (
	InStream   Phase = "stream"   // while the response streams
	BeforeCall Phase = "pre"      // before a request is sent, or a call dispatched
	AfterCall  Phase = "post"     // after the result of a call
	AtStepEnd  Phase = "step_end" // after all calls of the step
)

// PhaseOf maps the event at which a detector speaks to a phase.
func PhaseOf(k transcript.Kind) Phase {
	switch k {
	case transcript.Streamed:
		return InStream
	case transcript.Requested, transcript.Responded, transcript.Proposed:
		return BeforeCall
	case transcript.Called:
		return AfterCall
	}
	return AtStepEnd
}

// A Fire is one verdict above Continue with its evidence, ready to be shown.
type Fire struct {
	Detector string
	Verdict  Verdict // the detector's own; an Arbiter says what was delivered
	Reason   string  // a short constant that tells sub-paths apart; "" if there is one
	Case     Case    // which limits or bound applied; zero if there is one case
	Text     string  // a sentence for a person
	Phase    Phase
	Pos      transcript.Pos
	Part     int  // of a fire in the stream: index of the part
	Offset   int  // of a fire in the stream: bytes into the part, where its delta ends
	Recorded bool // of a fire in the stream: its delta was recorded and not made up
	Evidence []Field
	Masked   []string // other detectors that fired here too, in order of precedence
}

// A Field is one named number of a measurement. Flags are 0 or 1.
type Field struct {
	Name  string
	Value int64
}

// An Origin says why a detector exists. A detector that cannot name an
// incident or a source is a candidate for deletion.
type Origin struct {
	Incident string // "2026-05-13: file_write truncated a file and reported success"
	Source   string // project, revision and date the behaviour was described from
}
