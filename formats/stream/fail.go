package stream

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundhog/replay/transcript"
)

// fail takes an event that breaks a stream off. about is where it says why.
func (a *Assembler) fail(e *event, about Object) {
	if a.cur == nil {
		if a.last != "" && about.Str("id") == a.last {
			return // the same failure, told twice
		}
		a.begin(e)
	}
	b := a.cur
	b.touch(e)
	at := &transcript.Attempt{Phase: "stream", Outcome: "failed",
		Delay: -1, RetryAfter: -1, Time: e.at, Line: e.line, Body: string(e.raw)}
	describe(at, about)
	if at.Status > 0 && at.Code == "" {
		at.Code = strconv.Itoa(at.Status)
	}
	at.Status = 0 // the response itself began with 200; the provider's own number is in the code
	b.Failed = at
	b.end(transcript.FinishError, "")
	a.end()
}

// Arrived reports whether a response that broke off had brought a whole tool
// call: from then on sending the request again may repeat what it does. One of
// which only the beginning came was never given to a tool.
func Arrived(s *transcript.Step) bool {
	return slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return !c.ArgsInvalid })
}

// describe fills an attempt with what an error object says. Providers wrap it
// in "error" or do not, and some put only a text there.
func describe(at *transcript.Attempt, o Object) {
	inner := o
	switch v := o.Get("error"); v.Kind() {
	case '{':
		inner = Parse(v)
	case '"':
		at.Message = str(v)
	}
	set := func(to *string, names ...string) {
		for _, name := range names {
			v := inner.Get(name)
			if v == nil {
				v = o.Get(name)
			}
			if s := argument(v); s != "" && *to == "" && v.Kind() != '{' && v.Kind() != '[' {
				*to = s
			}
		}
	}
	set(&at.Message, "message", "detail")
	if at.Type = inner.Str("type"); at.Type == "error" {
		at.Type = "" // the envelope's
	}
	set(&at.Code, "code")
	set(&at.RequestID, "request_id", "requestId")
	for _, name := range []string{"status", "status_code"} {
		if n, ok := inner.Count(name); ok && at.Status == 0 && n < 1000 {
			at.Status = int(n)
		}
	}
	if n, err := strconv.Atoi(at.Code); err == nil && at.Status == 0 && n >= 400 && n < 600 {
		at.Status = n // OpenRouter and others
	}
}

// header is the first value of a header.
func header(headers []transcript.Header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return strings.TrimSpace(h.Value)
		}
	}
	return ""
}

// retryAfter is the wait that a server asked for: in milliseconds, in seconds,
// or as a date, which is compared with the server's own clock. It is negative
// if there is none.
func retryAfter(headers []transcript.Header) time.Duration {
	if d, ok := wait(header(headers, "retry-after-ms"), time.Millisecond); ok {
		return d
	}
	after := header(headers, "retry-after")
	if d, ok := wait(after, time.Second); ok {
		return d
	}
	until, err := time.Parse(httpDate, after)
	now, bad := time.Parse(httpDate, header(headers, "date"))
	if err != nil || bad != nil {
		return -1
	}
	return max(until.Sub(now), 0)
}

func wait(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	f *= float64(unit)
	return time.Duration(f), err == nil && f >= 0 && f < math.MaxInt64
}

const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
