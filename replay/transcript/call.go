package transcript

import (
	"strings"
	"time"
)

// A Call is one tool call and its result.
type Call struct {
	ID          string
	Tool        string
	Args        string // the JSON, or whatever the model wrote, byte for byte
	ArgsInvalid bool   // Args is known not to be one JSON value
	Result      Result
	Signals     *Signals // what an instrumented agent knew; nil if nothing was recorded
	State       string   // pending, running, completed, error, denied; "" if not recorded
	Interrupted bool     // a person stopped the tool
	Provider    bool     // the model's provider executed it
	Time        time.Time
	Took        time.Duration // negative if not recorded
	Line        int           // 1-based line of the call; 0 if it has none
}

// Signals is what an instrumented agent wrote down about a call. A call that
// carries them has arguments exactly as the live detector saw them, and a
// signal left out is empty or false.
type Signals struct {
	ResultSig      string
	OutcomeSig     string
	ReadOnly       bool
	TrustsProgress bool
	NonActionable  bool
}

// A Result is what the tool layer reported, which may not be what happened.
type Result struct {
	Status    ResultStatus
	Text      string
	ErrorText string // a separate error text, where the source has one
	ExitCode  *int
	Media     []Media
	Truncated bool // the writer of the recording cut Text
	Time      time.Time
	Line      int
}

// ResultStatus says how a call ended. "No flag" is not "no error": a source
// without a flag gives ResultUnflagged.
type ResultStatus uint8

const (
	ResultMissing   ResultStatus = iota // no result in the recording
	ResultUnflagged                     // a result, and nothing says whether it is an error
	ResultOK
	ResultError
	ResultDenied // refused before it ran
)

// A Media is a binary that was taken out of a result's text.
type Media struct {
	MIME   string
	Bytes  int64 // size after base64 decoding
	SHA256 string
}

// errorTags open an error text where no flag says so: Kocoro's typed markers
// (kocoro.md 2.6) and the tag that Claude Code wraps tool errors in.
var errorTags = []string{
	"[validation error]", "[transient error]", "[business error]", "[permission error]",
	"<tool_use_error>",
}

// Failed reports whether a call is an error, and whether that had to be
// inferred from an exit status or an error tag because the source has no flag.
// A missing result is no error: nothing is known about it.
func (r *Result) Failed() (failed, inferred bool) {
	switch r.Status {
	case ResultError, ResultDenied:
		return true, false
	case ResultUnflagged:
		if r.ExitCode != nil {
			return *r.ExitCode != 0, true
		}
		for _, tag := range errorTags {
			if strings.HasPrefix(r.Text, tag) {
				return true, true
			}
		}
	}
	return false, false
}
