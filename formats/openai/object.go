package openai

import (
	"groundhog/formats"
	"groundhog/formats/record"
)

// An object is what finding learns about one JSON object: a session, a message
// or something else.
type object struct {
	header
	record.Place
	messages bool         // it has messages
	request  bool         // it is a LiteLLM request log
	n        int          // messages
	keys     []uint64     // of the messages with an id of the provider
	role     string       // if it is a message
	own      string       // id, if it is a message
	beside   record.Value // metadata
}

var objectShape = record.NewShape(append(headerFields(),
	record.Visit("messages", (*object).countMessages).Only('['),
	record.In("response",
		record.Func("model", func(o *object, v record.Value) { o.set("model", v) }).Only('"'),
		record.Visit("choices", func(o *object, _ *record.Reader) error { o.request = true; return nil }).Only('['),
	),
	record.Raw("metadata", func(o *object) *record.Value { return &o.beside }).Only('{'),
	record.String("role", func(o *object) *string { return &o.role }),
	record.String("id", func(o *object) *string { return &o.own }),
)...)

// readObject reads the object that r stands before, without holding it. What it
// has seen before an error is kept.
func readObject(r *record.Reader) (o object, err error) {
	at := r.Place()
	err = objectShape.Read(r, &o)
	o.Place = at
	o.metadata(o.beside)
	o.beside = nil
	return o, err
}

// countMessages reads what finding needs of an array of messages.
func (o *object) countMessages(r *record.Reader) error {
	o.messages = true
	for range r.Elements() {
		var m object
		if err := identityShape.Read(r, &m); err != nil {
			return err
		}
		o.add(&m)
	}
	return r.Err()
}

var identityShape = record.NewShape(
	record.String("role", func(o *object) *string { return &o.role }),
	record.String("id", func(o *object) *string { return &o.own }),
)

// add counts a message.
func (o *object) add(m *object) {
	o.n++
	if m.role == "assistant" && ofProvider(m.own) {
		o.keys = append(o.keys, formats.MessageKey(m.own))
	}
}
