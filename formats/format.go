// Package formats finds sessions in files and decodes them step by step.
//
// Finding and decoding are two passes. Finding reads a file once, cheaply,
// and yields Units: which sessions it holds, where, and by which message ids
// copies can be told. Decoding a Unit happens later, in a worker, one step at a
// time. A single pass was considered; it cannot know that the second file holds
// a longer copy of the session it has just reported.
//
// Input that cannot be reopened (standard input, .gz, .zst) is written to a
// temporary file first, so every reader may read at random.
//
// Package record has what readers of JSON share, and tells how to write one.
package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"regexp"

	"github.com/zeebo/xxh3"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// DefaultMaxRecord is the largest record that is held in memory, in bytes.
const DefaultMaxRecord = 64 << 20

// A Format is one way of recording sessions. It is a value: the list of
// formats is an argument, never a registry.
type Format struct {
	Name string // "claude-code"
	Doc  string // first line: a title
	// Sniff looks at the head of a file. It must not look at the file's name.
	Sniff func(h *Head) Confidence
	// Find yields the sessions of a file by position. An error that is not a
	// *SyntaxError ends the file. Nil: the format is recognised but not read yet.
	Find func(f *File, o Options) iter.Seq2[*Unit, error]
	// Write is nil if sessions cannot be written in this format.
	Write func(w io.Writer) Writer
	Holds Holds
	// Places are where agents keep such files, a folder or a file each, with ~ for the
	// home folder and $NAME for a variable that moves it: "$CODEX_HOME/sessions" before
	// "~/.codex/sessions". The first that is there counts.
	Places []string
	// Volatile is what in the results of calls changes from one call to the next and
	// means nothing. It is replaced before results are compared, and nowhere else.
	Volatile []Volatile
	// Harness describes what the reader takes for text of the harness, which no person
	// wrote: `text that begins with "<system-reminder>"`.
	Harness []string
}

// Holds is what a recording of a format can hold of a session. The zero Holds is a format
// of which nothing is known.
type Holds struct {
	Args, Results, Errors, Times, Usage, Attempts, Deltas, Label Holding
}

// A Holding says how much of one thing a format can hold.
type Holding uint8

const (
	Unknown   Holding = iota
	Never             // there is no place for it
	Sometimes         // some writers or versions leave it out, cut it or keep it elsewhere
	Always
)

func (h Holding) String() string {
	return [...]string{"unknown", "no", "sometimes", "yes"}[h]
}

// A Volatile is one such part of results: what it is, and where it stands. What the first
// group of Pattern holds, or all of it if there is none, is replaced by "…".
type Volatile struct {
	What    string // "wall time"
	Pattern *regexp.Regexp
}

// Options are what a user may set for every reader.
type Options struct {
	MaxRecord int64 // bytes; 0 means DefaultMaxRecord
}

// Cap is the largest record to hold.
func (o Options) Cap() int64 {
	if o.MaxRecord > 0 {
		return o.MaxRecord
	}
	return DefaultMaxRecord
}

// Confidence is how sure a Sniff is. Two formats equally sure is an error that
// names both and the flag that settles it.
type Confidence uint8

const (
	No Confidence = iota
	Maybe
	Likely
	Certain
)

// A File is an input that may be opened many times and read at random. What
// Open gives is already unwrapped from gzip or zstd.
type File struct {
	Name string // as shown to the user
	Size int64  // unwrapped bytes
	Open func() (ReadAtCloser, error)
}

// A ReadAtCloser is an open file. ReadAt may be called from several goroutines.
type ReadAtCloser interface {
	io.ReaderAt
	io.Closer
}

// All is the whole file.
func (f *File) All() record.Range { return record.Range{End: f.Size, Line: 1} }

// Lines yields the lines of ranges of the file, or of all of it if no range is
// given. Blank lines are passed over, and those over the limit are Long. An
// error is yielded last.
func (f *File) Lines(limit int64, ranges ...record.Range) iter.Seq2[record.Line, error] {
	return f.read(func(r io.ReaderAt) iter.Seq2[record.Line, error] {
		return record.Lines(r, f.Size, limit, ranges...)
	})
}

// Spread yields JSON values of a range as if each stood on a line: values that
// go on over several lines, or the elements of an array. An error is yielded last.
func (f *File) Spread(limit int64, part record.Range) iter.Seq2[record.Line, error] {
	return f.read(func(r io.ReaderAt) iter.Seq2[record.Line, error] { return record.Spread(r, part, limit) })
}

