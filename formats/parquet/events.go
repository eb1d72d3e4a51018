package parquet

import (
	"fmt"
	"iter"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// An events is an open events.parquet and what its sessions share.
type events struct {
	*pool
	selected Columns
	cols     []int // read by Steps
	limit    int64 // bytes of a row
}

// findColumns are those that tell sessions apart and weigh them.
var findColumns = []int{cSession, cSeq, cKind, cMessageID, cArgsBytes, cResultBytes, cTextBytes, cThinkingBytes}

// rowSize is the memory of a row without its texts.
const rowSize = 300

func openEvents(t *table, want Columns, limit int64) (*events, error) {
	if err := t.checkVersion(); err != nil {
		return nil, err
	}
	list, err := leaves(t.pq.Root(), schemaOf(EventsFile), eventColumns, nil)
	if err != nil {
		return nil, err
	}
	if err := t.checkFlat(list); err != nil {
		return nil, err
	}
	return &events{pool: newPool(t, list), selected: want, cols: want.columns(), limit: limit}, nil
}

// A rowRange is a stretch of rows of one row group.
type rowRange struct {
	group    int
	from, to int64
}

// A span is a stretch of rows of one session in one row group.
type span struct {
	id          string
	rows        []rowRange
	first, last int64 // seq
	size        int64
	messages    []uint64
	err         error
}

// spans finds the sessions of one row group.
func (e *events) spans(group int) (list []*span, err error) {
	c := newCursor(e.table, e.leaves, findColumns, private(e.table, e.leaves))
	byID := make(map[string]*span)
	var s *span
	for row := range e.groups[group].rows {
		if err := c.seek(group, row); err != nil {
			return nil, err
		}
		if c.null(cSession) {
			return nil, fmt.Errorf("row %d: session_id is null", e.groups[group].first+row+1)
		}
		id := c.str(cSession)
		if s == nil || s.id != id {
			if s = byID[id]; s == nil {
				s = &span{id: id, first: c.int(cSeq), last: -1 << 63}
				byID[id] = s
				list = append(list, s)
			}
		}
		if n := len(s.rows); n > 0 && s.rows[n-1].to == row {
			s.rows[n-1].to++
		} else {
			s.rows = append(s.rows, rowRange{group, row, row + 1})
		}
		switch seq := c.int(cSeq); {
		case s.err != nil:
		case c.null(cSeq):
			s.err = e.syntax(group, row, "session %s: seq is null", id)
		case seq <= s.last:
			s.err = e.unsorted(group, row, id, seq, s.last)
		default:
			s.last = seq
		}
		s.size += rowSize
		for _, col := range [...]int{cArgsBytes, cResultBytes, cTextBytes, cThinkingBytes} {
			s.size += max(0, c.int(col))
		}
		if !c.null(cMessageID) && c.str(cKind) == kindAssistant {
			if m := formats.MessageKey(c.str(cMessageID)); len(s.messages) == 0 || s.messages[len(s.messages)-1] != m {
				s.messages = append(s.messages, m)
			}
		}
	}
	return list, nil
}

func (e *events) syntax(group int, row int64, format string, args ...any) error {
	line := int(e.groups[group].first+row) + 1
	return &formats.SyntaxError{File: e.name, Line: line, Msg: fmt.Sprintf(format, args...)}
}

func (e *events) unsorted(group int, row int64, id string, seq, last int64) error {
	return e.syntax(group, row,
		"session %s: seq %d after %d: the rows of a session must be in order of seq (ORDER BY session_id, seq)",
		id, seq, last)
}

// allSpans reads the row groups in parallel and gives their spans in order.
func (e *events) allSpans() ([][]*span, error) {
	all := make([][]*span, len(e.groups))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range e.groups {
		g.Go(func() (err error) {
			defer guard(&err)
			all[i], err = e.spans(i)
			return err
		})
	}
	return all, g.Wait()
}

// find yields the sessions of an events file: those with rows by their first
// row, then those that only the sessions file knows.
func (e *events) find(heads *heads, yield func(*formats.Unit, error) bool) error {
	if err := e.use(); err != nil {
		return err
	}
	all, err := e.allSpans()
	e.done()
	if err != nil {
		return err
	}
	var order []*span
	byID := make(map[string]*span)
	for _, list := range all {
		for _, s := range list {
			have := byID[s.id]
			if have == nil {
				byID[s.id] = s
				order = append(order, s)
				continue
			}
			if have.err == nil && s.err == nil && s.first <= have.last {
				s.err = e.unsorted(s.rows[0].group, s.rows[0].from, s.id, s.first, have.last)
			}
			have.join(s)
		}
	}
	for _, s := range order {
		if s.err == nil {
			e.unread++
		}
	}
	for _, s := range order {
		u, err := e.unit(s, heads), s.err
		if err != nil {
			u = nil
		}
		if !yield(u, err) {
			return nil
		}
	}
	for _, h := range heads.rest(byID) {
		u := &formats.Unit{Session: h.session, Steps: func() iter.Seq2[*transcript.Step, error] {
			return func(func(*transcript.Step, error) bool) {}
		}}
		if !yield(u, nil) {
			return nil
		}
	}
	return nil
}

// join adds what a later row group has of the session.
func (s *span) join(t *span) {
	if s.err == nil {
		s.err = t.err
	}
	s.rows = append(s.rows, t.rows...)
	s.last = t.last
	s.size += t.size
	s.messages = append(s.messages, t.messages...)
}

func (e *events) unit(s *span, heads *heads) *formats.Unit {
	h := heads.of(s.id)
	records := int64(0)
	for _, r := range s.rows {
		records += r.to - r.from
	}
	session := h.session
	rows := s.rows
	var once sync.Once
	u := &formats.Unit{Session: session, Size: s.size, Records: int(records), Messages: s.messages}
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			if err := e.use(); err != nil {
				yield(nil, err)
				return
			}
			defer e.leave(&once)
			c := newCursor(e.table, e.leaves, e.cols, e.shared)
			a := &assembler{events: e, session: session, yield: yield, c: c}
			h.begin()
			a.run(rows)
		}
	}
	return u
}
