package parquet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// heads are the rows of a sessions.parquet by id. A nil heads knows nothing.
type heads struct {
	order []*head
	byID  map[string]*head
}

// A head is the header of one session, and what reading the steps changes of it.
type head struct {
	session *transcript.Session
	end     transcript.End
	ended   time.Time
	notes   []transcript.Note
}

// headsBeside reads the sessions file that belongs to an events file.
func headsBeside(events *formats.File) (*heads, error) {
	f := beside(events, SessionsFile)
	if f == nil {
		return nil, nil
	}
	h, err := readHeads(f)
	if err != nil {
		return nil, fmt.Errorf("%s beside it: %w", SessionsFile, err)
	}
	return h, nil
}

func readHeads(f *formats.File) (*heads, error) {
	t, err := open(f)
	if err != nil {
		return nil, err
	}
	list, err := openSessions(t)
	if err != nil {
		return nil, err
	}
	return t.heads(list)
}

// openSessions checks the columns. Files of Scout lack those that are ours.
func openSessions(t *table) ([]leaf, error) {
	if err := t.checkVersion(); err != nil {
		return nil, err
	}
	_, ours := t.pq.Lookup(versionKey)
	absent := func(i int) bool { return !ours && i >= sParent }
	list, err := leaves(t.pq.Root(), schemaOf(SessionsFile), sessionColumns, absent)
	if err != nil {
		return nil, err
	}
	return list, t.checkFlat(list)
}

func (t *table) heads(list []leaf) (h *heads, err error) {
	if err := t.use(); err != nil {
		return nil, err
	}
	defer t.done()
	defer guard(&err)
	h = &heads{byID: make(map[string]*head)}
	cols := make([]int, len(list))
	for i := range cols {
		cols[i] = i
	}
	c := newCursor(t, list, cols, private(t, list))
	for i, g := range t.groups {
		for row := range g.rows {
			if err := c.seek(i, row); err != nil {
				return nil, err
			}
			one, err := readHead(c)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", g.first+row+1, err)
			}
			id := one.session.ID
			if h.byID[id] != nil {
				return nil, fmt.Errorf("row %d: session %s stands there twice", g.first+row+1, id)
			}
			h.byID[id] = one
			h.order = append(h.order, one)
		}
	}
	return h, nil
}

func readHead(c *cursor) (*head, error) {
	if c.null(sID) {
		return nil, fmt.Errorf("transcript_id is null")
	}
	more, err := readMore(c.str(sMore))
	if err != nil {
		return nil, fmt.Errorf("more: %v", err)
	}
	word := func(col int) string {
		if raw, ok := more.Raw[sessionColumns[col].name]; ok {
			return raw
		}
		return c.str(col)
	}
	at := func(col int) time.Time {
		if c.null(col) {
			return time.Time{}
		}
		return c.time(col).Add(time.Duration(more.Ns[sessionColumns[col].name] % 1000))
	}
	s := &transcript.Session{
		ID: c.str(sID), Parent: word(sParent), Model: word(sModel),
		Agent: word(sAgent), AgentVersion: word(sAgentVersion),
		Origin:  transcript.Origin{FormatVersion: word(sFormatVersion)},
		Started: at(sStarted), Ended: at(sEnded),
		Recorded: transcript.Recorded{
			Task: word(sTaskID), TaskSet: word(sTaskSet), Trial: more.Trial, ExitStatus: more.ExitStatus,
		},
		Label: more.Label,
	}
	if end := word(sEnd); end != "unknown" {
		s.End = transcript.End(end)
	}
	if !c.null(sTaskRepeat) {
		s.Recorded.Trial = strconv.FormatInt(c.int(sTaskRepeat), 10)
	}
	if !c.null(sSuccess) {
		success := c.bool(sSuccess)
		s.Recorded.Success = &success
	}
	// Scout keeps any JSON as a score; only a number is a reward.
	if reward, err := strconv.ParseFloat(strings.TrimSpace(c.str(sScore)), 64); err == nil {
		s.Recorded.Reward = &reward
	}
	h := &head{session: s, end: s.End, ended: s.Ended, notes: readWarnings(c.str(sWarnings))}
	h.begin()
	return h, nil
}

// readWarnings are the notes of whoever read the source. Missing results are
// left out, because they are counted again.
func readWarnings(s string) []transcript.Note {
	var notes []transcript.Note
	if warningsShape.Parse(record.Value(s), &notes) != nil {
		return nil
	}
	return slices.DeleteFunc(notes, func(n transcript.Note) bool { return n.Text == formats.NoteMissingResult })
}

var warningsShape = record.NewShape(
	record.Each(record.Itself, noteShape, func(list *[]transcript.Note) *[]transcript.Note { return list }),
).Strict()

var noteShape = record.NewShape(
	record.String("text", func(n *transcript.Note) *string { return &n.Text }),
	record.Int("line", func(n *transcript.Note) *int { return &n.Line }),
	record.Int("n", func(n *transcript.Note) *int { return &n.N }),
)

// of is the header of a session; without one there is only its id.
func (h *heads) of(id string) *head {
	if h != nil && h.byID[id] != nil {
		return h.byID[id]
	}
	return &head{session: &transcript.Session{ID: id}}
}

// rest lists the sessions that have no rows.
func (h *heads) rest(seen map[string]*span) (list []*head) {
	if h == nil {
		return nil
	}
	for _, one := range h.order {
		if seen[one.session.ID] == nil {
			list = append(list, one)
		}
	}
	return list
}

// begin puts back what reading the steps changes.
func (h *head) begin() {
	h.session.End, h.session.Ended = h.end, h.ended
	h.session.Notes = slices.Clone(h.notes)
}
