package steps

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors/mimo/internal/js"
)

// JSJSON is JSON.stringify of a JSON value: array-index keys first, the others
// in the order of their first appearance, a repeated key with its last value,
// numbers as doubles. It is false if raw is not one JSON value.
func JSJSON(raw string) (string, bool) { return stringify(raw, (*writer).appearance) }

// StableJSON is JSJSON with the keys of every object sorted by code units.
func StableJSON(raw string) (string, bool) { return stringify(raw, (*writer).sorted) }

func stringify(raw string, order func(*writer, []member) bool) (string, bool) {
	w := writer{src: raw, dst: make([]byte, 0, len(raw)), order: order}
	w.space()
	if !w.value(0) {
		return "", false
	}
	w.space()
	return string(w.dst), w.src == ""
}

// maxDepth protects the stack. No argument of a tool comes near it.
const maxDepth = 10000

// A writer turns src into dst in one pass. Only an object whose keys have to
// move is written twice.
type writer struct {
	src   string // what is left to read
	dst   []byte
	order func(*writer, []member) bool // sorts; false if nothing had to move
}

// A member is a key and where its text, key and value, lies in the output.
type member struct {
	key      string
	from, to int
	dead     bool // a later member has the same key
}

func (w *writer) space() { w.src = strings.TrimLeft(w.src, " \t\r\n") }

// next takes c if it comes next.
func (w *writer) next(c byte) bool {
	if w.src == "" || w.src[0] != c {
		return false
	}
	w.src = w.src[1:]
	return true
}

func (w *writer) value(depth int) bool {
	if w.src == "" || depth > maxDepth {
		return false
	}
	switch w.src[0] {
	case '{':
		return w.object(depth)
	case '[':
		return w.array(depth)
	case '"':
		_, ok := w.string()
		return ok
	case 't':
		return w.word("true")
	case 'f':
		return w.word("false")
	case 'n':
		return w.word("null")
	default:
		return w.number()
	}
}

func (w *writer) word(word string) bool {
	rest, ok := strings.CutPrefix(w.src, word)
	w.src = rest
	w.dst = append(w.dst, word...)
	return ok
}

func (w *writer) array(depth int) bool {
	w.next('[')
	w.dst = append(w.dst, '[')
	w.space()
	if w.next(']') {
		w.dst = append(w.dst, ']')
		return true
	}
	for {
		w.space()
		if !w.value(depth + 1) {
			return false
		}
		w.space()
		if w.next(']') {
			w.dst = append(w.dst, ']')
			return true
		}
		if !w.next(',') {
			return false
		}
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) object(depth int) bool {
	w.next('{')
	w.dst = append(w.dst, '{')
	w.space()
	if w.next('}') {
		w.dst = append(w.dst, '}')
		return true
	}
	start := len(w.dst)
	var members []member
	for {
		w.space()
		from := len(w.dst)
		key, ok := w.string()
		w.space()
		if !ok || !w.next(':') {
			return false
		}
		w.dst = append(w.dst, ':')
		w.space()
		if !w.value(depth + 1) {
			return false
		}
		members = append(members, member{key: key, from: from, to: len(w.dst)})
		w.space()
		if w.next('}') {
			break
		}
		if !w.next(',') {
			return false
		}
		w.dst = append(w.dst, ',')
	}
	if w.order(w, members) {
		w.rewrite(start, members)
	}
	w.dst = append(w.dst, '}')
	return true
}

// rewrite writes the members of an object again, in the order given.
func (w *writer) rewrite(start int, members []member) {
	body := slices.Clone(w.dst[start:])
	w.dst = w.dst[:start]
	for _, m := range members {
		if m.dead {
			continue
		}
		if len(w.dst) > start {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(w.dst, body[m.from-start:m.to-start]...)
	}
}

// appearance is the order of properties: array indices ascending, then the
// others as they came.
func (w *writer) appearance(members []member) bool {
	moved := overwrite(members)
	rank := func(m member) uint64 {
		if i, ok := arrayIndex(m.key); ok {
			return uint64(i)
		}
		return math.MaxUint32
	}
	byRank := func(a, b member) int {
		if x, y := rank(a), rank(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return 0
	}
	if !slices.IsSortedFunc(members, byRank) {
		slices.SortStableFunc(members, byRank)
		moved = true
	}
	return moved
}

// sorted is the order of code units.
func (w *writer) sorted(members []member) bool {
	moved := overwrite(members)
	byKey := func(a, b member) int { return js.CompareUnits(a.key, b.key) }
	if !slices.IsSortedFunc(members, byKey) {
		slices.SortStableFunc(members, byKey)
		moved = true
	}
	return moved
}

// overwrite gives the first member of a key the last value and drops the others.
func overwrite(members []member) (dropped bool) {
	if len(members) < 2 {
		return false
	}
	first := make(map[string]int, len(members))
	for i := range members {
		m := &members[i]
		if at, ok := first[m.key]; ok {
			members[at].from, members[at].to = m.from, m.to
			m.dead = true
			dropped = true
			continue
		}
		first[m.key] = i
	}
	return dropped
}

// arrayIndex reads a canonical array index.
func arrayIndex(key string) (uint32, bool) {
	if key == "" || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(key, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32
}
