package parquet

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"groundhog/formats/record"
)

// This file reads rows of nested columns and writes them as JSON.

// A field is a column, with what is below it, that goes into the JSON of a row.
type field struct {
	name     string // in the JSON
	column   *parquet.Column
	children []*field
	leaf     int  // index in the row reader; the first one below a group
	last     int  // index after the last one below
	list     bool // a LIST: the group around a repeated group
	json     bool // a string that holds JSON
}

// listNames are where data sets keep their messages, the most usual first.
var listNames = []string{"messages", "trajectory", "conversation", "conversations", "history", "chat"}

// headerNames are the columns beside the messages that say something about the
// session, and what the OpenAI reader calls them.
var headerNames = map[string]string{
	"session_id": "", "transcript_id": "session_id", "conversation_id": "", "thread_id": "",
	"trajectory_id": "", "traj_id": "", "id": "",
	"model": "", "model_name": "model", "timestamp": "", "created_at": "", "date": "timestamp",
	"task_id": "", "instance_id": "", "task_set": "", "dataset": "", "trial": "", "task_repeat": "trial",
	"reward": "", "success": "", "resolved": "", "target": "resolved", "exit_status": "",
}

// messagesColumn is the column that holds the messages, or nil.
func messagesColumn(root *parquet.Column) *parquet.Column {
	for _, name := range listNames {
		if c := root.Column(name); c != nil && (element(c) != nil || c.Leaf() && c.Type().Kind() == parquet.ByteArray) {
			return c
		}
	}
	for _, c := range root.Columns() {
		if e := element(c); e != nil && e.Column("role") != nil {
			return c
		}
	}
	return nil
}

// element is the struct that a column is a list of, or nil.
func element(c *parquet.Column) *parquet.Column {
	if c.Leaf() {
		return nil
	}
	if c.Repeated() {
		return c
	}
	if len(c.Columns()) != 1 || !c.Columns()[0].Repeated() {
		return nil
	}
	e := c.Columns()[0]
	if len(e.Columns()) == 1 && !e.Columns()[0].Leaf() {
		e = e.Columns()[0]
	}
	if e.Leaf() {
		return nil
	}
	return e
}

// fieldsOf lists what a row's JSON is made of. The messages come last.
func fieldsOf(root *parquet.Column) (list []*field, err error) {
	messages := messagesColumn(root)
	if e := element(messages); e != nil && e.Column("role") == nil {
		if e.Column("from") != nil {
			return nil, errors.New("column " + messages.Name() +
				" has from and value (ShareGPT), which is not read yet: expected role and content")
		}
		return nil, errors.New("column " + messages.Name() + " has no role: expected messages of the OpenAI chat API")
	}
	n := 0
	for _, c := range root.Columns() {
		name, ok := headerNames[c.Name()]
		if !ok || !c.Leaf() || c.Repeated() || c == messages {
			continue
		}
		if name == "" {
			name = c.Name()
		}
		list = append(list, newField(c, name, &n))
	}
	f := newField(messages, "messages", &n)
	f.json = messages.Leaf()
	return append(list, f), nil
}

func newField(c *parquet.Column, name string, n *int) *field {
	f := &field{name: name, column: c, leaf: *n}
	if c.Leaf() {
		*n++
	}
	for _, child := range c.Columns() {
		f.children = append(f.children, newField(child, child.Name(), n))
	}
	f.last = *n
	if l := c.Type().LogicalType(); l != nil && !c.Leaf() {
		_, f.list = l.Value.(*format.ListType)
	}
	f.list = f.list && len(f.children) == 1 && f.children[0].column.Repeated()
	return f
}

// eachLeaf calls fn with the leaves below.
func (f *field) eachLeaf(fn func(*field)) {
	if f.column.Leaf() {
		fn(f)
	}
	for _, c := range f.children {
		c.eachLeaf(fn)
	}
}

