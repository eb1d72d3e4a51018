package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// findCassette yields the session of a cassette. It decodes it once to know
// what is in it; a cassette is small enough to be held whole, or refused.
func findCassette(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		t := &tape{session: &transcript.Session{}}
		if err := t.load(f, o.Cap()); err != nil {
			yield(nil, err)
			return
		}
		id, err := f.ID("http-cassette", f.All())
		if err != nil {
			yield(nil, err)
			return
		}
		header := &transcript.Session{ID: id, Model: t.session.Model, Started: t.session.Started}
		u := &formats.Unit{Session: header, Size: f.Size, Records: t.exchanges}
		seen := make(map[string]bool)
		for _, s := range t.steps {
			if id := s.ID; telling(id) && !seen[id] && !s.Has(transcript.Context) {
				seen[id] = true
				u.Messages = append(u.Messages, formats.MessageKey(id))
			}
		}
		u.Steps = func() iter.Seq2[*transcript.Step, error] {
			return func(yield func(*transcript.Step, error) bool) {
				header.Notes, header.End = nil, transcript.EndUnknown
				t := &tape{session: header}
				if err := t.load(f, o.Cap()); err != nil {
					yield(nil, err)
					return
				}
				for _, s := range t.steps {
					if !yield(s, nil) {
						return
					}
				}
			}
		}
		yield(u, nil)
	}
}

// load reads the whole cassette and plays it.
func (t *tape) load(f *formats.File, limit int64) error {
	fault := func(line int, format string, args ...any) error {
		return &formats.SyntaxError{File: f.Name, Line: line, Msg: fmt.Sprintf(format, args...)}
	}
	if f.Size > limit {
		return fault(0, "a cassette of %d bytes is over the limit of %d; raise it with --max-record", f.Size, limit)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.NewSectionReader(r, 0, f.Size))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	list, err := t.exchangesOf(record.Clean(data), newShelf(limit))
	switch {
	case err != nil:
		return fault(0, "%v", err)
	case len(list) == 0:
		return fault(0, "%v", errNoExchanges)
	}
	t.exchanges = len(list)
	t.limit = limit
	for _, x := range list {
		t.play(x)
	}
	t.finish()
	if len(t.steps) == 0 {
		return &formats.UnknownError{
			Why: f.Name + ": recorded HTTP exchanges, but none with a model's API that is known",
		}
	}
	return nil
}

// exchangesOf reads a cassette of JSON or YAML.
func (t *tape) exchangesOf(data []byte, sh *shelf) (list []*exchange, err error) {
	body := bytes.TrimLeft(data, " \t\r\n")
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		doc, err := fromYAML(data)
		if err != nil {
			return nil, err
		}
		return sh.exchanges(doc), nil
	}
	line := 1 + bytes.Count(data[:len(data)-len(body)], []byte("\n"))
	var in record.Reader
	for in.Reset(body); in.Next(); {
		if v, err := in.Value(); err == nil {
			list = append(list, sh.exchanges(fromJSON(v, line, 0))...)
		}
	}
	err = in.Err()
	if errors.Is(err, record.ErrCut) && len(list) > 0 {
		t.session.Note(0, formats.NoteCutLine)
		t.session.End, err = transcript.EndTruncated, nil
	}
	return list, err
}
