package retry

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"groundhog/detectors/mimo/internal/js"
)

// OpenCode's own retry.

// The waits of OpenCode.
const (
	upstreamInitial = 2 * time.Second
	upstreamMost    = 30 * time.Second // without headers
)

// Upstream is the text under which OpenCode retries an error, if it does. The
// text is the truth value: an empty one is not retried either.
func Upstream(e *Error) Text {
	d := e.data()
	switch {
	case e.named(Overflow):
		return Text{}
	case e.isAPI():
		if !d.Retryable && d.Status < 500 {
			return Text{}
		}
		if strings.Contains(d.Body.S, freeUsage) {
			return Some(Notice)
		}
		if strings.Contains(d.Message.S, "Overloaded") {
			return Some(overloaded)
		}
		return d.Message
	}
	if !d.Message.OK {
		return Text{}
	}
	lower := js.Lower(d.Message.S)
	for _, part := range []string{"rate increased too quickly", "rate limit", "too many requests"} {
		if strings.Contains(lower, part) {
			return d.Message
		}
	}
	v := parse(d.Message.S)
	if v.Kind() != '{' {
		return Text{}
	}
	typ, code, inner := str(field(v, "type")).S, str(field(v, "code")).S, field(v, "error")
	switch {
	case typ == "error" && str(field(inner, "type")).S == "too_many_requests":
		return Some(tooMany)
	case strings.Contains(code, "exhausted") || strings.Contains(code, "unavailable"):
		return Some(overloaded)
	case typ == "error" && strings.Contains(str(field(inner, "code")).S, "rate_limit"):
		return Some("Rate Limited")
	}
	return Text{}
}

// leading is the number that a text begins with, as parseFloat finds it.
var leading = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)

func leadingNumber(s string) (float64, bool) {
	m := leading.FindString(js.Trim(s))
	if m == "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(m, 64)
	return x, err == nil || math.IsInf(x, 0)
}

// UpstreamDelay is the wait of OpenCode before the next try. It may be negative,
// which a timer takes for none.
func UpstreamDelay(attempt int, e *Error, now time.Time) time.Duration {
	backoff := float64(upstreamInitial/time.Millisecond) * math.Pow(2, float64(attempt-1))
	limit := float64(timerLimit / time.Millisecond)
	wait := func(ms float64) time.Duration { return time.Duration(math.Min(ms, limit) * float64(time.Millisecond)) }
	d := e.data()
	if !e.isAPI() || !d.HasHeaders {
		return wait(math.Min(backoff, float64(upstreamMost/time.Millisecond)))
	}
	if v, ok := header(d.Headers, "retry-after-ms"); ok && v != "" {
		if ms, ok := leadingNumber(v); ok {
			return wait(ms)
		}
	}
	if v, ok := header(d.Headers, "retry-after"); ok && v != "" {
		if s, ok := leadingNumber(v); ok {
			return wait(math.Ceil(s * 1000))
		}
		if until, ok := ParseDate(js.Trim(v)); ok && !now.IsZero() && until.After(now) {
			return wait(math.Ceil(float64(until.Sub(now)) / float64(time.Millisecond)))
		}
	}
	return wait(backoff)
}
