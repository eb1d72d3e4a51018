package record

import "github.com/go-json-experiment/json/jsontext"

// Valid reports whether a text is one JSON value.
func Valid[S ~string | ~[]byte](text S) bool { return jsontext.Value(text).IsValid(lenient) }

// Compact is a JSON value without white space between its tokens; everything
// else stays as it was written. ok is false if it is no JSON value.
func Compact[S ~string | ~[]byte](text S) (compact Value, ok bool) {
	v := jsontext.Value(append([]byte(nil), text...))
	err := v.Compact(lenient)
	return Value(v), err == nil
}

// Canonicalize gives a value in the one form that equal values share: members
// sorted by name, no white space, strings with the fewest escapes, numbers as
// they were written. It works in place. ok is false if v is no JSON value, names
// a member twice or is not UTF-8.
func Canonicalize(v []byte) (canonical Value, ok bool) {
	raw := jsontext.Value(v)
	err := raw.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return Value(raw), err == nil
}

// First is the JSON value that a text begins with, and where it ends.
func First(text []byte) (v Value, n int, err error) {
	r := borrow(text)
	defer readers.Put(r)
	if !r.Next() {
		return nil, 0, r.Err()
	}
	v, err = r.View()
	return v, int(r.pos()), err
}
