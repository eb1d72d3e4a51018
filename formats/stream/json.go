package stream

import (
	"bytes"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
)

// lenient is how recorded JSON is read: names repeat, characters are cut.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// An Object is the outline of a JSON object. Its values are pieces of the text
// it was read from and live as long as that. What has another type than asked
// for is as good as absent: a vendor's odd field is no reason to lose an event.
type Object []member

type member struct {
	name  string
	value jsontext.Value
}

// Parse outlines a JSON object; anything else gives nil.
func Parse(raw []byte) (o Object) {
	if jsontext.Value(raw).Kind() != '{' {
		return nil // most events lack most of what is asked for
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
	dec.ReadToken()
	o = make(Object, 0, 8)
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return o
		}
		key := name.String()
		v, err := dec.ReadValue()
		if err != nil {
			return o
		}
		o = append(o, member{key, v})
	}
	return o
}

// Get is the value of a field, or nil. Of a name that repeats the last counts.
func (o Object) Get(name string) jsontext.Value {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

func (o Object) Has(name string) bool { return o.Get(name) != nil }

// Str is the text of a string field.
func (o Object) Str(name string) string { return str(o.Get(name)) }

// Obj outlines a field that holds an object.
func (o Object) Obj(name string) Object { return Parse(o.Get(name)) }

// First is the first of some string fields that is not empty.
func (o Object) First(names ...string) string {
	for _, name := range names {
		if s := o.Str(name); s != "" {
			return s
		}
	}
	return ""
}

// Count is a number that counts something.
func (o Object) Count(name string) (n int64, ok bool) {
	v := o.Get(name)
	if v.Kind() != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f < 0 || f >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Time is a moment: RFC 3339, or seconds or milliseconds since 1970.
func (o Object) Time(names ...string) time.Time {
	for _, name := range names {
		if t := moment(o.Get(name)); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

func moment(v jsontext.Value) time.Time {
	switch v.Kind() {
	case '"':
		if t, err := time.Parse(time.RFC3339Nano, str(v)); err == nil {
			return t.UTC()
		}
	case '0':
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil || f <= 0 || f > 1e14 {
			return time.Time{}
		}
		if f >= 1e11 { // as seconds, this is the year 5138
			f /= 1e3
		}
		return time.UnixMicro(int64(math.Round(f * 1e6))).UTC()
	}
	return time.Time{}
}

// Elems yields the elements of a JSON array.
func Elems(raw []byte) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		if jsontext.Value(raw).Kind() != '[' {
			return
		}
		dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
		dec.ReadToken()
		for dec.PeekKind() != ']' {
			v, err := dec.ReadValue()
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// str is the text of a JSON string, or "" for any other value.
func str(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return formats.Unquote(v)
}

// argument is what a model wrote as a call's input: a string's text, or the
// bytes of whatever else stands there.
func argument(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return formats.Unquote(v)
	case 'n', 0:
		return ""
	}
	return string(v)
}

func validJSON(s string) bool { return jsontext.Value(s).IsValid(lenient) }