// read opens the file for as long as it is read.
func (f *File) read(lines func(io.ReaderAt) iter.Seq2[record.Line, error]) iter.Seq2[record.Line, error] {
	return func(yield func(record.Line, error) bool) {
		r, err := f.Open()
		if err != nil {
			yield(record.Line{}, err)
			return
		}
		defer r.Close()
		for line, err := range lines(r) {
			if err != nil {
				err = fmt.Errorf("%s: %w", f.Name, err)
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// ID is an id for a session that has none of its own: the format and a hash
// of the bytes of its range. It does not depend on where the file is, so that
// labels survive a move.
func (f *File) ID(format string, part record.Range) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, part.Off, part.End-part.Off)); err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	return format + ":" + hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// MessageKey is the stable key of a message id: XXH3, 64 bits.
func MessageKey(id string) uint64 { return xxh3.HashString(id) }

// A Unit is one session that has been found but not decoded.
type Unit struct {
	Session  *transcript.Session // header; completed while Steps is read
	Size     int64               // bytes of its records, for the memory budget and progress
	Records  int                 // records seen while finding, readable or not; 0 if they were not counted
	Messages []uint64            // MessageKey of each message id, in order; nil if the format has none
	// History says that each message id stands for all messages up to it, so that
	// a session which holds the last one of this is a longer copy of it.
	History bool
	// Steps decodes the session from the beginning. It yields a *SyntaxError
	// for each record it could not understand and goes on; any other error is
	// the last thing it yields. The Step and all it holds belong to the caller.
	Steps func() iter.Seq2[*transcript.Step, error]
	// Past is set, and Steps is not, where a session was measured before and its
	// transcript is not there any more.
	Past Past

	foreign map[uint64]bool // messages that belong to another session
}

// Damaged reports whether so many records were bad that the session is left out: more
// than a percentage of them, and more than one unless the percentage is 0. of is how many
// records there are: those that were counted while finding, or else those that gave a
// step or were bad.
func (u *Unit) Damaged(bad, steps int, percent float64) (of int, damaged bool) {
	of = max(u.Records, bad)
	if u.Records == 0 {
		of = bad + steps
	}
	few := 0
	if percent > 0 {
		few = 1
	}
	return of, bad > few && 100*float64(bad) > percent*float64(of)
}

// A Past is what was measured of a session. What it can tell is up to who made it
// and who asks: a replay asks for more than this.
type Past interface {
	// NoSteps says why there are no steps to read and what to read instead.
	NoSteps() error
}

// Read is Steps with the steps that belong to another session marked as Context.
// Of a session with a Past it only yields the error.
func (u *Unit) Read() iter.Seq2[*transcript.Step, error] {
	if u.Past != nil {
		return func(yield func(*transcript.Step, error) bool) { yield(nil, u.Past.NoSteps()) }
	}
	if len(u.foreign) == 0 {
		return u.Steps()
	}
	return func(yield func(*transcript.Step, error) bool) {
		for s, err := range u.Steps() {
			if s != nil && s.ID != "" && u.foreign[MessageKey(s.ID)] {
				s.Flags |= transcript.Context
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// A Writer writes sessions, one after the other. Close finishes the output; it
// does not close what is below.
type Writer interface {
	Begin(*transcript.Session) error
	Step(*transcript.Step) error
	End(*transcript.Session) error
	Close() error
}

// Lossy is a Writer that knows what its format could not hold.
type Lossy interface {
	// Losses lists what was left out so far, always in the same order.
	Losses() []Loss
}

// A Loss is one sort of thing that was left out, and how often.
type Loss struct {
	What string
	N    int
}

// A SyntaxError is a record that could not be understood. The reader goes on
// with the next one; a session with too many of them is left out of a replay. A
// cut last line is a Note of the session and not an error.
type SyntaxError struct {
	File string
	Line int // 1-based; 0 if unknown
	Msg  string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// The notes that several readers leave. They are constants so that equal notes
// can be counted.
const (
	NoteMissingResult = "calls without a recorded result"
	NoteOrphanResult  = "results without a recorded call"
	NoteCutLine       = "the last line is cut off"
	NoteLongRecord    = "records over the size limit were skipped"
	NoteDuplicate     = "records that repeat an earlier one were skipped"
	NoteLateRecord    = "records of a message that had already ended"
	NoteBadText       = "texts with invalid UTF-8 or lone surrogates, kept as they are"
)
