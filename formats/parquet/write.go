package parquet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The limits of a row group, whichever comes first.
const (
	maxRows  = 100_000
	maxBytes = 64 << 20
)

const pageSize = 1 << 20

// The names of the two files of a corpus.
const (
	SessionsFile = "sessions.parquet"
	EventsFile   = "events.parquet"
)

// NewWriter writes the two tables of a corpus. Both are complete only after
// Close, which leaves what is below open.
//
// Rows come in the order in which sessions do: give sessions in order of id, and
// the file is sorted by it, as readers of the schema may expect. In another order
// it is as correct, and slower to search for one session. A session id comes once.
func NewWriter(sessions, events io.Writer) formats.Writer {
	w := &writer{seen: make(map[string]bool)}
	w.events = newTable[eventRow](events, "args", "result", "text", "reasoning", "error_text", "more")
	w.sessions = newTable[sessionRow](sessions, "warnings", "more")
	return w
}

// A tableWriter keeps row groups within their limits.
type tableWriter[T any] struct {
	w     *parquet.GenericWriter[T]
	rows  []T
	one   []T
	n     int
	bytes int64
}

// newTable begins a table. No bounds are kept for columns of large texts: they
// would be the texts.
func newTable[T any](out io.Writer, large ...string) *tableWriter[T] {
	options := []parquet.WriterOption{
		parquet.PageBufferSize(pageSize),
		parquet.DataPageVersion(1), // its levels are compressed, so that damage to them is seen
		parquet.ColumnIndexSizeLimit(func([]string) int { return 64 }),
		parquet.KeyValueMetadata(versionKey, version),
		parquet.CreatedBy("groundhog", version, ""),
	}
	for _, name := range large {
		options = append(options, parquet.SkipPageBounds(name), parquet.SkipPageStatistics(name))
	}
	return &tableWriter[T]{w: parquet.NewGenericWriter[T](out, options...), one: make([]T, 1)}
}

// write adds a row that takes about size bytes.
func (t *tableWriter[T]) write(row *T, size int64) (err error) {
	defer guardWriting(&err)
	if t.n > 0 && (t.n >= maxRows || t.bytes+size > maxBytes) {
		if err := t.w.Flush(); err != nil {
			return err
		}
		t.n, t.bytes = 0, 0
	}
	t.n++
	t.bytes += size
	t.one[0] = *row
	_, err = t.w.Write(t.one)
	return err
}

func (t *tableWriter[T]) close() (err error) {
	defer guardWriting(&err)
	return t.w.Close()
}

func guardWriting(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("writing Parquet: %v", r)
	}
}

type writer struct {
	events   *tableWriter[eventRow]
	sessions *tableWriter[sessionRow]
	seen     map[string]bool
	hash     hasher
	cell     cell

	id   string
	seq  int32
	step int32
	turn int32
	sum  totals
}

// totals are what the row of a session counts.
type totals struct {
	steps, calls, errors, missing, attempts, messages, tokens, bytes int64
}

func (w *writer) Begin(s *transcript.Session) error {
	w.cell.reset()
	id := w.cell.word("session_id", s.ID)
	if w.seen[id] {
		return fmt.Errorf("session %s is given twice", s.ID)
	}
	w.seen[id] = true
	w.id, w.seq, w.step, w.turn, w.sum = id, 0, 0, 0, totals{}
	return nil
}

func (w *writer) Step(s *transcript.Step) error {
	if s.Kind == transcript.Prompt && !s.Has(transcript.Synthetic) {
		w.turn++
	}
	for i := range s.Attempts {
		if err := w.attempt(s, &s.Attempts[i]); err != nil {
			return err
		}
	}
	if err := w.row(w.stepRow(s)); err != nil {
		return err
	}
	w.count(s)
	for i := range s.Calls {
		if err := w.row(w.callRow(s, i)); err != nil {
			return err
		}
	}
	w.step++
	return nil
}

func (w *writer) count(s *transcript.Step) {
	w.sum.messages++
	w.sum.attempts += int64(len(s.Attempts))
	if u := s.Usage; u.Known {
		w.sum.tokens += u.Input + u.CacheRead + u.CacheWrite + u.Output
	}
	if s.Kind != transcript.Response || s.Has(transcript.Synthetic) {
		return
	}
	w.sum.steps++
	for i := range s.Calls {
		w.sum.calls++
		r := &s.Calls[i].Result
		if failed, _ := r.Failed(); failed {
			w.sum.errors++
		}
		if r.Status == transcript.ResultMissing {
			w.sum.missing++
		} else {
			w.sum.messages++
		}
	}
}

// begin is a row with what all rows have.
func (w *writer) begin(s *transcript.Step, kind string) *eventRow {
	w.cell.reset()
	lane := w.cell.word("lane", s.Lane)
	return &eventRow{SessionID: w.id, Seq: w.seq, Step: w.step, Turn: w.turn, Kind: kind, Lane: lane}
}

