package record

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient is how recorded JSON is read: writers in the field repeat names and
// cut characters in half.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// A Place is where something stands in a file.
type Place struct {
	Off  int64 // in bytes
	Line int   // from 1
}

// A Reader reads JSON values one after the other: those of a line that is held
// (Reset), or those of a stream, of which only what is asked for is held (Open).
// The zero value reads nothing until Reset.
//
// A Reader stands before a value or at the end. A Shape, Value and Skip pass one
// value; Elements and Members go into one. The first mistake in the JSON ends
// the reading: Err has it, and every method after it does nothing.
//
// Readers are kept and used again, so that a line costs no allocation of its
// own. One goroutine uses a Reader at a time.
type Reader struct {
	dec   jsontext.Decoder
	held  bytes.Buffer // what Reset gave, for dec
	text  []byte       // the same, to count lines in
	in    *input       // what Open gave
	base  Place        // of the first byte
	seen  Place        // the last place that Line was asked for, from base
	stood int64        // where Next stood last; -1 before it
	err   error

	strict bool       // kinds that a shape does not want are errors
	inner  *Reader    // for values that are read twice
	words  *wordCache // of Word fields
}

// Reset makes the reader read a line, or another text that is held. Views of it
// are valid as long as the text is. A byte order mark is passed over, and null
// stands where a writer in Python has left NaN or Infinity.
func (r *Reader) Reset(line []byte) { r.reset(WithoutNaN(Clean(line)), Place{Line: 1}) }

// ResetAt makes the reader read a text that is held and stands somewhere in a
// file. It is for readers that keep places: they are those of the file, so NaN
// is a mistake here.
func (r *Reader) ResetAt(text []byte, at Place) {
	clean := Clean(text)
	at.Off += int64(len(text) - len(clean))
	r.reset(clean, at)
}

func (r *Reader) reset(text []byte, at Place) {
	r.held = *bytes.NewBuffer(text)
	r.text, r.in, r.base, r.seen, r.stood, r.err = text, nil, at, Place{}, -1, nil
	r.dec.Reset(&r.held, lenient)
}

// Open makes a reader of a stream that begins at a place of a file. Values that
// are asked for may have up to limit bytes; what is over it is ErrLong. It does
// not know NaN, and views of it are copies.
func Open(src io.Reader, at Place, limit int64) *Reader {
	r := &Reader{base: at, stood: -1}
	r.in = &input{src: src, dec: &r.dec, limit: limit}
	r.dec.Reset(r.in, lenient)
	return r
}

// Next reports whether there is another value at the top. One that was not read
// is skipped.
func (r *Reader) Next() bool {
	r.skipFrom(r.stood)
	if r.err != nil {
		return false
	}
	r.stood = r.pos()
	if r.dec.PeekKind() != 0 {
		return true
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		r.fail(err)
	}
	return false
}

// Err is what ended the reading: ErrCut, ErrLong, a *SyntaxError, or an error
// of the stream. It is nil at the end of the text.
func (r *Reader) Err() error { return r.err }

// Kind is the kind of the value that the reader stands before.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return 0
	}
	k := Kind(r.dec.PeekKind())
	if k == '}' || k == ']' {
		return 0
	}
	return k
}

// Ahead is the text that the reader stands before, of one that is held: for a
// look at the first bytes of a value.
func (r *Reader) Ahead() []byte {
	if r.in != nil || r.Kind() == 0 {
		return nil
	}
	return r.text[r.Place().Off-r.base.Off:]
}

// Value reads a value as it stands. One that is over the limit of a stream is
// ErrLong and has been passed all the same, as far as that can be done.
func (r *Reader) Value() (Value, error) {
	v, err := r.View()
	if err == nil && r.in != nil {
		v = bytes.Clone(v)
	}
	return v, err
}

// View is Value without a copy. What it gives of a stream is valid until the
// reader is used again.
func (r *Reader) View() (Value, error) {
	if r.err != nil {
		return nil, r.err
	}
	v, err := r.dec.ReadValue()
	switch {
	case err == nil && r.in != nil && int64(len(v)) > r.in.limit:
		return nil, ErrLong // little was missing
	case err == nil:
		return Value(v), nil
	case errors.Is(err, ErrLong):
		if err := r.dec.SkipValue(); err != nil { // a single string may be as long as that
			r.fail(err)
		}
		return nil, ErrLong
	}
	return nil, r.fail(err)
}

