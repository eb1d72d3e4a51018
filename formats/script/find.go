package script

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"iter"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// noName is what the id of a session that gives itself none begins with; the
// digest of its lines follows.
const noName = "session:"

// A section is a session while it is being found.
type section struct {
	unit formats.Unit
	part record.Range
	body bool // the head is over
	sum  hash.Hash
}

// find yields one unit for each session statement. What is wrong with a line is
// said when the steps are read, so that it is said once and counted there.
func find(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		var found *section
		for line, err := range f.Lines(o.Cap()) {
			if err != nil {
				yield(nil, err)
				return
			}
			st, ok := open(source(line), line.Num)
			if !ok && !line.Long {
				continue
			}
			begins := ok && st.word == "session" && !st.indented
			if begins && found != nil && !yield(found.finish(f, o), nil) {
				return
			}
			if begins || found == nil {
				found = &section{part: record.Range{Off: line.Off, Line: line.Num}}
				found.unit.Session = &transcript.Session{}
				found.sum = sha256.New()
			}
			found.part.End = line.End
			found.unit.Records++
			found.sum.Write(append(line.Data, '\n'))
			if ok {
				found.add(st)
			}
		}
		if found != nil {
			yield(found.finish(f, o), nil)
		}
	}
}

func (found *section) add(st *statement) {
	switch {
	case !found.body && !st.indented && isHead(st.word):
		_ = head(found.unit.Session, st)
		return
	case st.indented && st.word == "id":
		if id, err := st.name("a message id"); err == nil {
			found.unit.Messages = append(found.unit.Messages, formats.MessageKey(id))
		}
	}
	found.body = true
}

func (found *section) finish(f *formats.File, o formats.Options) *formats.Unit {
	u := &found.unit
	if u.Session.ID == "" {
		u.Session.ID = noName + hex.EncodeToString(found.sum.Sum(nil)[:8])
	}
	u.Size = found.part.End - found.part.Off
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return steps(f, o, u.Session, found.part)
	}
	return u
}

func isHead(word string) bool {
	switch word {
	case "session", "label", "agent", "model", "time":
		return true
	}
	return false
}

// head reads a statement of a session's head.
func head(s *transcript.Session, st *statement) (err error) {
	again := func(is bool) error {
		if is {
			return fmt.Errorf("the session has its %s already", st.word)
		}
		return nil
	}
	switch st.word {
	case "session":
		s.ID, err = st.name("an id after session")
	case "label":
		// YAML has comments of its own: the whole rest of the line is handed on.
		if err = again(s.Label != nil); err == nil && len(st.rest) == 0 {
			err = errors.New("expected a label on the same line")
		}
		if err == nil {
			s.Label = bytes.Clone(st.rest)
		}
		return err
	case "agent":
		if err = again(s.Agent != ""); err != nil {
			return err
		}
		s.Agent, err = st.name("the name of an agent")
		if err == nil && st.more() {
			s.AgentVersion, err = st.name("a version")
		}
	case "model":
		if err = again(s.Model != ""); err != nil {
			return err
		}
		s.Model, err = st.name("the name of a model")
	case "time":
		if err = again(!s.Started.IsZero()); err != nil {
			return err
		}
		const what = "a time such as 2026-05-01T08:00:00Z"
		if !st.more() {
			return errors.New("expected " + what)
		}
		word := st.take()
		t, bad := time.Parse(time.RFC3339, word)
		if bad != nil {
			return fmt.Errorf("expected %s, found %s", what, excerpt([]byte(word)))
		}
		s.Started = t.UTC()
	}
	return cmp.Or(err, st.end())
}
