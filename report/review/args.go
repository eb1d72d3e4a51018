package review

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A field is one member of a call's arguments.
type field struct {
	name string
	text string // a string without its quotes, anything else as JSON
	raw  jsontext.Value
}

// fieldsOf takes arguments that are an object apart, in their order.
func fieldsOf(args string) (list []field, ok bool) {
	dec := jsontext.NewDecoder(strings.NewReader(args), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		f := field{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		f.raw = value.Clone()
		f.text = string(f.raw)
		if value.Kind() == '"' {
			if raw, err := jsontext.AppendUnquote(nil, value); err == nil {
				f.text = string(raw)
			}
		}
		list = append(list, f)
	}
	return list, true
}

// withField gives arguments with one member set to what change makes of its text;
// unchanged if there is none.
func withField(args, name string, change func(string) string) string {
	list, ok := fieldsOf(args)
	if !ok {
		return args
	}
	out := []byte("{")
	for i, f := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, f.name)
		out = append(out, ':')
		if f.name == name {
			out, _ = jsontext.AppendQuote(out, change(f.text))
		} else {
			out = append(out, f.raw...)
		}
	}
	return string(append(out, '}'))
}

// withoutDigits replaces each run of digits by one 0.
func withoutDigits(s string) string {
	var out strings.Builder
	digit := false
	for _, r := range s {
		is := r >= '0' && r <= '9'
		switch {
		case !is:
			out.WriteRune(r)
		case !digit:
			out.WriteByte('0')
		}
		digit = is
	}
	return out.String()
}
