package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrCut says that a text ends before its JSON value does.
var ErrCut = errors.New("the JSON value is cut off")

// ErrLong says that a value of a stream is over the limit.
var ErrLong = errors.New("over the size limit")

// A SyntaxError is text that is not JSON.
type SyntaxError struct {
	Off    int64  // of the byte, in what was given to the reader, from 0
	Reason string // "invalid character 'x' at start of value"
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not valid JSON at byte %d: %s", e.Off+1, e.Reason)
}

// A KindError is a value of another kind than a strict shape wants.
type KindError struct {
	Path  []string // of the member, from the outermost name; elements by index
	Want  string   // "a string"
	Found Kind
}

func (e *KindError) Error() string {
	where := ""
	if len(e.Path) > 0 {
		where = "field " + strings.Join(e.Path, ".") + ": "
	}
	return fmt.Sprintf("%sexpected %s, found %s", where, e.Want, e.Found)
}

// within says in which member the value was.
func (e *KindError) within(name string) { e.Path = append([]string{name}, e.Path...) }

// kindError is the *KindError that an error is, or nil.
func kindError(err error) *KindError {
	var kind *KindError
	errors.As(err, &kind)
	return kind
}

// fail keeps the first error.
func (r *Reader) fail(err error) error {
	if err == nil {
		return nil
	}
	if r.err == nil {
		r.err = plain(r.whole(err))
	}
	return r.err
}

// whole is the error that reading whole values gives, so that what is said of a
// broken line does not depend on what a shape wants of it.
func (r *Reader) whole(err error) error {
	if r.in != nil {
		return err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(r.text), lenient)
	for {
		switch _, bad := dec.ReadValue(); {
		case bad == io.EOF:
			return err
		case bad != nil:
			return bad
		}
	}
}

// plain says in a few words what is wrong.
func plain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, ErrLong):
		return ErrLong
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCut
	case errors.As(err, &syntax):
		return &SyntaxError{syntax.ByteOffset, syntax.Err.Error()}
	}
	return err
}
