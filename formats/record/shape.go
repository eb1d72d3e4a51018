package record

// A Shape says which members of an object are wanted and where in a T they go.
// Everything else is skipped, and skipping costs no allocation. A Shape is made
// once, as a package variable, and never changes: any number of goroutines may
// read with it.
//
// Of a name that an object has twice the last member counts that is of a kind
// the shape wants. One of another kind is as good as absent, and so is null,
// unless the shape is Strict.
type Shape[T any] struct {
	begin T // what Read starts from
	plan
}

// A Field is one thing that is wanted of an object. String, Raw, Object, Each
// and the other functions of this package make them.
type Field[T any] struct{ field }

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
	s.root = &s.plan
	s.again = func(r *Reader, t any) error { return s.Read(r, t.(*T)) }
	s.declared = make([]*field, len(fields))
	for i := range fields {
		s.declare(i, &fields[i].field)
	}
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
func (s *Shape[T]) Walk(r *Reader, t *T) error { return s.walk(r, t) }

// Parse fills in t from a value that was read already, such as a Raw one or a
// text that holds JSON.
func (s *Shape[T]) Parse(v Value, t *T) error {
	r := borrow(v)
	defer readers.Put(r)
	return s.Read(r, t)
}
