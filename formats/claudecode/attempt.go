package claudecode

import (
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// maxErrorDepth is how many errors inside errors are looked at. The client
// wraps the server's error twice; more is noise.
const maxErrorDepth = 4

// A failure is what a system record of subtype api_error knows of a request.
// Over the years the same facts moved between error, error.error.error and the
// record itself, so the innermost that is there wins.
type failure struct {
	status        int64
	kind, message string
	name, code    string
	cause         string
	request       string
	body          string // the server's answer, as JSON
	headers       []transcript.Header
	retryAfter    time.Duration // negative if not recorded
}

// read reads an error: usually an object, perhaps an empty one.
func (f *failure) read(dec *jsontext.Decoder, depth int) error {
	if dec.PeekKind() == '"' {
		return str(dec, &f.message)
	}
	if depth > maxErrorDepth {
		return dec.SkipValue()
	}
	var inner failure
	var formatted string
	err := object(dec, func(name []byte) error {
		switch string(name) {
		case "status":
			return count(dec, &f.status)
		case "type":
			return str(dec, &f.kind)
		case "message":
			return str(dec, &f.message)
		case "formatted":
			return str(dec, &formatted)
		case "name":
			return str(dec, &f.name)
		case "code":
			return str(dec, &f.code)
		case "requestID", "requestId", "request_id":
			return str(dec, &f.request)
		case "headers":
			return f.readHeaders(dec)
		case "connection":
			return f.readConnection(dec)
		case "rateLimits":
			return f.readLimits(dec)
		case "cause":
			return f.readCause(dec)
		case "error":
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			if depth == 0 && raw.Kind() == '{' {
				f.body = string(raw)
			}
			return inner.read(decoder(raw), depth+1)
		}
		return dec.SkipValue()
	})
	f.take(&inner)
	if f.message == "" {
		f.message = formatted
	}
	return err
}

// take prefers what an inner error says. Its type "error" is an envelope's.
func (f *failure) take(inner *failure) {
	if inner.kind != "" && inner.kind != "error" {
		f.kind = inner.kind
	}
	if inner.message != "" {
		f.message = inner.message
	}
	if f.code == "" {
		f.code = inner.code
	}
	if f.request == "" {
		f.request = inner.request
	}
}

// readHeaders keeps the order; a header with several values is kept several times.
func (f *failure) readHeaders(dec *jsontext.Decoder) error {
	f.headers = nil
	return object(dec, func(name []byte) error {
		h := transcript.Header{Name: strings.ToLower(string(name))}
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		values := []jsontext.Value{raw}
		if raw.Kind() == '[' {
			values = elements(raw)
		}
		for _, v := range values {
			switch v.Kind() {
			case '"':
				h.Value = formats.Unquote(v)
			case '0', 't', 'f':
				h.Value = string(v)
			default:
				continue
			}
			f.headers = append(f.headers, h)
		}
		return nil
	})
}

func elements(raw jsontext.Value) (list []jsontext.Value) {
	dec := decoder(raw)
	dec.ReadToken()
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, v.Clone())
	}
	return list
}

func (f *failure) readConnection(dec *jsontext.Decoder) error {
	return object(dec, func(name []byte) error {
		if string(name) == "code" {
			return str(dec, &f.code)
		}
		return dec.SkipValue()
	})
}

func (f *failure) readLimits(dec *jsontext.Decoder) error {
	return object(dec, func(name []byte) error {
		if string(name) != "retryAfterSeconds" {
			return dec.SkipValue()
		}
		v := math.NaN()
		err := number(dec, &v)
		if d, ok := duration(v, time.Second); ok {
			f.retryAfter = d
		}
		return err
	})
}

// readCause keeps a cause as a text: its message, its code, or its JSON.
func (f *failure) readCause(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		f.cause = formats.Unquote(raw)
	case '{':
		var c failure
		if err := c.read(decoder(raw), maxErrorDepth); err != nil {
			return err
		}
		if f.code == "" {
			f.code = c.code
		}
		if f.cause = c.message; f.cause == "" {
			f.cause = c.code
		}
		if f.cause == "" && len(raw) > len("{}") {
			f.cause = string(raw)
		}
	}
	return nil
}

// newAttempt is the failed request that a system record reports.
func newAttempt(rec *record) transcript.Attempt {
	f := &rec.failure
	a := transcript.Attempt{
		N: int(rec.attempt), Max: int(rec.most), Status: int(f.status),
		Type: f.kind, Message: f.message, Name: f.name, Code: f.code, Cause: f.cause,
		Headers: f.headers, Body: f.body, RequestID: f.request,
		Delay: rec.delay, RetryAfter: f.retryAfter,
		Outcome: "retry", Time: rec.time, Line: rec.line,
	}
	if a.RequestID == "" {
		a.RequestID = rec.request
	}
	if d, ok := retryAfter(f.headers, rec.time); ok {
		a.RetryAfter = d
	}
	return a
}

// retryAfter is the wait that a server asked for: in milliseconds, in seconds,
// or as a date, which is compared with the server's own clock if it is there.
func retryAfter(headers []transcript.Header, now time.Time) (time.Duration, bool) {
	value := func(name string) string {
		for _, h := range headers {
			if strings.EqualFold(h.Name, name) {
				return strings.TrimSpace(h.Value)
			}
		}
		return ""
	}
	if v, ok := parseNumber(value("retry-after-ms")); ok {
		return duration(v, time.Millisecond)
	}
	after := value("retry-after")
	if v, ok := parseNumber(after); ok {
		return duration(v, time.Second)
	}
	until, err := time.Parse(httpDate, after)
	if err != nil {
		return -1, false
	}
	if date, err := time.Parse(httpDate, value("date")); err == nil {
		now = date
	}
	if now.IsZero() {
		return -1, false
	}
	return max(until.Sub(now), 0), true
}

const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
