package parquet

import (
	"bytes"
	"sort"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// A vector is one page of a flat column, decoded. It owns its memory and is
// never changed, so many sessions may read it at a time.
type vector struct {
	first, end int64   // rows, counted from the row group's first
	at         []int32 // where the value of a row is; -1 is null; nil: in order
	words      words32
	ints       []int64
	floats     []float64
}

// words32 are strings of a page or a dictionary, end to end.
type words32 struct {
	data    string
	offsets []uint32
	kept    []string // instead of both: strings that live longer than a page
}

// where gives the place of a row's value.
func (v *vector) where(row int64) (i int, ok bool) {
	if v == nil {
		return 0, false
	}
	i = int(row - v.first)
	if v.at == nil {
		return i, true
	}
	i = int(v.at[i])
	return i, i >= 0
}

// word is a text of its own: a step must not keep a page alive.
func (v *vector) word(row int64) (string, bool) {
	i, ok := v.where(row)
	if !ok {
		return "", false
	}
	if v.words.kept != nil {
		return v.words.kept[i], true
	}
	return strings.Clone(v.words.data[v.words.offsets[i]:v.words.offsets[i+1]]), true
}

// A chunk is a column of a row group, shared by the sessions that lie in it.
// Its newest pages are kept, because small sessions share a page.
type chunk struct {
	pq    parquet.ColumnChunk
	leaf  leaf
	group int
	rows  int64

	mu      sync.Mutex
	held    []*vector
	streams []*stream
	starts  []int64 // first row of each page; nil if the file has no page index
	nulls   parquet.ColumnIndex
	known   bool // whether starts has been looked for, and pages checked
	check   func() error
}

// maxHeld is how many pages of a chunk are kept, and how many places in it are
// read from at a time.
const maxHeld = 2

// A stream reads the pages of a chunk one after the other.
type stream struct {
	pages   parquet.Pages
	next    int64 // first row of the page to come
	dict    parquet.Dictionary
	decoded []string // of dict
}

// find gives the page that holds a row. The chunk is locked by the caller.
func (c *chunk) find(row int64) (v *vector, err error) {
	for i := len(c.held) - 1; i >= 0; i-- {
		if v := c.held[i]; v.first <= row && row < v.end {
			return v, nil
		}
	}
	defer func() {
		if err != nil {
			c.streams = nil // where they stand is not known
		}
	}()
	defer guard(&err)
	v, err = c.load(row)
	if err != nil {
		return nil, damaged("column %s, row group %d: %w", c.leaf.col.name, c.group, ended(err))
	}
	if len(c.held) == maxHeld {
		copy(c.held, c.held[1:])
		c.held = c.held[:maxHeld-1]
	}
	c.held = append(c.held, v)
	return v, nil
}

// load reads on to the page that holds a row. With a page index it goes there;
// without one it starts from the place that is nearest before it.
func (c *chunk) load(row int64) (*vector, error) {
	if !c.known {
		if err := c.check(); err != nil {
			return nil, err
		}
		c.index()
	}
	s, fresh := c.stream(row)
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > row }) - 1
	if i >= 0 && s.next != c.starts[i] {
		if err := s.pages.SeekToRow(c.starts[i]); err != nil {
			return nil, err
		}
		s.next = c.starts[i]
	} else if fresh && s.next > 0 {
		if err := s.pages.SeekToRow(0); err != nil {
			return nil, err
		}
		s.next = 0
	}
	for {
		page, err := s.pages.ReadPage()
		if err != nil {
			return nil, err
		}
		nulls := page.NumNulls()
		v, err := s.decode(page, &c.leaf, row)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
		s.next = v.end
		switch {
		case v.end > c.rows:
			return nil, damaged("more than the %d rows of the row group", c.rows)
		case !c.whole(v, nulls):
			return nil, damaged("the page of row %d has %d rows and %d nulls, the page index says otherwise",
				v.first, v.end-v.first, nulls)
		case row < v.end:
			return v, nil
		}
	}
}

// whole reports whether a page ends where the page index says, and has the nulls
// that it says: what is wrong with a page header is seen here.
func (c *chunk) whole(v *vector, nulls int64) bool {
	if len(c.starts) == 0 {
		return true
	}
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > v.first })
	if c.nulls != nil && c.nulls.NullCount(i-1) != nulls {
		return false
	}
	return i == len(c.starts) && v.end == c.rows || i < len(c.starts) && v.end == c.starts[i]
}

// index reads the page index, once.
func (c *chunk) index() {
	c.known = true
	index, err := c.pq.OffsetIndex()
	if err != nil || index == nil {
		return // many files have none
	}
	starts := make([]int64, index.NumPages())
	for i := range starts {
		starts[i] = index.FirstRowIndex(i)
		if i == 0 && starts[0] != 0 || i > 0 && starts[i] <= starts[i-1] {
			return
		}
	}
	c.starts = starts
	if index, err := c.pq.ColumnIndex(); err == nil && index.NumPages() == len(starts) {
		sum := int64(0)
		for i := range starts {
			sum += index.NullCount(i)
		}
		// Counts are optional, and not written is 0.
		if all, ok := c.pq.(*parquet.FileColumnChunk); ok && sum > 0 && sum == all.NullCount() {
			c.nulls = index
		}
	}
}

