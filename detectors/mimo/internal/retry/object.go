package retry

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCauses bounds how deep causes inside causes are read.
const maxCauses = 2 * chainDepth

// readError reads an error as an agent writes it down. An object with data is a
// normalised one, {name, data}; a thrown one has a name and a message, and
// perhaps code, cause, errors, status; anything else is an object that says
// nothing.
func readError(v jsontext.Value, depth int) *Error {
	e := &Error{Name: str(field(v, "name")), Message: str(field(v, "message")), Code: str(field(v, "code")),
		Body: str(field(v, "responseBody"))}
	e.Status = firstStatus(v, "statusCode", "status")
	data := field(v, "data")
	if data.Kind() == '{' {
		e.Data = readData(data)
		if e.Data.Status == 0 {
			e.Data.Status = firstStatus(field(v, "response"), "status")
		}
		return e
	}
	e.Thrown = depth > 0 || e.Name.OK && e.Message.OK
	if depth == maxCauses {
		return e
	}
	if c := field(v, "cause"); c.Kind() == '{' {
		e.Causes = append(e.Causes, readError(c, depth+1))
	}
	for _, c := range list(field(v, "errors")) {
		if c.Kind() == '{' && len(e.Causes) < chainLength {
			e.Causes = append(e.Causes, readError(c, depth+1))
		}
	}
	return e
}

func list(v jsontext.Value) []jsontext.Value {
	if v.Kind() != '[' {
		return nil
	}
	return elements(v)
}

func readData(v jsontext.Value) *Data {
	meta := field(v, "metadata")
	d := &Data{
		Message: str(field(v, "message")), Body: str(field(v, "responseBody")),
		Status: firstStatus(v, "statusCode"), Retryable: field(v, "isRetryable").Kind() == 't',
		MetadataCode: str(field(meta, "code")), Allow404: str(field(meta, "allow404Retry")).S == "true",
		HostCode: str(field(v, "hostCode")), HostClass: str(field(v, "hostRetryClass")),
	}
	d.Headers, d.HasHeaders = readHeaders(field(v, "responseHeaders"))
	return d
}

func readHeaders(v jsontext.Value) (list []Header, ok bool) {
	each(v, func(name string, value jsontext.Value) {
		if s := str(value); s.OK {
			list = append(list, Header{name, s.S})
		}
	})
	return list, v.Kind() == '{'
}

// firstStatus is the first of some fields that holds a status.
func firstStatus(v jsontext.Value, names ...string) int {
	for _, name := range names {
		switch x := field(v, name); x.Kind() {
		case '0':
			if f, err := strconv.ParseFloat(jsText(x), 64); err == nil {
				return whole(f)
			}
		case '"':
			if n, ok := LeadingInt(str(x).S); ok {
				return n
			}
		}
	}
	return 0
}

func whole(f float64) int {
	if f < 0 || f > 1e6 {
		return 0
	}
	return int(f)
}

// LeadingInt is the number that a text begins with: "408x" is 408.
func LeadingInt(s string) (int, bool) {
	s = strings.TrimLeft(s, " \t\r\n")
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	return n, err == nil
}

// httpNames are the names of errors of an HTTP call, which an agent has yet to
// normalise.
const apiCallName = "AI_APICallError"

// ReadRaw reads an error that may be one of an HTTP call; that has HTTP set. It
// is nil if the text is no JSON object.
func ReadRaw(text string) *Raw {
	v := parse(text)
	if v.Kind() != '{' {
		return nil
	}
	return readRaw(v)
}

func readRaw(v jsontext.Value) *Raw {
	r := &Raw{Error: *readError(v, 0)}
	if !r.named(apiCallName) {
		return r
	}
	r.HTTP = &Call{Status: r.Error.Status, Body: r.Error.Body}
	r.HTTP.Headers, r.HTTP.HasHeaders = readHeaders(field(v, "responseHeaders"))
	if k := field(v, "isRetryable").Kind(); k == 't' || k == 'f' {
		yes := k == 't'
		r.HTTP.Retryable = &yes
	}
	r.Error.Status, r.Error.Body = 0, Text{}
	return r
}

// LastOf is the last of several errors, written as a JSON list.
func LastOf(text string) *Raw {
	all := list(parse(text))
	if len(all) == 0 || all[len(all)-1].Kind() != '{' {
		return nil
	}
	return readRaw(all[len(all)-1])
}

// ReadCauses reads the cause of an error: a JSON object or a list of them, the
// cause and then the errors, or a text, which is a message or a code.
func ReadCauses(text string) (causes []*Error) {
	if text == "" {
		return nil
	}
	switch v := parse(text); v.Kind() {
	case '{':
		return []*Error{readError(v, 1)}
	case '[':
		for _, c := range list(v) {
			if c.Kind() == '{' && len(causes) < chainLength {
				causes = append(causes, readError(c, 1))
			}
		}
		return causes
	}
	e := &Error{Thrown: true, Message: Some(text)}
	if networkCode(text, true) || text == abortCode {
		e.Code = Some(text)
	}
	return []*Error{e}
}

// IsObject reports whether a text is one JSON object.
func IsObject(text string) bool { return parse(text).Kind() == '{' }
