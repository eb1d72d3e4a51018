package record

import (
	"bytes"
	"slices"
	"sync"
)

// A plan is a Shape without the type of what it fills in. It is made ready when
// it is first needed: a program declares all its shapes when it starts, and uses
// few of them.
type plan struct {
	declared []*field
	takes    kinds // what it can be read from
	strict   bool
	root     *plan                        // what Same stands for: the shape that an In is part of
	again    func(r *Reader, t any) error // reads a t from its beginning
	once     sync.Once

	fields []field
	names  index
	itself []field // those named Itself
	others []field // those named Others
}

// A field is a Field without the type of what it is part of; t is a pointer to
// that.
type field struct {
	name  string
	also  []string
	takes kinds
	// One of these is set: value is given the bytes of the value, enter stands
	// before the value and may leave it, to be skipped.
	value func(r *Reader, t any, name, v Value) error
	enter func(r *Reader, p *plan, t any) error
	inner *plan // of an In

	// An Embed stands for the fields of another shape, for a part of t.
	embedded *plan
	part     func(t any) any
}

func (p *plan) declare(i int, f *field) {
	p.declared[i] = f
	switch {
	case f.embedded != nil:
		p.takes |= f.embedded.takes
	case f.name == Itself:
		p.takes |= f.takes
	default:
		p.takes |= objects
	}
}

func (p *plan) walk(r *Reader, t any) error {
	outer := r.strict
	r.strict = outer || p.strict
	err := p.read(r, t)
	r.strict = outer
	return err
}

func (p *plan) read(r *Reader, t any) error {
	p.once.Do(p.prepare)
	switch {
	case len(p.itself) > 0:
		return p.readItself(r, t)
	case r.Kind() == '{':
		return p.readMembers(r, t)
	}
	return r.pass(objects)
}

// readItself gives the value to the fields that want it as a whole, and its
// members to the others.
func (p *plan) readItself(r *Reader, t any) error {
	kind := r.Kind()
	members := kind == '{' && len(p.fields)+len(p.others) > 0
	var whole kinds
	for i := range p.itself {
		whole |= p.itself[i].takes
	}
	switch {
	case whole.has(kind) && !members && len(p.itself) == 1 && p.itself[0].enter != nil:
		return p.itself[0].visit(r, p, t)
	case whole.has(kind):
		v, err := r.View()
		if err == nil {
			err = p.give(r, t, p.itself, nil, v)
		}
		if err != nil || !members {
			return err
		}
		return p.readMembers(r.sub(v), t)
	case members:
		return p.readMembers(r, t)
	}
	return r.pass(p.takes)
}

func (p *plan) readMembers(r *Reader, t any) error {
	if err := r.open(); err != nil {
		return err
	}
	var first *KindError
	for name := r.name(); name != nil; name = r.name() {
		fields := p.find(name)
		if len(fields) == 0 || first != nil {
			r.Skip()
			continue
		}
		if err := p.member(r, t, fields, name); err != nil {
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
func (p *plan) find(name Value) []field {
	body := name[1 : len(name)-1]
	from, to := p.names.find(body)
	if to == 0 && bytes.IndexByte(body, '\\') >= 0 {
		var buf [64]byte
		from, to = p.names.find(appendUnquoted(buf[:0], name))
	}
	if to == 0 {
		return p.others
	}
	return p.fields[from:to]
}

// member gives one member to the fields that want it.
func (p *plan) member(r *Reader, t any, fields []field, name Value) error {
	if len(p.others) == 0 {
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
			return f.visit(r, p, t)
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
		return p.member(r, t, fields[last:last+1], name)
	}
	v, err := r.View()
	if err != nil {
		return err
	}
	return p.give(r, t, fields, name, v)
}

// give hands a value that has been read to all fields that take it.
func (p *plan) give(r *Reader, t any, fields []field, name, v Value) error {
	for i := range fields {
		f := &fields[i]
		if !f.takes.has(v.Kind()) {
			continue
		}
		var err error
		if f.value != nil {
			err = f.value(r, t, name, v)
		} else {
			err = f.enter(r.sub(v), p, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit lets a field read the value that r stands before, and skips it if the
// field did not.
func (f *field) visit(r *Reader, p *plan, t any) error {
	before := r.pos()
	if err := f.enter(r, p, t); err != nil {
		return err
	}
	r.skipFrom(before)
	return r.err
}

// prepare puts the fields of one name together and indexes the names.
func (p *plan) prepare() {
	list := p.flat()
	p.fields = make([]field, 0, len(list))
	p.names.entries = make([]entry, 0, len(list))
	for i, n := range list {
		if n.field == nil {
			continue // it is there already
		}
		from := len(p.fields)
		for j := i; j < len(list); j++ {
			if f := list[j].field; f != nil && list[j].name == n.name {
				p.fields, list[j].field = append(p.fields, *f), nil
			}
		}
		same := p.fields[from:]
		switch n.name {
		case Itself:
			p.itself, p.fields = slices.Clone(same), p.fields[:from]
		case Others:
			p.others, p.fields = slices.Clone(same), p.fields[:from]
		default:
			p.names.add(n.name, from, len(p.fields))
		}
	}
	for i := range p.fields {
		if inner := p.fields[i].inner; inner != nil {
			inner.root = p.root
		}
	}
}

// A named is a field under one of its names.
type named struct {
	name  string
	field *field
}

// flat has the fields of an Embed in its place.
func (p *plan) flat() (list []named) {
	for _, f := range p.declared {
		if f.embedded != nil {
			list = f.lift(list)
			continue
		}
		list = append(list, named{f.name, f})
		for _, name := range f.also {
			list = append(list, named{name, f})
		}
	}
	return list
}

// lift has the fields of the embedded shape as fields of the outer one.
func (f *field) lift(list []named) []named {
	from, part := f.embedded, f.part
	from.once.Do(from.prepare)
	add := func(name string, fields []field) {
		for _, f := range fields {
			out := &field{name: name, takes: f.takes}
			if f.value != nil {
				out.value = func(r *Reader, t any, name, v Value) error { return f.value(r, part(t), name, v) }
			} else {
				out.enter = func(r *Reader, _ *plan, t any) error { return f.enter(r, from, part(t)) }
			}
			list = append(list, named{name, out})
		}
	}
	for _, e := range from.names.entries {
		add(e.name, from.fields[e.from:e.to])
	}
	add(Itself, from.itself)
	return list
}
