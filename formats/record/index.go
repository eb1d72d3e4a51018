package record

// kinds is a set of kinds.
type kinds uint8

const (
	texts kinds = 1 << iota
	numbers
	yes
	no
	objects
	arrays
	null
)

const (
	bools   = yes | no
	scalars = texts | numbers | bools
	known   = scalars | objects | arrays // every kind but null
)

var bits = [256]kinds{'"': texts, '0': numbers, 't': yes, 'f': no, '{': objects, '[': arrays, 'n': null}

func (k kinds) has(kind Kind) bool { return k&bits[kind] != 0 }

// String is what to expect in the place of a value of another kind.
func (k kinds) String() string {
	switch {
	case k&objects != 0:
		return "an object"
	case k&arrays != 0:
		return "an array"
	case k&texts != 0:
		return "a string"
	case k&bools != 0:
		return "true or false"
	}
	return "a number that fits"
}

// An index finds the fields of a name. Chains are short: it looks at the length
// of a name and its ends, and compares one name or none.
type index struct {
	heads   [64]uint16 // the first entry of a chain, counted from 1
	entries []entry
}

type entry struct {
	name     string
	from, to int    // its fields
	next     uint16 // entry of the chain, counted from 1
}

func slot(name []byte) int {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (n*5 + int(name[0]) + int(name[n-1])*7) & 63
}

// find gives 0 and 0 for a name that is not there.
func (x *index) find(name []byte) (from, to int) {
	for i := x.heads[slot(name)]; i > 0; {
		e := &x.entries[i-1]
		if e.name == string(name) {
			return e.from, e.to
		}
		i = e.next
	}
	return 0, 0
}

func (x *index) add(name string, from, to int) {
	h := slot([]byte(name))
	x.entries = append(x.entries, entry{name, from, to, x.heads[h]})
	x.heads[h] = uint16(len(x.entries))
}
