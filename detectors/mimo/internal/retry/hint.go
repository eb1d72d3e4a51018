package retry

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"groundhog/detectors/mimo/internal/js"
)

// What a hint is held to.
const (
	hintFloor  = 100 * time.Millisecond
	hintMost   = 5 * time.Minute                  // of one that stands in a message
	timerLimit = math.MaxInt32 * time.Millisecond // what a JavaScript timer can wait
)

// space is what \s matches in JavaScript.
const space = `[\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`

var (
	plainNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	// Units are tried in this order, so "2 minutes" is read by its m, and so are
	// "5 months".
	prose = regexp.MustCompile(anyCase(`(?:try again|retry|retrying)(?: in| after)`) + space +
		`+([0-9]+(?:\.[0-9]+)?)` + space + `*` +
		anyCase(`(ms|milliseconds?|s|seconds?|m|minutes?|h|hours?)`))
)

// anyCase makes the letters of a pattern match in both ASCII cases. The flag i
// is not used: it would take ſ for s.
func anyCase(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		if unicode.IsLetter(r) {
			b.WriteString("[" + string(r) + string(unicode.ToUpper(r)) + "]")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// header is the value of a header by its exact name.
func header(list []Header, name string) (string, bool) {
	for _, h := range list {
		if h.Name == name {
			return h.Value, true
		}
	}
	return "", false
}

// hint is what the provider asked for, in its headers or in its words.
func hint(e *Error, now time.Time) Asked {
	if e.isAPI() {
		if a := headerHint(e.data().Headers, now); a.OK {
			return a
		}
	}
	return proseHint(e.message())
}

func headerHint(list []Header, now time.Time) Asked {
	if v, ok := header(list, "retry-after-ms"); ok {
		if ms, ok := number(v); ok {
			return asked(ms, timerLimit)
		}
	}
	v, ok := header(list, "retry-after")
	if !ok {
		return Asked{}
	}
	if s, ok := number(v); ok {
		return asked(s*1000, timerLimit)
	}
	until, ok := ParseDate(js.Trim(v))
	if !ok || now.IsZero() || !until.After(now) {
		return Asked{}
	}
	return asked(float64(until.Sub(now))/float64(time.Millisecond), timerLimit)
}

func proseHint(message string) Asked {
	m := prose.FindStringSubmatch(message)
	if m == nil {
		return Asked{}
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		x = math.Inf(1)
	}
	unit := 1.0
	switch u := asciiLower(m[2]); {
	case u == "ms" || strings.HasPrefix(u, "milli"):
	case u[0] == 's':
		unit = 1000
	case u[0] == 'm':
		unit = 60_000
	case u[0] == 'h':
		unit = 3_600_000
	}
	return asked(x*unit, hintMost)
}

// number is a header that holds digits with an optional fraction.
func number(s string) (float64, bool) {
	s = js.Trim(s)
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.Inf(1), true
	}
	return x, true
}

func asked(ms float64, most time.Duration) Asked {
	limit := float64(most / time.Millisecond)
	return Asked{time.Duration(min(max(math.Ceil(ms), 100), limit)) * time.Millisecond, true}
}

// layouts are the dates that are understood, of those JavaScript reads.
var layouts = []string{
	time.RFC1123, time.RFC1123Z, "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 02-Jan-06 15:04:05 MST", time.RFC850, time.ANSIC,
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02",
}

// ParseDate reads a date as HTTP and ISO 8601 write it.
func ParseDate(s string) (time.Time, bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
