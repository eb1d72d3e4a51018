package parquet

import (
	"fmt"
	"time"

	"groundhog/formats"
	"groundhog/formats/native"
	"groundhog/replay/transcript"
)

// An assembler puts the rows of one session together into steps: attempts, the
// step they led to, its calls.
type assembler struct {
	*events
	session *transcript.Session
	yield   func(*transcript.Step, error) bool
	c       *cursor
	stopped bool

	line int // number of the row in the file, from 1
	more *remainder

	attempts []transcript.Attempt // of a step to come
	lane     string
	before   int64 // number of that step

	step   *transcript.Step // being put together
	number int64            // of step
	rest   *remainder       // of step
	text   [2]string        // text and reasoning of step, by part kind
	has    [2]bool
}

func (a *assembler) run(rows []rowRange) {
	for _, r := range rows {
		for row := r.from; row < r.to; row++ {
			if err := a.c.seek(r.group, row); err != nil {
				a.flush()
				a.fail(fmt.Errorf("%s: %w", a.name, err))
				return
			}
			a.line = int(a.groups[r.group].first+row) + 1
			if err := a.row(); err != nil {
				a.fail(&formats.SyntaxError{File: a.name, Line: a.line, Msg: err.Error()})
			}
			if a.stopped {
				return
			}
		}
	}
	a.flush()
}

func (a *assembler) fail(err error) {
	if !a.stopped {
		a.stopped = !a.yield(nil, err)
	}
}

func (a *assembler) put(s *transcript.Step) {
	if !a.stopped {
		a.stopped = !a.yield(s, nil)
	}
}

// texts are the columns that may be large.
var texts = [...]int{cArgs, cResult, cText, cReasoning, cErrorText, cMore}

func (a *assembler) row() (err error) {
	c := a.c
	size := int64(0)
	for _, col := range texts {
		size += c.size(col)
	}
	if size > a.limit {
		a.session.Note(a.line, formats.NoteLongRecord)
		return errLong
	}
	for _, col := range [...]int{cKind, cStep} {
		if c.null(col) {
			return fmt.Errorf("%s is null", eventColumns[col].name)
		}
	}
	if a.more, err = readMore(c.str(cMore)); err != nil {
		return fmt.Errorf("more: %v", err)
	}
	number := c.int(cStep)
	switch kind := c.str(cKind); kind {
	case kindUser:
		a.begin(transcript.Prompt, number)
	case kindAssistant:
		a.begin(transcript.Response, number)
	case kindCompaction:
		a.begin(transcript.Compaction, number)
	case kindNote, "system":
		a.begin(transcript.System, number)
	case kindCall:
		return a.call(number)
	case kindAttempt:
		a.attempt(number)
	default:
		return fmt.Errorf("row of kind %q: expected user, assistant, call, attempt, compaction or note", kind)
	}
	return nil
}

// word is the text in a column as it was recorded.
func (a *assembler) word(col int) string {
	s, _ := a.maybe(col)
	return s
}

func (a *assembler) maybe(col int) (string, bool) {
	s, ok := a.c.text(col)
	if a.more.Raw != nil && ok {
		if raw, found := a.more.Raw[eventColumns[col].name]; found {
			return raw, true
		}
	}
	return s, ok
}

// num is the number in a column; ok is false for null.
func (a *assembler) num(col int) (n int64, ok bool) {
	if !a.c.null(col) {
		return a.c.int(col), true
	}
	n, ok = a.more.Num[eventColumns[col].name]
	return n, ok
}

func (a *assembler) time(col int) time.Time {
	t := a.c.time(col)
	if t.IsZero() {
		return t
	}
	return t.Add(a.ns(col))
}

func (a *assembler) ns(col int) time.Duration {
	n := a.more.Ns[eventColumns[col].name]
	if n < 0 || n >= int64(time.Millisecond) {
		return 0
	}
	return time.Duration(n)
}

// millis is negative for null.
func (a *assembler) millis(col int) time.Duration {
	const most = int64(1<<62) / int64(time.Millisecond)
	ms, ok := a.num(col)
	if !ok || ms < 0 || ms > most {
		return -1
	}
	return time.Duration(ms)*time.Millisecond + a.ns(col)
}

// begin ends the step before and starts the next from its own row.
func (a *assembler) begin(kind transcript.StepKind, number int64) {
	a.flushStep()
	if kind != transcript.Response || number != a.before {
		a.flushAttempts()
	}
	s := &transcript.Step{
		Kind: kind, Lane: a.word(cLane), ID: a.word(cMessageID), Model: a.more.Model,
		FinishRaw: a.more.FinishRaw, Time: a.time(cTS), Ended: a.time(cTSEnd), Line: a.line,
	}
	if finish := a.word(cFinish); finish != "unknown" {
		s.Finish = transcript.Finish(finish)
	}
	s.Flags = native.FlagsOf(a.more.Flags)
	if kind == transcript.Prompt && s.Has(transcript.Synthetic) && a.more.Role != "prompt" {
		s.Kind = transcript.Injection
		if a.more.Role == "injection" {
			s.Flags &^= transcript.Synthetic
		}
	}
	s.Usage = a.usage()
	if kind == transcript.Response {
		s.Attempts, a.attempts = a.attempts, nil
	}
	a.step, a.number, a.rest = s, number, a.more
	a.text[transcript.Text], a.has[transcript.Text] = a.maybe(cText)
	a.text[transcript.Thinking], a.has[transcript.Thinking] = a.maybe(cReasoning)
}

