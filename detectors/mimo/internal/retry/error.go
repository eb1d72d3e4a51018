package retry

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Text is a string that may be absent, which is not the same as empty.
type Text struct {
	S  string
	OK bool
}

// Some is a text that is there.
func Some(s string) Text { return Text{s, true} }

// A Header is one header of a response, its name as the agent held it.
type Header struct{ Name, Value string }

// An Error is what the classification looks at: a thrown error, or an object.
type Error struct {
	Thrown  bool
	Name    Text
	Message Text
	Code    Text
	Status  int      // of the error itself; 0 if it has none
	Body    Text     // responseBody of the error itself
	Causes  []*Error // cause, then the elements of errors
	Data    *Data    // of an object; nil if it has none
}

// Data is what a normalised error carries.
type Data struct {
	Message      Text
	Status       int // 0 if it has none
	Retryable    bool
	Headers      []Header
	HasHeaders   bool // the set is there, even if it is empty
	Body         Text
	MetadataCode Text
	Allow404     bool
	HostCode     Text
	HostClass    Text
}

// The names of normalised errors.
const (
	APIError      = "APIError"
	Overflow      = "ContextOverflowError"
	Aborted       = "MessageAbortedError"
	ProviderAuth  = "ProviderAuthError"
	OutputLength  = "MessageOutputLengthError"
	UnknownError  = "UnknownError"
	InvalidOutput = "InvalidOutputError"
	abortError    = "AbortError"
	abortCode     = "ABORT_ERR"
	abortedSocket = "UND_ERR_ABORTED"
)

// Normalised reports whether name is one that only normalising gives.
func Normalised(name string) bool {
	switch name {
	case APIError, Overflow, Aborted, ProviderAuth, OutputLength, UnknownError, InvalidOutput:
		return true
	}
	return false
}

func (e *Error) named(name string) bool { return e.Name.OK && e.Name.S == name }

// isAPI reports whether e is a normalised API error.
func (e *Error) isAPI() bool { return !e.Thrown && e.named(APIError) }

// data is what the error carries; an error without it carries nothing.
func (e *Error) data() *Data {
	if e.Data == nil {
		return &Data{}
	}
	return e.Data
}

// status is the first status that is present.
func (e *Error) status() int {
	if e.Status != 0 {
		return e.Status
	}
	return e.data().Status
}

// message is the error's own text, or the nearest to it.
func (e *Error) message() string {
	if e.Message.OK {
		return e.Message.S
	}
	if d := e.data(); d.Message.OK {
		return d.Message.S
	}
	if e.Name.OK && e.Name.S != "" {
		return e.Name.S
	}
	return requestFailed
}

// bodyText is where the provider's own words are looked for.
func (e *Error) bodyText() string {
	d := e.data()
	switch {
	case e.isAPI():
		return d.Body.S
	case d.Message.OK:
		return d.Message.S
	case e.Body.OK:
		return e.Body.S
	}
	return d.Body.S
}

// An Asked is what the provider asked for: how long to wait, or nothing.
type Asked struct {
	Wait time.Duration
	OK   bool
}

// A field of a JSON object, or nil. Of a repeated one the last counts, as in
// JavaScript.
func field(raw jsontext.Value, name string) (v jsontext.Value) {
	each(raw, func(key string, value jsontext.Value) {
		if key == name {
			v = value
		}
	})
	return v
}

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// each yields the members of a JSON object in order.
func each(raw jsontext.Value, f func(key string, value jsontext.Value)) {
	if raw.Kind() != '{' {
		return
	}
	dec := newDecoder(string(raw))
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		f(key, value.Clone())
	}
}
