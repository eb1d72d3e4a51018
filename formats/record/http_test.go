package record_test

import (
	"testing"
	"time"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

func TestRetryAfter(t *testing.T) {
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	const (
		none  = time.Duration(-1)
		after = "Fri, 01 May 2026 08:00:30 GMT"
	)
	for _, test := range []struct {
		name    string
		headers []transcript.Header
		want    time.Duration
	}{
		{"nothing", nil, none},
		{"seconds", []transcript.Header{{Name: "Retry-After", Value: " 7 "}}, 7 * time.Second},
		{"a fraction", []transcript.Header{{Name: "retry-after", Value: "0.5"}}, 500 * time.Millisecond},
		{"zero", []transcript.Header{{Name: "retry-after", Value: "0"}}, 0},
		{"negative", []transcript.Header{{Name: "retry-after", Value: "-1"}}, none},
		{"absurd", []transcript.Header{{Name: "retry-after", Value: "1e30"}}, none},
		{"no number", []transcript.Header{{Name: "retry-after", Value: "soon"}}, none},
		{"milliseconds first", []transcript.Header{{Name: "retry-after", Value: "7"}, {Name: "retry-after-ms", Value: "20"}}, 20 * time.Millisecond},
		{"milliseconds that are none", []transcript.Header{{Name: "retry-after-ms", Value: "-5"}, {Name: "retry-after", Value: "7"}}, 7 * time.Second},
		{"a date, by the time of the record", []transcript.Header{{Name: "retry-after", Value: after}}, 30 * time.Second},
		{"a date, by the server's clock", []transcript.Header{{Name: "retry-after", Value: after}, {Name: "Date", Value: "Fri, 01 May 2026 08:00:10 GMT"}}, 20 * time.Second},
		{"a date that has passed", []transcript.Header{{Name: "retry-after", Value: "Thu, 30 Apr 2026 08:00:00 GMT"}}, 0},
		{"a date of RFC 850", []transcript.Header{{Name: "retry-after", Value: "Friday, 01-May-26 08:00:30 GMT"}}, 30 * time.Second},
		{"a date of C", []transcript.Header{{Name: "retry-after", Value: "Fri May  1 08:00:30 2026"}}, 30 * time.Second},
		{"the first of two", []transcript.Header{{Name: "retry-after", Value: "1"}, {Name: "retry-after", Value: "2"}}, time.Second},
	} {
		if got := record.RetryAfter(test.headers, at); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if got := record.RetryAfter([]transcript.Header{{Name: "retry-after", Value: after}}, time.Time{}); got != none {
		t.Errorf("a date without any clock: %v, want %v", got, none)
	}
}
