package record

import (
	"bytes"
	"strconv"
	"time"

	"groundhog/replay/transcript"
)

// The fields below take a member of some kinds and put it where the function
// says. Their names may be Itself.

// String is the text of a string, copied out of the line.
func String[T any, S ~string](name string, to func(*T) *S) Field[T] {
	return scalar(name, texts, func(r *Reader, t *T, v Value) error {
		*to(t) = S(Unquote(v))
		return nil
	})
}

// Word is String for a text that comes again and again, such as a type, the name
// of a tool or the id of the session: one copy serves for all.
func Word[T any, S ~string](name string, to func(*T) *S) Field[T] {
	return scalar(name, texts, func(r *Reader, t *T, v Value) error {
		*to(t) = S(r.cache().word(v))
		return nil
	})
}

// Text is a string as it stands, a view. It is nil where the member is absent,
// which an empty text is not.
func Text[T any](name string, to func(*T) *Value) Field[T] { return view(name, texts, to) }

// Raw is a value of any kind as it stands, null too, a view. Nothing in it is
// changed: arguments of calls are compared byte for byte.
func Raw[T any](name string, to func(*T) *Value) Field[T] { return view(name, known|null, to) }

func view[T any](name string, takes kinds, to func(*T) *Value) Field[T] {
	return scalar(name, takes, func(r *Reader, t *T, v Value) error {
		if r.in != nil {
			v = bytes.Clone(v) // a stream's buffer moves on
		}
		*to(t) = v
		return nil
	})
}

// Bool is true or false.
func Bool[T any](name string, to func(*T) *bool) Field[T] {
	return scalar(name, bools, func(r *Reader, t *T, v Value) error {
		*to(t) = v.True()
		return nil
	})
}

// Maybe is true, false, or nil where the member is absent.
func Maybe[T any](name string, to func(*T) **bool) Field[T] {
	return scalar(name, bools, func(r *Reader, t *T, v Value) error {
		is := v.True()
		*to(t) = &is
		return nil
	})
}

// Number is a finite number, which may stand in quotes where the shape is not strict.
func Number[T any](name string, to func(*T) *float64) Field[T] {
	return scalar(name, numbers|texts, func(r *Reader, t *T, v Value) error {
		n, ok := v.Number()
		if ok {
			*to(t) = n
		}
		return r.number(ok, v)
	})
}

// Count is a number that counts something, see Value.Count.
func Count[T any](name string, to func(*T) *int64) Field[T] {
	return scalar(name, numbers|texts, func(r *Reader, t *T, v Value) error {
		n, ok := v.Count()
		if ok {
			*to(t) = n
		}
		return r.number(ok, v)
	})
}

// Tokens is a count of a usage, which is known then. Some writers have one count
// under two names: the larger one is meant.
func Tokens(name string, to func(*transcript.Usage) *int64) Field[transcript.Usage] {
	return Func(name, func(u *transcript.Usage, v Value) {
		if n, ok := v.Count(); ok {
			*to(u), u.Known = max(*to(u), n), true
		}
	}).Only('0', '"')
}

// Int is a whole number that fits, negative ones too, and not in quotes.
func Int[T any, N ~int | ~int32 | ~int64](name string, to func(*T) *N) Field[T] {
	return scalar(name, numbers, func(r *Reader, t *T, v Value) error {
		n, err := strconv.ParseInt(string(v), 10, 64)
		ok := err == nil && int64(N(n)) == n
		if ok {
			*to(t) = N(n)
		}
		return r.number(ok, v)
	})
}

// Millis is a duration in milliseconds. Negative and absurd ones leave the
// target as it is.
func Millis[T any](name string, to func(*T) *time.Duration) Field[T] {
	return scalar(name, numbers|texts, func(r *Reader, t *T, v Value) error {
		_, ok := v.Number()
		if d, fits := v.Millis(); fits {
			*to(t) = d
		}
		return r.number(ok, v)
	})
}

// Time is a moment, see Value.Time. A value that is none leaves the target as it
// is, in strict shapes too.
func Time[T any](name string, to func(*T) *time.Time) Field[T] {
	return scalar(name, known, func(r *Reader, t *T, v Value) error {
		if at := v.Time(); !at.IsZero() {
			*to(t) = at
		}
		return nil
	})
}

// number is an error in a strict shape for what is no number that fits.
func (r *Reader) number(ok bool, v Value) error {
	if !r.strict || ok && v.Kind() == '0' {
		return nil
	}
	return &KindError{Want: numbers.String(), Found: v.Kind()}
}

// Has reports whether a member is there, whatever it is.
func Has[T any](name string, to func(*T) *bool) Field[T] {
	return Visit(name, func(t *T, r *Reader) error {
		*to(t) = true
		return nil
	})
}

// Object is an object that has a shape of its own. The function may give nil to
// leave the object out.
func Object[T, U any](name string, shape *Shape[U], to func(*T) *U) Field[T] {
	return Field[T]{name: name, takes: shape.takes, enter: func(r *Reader, _ *Shape[T], t *T) error {
		if u := to(t); u != nil {
			return shape.Read(r, u)
		}
		return nil
	}}
}