func (a *assembler) usage() (u transcript.Usage) {
	for _, f := range [...]struct {
		col int
		to  *int64
	}{
		{cTokIn, &u.Input}, {cTokOut, &u.Output}, {cTokReasoning, &u.Reasoning},
		{cTokCacheRead, &u.CacheRead}, {cTokCacheWrite, &u.CacheWrite},
	} {
		n, ok := a.num(f.col)
		*f.to, u.Known = n, u.Known || ok
	}
	if !a.c.null(cCost) {
		u.Cost, u.Known = a.c.float(cCost), true
	}
	return u
}

// response makes sure that a response is being put together. Other writers may
// leave out the row of a response that has no text.
func (a *assembler) response(number int64) {
	if a.step != nil && a.step.Kind == transcript.Response && a.number == number {
		return
	}
	a.flushStep()
	if number != a.before {
		a.flushAttempts()
	}
	a.step, a.number, a.rest = &transcript.Step{Lane: a.word(cLane), Line: a.line}, number, &remainder{}
	a.step.Attempts, a.attempts = a.attempts, nil
	a.text, a.has = [2]string{}, [2]bool{}
}

func (a *assembler) call(number int64) error {
	if a.c.null(cMissing) {
		return fmt.Errorf("%s is null", eventColumns[cMissing].name)
	}
	a.response(number)
	m := a.more
	call := transcript.Call{
		ID: a.word(cCallID), Tool: a.word(cTool), Args: a.word(cArgs), ArgsInvalid: m.ArgsInvalid,
		State: m.State, Interrupted: m.Interrupted, Provider: m.Executed, Signals: m.Signals,
		Time: a.time(cTS), Took: a.millis(cDuration), Line: a.line,
	}
	if a.c.bool(cMissing) {
		a.session.Note(a.line, formats.NoteMissingResult)
	} else {
		a.result(&call.Result)
	}
	a.step.Calls = append(a.step.Calls, call)
	return nil
}

func (a *assembler) result(r *transcript.Result) {
	m := a.more
	r.Text, r.ErrorText, r.Truncated = a.word(cResult), a.word(cErrorText), m.Truncated
	r.Time, r.Line = a.time(cTSEnd), a.line
	if n, ok := a.num(cExitCode); ok {
		code := int(n)
		r.ExitCode = &code
	}
	r.Media = m.Media
	inferred := a.c.bool(cInferred)
	switch {
	case m.Denied:
		r.Status = transcript.ResultDenied
	case m.Cancelled:
		r.Status = transcript.ResultCancelled
	case a.c.null(cIsError), m.Unflagged && a.selected.has(Results):
		r.Status = transcript.ResultUnflagged
	case a.c.bool(cIsError):
		r.Status = transcript.ResultError
	default:
		r.Status = transcript.ResultOK
	}
	if inferred && r.Status != transcript.ResultUnflagged {
		a.step.Flags |= transcript.ErrorInferred
	}
}

func (a *assembler) attempt(number int64) {
	if a.step != nil && a.number != number {
		a.flushStep()
	}
	m := a.more
	x := transcript.Attempt{
		Max: m.Max, Type: a.word(cErrorType), Message: a.word(cErrorText), Name: m.Name, Code: m.Code,
		Cause: m.Cause, Body: m.Body, RequestID: m.RequestID, Provider: m.Provider, Scope: m.Scope,
		Adapter: m.Adapter, Retryable: m.Retryable, Error: m.Error,
		Delay: a.millis(cDelay), RetryAfter: a.millis(cRetryAfter), Outcome: a.word(cOutcome), Phase: m.Phase,
		AfterCall: m.AfterCall, Time: a.time(cTS), Line: a.line, Headers: native.Headers(m.Headers),
	}
	n, _ := a.num(cAttempt)
	status, _ := a.num(cStatus)
	x.N, x.Status = int(n), int(status)
	if a.step != nil && a.step.Kind == transcript.Response {
		a.step.Attempts = append(a.step.Attempts, x) // written after its response
		return
	}
	a.flushStep()
	if number != a.before {
		a.flushAttempts()
	}
	a.attempts, a.before, a.lane = append(a.attempts, x), number, a.word(cLane)
}

// flush ends everything that is open.
func (a *assembler) flush() {
	a.flushStep()
	a.flushAttempts()
}

func (a *assembler) flushAttempts() {
	if len(a.attempts) == 0 {
		return
	}
	a.put(&transcript.Step{
		Kind: transcript.Response, Lane: a.lane, Flags: transcript.Synthetic,
		Attempts: a.attempts, Line: a.attempts[0].Line,
	})
	a.attempts = nil
}

func (a *assembler) flushStep() {
	s := a.step
	if s == nil {
		return
	}
	a.step = nil
	if a.selected.has(Texts) {
		if err := a.parts(s); err != nil {
			a.fail(&formats.SyntaxError{File: a.name, Line: s.Line, Msg: err.Error()})
			s.Parts = nil
		}
	}
	a.put(s)
}
