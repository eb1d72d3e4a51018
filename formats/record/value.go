package record

import (
	"bytes"
	"iter"
	"math"
	"strconv"
	"time"
)

// A Kind is what a JSON value is: one of n (null), t, f, " (a string),
// 0 (a number), { and [. It is 0 where there is no value.
type Kind byte

func (k Kind) String() string {
	switch k {
	case 0:
		return "invalid"
	case 'n':
		return "null"
	case 't':
		return "true"
	case 'f':
		return "false"
	case '"':
		return "string"
	case '0':
		return "number"
	}
	return string(k)
}

// KindOf is the kind of the value that begins with a byte.
func KindOf(first byte) Kind {
	switch {
	case first == '-' || first >= '0' && first <= '9':
		return '0'
	case bytes.IndexByte([]byte(`ntf"{[`), first) >= 0:
		return Kind(first)
	}
	return 0
}

// A Value is a JSON value as it stands in the text, without white space around
// it; nil if there is none. It is a view: it lives as long as what it was read
// from. A value of another kind than a method asks for is as good as absent.
type Value []byte

// Kind is the kind of the value.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return 0
	}
	return KindOf(v[0])
}

// Null reports whether the value is null or absent.
func (v Value) Null() bool { return len(v) == 0 || v[0] == 'n' }

// True reports whether the value is true.
func (v Value) True() bool { return len(v) > 0 && v[0] == 't' }

// Text is what a string says, or "". It is a copy.
func (v Value) Text() string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	return Unquote(v)
}

// Word is what a string says, or a number as it is written.
func (v Value) Word() string {
	if v.Kind() == '0' {
		return string(v)
	}
	return v.Text()
}

// Argument is what a model wrote as the input of a call: the text of a string,
// or the bytes of whatever else stands there. It is "" for null.
func (v Value) Argument() string {
	switch v.Kind() {
	case '"':
		return Unquote(v)
	case 'n', 0:
		return ""
	}
	return string(v)
}

// Elements yields the elements of an array.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		r := borrow(v)
		defer readers.Put(r)
		for range r.Elements() {
			if v, err := r.View(); err != nil || !yield(v) {
				return
			}
		}
	}
}

// Members yields the members of an object, in order and with repeats.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		r := borrow(v)
		defer readers.Put(r)
		for name := range r.Members() {
			if v, err := r.View(); err != nil || !yield(name, v) {
				return
			}
		}
	}
}

// Number is a finite number. Some exports write numbers in quotes.
func (v Value) Number() (n float64, ok bool) {
	switch v.Kind() {
	case '0':
	case '"':
		v = v[1 : len(v)-1]
	default:
		return 0, false
	}
	return parseNumber(string(v))
}

func parseNumber(s string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// maxCount is what a JSON reader of any language can still count to.
const maxCount = 1 << 53

// Count is a number that counts something; a fraction is cut off.
func (v Value) Count() (n int64, ok bool) {
	if i, ok := v.digits(); ok {
		return i, true
	}
	f, ok := v.Number()
	if !ok || f < 0 || f >= maxCount {
		return 0, false
	}
	return int64(f), true
}

// digits is a count that is written as most are.
func (v Value) digits() (n int64, ok bool) {
	const most = 15 // less than maxCount whatever they are
	if len(v) == 0 || len(v) > most {
		return 0, false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Millis is a duration in milliseconds. Negative and absurd ones are not ok.
func (v Value) Millis() (d time.Duration, ok bool) {
	n, ok := v.Number()
	if !ok {
		return 0, false
	}
	return Duration(n, time.Millisecond)
}

// Duration is n units of time, if that is neither negative nor absurd. Parts of a
// nanosecond are cut off, but not a nanosecond that is whole but for the precision
// of n: what Builder.Millis writes is read as it was.
func Duration(n float64, unit time.Duration) (d time.Duration, ok bool) {
	const nearly = 1 + 0x1p-51
	n *= float64(unit) * nearly
	if !(n >= 0 && n < math.MaxInt64) {
		return 0, false
	}
	return time.Duration(n), true
}

// Time is a moment in UTC, or the zero time: a clock that cannot be read is no
// reason to lose a record. It may be written as RFC 3339, with a blank in place
// of the T, without a zone (it is UTC then), or as a number of seconds or
// milliseconds since 1970.
func (v Value) Time() time.Time {
	switch v.Kind() {
	case '"':
		if bytes.IndexByte(v, '\\') < 0 {
			return parseTime(string(v[1 : len(v)-1]))
		}
		return parseTime(Unquote(v))
	case '0':
		n, ok := v.Number()
		if !ok || n <= 0 || n > 1e14 {
			return time.Time{}
		}
		if n >= 1e11 { // as seconds, this is the year 5138
			n /= 1e3
		}
		return time.UnixMicro(int64(math.Round(n * 1e6))).UTC()
	}
	return time.Time{}
}

// zoneless is RFC 3339 without its zone.
const zoneless = "2006-01-02T15:04:05.999999999"

// parseTime reads a text.
func parseTime(s string) time.Time {
	const date = len("2006-01-02")
	if len(s) > date && s[date] == ' ' {
		s = s[:date] + "T" + s[date+1:]
	}
	for _, layout := range [...]string{time.RFC3339Nano, zoneless} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
