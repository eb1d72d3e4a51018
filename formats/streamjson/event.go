package streamjson

import (
	"cmp"
	"time"

	"groundhog/formats/anthropic"
	"groundhog/formats/record"
	"groundhog/formats/stream"
)

// An event is one record of the output.
type event struct {
	about
	kind       string
	uuid       string
	lane       string // parent_tool_use_id
	time       time.Time
	message    *message
	streamed   stream.Event // of a stream_event
	synthetic  bool         // isSynthetic
	meta       bool         // isMeta
	isAPIError bool         // isApiErrorMessage
	outcome    outcome
	line       int
}

// A message is that of a record, or the record inside a wrapper.
type message struct {
	about
	anthropic.Message
}

// An about is what a record says of the session or of a request. A wrapper puts
// it into the message.
type about struct {
	subtype           string
	session           string
	model, version    string
	failed            bool // is_error
	denied            []denial
	attempt, most     int64 // of a request that is made again
	status            int64
	delay             time.Duration // negative if not recorded
	errorText         string
	errorKind         string
	errorMessage      string
	innerErrorMessage string
	request           string
}

// An outcome is what tool_use_result says beside the result's text.
type outcome struct {
	interrupted bool
	took        time.Duration // negative if not recorded
}

type denial struct{ call string }

var noOutcome = outcome{took: -1}

var aboutShape = record.NewShape(
	record.Word("subtype", func(a *about) *string { return &a.subtype }),
	record.Word("session_id", func(a *about) *string { return &a.session }),
	record.Word("model", func(a *about) *string { return &a.model }),
	record.Word("claude_code_version", func(a *about) *string { return &a.version }),
	record.Bool("is_error", func(a *about) *bool { return &a.failed }),
	record.Each("permission_denials", denialShape, func(a *about) *[]denial { return &a.denied }),
	record.Count("attempt", func(a *about) *int64 { return &a.attempt }),
	record.Count("max_retries", func(a *about) *int64 { return &a.most }),
	record.Count("error_status", func(a *about) *int64 { return &a.status }),
	record.Millis("retry_delay_ms", func(a *about) *time.Duration { return &a.delay }),
	record.String("error", func(a *about) *string { return &a.errorText }),
	record.In("error",
		record.String("type", func(a *about) *string { return &a.errorKind }),
		record.String("message", func(a *about) *string { return &a.innerErrorMessage })),
	record.String("error_message", func(a *about) *string { return &a.errorMessage }),
	record.String("request_id", func(a *about) *string { return &a.request }),
)

var denialShape = record.NewShape(record.String("tool_use_id", func(d *denial) *string { return &d.call }))

var messageShape = record.NewShape(
	record.Embed(aboutShape, func(m *message) *about { return &m.about }),
	record.Embed(anthropic.MessageShape, func(m *message) *anthropic.Message { return &m.Message }),
).From(message{about: about{delay: -1}})

var outcomeShape = record.NewShape(
	record.Bool("interrupted", func(o *outcome) *bool { return &o.interrupted }),
	record.Millis("durationMs", func(o *outcome) *time.Duration { return &o.took }).Or("totalDurationMs"),
).From(noOutcome)

var eventShape = record.NewShape(
	record.Embed(aboutShape, func(e *event) *about { return &e.about }),
	record.Word("type", func(e *event) *string { return &e.kind }),
	record.String("uuid", func(e *event) *string { return &e.uuid }),
	record.String("parent_tool_use_id", func(e *event) *string { return &e.lane }),
	record.Time("timestamp", func(e *event) *time.Time { return &e.time }),
	record.Object("message", messageShape, func(e *event) *message {
		e.message = &message{}
		return e.message
	}).Only('{'),
	record.Object("event", stream.EventShape, func(e *event) *stream.Event { return &e.streamed }),
	record.Bool("isSynthetic", func(e *event) *bool { return &e.synthetic }),
	record.Bool("isMeta", func(e *event) *bool { return &e.meta }),
	record.Bool("isApiErrorMessage", func(e *event) *bool { return &e.isAPIError }),
	record.Object("tool_use_result", outcomeShape, func(e *event) *outcome { return &e.outcome }),
).From(event{about: about{delay: -1}, outcome: noOutcome})

// inner is where a record says what it is.
func (e *event) inner() *about {
	if m := e.message; e.subtype == "" && m != nil && m.subtype != "" {
		return &m.about
	}
	return &e.about
}

func (e *event) sessionID() string { return cmp.Or(e.session, e.inner().session) }

// content is the message of the record, or an empty one.
func (e *event) content() *anthropic.Message {
	if e.message == nil {
		return &anthropic.Message{}
	}
	return &e.message.Message
}

// A skim is what finding needs of a record.
type skim struct {
	about
	kind    string
	time    time.Time
	message *skimMessage
	event   string // type of the event in a stream_event
	began   string // id of the message that the event begins
}

type skimMessage struct {
	about
	id string
}

var skimMessageShape = record.NewShape(
	record.Embed(aboutShape, func(m *skimMessage) *about { return &m.about }),
	record.String("id", func(m *skimMessage) *string { return &m.id }),
)

var skimShape = record.NewShape(
	record.Embed(aboutShape, func(k *skim) *about { return &k.about }),
	record.Word("type", func(k *skim) *string { return &k.kind }),
	record.Time("timestamp", func(k *skim) *time.Time { return &k.time }),
	record.Object("message", skimMessageShape, func(k *skim) *skimMessage {
		k.message = &skimMessage{}
		return k.message
	}),
	record.In("event",
		record.Word("type", func(k *skim) *string { return &k.event }),
		record.In("message", record.String("id", func(k *skim) *string { return &k.began }))),
)

// inner is where a record says what it is: a wrapper puts it into message.
func (k *skim) inner() *about {
	if m := k.message; k.subtype == "" && m != nil && m.subtype != "" {
		return &m.about
	}
	return &k.about
}
