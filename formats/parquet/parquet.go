// Package parquet reads and writes the canonical Parquet, transcript.schema 1:
// two flat tables, events.parquet with a row for each step, call and attempt,
// and sessions.parquet with a row for each session. It also reads tables with a
// conversation in each row, as data sets are published.
//
// # Two files, one corpus
//
// Files are found one at a time, so the events file speaks for both. Finding in
// it looks for a sessions.parquet in the same folder and takes the header of
// each session from there; sessions without a row of their own come from there
// alone. Finding in a sessions.parquet that has an events.parquet beside it
// yields nothing. One that stands alone is an error, because its sessions cannot
// be read. An events file that stands alone is read, and its sessions have no
// agent, label or outcome; the same holds for one that was unpacked or came
// through a pipe, because then there is no folder to look into. (A session as a
// unit of the sessions file was considered: each session would be found twice,
// and the better half would have to win by size.)
//
// # What comes back
//
// A session that is written and read again has the same steps, except for the
// numbers of its lines, which are those of the rows. What the columns lack is in
// the column more, recorded deltas among it, so there is no third file. A text
// that is not UTF-8 (a lone surrogate is not) stands in its column with U+FFFD
// and, byte for byte, in more: DuckDB and others refuse a whole column for one
// such value. The hash columns (hash.go) are those of the recorded bytes.
//
// # Memory
//
// A session is decoded row by row. Pages are decoded once and shared by the
// sessions in them; those of the two newest row groups are kept, at most two of
// each column. Row groups are searched for sessions in parallel, and sessions in
// different row groups are decoded in parallel by whoever reads their units.
package parquet

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"groundhog/formats"
)

// Columns are the large columns of events.parquet. A reader of all steps wants
// All; one that knows its detectors can leave the rest of the file unread.
type Columns uint8

const (
	Args    Columns = 1 << iota
	Results         // without them, an inferred error is a flagged one, on a step with ErrorInferred
	Texts           // text and reasoning, and the deltas that cut them
	All     = Args | Results | Texts
)

func (c Columns) has(d Columns) bool { return c&d == d }

// columns lists what is read of events.parquet for steps.
func (c Columns) columns() []int {
	list := []int{
		cSession, cStep, cKind, cLane, cTS, cTSEnd,
		cTool, cIsError, cInferred, cExitCode, cDuration, cMissing, cFinish,
		cTokIn, cTokOut, cTokReasoning, cTokCacheRead, cTokCacheWrite, cCost,
		cAttempt, cStatus, cDelay, cRetryAfter, cErrorType, cOutcome,
		cCallID, cMessageID, cErrorText, cMore,
	}
	if c.has(Args) {
		list = append(list, cArgs)
	}
	if c.has(Results) {
		list = append(list, cResult)
	}
	if c.has(Texts) {
		list = append(list, cText, cReasoning)
	}
	return list
}

// Format reads all columns.
var Format = With(All)

// With is a format that reads the given columns. NewWriter writes it: a corpus
// is two files, which Format.Write has no place for.
func With(c Columns) *formats.Format {
	return &formats.Format{
		Name: "parquet",
		Doc: `canonical Parquet (events.parquet, sessions.parquet), Parquet of messages

A folder with events.parquet and sessions.parquet is one corpus. Any other
Parquet file must have a row for each session, with a list of messages in the
shape of the OpenAI chat API. zstd, snappy, gzip, brotli; no LZ4.`,
		Sniff: func(h *formats.Head) formats.Confidence {
			if bytes.HasPrefix(h.Data, []byte("PAR1")) {
				return formats.Certain
			}
			return formats.No
		},
		Find: func(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
			return func(yield func(*formats.Unit, error) bool) {
				if err := find(f, o, c, yield); err != nil {
					yield(nil, fmt.Errorf("%s: %w", f.Name, err))
				}
			}
		},
	}
}

// find reads the sessions of a file. An error ends the file.
func find(f *formats.File, o formats.Options, c Columns, yield func(*formats.Unit, error) bool) error {
	t, err := open(f)
	if err != nil {
		return err
	}
	read, err := t.content(o, c)
	if err != nil {
		return err
	}
	return read(yield)
}

// content tells by its columns what a table is, and gives what yields its
// sessions.
func (t *table) content(o formats.Options, c Columns) (read func(func(*formats.Unit, error) bool) error, err error) {
	defer guard(&err)
	switch {
	case t.has("session_id", "seq"), t.has("session_id", "kind"):
		e, err := openEvents(t, c, o.Cap())
		if err != nil {
			return nil, err
		}
		h, err := headsBeside(t.file)
		if err != nil {
			return nil, err
		}
		return func(yield func(*formats.Unit, error) bool) error { return e.find(h, yield) }, nil
	case messagesColumn(t.pq.Root()) != nil:
		return openMessages(t, o)
	case t.has("transcript_id", "parent_session_id"):
		// Scout has tables of transcripts and of scan results; neither is ours.
		if _, err := openSessions(t); err != nil {
			return nil, err
		}
		if beside(t.file, EventsFile) == nil {
			return nil, fmt.Errorf("sessions without their events: expected %s in the same folder", EventsFile)
		}
		return func(func(*formats.Unit, error) bool) error { return nil }, nil
	}
	return nil, &formats.UnknownError{
		Why: "no table of sessions: expected the columns of " + EventsFile + ", or a list of messages in each row",
	}
}

// beside is a file of the folder that f is in, or nil. The name must
// lead to f itself: what was packed or came through a pipe is elsewhere now.
func beside(f *formats.File, name string) *formats.File {
	path := filepath.FromSlash(f.Name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
		return nil
	}
	other := filepath.Join(filepath.Dir(path), name)
	info, err := os.Stat(other)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	open := func() (formats.ReadAtCloser, error) { return os.Open(other) }
	return &formats.File{Name: filepath.ToSlash(other), Size: info.Size(), Open: open}
}
