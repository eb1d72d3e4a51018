package openai

import "groundhog/formats"

// An object is what finding learns about one JSON object: a session, a message
// or something else.
type object struct {
	header
	off      int64 // of its first byte in the file
	line     int
	messages bool     // it has messages
	request  bool     // it is a LiteLLM request log
	n        int      // messages
	keys     []uint64 // of the messages with an id of the provider
	role     string   // if it is a message
}

// add counts a message.
func (o *object) add(m *object) {
	o.n++
	if m.role == "assistant" && ofProvider(m.id) {
		o.keys = append(o.keys, formats.MessageKey(m.id))
	}
}

// object reads an object without holding it. What it has seen before an error
// is kept.
func (f *finder) object(s *stream) (o object, err error) {
	if _, err := s.ReadToken(); err != nil {
		return o, err
	}
	o.off, o.line = s.offset()-1, s.line()
	var beside []byte
	defer func() { o.header.metadata(beside) }()
	for s.PeekKind() == '"' {
		name, err := s.ReadToken()
		if err != nil {
			return o, err
		}
		key := name.String()
		switch kind := s.PeekKind(); {
		case key == "messages" && kind == '[':
			err = f.messages(s, &o)
		case key == "response" && kind == '{':
			err = f.response(s, &o)
		case key == "metadata" && kind == '{':
			v, e := s.record()
			beside, err = append([]byte(nil), v...), e
		case key == "role" && kind == '"':
			v, e := s.record()
			o.role, err = str(v), e
		case wanted(key) && kind != '{' && kind != '[':
			v, e := s.record()
			if err = e; err == nil {
				o.set(key, v)
			}
		default:
			err = s.SkipValue()
		}
		if err != nil {
			return o, err
		}
	}
	_, err = s.ReadToken()
	return o, err
}

func (f *finder) messages(s *stream, o *object) error {
	o.messages = true
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() != ']' {
		var m object
		var err error
		if s.PeekKind() == '{' {
			m, err = f.object(s)
		} else {
			err = s.SkipValue()
		}
		if err != nil {
			return err
		}
		o.add(&m)
	}
	_, err := s.ReadToken()
	return err
}

// response looks into a field of that name without holding it.
func (f *finder) response(s *stream, o *object) error {
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() == '"' {
		name, err := s.ReadToken()
		if err != nil {
			return err
		}
		key, kind := name.String(), s.PeekKind()
		if key == "model" && kind == '"' {
			v, err := s.record()
			if err != nil {
				return err
			}
			o.set(key, v)
			continue
		}
		o.request = o.request || key == "choices" && kind == '['
		if err := s.SkipValue(); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}
