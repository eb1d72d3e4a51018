package taubench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// maxAttempts is how many times in a row a mistake may make the finder look for
// the next result: each time it may have to read to the end of the file.
const maxAttempts = 100

// slack is what a decoder may hold beside a string of the allowed size.
const slack = 32 << 10

const expected = `expected a result: {"task_id", "reward", "info", "traj", "trial"}`

// find yields the sessions of a file, one for each result.
func find(file *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		r, err := file.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		f := &finder{file: file, r: r, src: bufio.NewReaderSize(nil, 64<<10), o: o, yield: yield}
		f.Scanner = record.NewScanner(r, file.Size, `{"task_id"`)
		f.run()
	}
}

// A finder looks for the results of one file.
type finder struct {
	*record.Scanner
	file     *formats.File
	r        formats.ReadAtCloser
	src      *bufio.Reader // for read
	o        formats.Options
	yield    func(*formats.Unit, error) bool
	stopped  bool
	attempts int  // to find a result after a mistake, in a row
	ended    bool // what the file ends in has been found or reported
}

func (f *finder) run() {
	for !f.stopped {
		v, ok := f.Next()
		if !ok {
			break
		}
		f.value(v)
	}
	switch {
	case f.stopped:
	case f.Err() != nil:
		f.yield(nil, fmt.Errorf("%s: %w", f.file.Name, f.Err()))
	case f.Inside() && !f.ended:
		f.report(f.Place().Line, "the file ends inside the array: expected another result or ]")
	}
}

// value takes in one value of the file.
func (f *finder) value(v record.Span) {
	f.ended = v.EOF
	if v.Kind != '{' {
		f.report(v.Line, expected+", found "+found(v.Kind))
		f.resume(v)
		return
	}
	if limit := f.o.Cap(); v.Longest > limit+slack {
		f.report(v.Line, fmt.Sprintf("a text of more than %d bytes; raise the limit with --max-record", limit))
		f.resume(v)
		return
	}
	e, err := f.read(v)
	// A result that has swallowed others is not cut off by the end of the file.
	cut := v.EOF && errors.Is(err, record.ErrCut) && !e.nested
	switch {
	case err == nil && e.traj.Off == 0:
		f.report(v.Line, expected+", found no traj that is an array")
	case err == nil, cut && e.messages > 0:
		f.attempts = 0
		f.emit(v, e, cut)
		return
	case cut:
		f.report(v.Line, "the file ends inside a result, before the end of its first message")
		return
	case !bad(err):
		f.stopped = true
		f.yield(nil, fmt.Errorf("%s: %w", f.file.Name, err))
		return
	default:
		f.report(f.lineAt(v, min(e.at, v.End-1)), explain(err))
	}
	f.resume(v)
}

// resume goes on after a value without an end, which may have taken the
// beginning of another result with it.
func (f *finder) resume(v record.Span) {
	if !v.Open || f.stopped {
		return
	}
	if f.attempts++; f.attempts > maxAttempts {
		why := fmt.Sprintf("more than %d bad results one after the other; the rest was not read", maxAttempts)
		f.report(f.Place().Line, why)
		f.ended = true
		f.Seek(record.Place{Off: f.file.Size, Line: f.Place().Line})
		return
	}
	f.Seek(record.Place{Off: v.Off + 1, Line: v.Line})
	f.Find()
	f.ended = f.Place().Off >= f.file.Size
}

// lineAt is the number of the line that holds the byte at a place in a value.
func (f *finder) lineAt(v record.Span, at int64) int {
	line := v.Line
	buf := make([]byte, 32<<10)
	r := io.NewSectionReader(f.r, v.Off, at-v.Off)
	for {
		n, err := r.Read(buf)
		line += bytes.Count(buf[:n], []byte("\n"))
		if err != nil {
			return line
		}
	}
}

// emit yields a session. Task and trial alone do not name it: every model's
// results hold the same tasks, and two of them would look like copies of one
// session. So the bytes are part of the id, and a copy that somebody has
// formatted anew is another session.
func (f *finder) emit(v record.Span, e *element, cut bool) {
	task := "tau-bench"
	if e.rec.Task != "" {
		task += ":" + e.rec.Task
		if e.rec.Trial != "" {
			task += "/" + e.rec.Trial
		}
	}
	id, err := f.file.ID(task, record.Range{Off: v.Off, End: v.End})
	if err != nil {
		f.yield(nil, err)
		f.stopped = true
		return
	}
	id = id[:len(id)-len("0123")] // twelve digits are enough beside task and trial
	e.traj.Line = f.lineAt(v, e.traj.Off)
	u := &formats.Unit{
		Session: &transcript.Session{ID: id, Recorded: e.rec},
		Size:    v.End - v.Off, Records: max(e.messages, 1),
	}
	p := &place{file: f.file, o: f.o, element: e, line: v.Line, cut: cut, nans: len(v.NaN)}
	u.Steps = func() iter.Seq2[*transcript.Step, error] { return p.steps(u.Session) }
	f.stopped = f.stopped || !f.yield(u, nil)
}

func (f *finder) report(line int, msg string) {
	f.stopped = f.stopped || !f.yield(nil, &formats.SyntaxError{File: f.file.Name, Line: line, Msg: msg})
}

// found names a value by its first byte.
func found(first byte) string {
	if kind := record.KindOf(first); kind != 0 {
		return kind.String()
	}
	return "text that is not JSON"
}

// bad reports whether an error is the JSON's, and not that of reading the file.
func bad(err error) bool {
	var syntax *record.SyntaxError
	return errors.Is(err, record.ErrCut) || errors.As(err, &syntax)
}

// explain says in a few words what is wrong with a result.
func explain(err error) string {
	var syntax *record.SyntaxError
	if errors.As(err, &syntax) {
		return "not valid JSON: " + syntax.Reason + "; " + expected
	}
	return err.Error() + "; " + expected
}