// Same is an object of the very shape that the field is part of. The function
// may give nil to leave the object out, and has to where depth must be bounded.
func Same[T any](name string, to func(*T) *T) Field[T] {
	return Field[T]{name: name, takes: objects, enter: func(r *Reader, s *Shape[T], t *T) error {
		if u := to(t); u != nil {
			return s.root.Read(r, u)
		}
		return nil
	}}
}

// In are fields of an object inside this one, for the same T.
func In[T any](name string, fields ...Field[T]) Field[T] {
	inner := NewShape(fields...)
	return Field[T]{name: name, takes: objects, inner: inner, enter: func(r *Reader, _ *Shape[T], t *T) error {
		return inner.read(r, t)
	}}
}

// Embed are the fields of another shape, for a part of this T, as if they stood
// here. Others is not among them, and neither is what the shape begins with.
func Embed[T, U any](shape *Shape[U], to func(*T) *U) Field[T] {
	var group []Field[T]
	lift := func(name string, list []Field[U]) {
		for _, f := range list {
			out := Field[T]{name: name, takes: f.takes}
			if f.value != nil {
				out.value = func(r *Reader, t *T, name, v Value) error { return f.value(r, to(t), name, v) }
			} else {
				out.enter = func(r *Reader, _ *Shape[T], t *T) error { return f.enter(r, shape, to(t)) }
			}
			group = append(group, out)
		}
	}
	for _, e := range shape.names.entries {
		lift(e.name, shape.fields[e.from:e.to])
	}
	lift(Itself, shape.itself)
	return Field[T]{group: group}
}

// Each are the elements of an array, in order. Those of a kind that the shape
// does not want are left out. The slice is not nil where the array is there.
func Each[T, U any](name string, shape *Shape[U], to func(*T) *[]U) Field[T] {
	return Field[T]{name: name, takes: arrays, enter: func(r *Reader, _ *Shape[T], t *T) error {
		return readEach(r, shape, to(t))
	}}
}

// List is Each for a member that may also be one such element by itself: a
// message whose content is a text or a list of parts.
func List[T, U any](name string, shape *Shape[U], to func(*T) *[]U) Field[T] {
	return Field[T]{name: name, takes: arrays | shape.takes, enter: func(r *Reader, _ *Shape[T], t *T) error {
		if list := to(t); r.Kind() != '[' {
			*list = append((*list)[:0], shape.begin)
			return shape.Read(r, &(*list)[0])
		} else {
			return readEach(r, shape, list)
		}
	}}
}

// Strings are the texts of an array.
func Strings[T any](name string, to func(*T) *[]string) Field[T] { return Each(name, bareString, to) }

var bareString = NewShape(Word(Itself, func(s *string) *string { return s }))

func readEach[U any](r *Reader, shape *Shape[U], to *[]U) error {
	list := (*to)[:0]
	if list == nil {
		list = []U{}
	}
	if err := r.open(); err != nil {
		return err
	}
	var first *KindError
	for i := 0; r.inside(); i++ {
		if first != nil {
			r.Skip()
			continue
		}
		var err error
		if shape.takes.has(r.Kind()) {
			list = append(list, shape.begin)
			err = shape.Read(r, &list[len(list)-1])
		} else {
			err = r.pass(shape.takes)
		}
		if err == nil {
			continue
		}
		if first = kindError(err); first == nil {
			*to = list
			return err
		}
		first.within(strconv.Itoa(i))
	}
	*to = list
	if r.err == nil && first != nil {
		return first
	}
	return r.err
}

// Func is given the value as it stands, of any kind but null: for what no other
// field can express. The value is a view that is valid during the call.
func Func[T any](name string, fn func(t *T, v Value)) Field[T] {
	return scalar(name, known, func(r *Reader, t *T, v Value) error {
		fn(t, v)
		return nil
	})
}

// Rest is given the members that no other field names, in order.
func Rest[T any](fn func(t *T, name string, v Value)) Field[T] {
	return Field[T]{name: Others, takes: known | null, value: func(r *Reader, t *T, name, v Value) error {
		fn(t, Unquote(name), v)
		return nil
	}}
}

// Visit stands before the value, of any kind. The function may read it, with
// another shape or by its elements; what it does not read is skipped. An error
// ends the reading, and Read and Walk return it.
func Visit[T any](name string, fn func(t *T, r *Reader) error) Field[T] {
	enter := func(r *Reader, _ *Shape[T], t *T) error { return fn(t, r) }
	return Field[T]{name: name, takes: known | null, enter: enter}
}

func scalar[T any](name string, takes kinds, fn func(r *Reader, t *T, v Value) error) Field[T] {
	return Field[T]{name: name, takes: takes, value: func(r *Reader, t *T, _, v Value) error { return fn(r, t, v) }}
}

// Or gives a field further names, for what writers spell in several ways.
func (f Field[T]) Or(names ...string) Field[T] {
	f.also = names
	return f
}

// Only narrows a field to values of some kinds.
func (f Field[T]) Only(list ...Kind) Field[T] {
	var only kinds
	for _, kind := range list {
		only |= bits[kind]
	}
	f.takes &= only
	return f
}
