package parquet

import (
	"fmt"
	"iter"
	"sort"
	"sync"
	"time"

	"groundhog/formats"
)

// A Flat is a flat table of another package's schema, read as carefully as those
// of this one: every size is looked at before it is believed, damage is an error
// and never a panic, and readers of neighbouring rows share pages.
type Flat struct {
	*pool
	ends []int64 // by row group: the number of the first row after it
}

// A Column is a column of a Flat and what it must hold.
type Column struct {
	Name  string
	Class Class
}

// Class is what a column holds.
type Class = class

const (
	Words  = words  // string
	Whole  = whole  // int32 or int64
	Number = number // double or float, or a whole number
	Truth  = truth  // boolean
	Moment = moment // timestamp of any unit
)

// ErrDamaged is in every error that says that a file is not what its writer
// meant it to be.
var ErrDamaged = errDamaged

// Metadata gives the key-value metadata of a Parquet file.
func Metadata(f *formats.File) (lookup func(key string) (string, bool), err error) {
	t, err := open(f)
	if err != nil {
		return nil, err
	}
	return t.pq.Lookup, nil
}

// OpenFlat opens a table of a schema, which errors name. Its columns are known by
// their place in the list; all of them must be there.
func OpenFlat(f *formats.File, schema string, list []Column) (flat *Flat, err error) {
	t, err := open(f)
	if err != nil {
		return nil, err
	}
	defer guard(&err)
	flat = &Flat{}
	columns := make([]column, len(list))
	for i, c := range list {
		columns[i] = column{c.Name, c.Class}
	}
	found, err := leaves(t.pq.Root(), schema, columns, nil)
	if err != nil {
		return nil, err
	}
	flat.pool = newPool(t, found)
	for _, g := range t.groups {
		flat.ends = append(flat.ends, g.first+g.rows)
	}
	return flat, t.checkFlat(found)
}

// Scan goes through some columns of the whole table, once. The Row is reused.
func (f *Flat) Scan(cols []int, each func(row int64, r *Row) error) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
	r := &Row{newCursor(f.table, f.leaves, cols, private(f.table, f.leaves))}
	for i, g := range f.groups {
		for row := range g.rows {
			if err := r.c.seek(i, row); err != nil {
				return err
			}
			if err := each(g.first+row, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Share says how many stretches of the table will be read. Pages are let go when
// the last of them has been.
func (f *Flat) Share(stretches int) { f.unread = stretches }

// Stretch reads some columns of the rows from one to before another. Several
// stretches may be read at a time. The Row is reused.
func (f *Flat) Stretch(cols []int, from, to int64) iter.Seq2[*Row, error] {
	var once sync.Once
	return func(yield func(*Row, error) bool) {
		if err := f.use(); err != nil {
			yield(nil, err)
			return
		}
		defer f.leave(&once)
		r := &Row{newCursor(f.table, f.leaves, cols, f.shared)}
		for row := from; row < to; row++ {
			group := sort.Search(len(f.ends), func(i int) bool { return f.ends[i] > row })
			if group == len(f.ends) {
				yield(nil, damaged("row %d of %d", row, f.rows))
				return
			}
			if err := r.c.seek(group, row-f.groups[group].first); err != nil {
				yield(nil, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// A Row is one row of a Flat.
type Row struct{ c *cursor }

// Null reports whether a column has no value.
func (r *Row) Null(col int) bool { return r.c.null(col) }

// Str is the text in a column, "" for null.
func (r *Row) Str(col int) string { return r.c.str(col) }

// Int is the number in a column, 0 for null.
func (r *Row) Int(col int) int64 { return r.c.int(col) }

// Bool is the flag in a column, false for null.
func (r *Row) Bool(col int) bool { return r.c.bool(col) }

// Float is the number in a column, 0 for null.
func (r *Row) Float(col int) float64 { return r.c.float(col) }

// Time is the time in a column, the zero time for null.
func (r *Row) Time(col int) time.Time { return r.c.time(col) }

// Small is an integer that must lie between 0 and the largest int32.
func (r *Row) Small(col int) (int32, error) {
	n := r.Int(col)
	if n < 0 || n > maxSmall {
		return 0, fmt.Errorf("%s is %d: expected a number from 0 to %d", r.c.leaves[col].col.name, n, maxSmall)
	}
	return int32(n), nil
}

const maxSmall = 1<<31 - 1
