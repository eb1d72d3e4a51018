package claudecode

import (
	"cmp"
	"iter"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A session is one session of a file, while it is being found and after.
type session struct {
	src     *source
	id      string // sessionId in the records; "" if they have none
	self    string // the sub-agent whose own file this is; "" for a main session
	part    record.Range
	unit    *formats.Unit
	seen    map[uint64]bool // messages in unit.Messages; dropped after finding
	talked  bool            // has user or assistant records
	mainly  bool            // some records are not a sub-agent's
	private string          // the first sub-agent met
}

// find makes one pass over the file. Records without a sessionId, and
// bookkeeping with any, belong to the session around them.
func find(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		sessions, err := findAll(f, o)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range sessions {
			if !yield(s.unit, nil) {
				return
			}
		}
	}
}

// A finder sorts records into sessions.
type finder struct {
	src     *source
	list    []*session
	byID    map[string]*session
	current *session
	stray   string // a session id that only bookkeeping names
}

func (f *finder) begin(id string, line record.Line) {
	f.current = newSession(f.src, id, line)
	f.list = append(f.list, f.current)
}

// enter goes to the session of a record.
func (f *finder) enter(k *skim, line record.Line) {
	switch {
	case !speaks(k.kind):
		f.stray = cmp.Or(f.stray, k.session)
	case k.session == "" || k.session == f.current.id:
	case f.current.id == "":
		f.current.id = k.session
		f.byID[k.session] = f.current
	case f.byID[k.session] == nil:
		f.begin(k.session, line)
		f.byID[k.session] = f.current
	default:
		f.current = f.byID[k.session]
	}
}

func findAll(file *formats.File, o formats.Options) ([]*session, error) {
	src, err := open(file, o)
	if err != nil {
		return nil, err
	}
	f := &finder{src: src, byID: make(map[string]*session)}
	var r record.Reader
	for line, err := range src.records(file.All()) {
		if err != nil {
			return nil, err
		}
		if f.current == nil {
			f.begin("", line)
		}
		for r.Reset(line.Data); r.Next(); {
			var k skim
			if skimShape.Read(&r, &k) != nil {
				break
			}
			f.enter(&k, line)
			f.current.part.End = line.End
			f.current.unit.Records++
			f.current.see(&k)
		}
		if r.Err() != nil || line.Long {
			f.current.unit.Records++ // it is reported when it is decoded
		}
		f.current.part.End = line.End
		f.current.unit.Size += line.End - line.Off
	}
	if len(f.list) == 0 {
		return nil, &formats.SyntaxError{File: file.Name, Msg: "no records"}
	}
	if f.list[0].id == "" {
		f.list[0].id = f.stray
	}
	for _, s := range f.list {
		if err := s.settle(); err != nil {
			return nil, err
		}
	}
	return f.list, nil
}

func newSession(src *source, id string, first record.Line) *session {
	s := &session{src: src, id: id, seen: make(map[uint64]bool),
		part: record.Range{Off: first.Off, Line: first.Num}}
	s.unit = &formats.Unit{Session: &transcript.Session{Agent: name}, Steps: s.steps}
	return s
}

// see takes note of one record.
func (s *session) see(k *skim) {
	header := s.unit.Session
	if header.Started.IsZero() {
		header.Started = k.time
	}
	if header.AgentVersion == "" {
		header.AgentVersion = k.version
	}
	if header.Model == "" && k.model != synthetic {
		header.Model = k.model
	}
	said := k.kind == "user" || k.kind == "assistant"
	if speaks(k.kind) && (!k.sidechain || said && k.agent == "") {
		s.mainly = true
	}
	if said {
		s.talked = true
		if s.private == "" {
			s.private = k.agent
		}
	}
	s.mention(k.kind == "assistant", k.id)
	s.mention(k.innerKind == "assistant", k.inner)
}

func (s *session) mention(said bool, id string) {
	key := formats.MessageKey(id)
	if !said || id == "" || s.seen[key] {
		return
	}
	s.seen[key] = true
	s.unit.Messages = append(s.unit.Messages, key)
}

// settle names the session once all of it has been seen. The file of a
// sub-agent carries its parent's sessionId and is no copy of the parent.
func (s *session) settle() (err error) {
	header := s.unit.Session
	s.seen = nil
	header.ID = s.id
	if s.id == "" {
		if header.ID, err = s.src.file.ID(name, s.src.file.All()); err != nil {
			return err
		}
	}
	if s.talked && !s.mainly {
		s.self = s.private
		header.Parent = header.ID
		header.ID += "/" + s.self
	}
	return nil
}

// A skim is what finding needs to know of a record.
type skim struct {
	kind, session, agent string
	version              string
	sidechain            bool
	time                 time.Time
	id, model            string // of the message
	inner, innerKind     string // message and type of the record inside a progress record
}

var skimShape = record.NewShape(
	record.Word("type", func(k *skim) *string { return &k.kind }),
	record.Word("sessionId", func(k *skim) *string { return &k.session }),
	record.Word("agentId", func(k *skim) *string { return &k.agent }),
	record.Word("version", func(k *skim) *string { return &k.version }),
	record.Bool("isSidechain", func(k *skim) *bool { return &k.sidechain }),
	record.Time("timestamp", func(k *skim) *time.Time { return &k.time }),
	record.In("message",
		record.String("id", func(k *skim) *string { return &k.id }),
		record.Word("model", func(k *skim) *string { return &k.model })),
	record.In("data", record.In("message",
		record.Word("type", func(k *skim) *string { return &k.innerKind }),
		record.In("message", record.String("id", func(k *skim) *string { return &k.inner })))),
)
