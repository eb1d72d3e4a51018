package parquet

import "time"

// A cursor stands on one row of a flat table and gives its values. It is for
// one goroutine; the pages below it are shared.
type cursor struct {
	t      *table
	leaves []leaf
	cols   []int // those that are read
	chunks func(group, col int) *chunk

	group int
	row   int64 // in the row group
	from  int64 // the rows that all vectors have
	until int64
	vecs  []*vector // by column; nil for those that are not read
}

func newCursor(t *table, leaves []leaf, cols []int, chunks func(group, col int) *chunk) *cursor {
	return &cursor{t: t, leaves: leaves, cols: cols, chunks: chunks, group: -1, vecs: make([]*vector, len(leaves))}
}

// private gives chunks that nobody shares, for a reader that goes through the
// table once.
func private(t *table, leaves []leaf) func(group, col int) *chunk {
	at := -1
	list := make([]*chunk, len(leaves))
	return func(group, col int) *chunk {
		if group != at {
			at = group
			clear(list)
		}
		if list[col] == nil {
			list[col] = newChunk(t, group, &leaves[col])
		}
		return list[col]
	}
}

func newChunk(t *table, group int, l *leaf) *chunk {
	g := t.groups[group]
	return &chunk{pq: g.pq.ColumnChunks()[l.index], leaf: *l, group: group, rows: g.rows,
		check: func() error { return t.checkPages(group, l.index) }}
}

// seek goes to a row of a row group.
func (c *cursor) seek(group int, row int64) error {
	if c.group != group {
		c.group, c.from, c.until = group, 0, 0
		clear(c.vecs)
	}
	c.row = row
	if row >= c.from && row < c.until {
		return nil
	}
	c.from, c.until = 0, c.t.groups[group].rows
	// A column that another session is just decoding can wait: the first round
	// takes those that are free, so that neighbours share the work.
	waits := c.cols
	for _, patient := range [...]bool{false, true} {
		var busy []int
		for _, col := range waits {
			v := c.vecs[col]
			if v == nil || row < v.first || row >= v.end {
				if c.leaves[col].index < 0 {
					continue
				}
				k := c.chunks(group, col)
				if !patient && !k.mu.TryLock() {
					busy = append(busy, col)
					continue
				} else if patient {
					k.mu.Lock()
				}
				var err error
				v, err = k.find(row)
				k.mu.Unlock()
				if err != nil {
					c.until = 0
					return err
				}
				c.vecs[col] = v
			}
			c.from, c.until = max(c.from, v.first), min(c.until, v.end)
		}
		waits = busy
	}
	return nil
}

func (c *cursor) null(col int) bool {
	_, ok := c.vecs[col].where(c.row)
	return !ok
}

// str is the text in a column, "" for null.
func (c *cursor) str(col int) string {
	s, _ := c.vecs[col].word(c.row)
	return s
}

// size is the length of a text.
func (c *cursor) size(col int) int64 {
	v := c.vecs[col]
	i, ok := v.where(c.row)
	switch {
	case !ok:
		return 0
	case v.words.kept != nil:
		return int64(len(v.words.kept[i]))
	}
	return int64(v.words.offsets[i+1] - v.words.offsets[i])
}

// text tells null from empty.
func (c *cursor) text(col int) (string, bool) { return c.vecs[col].word(c.row) }

// int is the number in a column, 0 for null.
func (c *cursor) int(col int) int64 {
	if i, ok := c.vecs[col].where(c.row); ok {
		return c.vecs[col].ints[i]
	}
	return 0
}

func (c *cursor) bool(col int) bool { return c.int(col) != 0 }

func (c *cursor) float(col int) float64 {
	if i, ok := c.vecs[col].where(c.row); ok {
		return c.vecs[col].floats[i]
	}
	return 0
}

// time is the zero time for null.
func (c *cursor) time(col int) time.Time {
	if c.null(col) {
		return time.Time{}
	}
	n := c.int(col)
	switch c.leaves[col].unit {
	case 1e6:
		return time.UnixMilli(n).UTC()
	case 1e3:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}
