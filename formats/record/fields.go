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
	return scalar[T](name, texts, func(r *Reader, t any, _, v Value) error {
		*to(t.(*T)) = S(Unquote(v))
		return nil
	})
}

// Word is String for a text that comes again and again, such as a type, the name
// of a tool or the id of the session: one copy serves for all.
func Word[T any, S ~string](name string, to func(*T) *S) Field[T] {
	return scalar[T](name, texts, func(r *Reader, t any, _, v Value) error {
		*to(t.(*T)) = S(r.cache().word(v))
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
	return scalar[T](name, takes, func(r *Reader, t any, _, v Value) error {
		if r.in != nil {
			v = bytes.Clone(v) // a stream's buffer moves on
		}
		*to(t.(*T)) = v
		return nil
	})
}

// Bool is true or false.
func Bool[T any](name string, to func(*T) *bool) Field[T] {
	return scalar[T](name, bools, func(r *Reader, t any, _, v Value) error {
		*to(t.(*T)) = v.True()
		return nil
	})
}

// Maybe is true, false, or nil where the member is absent.
func Maybe[T any](name string, to func(*T) **bool) Field[T] {
	return scalar[T](name, bools, func(r *Reader, t any, _, v Value) error {
		is := v.True()
		*to(t.(*T)) = &is
		return nil
	})
}

// Number is a finite number, which may stand in quotes where the shape is not strict.
func Number[T any](name string, to func(*T) *float64) Field[T] {
	return scalar[T](name, numbers|texts, func(r *Reader, t any, _, v Value) error {
		n, ok := v.Number()
		if ok {
			*to(t.(*T)) = n
		}
		return r.number(ok, v)
	})
}

// Count is a number that counts something, see Value.Count.
func Count[T any](name string, to func(*T) *int64) Field[T] {
	return scalar[T](name, numbers|texts, func(r *Reader, t any, _, v Value) error {
		n, ok := v.Count()
		if ok {
			*to(t.(*T)) = n
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
	return scalar[T](name, numbers, func(r *Reader, t any, _, v Value) error {
		n, err := strconv.ParseInt(string(v), 10, 64)
		ok := err == nil && int64(N(n)) == n
		if ok {
			*to(t.(*T)) = N(n)
		}
		return r.number(ok, v)
	})
}

// Millis is a duration in milliseconds. Negative and absurd ones leave the
// target as it is.
func Millis[T any](name string, to func(*T) *time.Duration) Field[T] {
	return scalar[T](name, numbers|texts, func(r *Reader, t any, _, v Value) error {
		_, ok := v.Number()
		if d, fits := v.Millis(); fits {
			*to(t.(*T)) = d
		}
		return r.number(ok, v)
	})
}

// Time is a moment, see Value.Time. A value that is none leaves the target as it
// is, in strict shapes too.
func Time[T any](name string, to func(*T) *time.Time) Field[T] {
	return scalar[T](name, known, func(r *Reader, t any, _, v Value) error {
		if at := v.Time(); !at.IsZero() {
			*to(t.(*T)) = at
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
	return entering[T](name, shape.takes, func(r *Reader, _ *plan, t any) error {
		if u := to(t.(*T)); u != nil {
			return shape.Read(r, u)
		}
		return nil
	})
}

// Same is an object of the very shape that the field is part of. The function
// may give nil to leave the object out, and has to where depth must be bounded.
func Same[T any](name string, to func(*T) *T) Field[T] {
	return entering[T](name, objects, func(r *Reader, p *plan, t any) error {
		if u := to(t.(*T)); u != nil {
			return p.root.again(r, u)
		}
		return nil
	})
}

// In are fields of an object inside this one, for the same T.
func In[T any](name string, fields ...Field[T]) Field[T] {
	inner := &NewShape(fields...).plan
	f := entering[T](name, objects, func(r *Reader, _ *plan, t any) error { return inner.read(r, t) })
	f.inner = inner
	return f
}

// Embed are the fields of another shape, for a part of this T, as if they stood
// here. Others is not among them, and neither is what the shape begins with.
func Embed[T, U any](shape *Shape[U], to func(*T) *U) Field[T] {
	return Field[T]{field{embedded: &shape.plan, part: func(t any) any { return to(t.(*T)) }}}
}

// Each are the elements of an array, in order. Those of a kind that the shape
// does not want are left out. The slice is not nil where the array is there.
func Each[T, U any](name string, shape *Shape[U], to func(*T) *[]U) Field[T] {
	return entering[T](name, arrays, func(r *Reader, _ *plan, t any) error {
		return readEach(r, shape, to(t.(*T)))
	})
}

// List is Each for a member that may also be one such element by itself: a
// message whose content is a text or a list of parts.
func List[T, U any](name string, shape *Shape[U], to func(*T) *[]U) Field[T] {
	return entering[T](name, arrays|shape.takes, func(r *Reader, _ *plan, t any) error {
		list := to(t.(*T))
		if r.Kind() == '[' {
			return readEach(r, shape, list)
		}
		*list = append((*list)[:0], shape.begin)
		return shape.Read(r, &(*list)[0])
	})
}

// Strings are the texts of an array.
func Strings[T any](name string, to func(*T) *[]string) Field[T] { return Each(name, bareString, to) }

var bareString = NewShape(Word(Itself, func(s *string) *string { return s }))

func readEach[U any](r *Reader, shape *Shape[U], to *[]U) error {
	list := (*to)[:0]
	if list == nil {
		list = []U{}
	}
	err := r.each(shape.takes, func() error {
		list = append(list, shape.begin)
		return shape.Read(r, &list[len(list)-1])
	})
	*to = list
	return err
}

// each calls read before the elements of an array that are of some kinds.
func (r *Reader) each(takes kinds, read func() error) error {
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
		if takes.has(r.Kind()) {
			err = read()
		} else {
			err = r.pass(takes)
		}
		if err == nil {
			continue
		}
		if first = kindError(err); first == nil {
			return err
		}
		first.within(strconv.Itoa(i))
	}
	if r.err == nil && first != nil {
		return first
	}
	return r.err
}

// Func is given the value as it stands, of any kind but null: for what no other
// field can express. The value is a view that is valid during the call.
func Func[T any](name string, fn func(t *T, v Value)) Field[T] {
	return scalar[T](name, known, func(r *Reader, t any, _, v Value) error {
		fn(t.(*T), v)
		return nil
	})
}

// Rest is given the members that no other field names, in order.
func Rest[T any](fn func(t *T, name string, v Value)) Field[T] {
	return scalar[T](Others, known|null, func(_ *Reader, t any, name, v Value) error {
		fn(t.(*T), Unquote(name), v)
		return nil
	})
}

// Visit stands before the value, of any kind. The function may read it, with
// another shape or by its elements; what it does not read is skipped. An error
// ends the reading, and Read and Walk return it.
func Visit[T any](name string, fn func(t *T, r *Reader) error) Field[T] {
	return entering[T](name, known|null, func(r *Reader, _ *plan, t any) error { return fn(t.(*T), r) })
}

func scalar[T any](name string, takes kinds, value func(r *Reader, t any, name, v Value) error) Field[T] {
	return Field[T]{field{name: name, takes: takes, value: value}}
}

func entering[T any](name string, takes kinds, enter func(r *Reader, p *plan, t any) error) Field[T] {
	return Field[T]{field{name: name, takes: takes, enter: enter}}
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