// stream gives a reader that stands at or before a row, as near as there is.
func (c *chunk) stream(row int64) (best *stream, fresh bool) {
	for _, s := range c.streams {
		if s.next <= row && (best == nil || s.next > best.next) {
			best = s
		}
	}
	switch {
	case best != nil:
		return best, false
	case len(c.streams) < maxHeld:
		best = &stream{pages: c.pq.Pages()}
		c.streams = append(c.streams, best)
		return best, true
	}
	best = c.streams[0]
	for _, s := range c.streams {
		if s.next > best.next {
			best = s
		}
	}
	return best, true
}

// decode takes a page apart. A page that ends before the wanted row is counted
// and not decoded.
func (s *stream) decode(page parquet.Page, l *leaf, wanted int64) (*vector, error) {
	v := &vector{first: s.next, end: s.next + page.NumRows()}
	if v.end <= wanted {
		return v, nil
	}
	rows := int(page.NumRows())
	present := rows
	if l.levels > 0 {
		levels := page.DefinitionLevels()
		if len(levels) != rows {
			return nil, damaged("%d levels for %d rows", len(levels), rows)
		}
		present = bytes.Count(levels, []byte{byte(l.levels)})
		if present < rows {
			v.at = make([]int32, rows)
			n := int32(0)
			for i, level := range levels {
				if v.at[i] = -1; int(level) == l.levels {
					v.at[i] = n
					n++
				}
			}
		}
	}
	if present == 0 {
		return v, nil
	}
	if dict := page.Dictionary(); dict != nil {
		return v, s.indexed(v, page, dict, rows, present, l)
	}
	return v, v.plain(page, present, l)
}

// plain takes the values of a page that stand in it one after the other.
func (v *vector) plain(page parquet.Page, present int, l *leaf) error {
	data := page.Data()
	have := 0
	switch page.Type().Kind() {
	case parquet.ByteArray:
		raw, offsets := data.ByteArray()
		if have = len(offsets) - 1; have < present {
			break
		}
		from, to := offsets[0], offsets[present]
		v.words.data = string(raw[from:to])
		v.words.offsets = make([]uint32, present+1)
		for i := range v.words.offsets {
			if offsets[i] < from || i > 0 && offsets[i] < offsets[i-1] {
				return damaged("texts that overlap")
			}
			v.words.offsets[i] = offsets[i] - from
		}
	case parquet.Int32:
		v.ints, have = copied[int64](data.Int32(), present)
	case parquet.Int64:
		v.ints, have = copied[int64](data.Int64(), present)
	case parquet.Double:
		v.floats, have = copied[float64](data.Double(), present)
	case parquet.Float:
		v.floats, have = copied[float64](data.Float(), present)
	case parquet.Boolean:
		bits := data.Boolean()
		if have = 8 * len(bits); have >= present {
			v.ints = make([]int64, present)
			for i := range v.ints {
				v.ints[i] = int64(bits[i/8] >> (i % 8) & 1)
			}
		}
	default:
		return damaged("values of type %v", page.Type().Kind())
	}
	if have < present {
		return damaged("a page holds %d of its %d values", have, present)
	}
	if l.col.class == number && v.floats == nil {
		for _, n := range v.ints {
			v.floats = append(v.floats, float64(n))
		}
	}
	return nil
}

// copied is a copy of the first n values, if there are so many, and how many there
// are.
func copied[T int64 | float64, F int32 | int64 | float32 | float64](list []F, n int) ([]T, int) {
	if len(list) < n {
		return nil, len(list)
	}
	out := make([]T, n)
	for i := range out {
		out[i] = T(list[i])
	}
	return out, len(list)
}

// indexed takes the values of a page from its dictionary.
func (s *stream) indexed(v *vector, page parquet.Page, dict parquet.Dictionary, rows, present int, l *leaf) error {
	data := page.Data()
	indexes := data.Int32()
	if len(indexes) < present {
		return damaged("a page holds %d of its %d values", len(indexes), present)
	}
	size := int32(dict.Len())
	if v.at == nil {
		v.at = make([]int32, rows)
		for i := range v.at {
			v.at[i] = int32(i)
		}
	}
	for row, i := range v.at {
		if i < 0 {
			continue
		}
		at := indexes[i]
		if at < 0 || at >= size {
			return damaged("value %d of a dictionary of %d", at, size)
		}
		v.at[row] = at
	}
	base := dict.Page()
	if dict.Type().Kind() != parquet.ByteArray {
		return v.plain(base, int(size), l)
	}
	if s.dict != dict {
		raw, offsets := byteArrays(base)
		if len(offsets) < int(size)+1 {
			return damaged("a dictionary holds %d of its %d values", len(offsets)-1, size)
		}
		s.dict, s.decoded = dict, make([]string, size)
		for i := range s.decoded {
			s.decoded[i] = string(raw[offsets[i]:offsets[i+1]])
		}
	}
	v.words.kept = s.decoded
	return nil
}

func byteArrays(page parquet.Page) (data []byte, offsets []uint32) {
	v := page.Data()
	return v.ByteArray()
}
