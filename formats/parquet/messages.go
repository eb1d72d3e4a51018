package parquet

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"groundhog/formats"
	"groundhog/formats/openai"
	"groundhog/replay/transcript"
)

// Data sets are published with a conversation in each row: a list of structs in
// the shape of the OpenAI chat API, or the same as JSON in a string. Such a row
// is written as the JSON that it stands for and given to the reader of that
// format, which knows the traps of the shape. (Mapping the columns to steps here
// was considered: it would be a second reader with mistakes of its own.)

// A conversations is an open table of messages.
type conversations struct {
	*table
	fields []*field
	limit  int64

	mu     sync.Mutex
	idle   []*rowReader
	unread int
}

// maxIdle is how many readers wait for the next session. Each goes forward
// only, so neighbours need not decode the row group from its beginning.
const maxIdle = 4

func openMessages(t *table, o formats.Options) (read func(func(*formats.Unit, error) bool) error, err error) {
	c := &conversations{table: t, limit: o.Cap()}
	if c.fields, err = fieldsOf(t.pq.Root()); err != nil {
		return nil, err
	}
	return c.find, nil
}

func (c *conversations) find(yield func(*formats.Unit, error) bool) error {
	if err := c.use(); err != nil {
		return err
	}
	defer c.done()
	for i, g := range c.groups {
		r := &rowReader{conversations: c, group: i}
		for row := range g.rows {
			doc, err := r.read(row)
			line := int(g.first+row) + 1
			var unit *formats.Unit
			switch {
			case errors.Is(err, errLong):
				err = &formats.SyntaxError{File: c.name, Line: line, Msg: err.Error()}
			case err != nil:
				return err
			default:
				unit, err = c.unit(doc, i, row, line)
			}
			if !yield(unit, err) {
				return nil
			}
		}
		if err := r.end(); err != nil {
			return err
		}
	}
	return nil
}

// inner finds the session of a row's JSON.
func (c *conversations) inner(doc []byte, line int) (*formats.Unit, error) {
	file := &formats.File{Name: c.name, Size: int64(len(doc)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(doc), io.NopCloser(nil)}, nil
	}}
	for u, err := range openai.Format.Find(file, formats.Options{MaxRecord: c.limit}) {
		return u, onLine(err, line)
	}
	return nil, &formats.SyntaxError{File: c.name, Line: line, Msg: "no messages"}
}

// onLine puts the number of a row into an error.
func onLine(err error, line int) error {
	var syntax *formats.SyntaxError
	if errors.As(err, &syntax) {
		return &formats.SyntaxError{File: syntax.File, Line: line, Msg: syntax.Msg}
	}
	return err
}

func (c *conversations) unit(doc []byte, group int, row int64, line int) (*formats.Unit, error) {
	in, err := c.inner(doc, line)
	if err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(in.Session.ID, openai.Format.Name+":"); ok {
		in.Session.ID = "parquet:" + rest // made from the content
	}
	u := &formats.Unit{Session: in.Session, Size: in.Size, Records: in.Records, Messages: in.Messages}
	c.mu.Lock()
	c.unread++
	c.mu.Unlock()
	var once sync.Once
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			if err := c.use(); err != nil {
				yield(nil, err)
				return
			}
			defer c.leave(&once)
			r := c.reader(group, row)
			doc, err := r.read(row)
			c.release(r, err)
			var in *formats.Unit
			if err == nil {
				in, err = c.inner(doc, line)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			c.steps(u.Session, in, line, yield)
		}
	}
	return u, nil
}

// steps passes the steps of a row on. All of it stands on one line: the row.
func (c *conversations) steps(
	session *transcript.Session, in *formats.Unit, line int, yield func(*transcript.Step, error) bool,
) {
	session.Notes = nil
	finish := func() {
		session.End, session.Notes = in.Session.End, slices.Clone(in.Session.Notes)
		for i := range session.Notes {
			session.Notes[i].Line = line
		}
		if session.Model == "" {
			session.Model = in.Session.Model
		}
	}
	defer finish()
	for s, err := range in.Steps() {
		if s != nil {
			s.Line = line
			for i := range s.Calls {
				s.Calls[i].Line = line
				if s.Calls[i].Result.Status != transcript.ResultMissing {
					s.Calls[i].Result.Line = line
				}
			}
		}
		if !yield(s, onLine(err, line)) {
			return
		}
	}
}

// reader gives a reader that stands at or before a row.
func (c *conversations) reader(group int, row int64) *rowReader {
	c.mu.Lock()
	defer c.mu.Unlock()
	best := -1
	for i, r := range c.idle {
		if r.group == group && r.next <= row && (best < 0 || r.next > c.idle[best].next) {
			best = i
		}
	}
	if best >= 0 {
		r := c.idle[best]
		c.idle = slices.Delete(c.idle, best, best+1)
		return r
	}
	return &rowReader{conversations: c, group: group}
}

// release keeps a reader for the next session.
func (c *conversations) release(r *rowReader, err error) {
	if err != nil {
		return // where it stands is not known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == maxIdle {
		c.idle = slices.Delete(c.idle, 0, 1)
	}
	c.idle = append(c.idle, r)
}

func (c *conversations) leave(once *sync.Once) {
	idle := c.done()
	c.mu.Lock()
	defer c.mu.Unlock()
	once.Do(func() { c.unread-- })
	if idle && c.unread <= 0 {
		c.idle = nil
	}
}

var errLong = errors.New("the record is over the size limit; --max-record raises it")
