package streamjson

import (
	"bytes"
	"cmp"
	"errors"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// A session is one session of a file. Records without a session id belong to
// the session around them.
type session struct {
	file        *formats.File
	limit       int64
	id          string
	unit        *formats.Unit
	first, last int             // its records lie between these, counted from 0
	denied      map[string]bool // ids of the calls that the last record lists as refused
	seen        map[uint64]bool // messages in unit.Messages; dropped after finding
}

func find(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		list, err := findAll(f, o)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range list {
			if !yield(s.unit, nil) {
				return
			}
		}
	}
}

// A finder sorts records into sessions.
type finder struct {
	file    *formats.File
	limit   int64
	list    []*session
	byID    map[string]*session
	current *session
}

func (f *finder) begin(id string, n int) {
	s := &session{
		file: f.file, limit: f.limit, id: id, first: n,
		denied: make(map[string]bool), seen: make(map[uint64]bool),
	}
	s.unit = &formats.Unit{Session: &transcript.Session{Agent: "claude-code"}, Steps: s.steps}
	f.list = append(f.list, s)
	f.byID[id] = s
	f.current = s
}

// enter goes to the session of a record. One without an id goes on with the last.
func (f *finder) enter(id string, n int) {
	switch {
	case id == "" || id == f.current.id:
	case f.current.id == "":
		f.current.id = id
		f.byID[id] = f.current
	case f.byID[id] == nil:
		f.begin(id, n)
	default:
		f.current = f.byID[id]
	}
	f.current.last = n
}

func findAll(file *formats.File, o formats.Options) ([]*session, error) {
	f := &finder{file: file, limit: o.Cap(), byID: make(map[string]*session)}
	var in record.Reader
	n := -1
	for rec, err := range stream.Records(file, o.Cap()) {
		n++
		var syntax *formats.SyntaxError
		switch {
		case errors.As(err, &syntax):
		case err != nil:
			return nil, err
		case rec.Noise:
			continue
		}
		if f.current == nil {
			f.begin("", n)
		}
		f.current.last = n
		if idle(rec.Data) {
			f.current.count(int64(len(rec.Data)))
			continue
		}
		for in.Reset(rec.Data); in.Next(); {
			var k skim
			from := in.Place().Off
			if skimShape.Read(&in, &k) != nil {
				break
			}
			f.enter(cmp.Or(k.session, k.inner().session), n)
			f.current.count(in.End().Off - from)
			f.current.see(&k)
		}
		if in.Err() != nil || rec.Data == nil { // it is reported when it is decoded
			f.current.count(max(int64(len(rec.Data)), rec.Long))
		}
	}
	return f.list, f.name()
}

// name gives the sessions their ids.
func (f *finder) name() (err error) {
	if len(f.list) == 0 {
		return &formats.SyntaxError{File: f.file.Name, Msg: "no records; expected one JSON object a line"}
	}
	if len(f.list) == 1 {
		f.list[0].unit.Size = f.file.Size
	}
	for _, s := range f.list {
		s.seen = nil
		if s.unit.Session.ID = s.id; s.id != "" {
			continue
		}
		if s.unit.Session.ID, err = f.file.ID(name, f.file.All()); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) count(size int64) {
	s.unit.Records++
	s.unit.Size += size + 1 // and its line end
}

// idleRecords are the records that a display needs and nobody else. One
// recording held 250,000 of them, so they are told by their first bytes.
var idleRecords = [][]byte{
	[]byte(`{"type":"system","subtype":"thinking_tokens"`),
	[]byte(`{"type":"system","subtype":"task_`),
	[]byte(`{"type":"tool_progress"`),
}

func idle(data []byte) bool {
	for _, p := range idleRecords {
		if bytes.HasPrefix(data, p) {
			return true
		}
	}
	return false
}

// see takes note of one record.
func (s *session) see(k *skim) {
	h := s.unit.Session
	if h.Started.IsZero() {
		h.Started = k.time
	}
	m := k.message
	if m == nil {
		m = &skimMessage{}
	}
	switch about := k.inner(); k.kind {
	case "system":
		if about.subtype == "init" {
			h.Model = cmp.Or(h.Model, about.model)
			h.AgentVersion = cmp.Or(h.AgentVersion, about.version)
		}
	case "assistant":
		if h.Model == "" && m.model != synthetic {
			h.Model = m.model
		}
		s.mention(m.id)
	case "stream_event":
		if k.event == "message_start" {
			s.mention(k.began)
		}
	case "result":
		h.Recorded.ExitStatus = about.subtype
		for _, d := range about.denied {
			if d.call != "" {
				s.denied[d.call] = true
			}
		}
	}
}

func (s *session) mention(id string) {
	key := formats.MessageKey(id)
	if id == "" || s.seen[key] {
		return
	}
	s.seen[key] = true
	s.unit.Messages = append(s.unit.Messages, key)
}
