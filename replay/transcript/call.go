package transcript

import (
	"strings"
	"time"
)

// A Call is one tool call and its result.
type Call struct {
	ID          string
	Tool        string
	Args        string // what the model wrote, byte for byte; usually JSON
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

// Signals are what an instrumented agent recorded about a call. The arguments of a call
// with signals are exactly those that the live detector saw, and a signal that was left
// out is empty or false.
type Signals struct {
	ResultSig      string
	OutcomeSig     string
	ReadOnly       bool
	TrustsProgress bool
	NonActionable  bool
}

// A Result is what the tool layer reported, which need not be what happened.
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

// A ResultStatus says how a call ended. A source that does not say whether a result is
// an error gives ResultUnflagged, not ResultOK.
type ResultStatus uint8

const (
	ResultMissing   ResultStatus = iota // no result in the recording
	ResultUnflagged                     // a result, and nothing says whether it is an error
	ResultOK
	ResultError
	ResultDenied    // refused before it ran, by a person, a hook or a policy; the model is told that it failed
	ResultCancelled // given up by the agent before it ran, because a call beside it failed or the turn ended
)

// A Media is a binary that was taken out of a result's text.
type Media struct {
	MIME   string
	Bytes  int64 // size after base64 decoding
	SHA256 string
}

// errorTags begin the text of an error where no flag says so: the markers of Kocoro's
// tools, and the tag that Claude Code puts around tool errors.
var errorTags = []string{
	"[validation error]", "[transient error]", "[business error]", "[permission error]",
	"<tool_use_error>",
}

// NotRun says why a call never ran: "refused" or "cancelled". It is "" for a call that
// ran, and for one of which the recording does not say that it did not.
func (r *Result) NotRun() string {
	switch r.Status {
	case ResultDenied:
		return "refused"
	case ResultCancelled:
		return "cancelled"
	}
	return ""
}

// Failed reports whether a call failed, and whether that had to be inferred from an exit
// status or an error tag because the source has no flag. A call without a result has
// not failed: nothing is known about it. Neither has one that was cancelled, while one
// that was refused has: that is what the model was told, and what an agent counts.
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
