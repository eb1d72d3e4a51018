// Package transcript is the shape of a recorded agent session.
//
// Readers produce these values, detectors look at them, and nothing here
// decides anything. A Step is the unit of streaming: a reader yields one at a
// time, complete with the results of its calls, so memory follows the largest
// step and not the session.
//
// A user's message is a Step of its own, not a field of the response that
// follows it. (A field was considered: it makes a reader wait for a response
// that a cut recording never has, and it hides which lane a run began in.)
//
// The package imports the standard library alone, so that a live agent can
// feed the same detectors without pulling in a reader.
package transcript

import "time"

// A Session is what is known about a recording apart from its steps.
// End, Ended and Notes are complete only once the last step has been read.
// The zero Session is an empty recording of unknown origin.
type Session struct {
	ID           string
	Parent       string // id of the session that started this one; "" if none
	Agent        string // program that wrote the session, if recorded
	AgentVersion string
	Model        string // the first model named; steps may name others
	Origin       Origin
	Started      time.Time // zero if not recorded
	Ended        time.Time // zero if not recorded
	Recorded     Recorded
	Label        []byte // a label carried by the source itself (evaluation.md E3.1), as YAML or JSON; nil if none
	End          End
	Notes        []Note
}

// An Origin is where a session was read from.
type Origin struct {
	File          string // as the user gave it, or as found below a folder the user gave
	Format        string // name of the format
	FormatVersion string
}

// Recorded is what a source says about how the session ended. It is a weak
// outcome and never a label: a run can finish its task and grind on for hours.
// The zero value means that the source says nothing.
type Recorded struct {
	Task       string
	TaskSet    string
	Trial      string
	Reward     *float64
	Success    *bool
	ExitStatus string
}

// End says why a recording stops. The words are those of the canonical JSONL.
type End string

const (
	EndUnknown   End = ""
	EndCompleted End = "completed"
	EndError     End = "error"     // the request path gave up
	EndLimit     End = "limit"     // a step, cost or time limit, or a live detector
	EndAborted   End = "aborted"   // a person stopped it
	EndTruncated End = "truncated" // the recording itself is incomplete
)

// A Note is one thing a reader wants the user to know: what it had to guess,
// drop or repair. Equal texts are counted, so notes stay few.
type Note struct {
	Text string
	Line int // 1-based line of the first occurrence; 0 if it concerns the whole session
	N    int // occurrences
}

// Note counts one occurrence of text. Texts are short constants: anything that
// varies from line to line would let the list grow with the file.
func (s *Session) Note(line int, text string) {
	for i := range s.Notes {
		if s.Notes[i].Text == text {
			s.Notes[i].N++
			return
		}
	}
	s.Notes = append(s.Notes, Note{Text: text, Line: line, N: 1})
}
