package taubench

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
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
		f.scanner = scanner{r: r, size: file.Size, line: 1, buf: make([]byte, 0, 64<<10)}
		if bytes.Equal(f.ahead(3), []byte("\xef\xbb\xbf")) {
			f.seek(3, 1)
		}
		f.run()
	}
}

// A finder looks for the results of one file.
type finder struct {
	scanner
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
		v, ok := f.next()
		if !ok {
			break
		}
		f.value(v)
	}
	switch {
	case f.stopped:
	case f.err != nil:
		f.yield(nil, fmt.Errorf("%s: %w", f.file.Name, f.err))
	case f.inside && !f.ended:
		f.report(f.line, "the file ends inside the array: expected another result or ]")
	}
}

// value takes in one value of the file.
func (f *finder) value(v span) {
	if f.err != nil {
		return // run reports it
	}
	f.ended = v.eof
	if v.kind != '{' {
		f.report(v.line, expected+", found "+found(v.kind))
		f.resume(v)
		return
	}
	if limit := f.o.Cap(); v.longest > limit+slack {
		f.report(v.line, fmt.Sprintf("a text of more than %d bytes; raise the limit with --max-record", limit))
		f.resume(v)
		return
	}
	e, err := f.read(v)
	// A result that has swallowed others is not cut off by the end of the file.
	cut := v.eof && errors.Is(err, io.ErrUnexpectedEOF) && !e.nested
	switch {
	case err == nil && e.traj.Off == 0:
		f.report(v.line, expected+", found no traj that is an array")
	case err == nil, cut && e.messages > 0:
		f.attempts = 0
		f.emit(v, e, cut)
		return
	case cut:
		f.report(v.line, "the file ends inside a result, before the end of its first message")
		return
	case !bad(err):
		f.stopped = true
		f.yield(nil, fmt.Errorf("%s: %w", f.file.Name, err))
		return
	default:
		f.report(f.lineAt(v, min(e.at, v.end-1)), explain(err))
	}
	f.resume(v)
}

// resume goes on after a value without an end, which may have taken the
// beginning of another result with it.
func (f *finder) resume(v span) {
	if !v.open || f.stopped {
		return
	}
	if f.attempts++; f.attempts > maxAttempts {
		f.report(f.line, fmt.Sprintf("more than %d bad results one after the other; the rest was not read", maxAttempts))
		f.ended = true
		f.seek(f.size, f.line)
		return
	}
	f.seek(v.off+1, v.line)
	f.result()
	f.ended = f.pos() >= f.size
}

// lineAt is the number of the line that holds the byte at a place in a value.
func (f *finder) lineAt(v span, at int64) int {
	line := v.line
	buf := make([]byte, 32<<10)
	r := io.NewSectionReader(f.r, v.off, at-v.off)
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
func (f *finder) emit(v span, e *element, cut bool) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f.r, v.off, v.end-v.off)); err != nil {
		f.yield(nil, err)
		f.stopped = true
		return
	}
	id := "tau-bench:"
	if e.rec.Task != "" {
		id += e.rec.Task
		if e.rec.Trial != "" {
			id += "/" + e.rec.Trial
		}
		id += ":"
	}
	id += hex.EncodeToString(sum.Sum(nil))[:12]
	e.traj.Line = f.lineAt(v, e.traj.Off)
	u := &formats.Unit{
		Session: &transcript.Session{ID: id, Recorded: e.rec},
		Size:    v.end - v.off, Records: max(e.messages, 1),
	}
	p := &place{file: f.file, o: f.o, element: e, line: v.line, cut: cut, nans: len(v.nans)}
	u.Steps = func() iter.Seq2[*transcript.Step, error] { return p.steps(u.Session) }
	f.stopped = f.stopped || !f.yield(u, nil)
}

func (f *finder) report(line int, msg string) {
	f.stopped = f.stopped || !f.yield(nil, &formats.SyntaxError{File: f.file.Name, Line: line, Msg: msg})
}

// found names a value by its first byte.
func found(first byte) string {
	kind := jsontext.Value([]byte{first}).Kind()
	if strings.IndexByte(`{["0tfn`, byte(kind)) < 0 || kind == 0 {
		return "text that is not JSON"
	}
	return kind.String()
}

// bad reports whether an error is the JSON's, and not that of reading the file.
func bad(err error) bool {
	var syntax *jsontext.SyntacticError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax)
}

// explain says in a few words what is wrong with a result.
func explain(err error) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON value is cut off; " + expected
	case errors.As(err, &syntax):
		return "not valid JSON: " + strings.TrimPrefix(syntax.Err.Error(), "jsontext: ") + "; " + expected
	}
	return err.Error()
}