var errLarge = errors.New("a text of 2 GiB or more: Parquet cannot hold it")

// row writes a row of events.parquet.
func (w *writer) row(r *eventRow) error {
	r.More = w.cell.more()
	size := int64(0)
	for _, s := range [...]*string{
		r.Tool, r.Finish, r.ErrorType, r.Outcome, r.CallID, r.MessageID,
		r.Args, r.Result, r.Text, r.Reasoning, r.ErrorText, r.More,
	} {
		if s == nil {
			continue
		}
		if len(*s) > math.MaxInt32 {
			return fmt.Errorf("session %s: %w", w.id, errLarge)
		}
		size += int64(len(*s)) + 5
	}
	w.sum.bytes += size
	w.seq++
	const fixed = 200 // of the columns of fixed width, levels included
	if err := w.events.write(r, size+int64(len(r.SessionID)+len(r.Lane))+fixed); err != nil {
		return fmt.Errorf("%s: %w", EventsFile, err)
	}
	return nil
}

func (w *writer) End(s *transcript.Session) error {
	w.cell.reset()
	c := &w.cell
	r := &sessionRow{
		TranscriptID: w.id,
		SourceType:   c.opt("source_type", s.Origin.Format),
		SourceURI:    c.opt("source_uri", s.Origin.File),
		TaskSet:      c.opt("task_set", s.Recorded.TaskSet),
		TaskID:       c.opt("task_id", s.Recorded.Task),
		Agent:        c.opt("agent", s.Agent),
		Model:        c.opt("model", s.Model),
		Success:      s.Recorded.Success,
		MessageCount: &w.sum.messages,

		Parent:        c.opt("parent_session_id", s.Parent),
		AgentVersion:  c.opt("agent_version", s.AgentVersion),
		Format:        c.opt("format", s.Origin.Format),
		FormatVersion: c.opt("format_version", s.Origin.FormatVersion),
		StartedAt:     c.time("started_at", s.Started),
		EndedAt:       c.time("ended_at", s.Ended),
		Steps:         int32(w.sum.steps),
		Calls:         int32(w.sum.calls),
		Errors:        int32(w.sum.errors),
		Missing:       int32(w.sum.missing),
		Attempts:      int32(w.sum.attempts),
		Bytes:         w.sum.bytes,
		Warnings:      warnings(s.Notes),
	}
	if !s.Started.IsZero() {
		date := s.Started.UTC().Format("2006-01-02T15:04:05Z07:00")
		r.Date = &date
		if seconds := s.Ended.Sub(s.Started).Seconds(); !s.Ended.IsZero() && seconds >= 0 {
			r.TotalTime = &seconds
		}
	}
	if w.sum.tokens > 0 {
		r.TotalTokens = &w.sum.tokens
	}
	if reward := s.Recorded.Reward; reward != nil {
		score := strconv.FormatFloat(*reward, 'g', -1, 64)
		r.Score = &score
	}
	w.ending(r, s)
	if s.Label != nil {
		c.base64("label", s.Label)
	}
	r.More = c.more()
	if err := w.sessions.write(r, 500+int64(len(w.id))); err != nil {
		return fmt.Errorf("%s: %w", SessionsFile, err)
	}
	return nil
}

// ending says how a session came to its end, and which trial of its task it was.
func (w *writer) ending(r *sessionRow, s *transcript.Session) {
	c := &w.cell
	end := cmp.Or(string(s.End), "unknown")
	r.End = c.opt("end", end)
	why := cmp.Or(s.Recorded.ExitStatus, end)
	switch s.End {
	case transcript.EndError:
		r.Error = c.opt("error", why)
	case transcript.EndLimit:
		r.Limit = c.opt("limit", why)
	}
	trial := s.Recorded.Trial
	if n, err := strconv.ParseInt(trial, 10, 64); err == nil && strconv.FormatInt(n, 10) == trial {
		r.TaskRepeat = &n
	} else {
		c.Str("trial", trial)
	}
	c.Str("exit_status", s.Recorded.ExitStatus)
}

// warnings are the notes of a session as JSON: text, line, n.
func warnings(notes []transcript.Note) *string {
	if len(notes) == 0 {
		return nil
	}
	var b record.Builder
	b.Open('[')
	for _, n := range notes {
		b.Open('{')
		b.Text("text", n.Text)
		b.Some("line", int64(n.Line))
		b.Some("n", int64(n.N))
		b.Close('}')
	}
	b.Close(']')
	s := string(b.Buf)
	return &s
}

func (w *writer) Close() error {
	if err := w.events.close(); err != nil {
		return fmt.Errorf("%s: %w", EventsFile, err)
	}
	if err := w.sessions.close(); err != nil {
		return fmt.Errorf("%s: %w", SessionsFile, err)
	}
	return nil
}