// Skip passes a value without holding it.
func (r *Reader) Skip() error {
	if r.err != nil {
		return r.err
	}
	if r.in != nil {
		return r.fail(r.dec.SkipValue())
	}
	_, err := r.dec.ReadValue() // nothing has to be held for it, and this is faster
	return r.fail(err)
}

// Elements goes into an array and stands before each of its elements in turn.
// One that was not read is skipped; a value that is no array has none. A loop
// that is left early leaves the reader inside the array.
func (r *Reader) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if r.Kind() != '[' {
			r.Skip()
			return
		}
		if r.open() != nil {
			return
		}
		for i := 0; r.inside(); i++ {
			before := r.pos()
			if !yield(i) {
				return
			}
			r.skipFrom(before)
		}
	}
}

// Members does the same for the members of an object, and names them.
func (r *Reader) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		if r.Kind() != '{' {
			r.Skip()
			return
		}
		if r.open() != nil {
			return
		}
		for name := r.name(); name != nil; name = r.name() {
			text, before := Unquote(name), r.pos()
			if !yield(text) {
				return
			}
			r.skipFrom(before)
		}
	}
}

// pos is where what was read last ended, from the first byte.
func (r *Reader) pos() int64 { return r.dec.InputOffset() }

// skipFrom skips a value that nobody has read since the reader stood at a place.
func (r *Reader) skipFrom(before int64) {
	if r.err == nil && r.pos() == before {
		r.Skip()
	}
}

// open passes the bracket that the reader stands before.
func (r *Reader) open() error {
	_, err := r.dec.ReadToken()
	return r.fail(err)
}

// inside reports whether there is another element of an array, and passes the
// end of the array if there is none.
func (r *Reader) inside() bool {
	if r.err != nil {
		return false
	}
	switch r.dec.PeekKind() {
	case ']', 0: // reading gives the error
		_, err := r.dec.ReadToken()
		r.fail(err)
		return false
	}
	return true
}

// name is the name of the next member of an object, in quotes; nil if there is
// none, and then the end of the object has been passed.
func (r *Reader) name() Value {
	if r.err != nil {
		return nil
	}
	if r.dec.PeekKind() != '"' { // the end, or reading gives the error
		_, err := r.dec.ReadToken()
		r.fail(err)
		return nil
	}
	v, err := r.dec.ReadValue()
	if r.fail(err) != nil {
		return nil
	}
	return Value(v)
}

// Place is where the value that the reader stands before begins.
func (r *Reader) Place() Place {
	r.dec.PeekKind()
	ahead := r.dec.UnreadBuffer()
	blank := len(ahead) - len(bytes.TrimLeft(ahead, " \t\r\n,:"))
	return r.at(r.pos() + int64(blank))
}

// End is where what was read last ended.
func (r *Reader) End() Place { return r.at(r.pos()) }

// at is a place of the text. None before the last one may be asked for.
func (r *Reader) at(off int64) Place {
	if r.in != nil {
		r.seen.Line = r.in.lineAt(off)
	} else if off > r.seen.Off {
		r.seen.Line += bytes.Count(r.text[r.seen.Off:off], lf)
	}
	r.seen.Off = max(off, r.seen.Off)
	return Place{Off: r.base.Off + off, Line: r.base.Line + r.seen.Line}
}

// sub is a reader of a value that was read already.
func (r *Reader) sub(v Value) *Reader {
	if r.inner == nil {
		r.inner = &Reader{}
	}
	r.inner.reset(v, Place{Line: 1})
	r.inner.strict, r.inner.words = r.strict, r.cache()
	return r.inner
}

func (r *Reader) cache() *wordCache {
	if r.words == nil {
		r.words = &wordCache{}
	}
	return r.words
}

// readers are kept for values that are read by themselves.
var readers = sync.Pool{New: func() any { return &Reader{} }}

// borrow is one of the readers, before a value.
func borrow(v []byte) *Reader {
	r := readers.Get().(*Reader)
	r.reset(v, Place{Line: 1})
	return r
}

// pass skips a value of a kind that nobody wants. Null is absent everywhere.
func (r *Reader) pass(wanted kinds) error {
	kind := r.Kind()
	if err := r.Skip(); err != nil || !r.strict || kind == 'n' {
		return err
	}
	return &KindError{Want: wanted.String(), Found: kind}
}
