package native

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// attempt takes a failed request. Attempts of another step than those that wait
// begin anew: what waits led to no response.
func (d *decoder) attempt(l *attemptLine, line int) {
	if len(d.attempts) > 0 && (l.I != d.number || l.Lane != d.lane) {
		d.giveUp()
	}
	d.attempts, d.lane, d.number = append(d.attempts, l.attempt(line)), l.Lane, l.I
}

// giveUp yields attempts that led to no response as a step of their own.
func (d *decoder) giveUp() {
	if len(d.attempts) == 0 || d.stopped {
		return
	}
	d.flush(0)
	s := &transcript.Step{Kind: transcript.Response, Lane: d.lane, Flags: transcript.Synthetic, Attempts: d.attempts, Line: d.attempts[0].Line}
	d.attempts = nil
	if !d.stopped {
		d.stopped = !d.yield(s, nil)
	}
}

func (l *attemptLine) attempt(line int) transcript.Attempt {
	return transcript.Attempt{N: l.N, Max: l.Max, Status: status(l.Status), Type: l.Type, Message: string(l.Message), Name: l.Name,
		Code: l.Code, Cause: l.cause(), Body: string(l.Body), RequestID: l.RequestID, Provider: l.Provider, Adapter: l.Adapter,
		Retryable: l.Retryable, Error: known(l.Error), Scope: l.Scope, Delay: millis(l.DelayMS), RetryAfter: millis(l.RetryAfter),
		Outcome: l.Outcome, Phase: l.Phase, AfterCall: l.AfterCall, Headers: headers(l.Headers), Time: l.TS.Time, Line: line}
}

// known is a JSON value as it stands, or nothing.
func known(v jsontext.Value) string {
	if v.Kind() == 'n' {
		return ""
	}
	return string(v)
}

// cause is a text, or the JSON of a cause that has causes itself. The elements
// of errors stand behind it, as they do where an agent looks at them.
func (l *attemptLine) cause() string {
	if l.Cause.Kind() == '"' {
		return formats.Unquote(l.Cause)
	}
	if l.Errors.Kind() != '[' {
		return known(l.Cause)
	}
	if l.Cause.Kind() != '{' {
		return string(l.Errors)
	}
	rest := bytes.TrimSpace(l.Errors[1 : len(l.Errors)-1])
	list := "[" + string(l.Cause)
	if len(rest) > 0 {
		list += "," + string(rest)
	}
	return list + "]"
}

// status is a number, or a text that begins with one.
func status(v jsontext.Value) int {
	s := string(v)
	if v.Kind() == '"' {
		s = formats.Unquote(v)
	}
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

// headers keeps names as they stand, and their order. It is nil where none were
// recorded, and empty where there were none.
func headers(raw jsontext.Value) []transcript.Header {
	if raw.Kind() != '{' {
		return nil
	}
	list := []transcript.Header{}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, _ := dec.ReadToken()
		h := transcript.Header{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if h.Value = string(value); value.Kind() == '"' {
			h.Value = formats.Unquote(value)
		}
		list = append(list, h)
	}
	return list
}