// A rowReader reads the rows of one row group in order, from the first.
type rowReader struct {
	*conversations
	group  int
	next   int64
	leaves []*leafReader
	out    record.Builder
}

// A leafReader gives the values of one leaf, row by row.
type leafReader struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	have   []parquet.Value // of buf, not yet taken
	name   string

	row []parquet.Value // of the row at hand
	at  int
}

// begin opens the leaves.
func (r *rowReader) begin() (err error) {
	chunks := r.groups[r.group].pq.ColumnChunks()
	for _, f := range r.fields {
		f.eachLeaf(func(f *field) {
			if e := r.checkPages(r.group, f.column.Index()); e != nil && err == nil {
				err = damaged("column %s, row group %d: %w", f.column.Name(), r.group, e)
			}
			r.leaves = append(r.leaves, &leafReader{
				pages: chunks[f.column.Index()].Pages(), buf: make([]parquet.Value, 64), name: f.column.Name(),
			})
		})
	}
	return err
}

// read gives the JSON of a row, reading on to it. It is a slice of its own.
func (r *rowReader) read(row int64) (doc []byte, err error) {
	defer guard(&err)
	if r.leaves == nil {
		if err := r.begin(); err != nil {
			return nil, err
		}
	}
	var size int64
	for ; r.next <= row; r.next++ {
		size = 0
		for _, l := range r.leaves {
			n, err := l.take()
			if err != nil {
				return nil, damaged("column %s, row group %d, row %d: %w", l.name, r.group, r.next, ended(err))
			}
			size += n
		}
	}
	if size > r.limit {
		return nil, errLong
	}
	r.out.Buf = append(r.out.Buf[:0], '{')
	for _, f := range r.fields {
		r.member(f)
	}
	return append(slices.Clone(r.out.Buf), '}'), nil
}

// end makes sure that the row group ends where the footer says.
func (r *rowReader) end() (err error) {
	defer guard(&err)
	for _, l := range r.leaves {
		if v, err := l.peek(); err == nil && v != nil {
			return damaged("column %s has more than the %d rows of row group %d", l.name, r.next, r.group)
		} else if err != io.EOF {
			return damaged("column %s, row group %d: %w", l.name, r.group, err)
		}
	}
	return nil
}

// peek is the next value, read if need be.
func (l *leafReader) peek() (*parquet.Value, error) {
	for len(l.have) == 0 {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if err != nil {
				return nil, err
			}
			l.page, l.values = page, page.Values()
		}
		n, err := l.values.ReadValues(l.buf)
		l.have = l.buf[:n]
		switch {
		case err == io.EOF:
			l.values = nil // the page stays until its values are taken
		case err != nil:
			return nil, err
		case n == 0:
			return nil, io.ErrNoProgress
		}
	}
	return &l.have[0], nil
}

// take collects the values of the next row and weighs them. They are copies: a
// row may go over several pages.
func (l *leafReader) take() (size int64, err error) {
	l.row, l.at = l.row[:0], 0
	for {
		v, err := l.peek()
		if err == io.EOF && len(l.row) > 0 {
			return size, nil
		}
		if err != nil {
			return size, err
		}
		if v.RepetitionLevel() == 0 && len(l.row) > 0 {
			return size, nil
		}
		if v.RepetitionLevel() != 0 && len(l.row) == 0 {
			return size, damaged("a row that begins in the middle")
		}
		size += 8
		if v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray {
			size += int64(len(v.ByteArray()))
		}
		l.row = append(l.row, v.Clone())
		l.have = l.have[1:]
	}
}

// def is the definition level of the next value of a field.
func (r *rowReader) def(f *field) int {
	l := r.leaves[f.leaf]
	return l.row[l.at].DefinitionLevel()
}

// skip passes over the one value that each leaf has where a field is null.
func (r *rowReader) skip(f *field) {
	for i := f.leaf; i < f.last; i++ {
		r.leaves[i].at++
	}
}

