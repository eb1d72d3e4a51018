package stream

// A table of interned words. An id lives while something holds it and is then
// given out again, with its buffers, so that the table is as large as what the
// monitor keeps and does not allocate once it has seen that much.
type interner struct {
	heads []int32 // by low bits of the hash: an id, or -1
	free  []int32
	names []name
	stamp int // of the latest count of distinct words
}

type name struct {
	text  []byte
	hash  uint64
	next  int32 // in the same bucket, or -1
	held  int32
	seen  int // stamp of the last count that met it
	where int // its latest position, or -1
}

func newInterner(words int) interner {
	n := interner{heads: make([]int32, ceilPow2(2*words))}
	for i := range n.heads {
		n.heads[i] = -1
	}
	return n
}

func (n *interner) bucket(hash uint64) *int32 {
	return &n.heads[(hash^hash>>32)&uint64(len(n.heads)-1)]
}

// find gives the id of a word, or -1.
func (n *interner) find(text []byte, hash uint64) int32 {
	for id := *n.bucket(hash); id >= 0; id = n.names[id].next {
		if e := &n.names[id]; e.hash == hash && string(e.text) == string(text) {
			return id
		}
	}
	return -1
}

// hold gives the id of a word and keeps it until release.
func (n *interner) hold(text []byte, hash uint64) int32 {
	id := n.find(text, hash)
	if id < 0 {
		if k := len(n.free); k > 0 {
			id, n.free = n.free[k-1], n.free[:k-1]
		} else {
			id = int32(len(n.names))
			n.names = append(n.names, name{})
		}
		head := n.bucket(hash)
		e := &n.names[id]
		*e = name{text: append(e.text[:0], text...), hash: hash, next: *head, where: -1}
		*head = id
	}
	n.names[id].held++
	return id
}

func (n *interner) release(id int32) {
	e := &n.names[id]
	if e.held--; e.held > 0 {
		return
	}
	link := n.bucket(e.hash)
	for *link != id {
		link = &n.names[*link].next
	}
	*link = e.next
	if cap(e.text) > 1<<10 {
		e.text = nil // one giant word must not stay for good
	}
	n.free = append(n.free, id)
}

// mark tells whether id is new to the count that began when stamp was raised.
func (n *interner) mark(id int32) bool {
	e := &n.names[id]
	if e.seen == n.stamp {
		return false
	}
	e.seen = n.stamp
	return true
}

func ceilPow2(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
