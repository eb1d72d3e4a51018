package native

import (
	"bytes"
	"strconv"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// attempt takes a failed request. Attempts of another step than those that wait
// begin anew: what waits led to no response.
func (d *decoder) attempt(l *attemptLine, line int) {
	if len(d.attempts) > 0 && (l.i != d.number || l.lane != d.lane) {
		d.giveUp()
	}
	d.attempts, d.lane, d.number = append(d.attempts, l.attempt(line)), l.lane, l.i
}

// giveUp yields attempts that led to no response as a step of their own.
func (d *decoder) giveUp() {
	if len(d.attempts) == 0 || d.stopped {
		return
	}
	d.flush(0)
	s := &transcript.Step{
		Kind: transcript.Response, Lane: d.lane, Flags: transcript.Synthetic,
		Attempts: d.attempts, Line: d.attempts[0].Line,
	}
	d.attempts = nil
	if !d.stopped {
		d.stopped = !d.yield(s, nil)
	}
}

func (l *attemptLine) attempt(line int) transcript.Attempt {
	a := l.Attempt
	a.Status, a.Headers, a.Line = status(l.status), Headers(l.headers), line
	a.Cause, a.Error = l.causes(), known(l.error)
	return a
}

// known is a JSON value as it stands, or nothing.
func known(v record.Value) string {
	if v.Null() {
		return ""
	}
	return string(v)
}

// causes is a text, or the JSON of a cause that has causes itself. The elements
// of errors stand behind it, as they do where an agent looks at them.
func (l *attemptLine) causes() string {
	switch {
	case l.cause.Kind() == '"':
		return l.cause.Text()
	case l.errors.Kind() != '[':
		return known(l.cause)
	case l.cause.Kind() != '{':
		return string(l.errors)
	}
	rest := bytes.TrimSpace(l.errors[1 : len(l.errors)-1])
	list := "[" + string(l.cause)
	if len(rest) > 0 {
		list += "," + string(rest)
	}
	return list + "]"
}

// status is a number, or a text that begins with one.
func status(v record.Value) int {
	s := v.Word()
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return 0
	}
	return n
}
