package record

import (
	"bytes"
	"iter"
)

// An Outline is the members of one JSON object, to be looked up by name: what a
// format is told by, before there is a shape that fits. Its values are views.
// Where the text ends inside the record, Cut names the member that was cut, and
// its value is what there is of it, which is then not valid JSON.
//
// What is looked into is remembered, so one goroutine uses an Outline at a time.
type Outline struct {
	Cut     string
	Kind    Kind // '{' for an object, '[' for an array, which has no members
	members []member
}

type member struct {
	name  string
	value Value
	obj   *Outline  // of value, once it was looked into
	elems []Outline // of value
	most  int       // how many elements were looked for
}

// find is the last member of a name, or nil.
func (o Outline) find(name string) *member {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].name == name {
			return &o.members[i]
		}
	}
	return nil
}

// Get is the value of a member, or nil.
func (o Outline) Get(name string) Value {
	if m := o.find(name); m != nil {
		return m.value
	}
	return nil
}

// Str is the text in a member, or "".
func (o Outline) Str(name string) string {
	if name == o.Cut {
		return ""
	}
	return o.Get(name).Text()
}

// Has reports whether all members are there, whatever is in them.
func (o Outline) Has(names ...string) bool {
	for _, name := range names {
		if o.find(name) == nil {
			return false
		}
	}
	return true
}

// Names yields the names of the members in order.
func (o Outline) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range o.members {
			if !yield(o.members[i].name) {
				return
			}
		}
	}
}

// Obj looks into a member that holds an object, whole or cut.
func (o Outline) Obj(name string) Outline {
	m := o.find(name)
	switch {
	case m == nil:
		return Outline{}
	case m.obj == nil:
		m.obj = &Outline{}
		if list := Outlines(m.value, 1); len(list) > 0 {
			m.obj = &list[0]
		}
	}
	return *m.obj
}

// Elems looks into a member that holds an array, whole or cut: its first
// elements that are objects or arrays, at most most of them.
func (o Outline) Elems(name string, most int) []Outline {
	m := o.find(name)
	switch {
	case m == nil || m.value.Kind() != '[':
		return nil
	case m.most < most:
		m.elems, m.most = OutlineElements(m.value, most), most
	}
	return m.elems[:min(len(m.elems), most)]
}

// Outlines outlines the values of a text in turn, objects and arrays, at most
// most of them.
func Outlines(text []byte, most int) []Outline {
	r := borrow(text)
	defer readers.Put(r)
	return r.outlines(text, most)
}

// OutlineElements outlines the elements of the array that a text begins with.
func OutlineElements(text []byte, most int) []Outline {
	r := borrow(text)
	defer readers.Put(r)
	if r.open() != nil {
		return nil
	}
	return r.outlines(text, most)
}

func (r *Reader) outlines(text []byte, most int) (list []Outline) {
	for len(list) < most && r.err == nil {
		switch k := Kind(r.dec.PeekKind()); k {
		case '{', '[':
			o := Outline{Kind: k}
			r.outline(&o, text)
			list = append(list, o)
		case ']', 0:
			return list
		default:
			r.Skip()
		}
	}
	return list
}

// outline reads one value. It fails if the text ends inside it or it is not JSON.
func (r *Reader) outline(o *Outline, text []byte) {
	if o.Kind != '{' {
		r.Skip()
		return
	}
	if r.open() != nil {
		return
	}
	for name := r.name(); name != nil; name = r.name() {
		key, from := Unquote(name), r.pos()
		v, err := r.View()
		if err != nil {
			o.Cut, v = key, bytes.TrimLeft(text[from:], ": \t\r\n")
		}
		o.members = append(o.members, member{name: key, value: v})
	}
}