func (r *rowReader) absent(f *field) bool { return r.def(f) < f.column.MaxDefinitionLevel() }

// member writes a field of an object. A null is left out: some data sets have
// one struct for the arguments of all tools, with hundreds of fields.
func (r *rowReader) member(f *field) {
	if f.column.Optional() && r.absent(f) {
		r.skip(f)
		return
	}
	mark := len(r.out.Buf)
	r.out.Key(f.name)
	if !r.value(f) {
		r.out.Buf = r.out.Buf[:mark]
	}
}

// value writes a field that is not null. ok is false if JSON has no form for it.
func (r *rowReader) value(f *field) (ok bool) {
	if !f.column.Repeated() {
		return r.one(f)
	}
	r.out.Open('[')
	if r.absent(f) {
		r.skip(f)
	} else {
		for n := 0; ; n++ {
			if n > 0 {
				r.out.Buf = append(r.out.Buf, ',')
			}
			r.item(f)
			l := r.leaves[f.leaf]
			if l.at >= len(l.row) || l.row[l.at].RepetitionLevel() != f.column.MaxRepetitionLevel() {
				break
			}
		}
	}
	r.out.Close(']')
	return true
}

// elementNames are what writers call the field in the repeated group of a LIST.
var elementNames = []string{"element", "item", "array_element"}

// item writes an element of a list: the repeated group of a LIST stands for the
// field in it.
func (r *rowReader) item(f *field) {
	if len(f.children) == 1 && slices.Contains(elementNames, f.children[0].name) {
		child := f.children[0]
		if child.column.Optional() && r.absent(child) {
			r.skip(child)
			r.out.Buf = append(r.out.Buf, "null"...)
			return
		}
		if r.value(child) {
			return
		}
	} else if r.one(f) {
		return
	}
	r.out.Buf = append(r.out.Buf, "null"...)
}

func (r *rowReader) one(f *field) (ok bool) {
	if f.column.Leaf() {
		return r.scalar(f)
	}
	if f.list {
		return r.value(f.children[0])
	}
	r.out.Buf = append(r.out.Buf, '{')
	for _, c := range f.children {
		r.member(c)
	}
	r.out.Close('}')
	return true
}

func (r *rowReader) scalar(f *field) (ok bool) {
	l := r.leaves[f.leaf]
	v := l.row[l.at]
	l.at++
	if logical := f.column.Type().LogicalType(); logical != nil {
		if ts, ok := logical.Value.(*format.TimestampType); ok && v.Kind() == parquet.Int64 {
			unit := int64(time.Second / ts.Unit.Value.Duration())
			n := v.Int64()
			at := time.Unix(n/unit, n%unit*int64(ts.Unit.Value.Duration())).UTC()
			r.out.Buf = record.AppendQuote(r.out.Buf, at.Format(time.RFC3339Nano))
			return true
		}
	}
	switch v.Kind() {
	case parquet.ByteArray:
		s := string(v.ByteArray())
		if f.json && record.Valid(s) {
			r.out.Buf = append(r.out.Buf, s...)
		} else {
			r.out.Buf = record.AppendQuote(r.out.Buf, s)
		}
	case parquet.Boolean:
		r.out.Buf = strconv.AppendBool(r.out.Buf, v.Boolean())
	case parquet.Int32:
		r.out.Buf = strconv.AppendInt(r.out.Buf, int64(v.Int32()), 10)
	case parquet.Int64:
		r.out.Buf = strconv.AppendInt(r.out.Buf, v.Int64(), 10)
	case parquet.Double, parquet.Float:
		n := float64(0)
		if v.Kind() == parquet.Double {
			n = v.Double()
		} else {
			n = float64(v.Float())
		}
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
		r.out.Buf = strconv.AppendFloat(r.out.Buf, n, 'g', -1, 64)
	default:
		return false
	}
	return true
}
