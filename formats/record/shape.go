package record

import "bytes"

// A Shape says which members of an object are wanted and where in a T they go.
// Everything else is skipped, and skipping costs no allocation. A Shape is made
// once, as a package variable, and never changes: any number of goroutines may
// read with it.
//
// Of a name that an object has twice the last member counts that is of a kind
// the shape wants. One of another kind is as good as absent, and so is null,
// unless the shape is Strict.
type Shape[T any] struct {
	begin  T // what Read starts from
	fields []Field[T]
	names  index
	itself []Field[T] // those named Itself
	others []Field[T] // those named Others
	takes  kinds      // what it can be read from
	root   *Shape[T]  // what Same stands for: the shape that an In is part of
	strict bool
}

// A Field is one thing that is wanted of an object. String, Raw, Object, Each
// and the other functions of this package make them.
type Field[T any] struct {
	name  string
	also  []string
	takes kinds
	// One of these is set: value is given the bytes of the value, enter stands
	// before the value and may leave it, to be skipped.
	value func(r *Reader, t *T, name, v Value) error
	enter func(r *Reader, s *Shape[T], t *T) error
	inner *Shape[T]  // of an In
	group []Field[T] // of an Embed, which is these fields
}

// Names that stand for no member.
const (
	// Itself is the value that the shape is read from: String(Itself, …) is for
	// lists in which a bare string may stand in the place of an object.
	Itself = ""
	// Others are the members that no other field names.
	Others = "*"
)

// NewShape makes a shape of fields. Several fields may have one name: each is
// given the member if it is of a kind that the field takes.
func NewShape[T any](fields ...Field[T]) *Shape[T] {
	s := &Shape[T]{}
	s.add(fields)
	s.adopt(s)
	return s
}

// From sets what a T is before it is filled in, where the zero value will not do.
func (s *Shape[T]) From(begin T) *Shape[T] {
	s.begin = begin
	return s
}

// Strict makes a value of an unwanted kind a *KindError, here and in the shapes
// within. Null stays absent. It is for formats with one writer, where a mistake
// is worth more than the rest of the record, which is then only checked to be JSON.
func (s *Shape[T]) Strict() *Shape[T] {
	s.strict = true
	return s
}

// Read fills in t from the value that r stands before; what t held is lost. A
// mistake in the JSON is r.Err; what was read before it is in t. After a
// *KindError the value has been passed and r can go on.
//
// The functions of the fields may be called a second time for one value, with a
// fresh t, so they must change nothing but t. What has to happen once belongs
// behind Read, or into the visitors of Walk.
func (s *Shape[T]) Read(r *Reader, t *T) error {
	*t = s.begin
	return s.Walk(r, t)
}

// Walk is Read for what is too large to be held: t is kept as it is, and
// visitors see the values of a stream once, as they pass.
func (s *Shape[T]) Walk(r *Reader, t *T) error {
	outer := r.strict
	r.strict = outer || s.strict
	err := s.read(r, t)
	r.strict = outer
	return err
}

// Parse fills in t from a value that was read already, such as a Raw one or a
// text that holds JSON.
func (s *Shape[T]) Parse(v Value, t *T) error {
	r := borrow(v)
	defer readers.Put(r)
	return s.Read(r, t)
}

func (s *Shape[T]) read(r *Reader, t *T) error {
	switch {
	case len(s.itself) > 0:
		return s.readItself(r, t)
	case r.Kind() == '{':
		return s.readMembers(r, t)
	}
	return r.pass(objects)
}

// readItself gives the value to the fields that want it as a whole, and its
// members to the others.
func (s *Shape[T]) readItself(r *Reader, t *T) error {
	kind := r.Kind()
	members := kind == '{' && len(s.fields)+len(s.others) > 0
	var whole kinds
	for i := range s.itself {
		whole |= s.itself[i].takes
	}
	switch {
	case whole.has(kind) && !members && len(s.itself) == 1 && s.itself[0].enter != nil:
		return s.itself[0].visit(r, s, t)
	case whole.has(kind):
		v, err := r.View()
		if err == nil {
			err = s.give(r, t, s.itself, nil, v)
		}
		if err != nil || !members {
			return err
		}
		return s.readMembers(r.sub(v), t)
	case members:
		return s.readMembers(r, t)
	}
	return r.pass(s.takes)
}

