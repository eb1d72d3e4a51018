package retry

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/mimo/internal/steps"
)

// maxBody bounds how much of an error body is parsed. A larger one is no JSON
// that an API answers with.
const maxBody = 1 << 20

func newDecoder(s string) *jsontext.Decoder {
	return jsontext.NewDecoder(strings.NewReader(s), lenient...)
}

// parse is the text as one JSON value, or nil.
func parse(s string) jsontext.Value {
	if len(s) > maxBody {
		return nil
	}
	dec := newDecoder(s)
	v, err := dec.ReadValue()
	if err != nil {
		return nil
	}
	v = v.Clone()
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil
	}
	return v
}

// str is a JSON string's value.
func str(v jsontext.Value) Text {
	if v.Kind() != '"' {
		return Text{}
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil && len(s) == 0 {
		return Text{}
	}
	return Some(string(s))
}

// jsText turns a value into text as JavaScript does: 429 is "429", an object
// "[object Object]", an array its elements joined by commas.
func jsText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return str(v).S
	case '{':
		return "[object Object]"
	case '[':
		var list []string
		for _, e := range elements(v) {
			if e.Kind() == 'n' {
				list = append(list, "")
			} else {
				list = append(list, jsText(e))
			}
		}
		return strings.Join(list, ",")
	case '0':
		s, _ := steps.JSJSON(string(v))
		return s
	}
	return string(v)
}

func elements(v jsontext.Value) (list []jsontext.Value) {
	dec := newDecoder(string(v))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for k := dec.PeekKind(); k != ']' && k != 0; k = dec.PeekKind() {
		e, err := dec.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, e.Clone())
	}
	return list
}

// A body is what a provider says in a JSON body: body.error.X, else body.X.
type body struct{ code, typ, message string }

func readBody(text string) body {
	v := parse(text)
	if k := v.Kind(); k != '{' {
		return body{} // an array has none of the fields either
	}
	inner := field(v, "error")
	get := func(name string) string {
		for _, from := range []jsontext.Value{inner, v} {
			if x := field(from, name); x != nil && x.Kind() != 'n' {
				return jsText(x)
			}
		}
		return ""
	}
	return body{get("code"), get("type"), get("message")}
}
