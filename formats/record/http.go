package record

import (
	"net/http"
	"strings"
	"time"

	"groundhog/replay/transcript"
)

// Header is the first value of a header, without the blanks around it. Names are
// compared without regard to case.
func Header(list []transcript.Header, name string) string {
	for _, h := range list {
		if strings.EqualFold(h.Name, name) {
			return strings.TrimSpace(h.Value)
		}
	}
	return ""
}

// RetryAfter is how long a server asked its client to wait, from the time that
// the failure was recorded at; negative if it did not ask, or if what it wrote
// cannot be understood.
//
// retry-after-ms is a number of milliseconds. retry-after is a number of seconds
// or a date. A date is compared with the server's own clock, in the header Date,
// and without it with the time of the record: a client's clock may be wrong, and
// what the server meant was its own. A date that has passed asks for no wait. A
// header that is no wait (negative, absurd, not a number) is as good as absent.
func RetryAfter(headers []transcript.Header, recorded time.Time) time.Duration {
	if n, ok := parseNumber(Header(headers, "retry-after-ms")); ok {
		if d, ok := Duration(n, time.Millisecond); ok {
			return d
		}
	}
	after := Header(headers, "retry-after")
	if n, ok := parseNumber(after); ok {
		if d, ok := Duration(n, time.Second); ok {
			return d
		}
		return -1
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return -1
	}
	now := recorded
	if date, err := http.ParseTime(Header(headers, "date")); err == nil {
		now = date
	}
	if now.IsZero() {
		return -1
	}
	return max(until.Sub(now), 0)
}