func (s *Shape[T]) readMembers(r *Reader, t *T) error {
	if err := r.open(); err != nil {
		return err
	}
	var first *KindError
	for name := r.name(); name != nil; name = r.name() {
		fields := s.find(name)
		if len(fields) == 0 || first != nil {
			r.Skip()
			continue
		}
		if err := s.member(r, t, fields, name); err != nil {
			if first = kindError(err); first == nil {
				return err
			}
			first.within(fields[0].name)
		}
	}
	if r.err == nil && first != nil {
		return first
	}
	return r.err
}

// find is the fields of a name, which stands in quotes.
func (s *Shape[T]) find(name Value) []Field[T] {
	body := name[1 : len(name)-1]
	from, to := s.names.find(body)
	if to == 0 && bytes.IndexByte(body, '\\') >= 0 {
		var buf [64]byte
		from, to = s.names.find(appendUnquoted(buf[:0], name))
	}
	if to == 0 {
		return s.others
	}
	return s.fields[from:to]
}

// member gives one member to the fields that want it.
func (s *Shape[T]) member(r *Reader, t *T, fields []Field[T], name Value) error {
	if len(s.others) == 0 {
		name = nil
	} else if r.in != nil {
		name = bytes.Clone(name) // a stream's buffer moves on
	}
	kind := r.Kind()
	if len(fields) == 1 {
		f := &fields[0]
		switch {
		case !f.takes.has(kind):
			return r.pass(f.takes)
		case f.enter != nil:
			return f.visit(r, s, t)
		}
		v, err := r.View()
		if err != nil {
			return err
		}
		return f.value(r, t, name, v)
	}
	var takes kinds
	takers, last := 0, 0
	for i := range fields {
		takes |= fields[i].takes
		if fields[i].takes.has(kind) {
			takers, last = takers+1, i
		}
	}
	switch takers {
	case 0:
		return r.pass(takes)
	case 1:
		return s.member(r, t, fields[last:last+1], name)
	}
	v, err := r.View()
	if err != nil {
		return err
	}
	return s.give(r, t, fields, name, v)
}

// give hands a value that has been read to all fields that take it.
func (s *Shape[T]) give(r *Reader, t *T, fields []Field[T], name, v Value) error {
	for i := range fields {
		f := &fields[i]
		if !f.takes.has(v.Kind()) {
			continue
		}
		var err error
		if f.value != nil {
			err = f.value(r, t, name, v)
		} else {
			err = f.enter(r.sub(v), s, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit lets a field read the value that r stands before, and skips it if the
// field did not.
func (f *Field[T]) visit(r *Reader, s *Shape[T], t *T) error {
	before := r.pos()
	if err := f.enter(r, s, t); err != nil {
		return err
	}
	r.skipFrom(before)
	return r.err
}

// add puts the fields of one name together and indexes the names.
func (s *Shape[T]) add(fields []Field[T]) {
	var names []string
	byName := make(map[string][]Field[T])
	for _, f := range flat(fields) {
		for _, name := range append([]string{f.name}, f.also...) {
			if byName[name] == nil {
				names = append(names, name)
			}
			byName[name] = append(byName[name], f)
		}
	}
	for _, name := range names {
		same := byName[name]
		switch name {
		case Itself:
			s.itself = same
			for i := range same {
				s.takes |= same[i].takes
			}
			continue
		case Others:
			s.others = same
		default:
			s.names.add(name, len(s.fields), len(s.fields)+len(same))
			s.fields = append(s.fields, same...)
		}
		s.takes |= objects
	}
}

// flat has the fields of an Embed in its place.
func flat[T any](fields []Field[T]) (list []Field[T]) {
	for _, f := range fields {
		if f.group != nil {
			list = append(list, f.group...)
		} else {
			list = append(list, f)
		}
	}
	return list
}

// adopt makes root what Same stands for.
func (s *Shape[T]) adopt(root *Shape[T]) {
	s.root = root
	for i := range s.fields {
		if inner := s.fields[i].inner; inner != nil {
			inner.adopt(root)
		}
	}
}
