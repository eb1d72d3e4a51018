// Package transcript is the shape of a recorded agent session.
//
// Readers produce these values and detectors look at them; nothing here decides
// anything. A Step is the unit of streaming: a reader yields one at a time, complete
// with the results of its calls, so that memory depends on the largest step and not on
// the session.
//
// A user's message is a Step of its own, not a field of the response that follows it.
// (A field was considered: it makes a reader wait for a response that a cut recording
// never has, and it hides in which lane a run began.)
//
// The package imports the standard library alone, so that a live agent can use the same
// detectors without any reader.
package transcript

import "time"

// A Session is what is known about a recording apart from its steps. End, Ended and
// Notes are complete only once the last step has been read. The zero Session is an
// empty recording of unknown origin.
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
	Label        []byte // label that the source itself carries (corpus.Label), as YAML or JSON; nil if none
	End          End
	Notes        []Note
}

// An Origin is where a session was read from.
type Origin struct {
	File          string // as the user gave it, or as found below a folder the user gave
	Format        string // name of the format
	FormatVersion string
}

// A Recorded is what a source says about the task of a session and how it ended. It is
// never a label: a run can finish its task and repeat itself for hours. The zero value
// means that the source says nothing.
type Recorded struct {
	Task       string
	TaskSet    string
	Trial      string
	Reward     *float64
	Success    *bool
	ExitStatus string
}

// An End says why a recording stops, in the words of the canonical JSONL.
type End string

const (
	EndUnknown   End = ""
	EndCompleted End = "completed"
	EndError     End = "error"     // the request path gave up
	EndLimit     End = "limit"     // a step, cost or time limit, or a live detector
	EndAborted   End = "aborted"   // a person stopped it
	EndTruncated End = "truncated" // the recording itself is incomplete
)

// A Note is one thing that a reader had to guess, drop or repair. Equal texts are
// counted, so that notes stay few.
type Note struct {
	Text string
	Line int // 1-based line of the first occurrence; 0 if it concerns the whole session
	N    int // occurrences
}

// Note counts one occurrence of text. Texts must be short constants: one that varies
// from line to line would let the list grow with the file.
func (s *Session) Note(line int, text string) {
	for i := range s.Notes {
		if s.Notes[i].Text == text {
			s.Notes[i].N++
			return
		}
	}
	s.Notes = append(s.Notes, Note{Text: text, Line: line, N: 1})
}
