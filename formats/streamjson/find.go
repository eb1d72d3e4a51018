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

func findAll(f *formats.File, o formats.Options) (list []*session, err error) {
	byID := make(map[string]*session)
	begin := func(id string, n int) *session {
		s := &session{file: f, limit: o.Cap(), id: id, first: n, denied: make(map[string]bool), seen: make(map[uint64]bool)}
		s.unit = &formats.Unit{Session: &transcript.Session{Agent: "claude-code"}, Steps: s.steps}
		list = append(list, s)
		byID[id] = s
		return s
	}
	var current *session
	var in record.Reader
	n := -1
	for rec, err := range stream.Records(f, o.Cap()) {
		n++
		var syntax *formats.SyntaxError
		switch {
		case errors.As(err, &syntax):
		case err != nil:
			return nil, err
		case rec.Noise:
			continue
		}
		if current == nil {
			current = begin("", n)
		}
		current.last = n
		if idle(rec.Data) {
			current.count(int64(len(rec.Data)))
			continue
		}
		for in.Reset(rec.Data); in.Next(); {
			var k skim
			from := in.Place().Off
			if skimShape.Read(&in, &k) != nil {
				break
			}
			switch id := cmp.Or(k.session, k.inner().session); {
			case id == "" || id == current.id:
			case current.id == "":
				current.id = id
				byID[id] = current
			default:
				if current = byID[id]; current == nil {
					current = begin(id, n)
				}
				current.last = n
			}
			current.count(in.End().Off - from)
			current.see(&k)
		}
		if in.Err() != nil || rec.Data == nil { // it is reported when it is decoded
			current.count(max(int64(len(rec.Data)), rec.Long))
		}
	}
	if len(list) == 0 {
		return nil, &formats.SyntaxError{File: f.Name, Msg: "no records; expected one JSON object a line"}
	}
	if len(list) == 1 {
		list[0].unit.Size = f.Size
	}
	for _, s := range list {
		s.seen = nil
		if s.unit.Session.ID = s.id; s.id != "" {
			continue
		}
		if s.unit.Session.ID, err = f.ID(name, f.All()); err != nil {
			return nil, err
		}
	}
	return list, nil
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
