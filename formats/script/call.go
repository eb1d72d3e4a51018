package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"groundhog/formats/native"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

const (
	arrow   = "->"
	rawMark = `raw"`
	number  = "{{n}}"

	// maxTimes is the largest N of xN. Positions are counted in 32 bits, and
	// one digit too many should not keep a machine busy for a day.
	maxTimes = 100_000_000
	// maxParallel is how many calls of one step xN may make: they are in
	// memory together.
	maxParallel = 10_000
)

// calls is a call statement: one call, or one for each repetition.
type calls struct {
	text     []byte
	line     int
	first    transcript.Call
	times    int  // at least 1
	numbered bool // {{n}} stands for the number of the repetition
	badText  bool
}

// readCalls reads a call statement. outer is the number of the repetition of
// the step around it, or 0. A call's own repetition is nearer than the step's.
//
// Only the parsed line tells whether it is repeated, but {{n}} may stand where
// nothing but a number can be parsed: so the first repetition is tried first.
func readCalls(text []byte, line, outer int) (*calls, error) {
	c := &calls{text: text, line: line}
	marked := bytes.Contains(text, []byte(number))
	times, err := c.read(substitute(text, 1), &c.first)
	if err == nil && times == 0 && marked && outer != 1 {
		_, err = c.read(substitute(text, outer), &c.first)
	}
	c.numbered = marked && times > 0
	c.times = max(times, 1)
	return c, err
}

// at makes the n-th call, from 1.
func (c *calls) at(n int) (transcript.Call, error) {
	call := c.first
	if n == 1 {
		return call, nil
	}
	if c.numbered {
		_, err := c.read(substitute(c.text, n), &call)
		return call, err
	}
	// Every call belongs to whoever receives it.
	if call.Signals != nil {
		signals := *call.Signals
		call.Signals = &signals
	}
	if call.Result.ExitCode != nil {
		exit := *call.Result.ExitCode
		call.Result.ExitCode = &exit
	}
	return call, nil
}

func (c *calls) read(text []byte, call *transcript.Call) (times int, err error) {
	st, _ := open(text, c.line)
	times, err = st.call(call)
	c.badText = c.badText || st.badText
	return times, err
}

// substitute puts the number of a repetition in the place of {{n}}; 0 is none.
func substitute(text []byte, n int) []byte {
	if n == 0 || !bytes.Contains(text, []byte(number)) {
		return text
	}
	return bytes.ReplaceAll(text, []byte(number), strconv.AppendInt(nil, int64(n), 10))
}

// call reads TOOL [ARGS] [-> RESULT] [xN]. times is 0 without xN.
func (st *statement) call(call *transcript.Call) (times int, err error) {
	*call = transcript.Call{Args: "{}", Took: -1, Line: st.line}
	if call.Tool, err = st.name("the name of a tool"); err != nil {
		return 0, err
	}
	if times, err = st.times(); err != nil || times > 0 {
		return times, cmp.Or(err, st.end())
	}
	if st.more() && !st.atArrow() {
		if err = st.args(call); err != nil {
			return 0, err
		}
	}
	if st.more() && st.atArrow() {
		st.take()
		if err = st.result(call); err != nil {
			return 0, err
		}
	}
	if times, err = st.times(); err != nil {
		return 0, err
	}
	if times == 0 && st.more() {
		return 0, fmt.Errorf("expected %s, found %s", st.expected(call), excerpt(st.rest))
	}
	return times, st.end()
}

func (c *scanner) atArrow() bool {
	rest, ok := bytes.CutPrefix(c.rest, []byte(arrow))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(blanks), rest[0]) >= 0)
}

// expected says what may follow a call as far as it has been read.
func (c *scanner) expected(call *transcript.Call) string {
	r := &call.Result
	switch {
	case r.Line == 0:
		return "-> RESULT or xN"
	case r.Status == transcript.ResultUnflagged || r.Status == transcript.ResultMissing || r.Text != "":
		return "exit=N, took=DURATION, signals={…} or xN"
	}
	return "a text in quotes, exit=N, took=DURATION, signals={…} or xN"
}

func (c *scanner) args(call *transcript.Call) error {
	if bytes.HasPrefix(c.rest, []byte(rawMark)) {
		c.rest = c.rest[len(rawMark)-1:]
		text, err := c.quoted("a JSON string after raw")
		call.Args, call.ArgsInvalid = text, !isValue(text)
		return err
	}
	value, err := c.value("the arguments, as JSON or raw\"…\"")
	call.Args = string(value)
	c.check(call.Args)
	return err
}

// isValue reports whether text is one JSON value.
func isValue(text string) bool {
	raw, n, err := valueOf([]byte(text))
	return err == nil && len(raw) > 0 && len(bytes.Trim([]byte(text[n:]), " \t\r\n")) == 0
}

var statuses = map[string]transcript.ResultStatus{
	"ok":        transcript.ResultOK,
	"error":     transcript.ResultError,
	"denied":    transcript.ResultDenied,
	"cancelled": transcript.ResultCancelled,
	"missing":   transcript.ResultMissing,
}

func (c *scanner) result(call *transcript.Call) (err error) {
	const words = "ok, error, denied, cancelled, missing or a text in quotes after ->"
	r := &call.Result
	switch {
	case !c.more():
		return errors.New("expected " + words)
	case c.rest[0] == '"':
		r.Status = transcript.ResultUnflagged
	default:
		word := c.take()
		status, ok := statuses[word]
		if !ok {
			return fmt.Errorf("expected %s, found %s", words, excerpt([]byte(word)))
		}
		r.Status = status
	}
	r.Line = call.Line
	if r.Status != transcript.ResultMissing && c.atQuote() {
		if r.Text, err = c.quoted("a JSON string"); err != nil {
			return err
		}
	}
	for c.more() {
		switch key := c.key(); key {
		case "exit":
			word := c.take()
			code, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("expected a number after exit=, found %s", excerpt([]byte(word)))
			}
			r.ExitCode = &code
		case "took":
			if call.Took, err = c.duration(key); err != nil {
				return err
			}
		case "signals":
			if call.Signals, err = c.signals(); err != nil {
				return err
			}
		case "":
			return nil
		default:
			return fmt.Errorf("unknown option %s=: expected exit, took or signals", key)
		}
	}
	return nil
}

func (c *scanner) signals() (*transcript.Signals, error) {
	const what = "an object with result_sig, outcome_sig, read_only, trusts_progress, non_actionable"
	value, err := c.value("an object after signals=")
	if err != nil {
		return nil, err
	}
	var s signals
	if value[0] != '{' || signalsShape.Parse(value, &s) != nil || s.unknown {
		return nil, fmt.Errorf("expected %s after signals=, found %s", what, excerpt(value))
	}
	return &s.Signals, nil
}

type signals struct {
	transcript.Signals
	unknown bool // another key
}

var signalsShape = record.NewShape(
	record.Embed(native.SignalsShape, func(s *signals) *transcript.Signals { return &s.Signals }),
	record.Rest(func(s *signals, _ string, _ record.Value) { s.unknown = true }),
).Strict()
