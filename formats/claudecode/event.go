package claudecode

import (
	"cmp"
	"time"

	"groundhog/formats/anthropic"
	"groundhog/formats/record"
)

// An event is one record of the file, as far as it matters here.
type event struct {
	kind, subtype string
	session       string
	agent         string
	uuid, parent  string
	denial        string // why a tool was refused
	content       string // of a system record
	request       string
	sidechain     bool
	meta          bool
	summary       bool // isCompactSummary
	apiError      bool // isApiErrorMessage
	time          time.Time
	message       *anthropic.Message
	outcome       outcome
	failure       failure
	cause         record.Value
	cost          float64
	delay         time.Duration // negative if not recorded
	attempt, most int64         // retryAttempt and maxRetries
	toolUse       string        // parentToolUseID
	progress      string        // data.type
	subagent      string        // data.agentId
	inner         *event        // data.message
	line          int
	nested        bool // came inside a progress record
}

// An outcome is what toolUseResult says beside the result's text.
type outcome struct {
	took        time.Duration // negative if not recorded
	interrupted bool
}

// eventShape reads an event. The normalizedMessages of a progress record repeat
// its message and are left out, and so is a toolUseResult that is no object.
var eventShape = record.NewShape(
	record.Word("type", func(e *event) *string { return &e.kind }),
	record.Word("subtype", func(e *event) *string { return &e.subtype }),
	record.Word("sessionId", func(e *event) *string { return &e.session }),
	record.Word("agentId", func(e *event) *string { return &e.agent }),
	record.String("uuid", func(e *event) *string { return &e.uuid }),
	record.String("parentUuid", func(e *event) *string { return &e.parent }),
	record.Time("timestamp", func(e *event) *time.Time { return &e.time }),
	record.Bool("isSidechain", func(e *event) *bool { return &e.sidechain }),
	record.Bool("isMeta", func(e *event) *bool { return &e.meta }),
	record.Bool("isCompactSummary", func(e *event) *bool { return &e.summary }),
	record.Bool("isApiErrorMessage", func(e *event) *bool { return &e.apiError }),
	record.Object("message", anthropic.MessageShape, (*event).newMessage).Only('{'),
	record.Object("toolUseResult", outcomeShape, func(e *event) *outcome { return &e.outcome }),
	record.String("toolDenialKind", func(e *event) *string { return &e.denial }),
	record.Number("costUSD", func(e *event) *float64 { return &e.cost }),
	record.String("content", func(e *event) *string { return &e.content }),
	record.Object("error", failureShape, func(e *event) *failure { return &e.failure }),
	record.Raw("cause", func(e *event) *record.Value { return &e.cause }),
	record.String("requestId", func(e *event) *string { return &e.request }).Or("requestID"),
	record.Millis("retryInMs", func(e *event) *time.Duration { return &e.delay }),
	record.Count("retryAttempt", func(e *event) *int64 { return &e.attempt }),
	record.Count("maxRetries", func(e *event) *int64 { return &e.most }),
	record.String("parentToolUseID", func(e *event) *string { return &e.toolUse }),
	record.In("data",
		record.Word("type", func(e *event) *string { return &e.progress }),
		record.Word("agentId", func(e *event) *string { return &e.subagent }),
		record.Same("message", (*event).newInner),
	),
).From(event{delay: -1, outcome: outcome{took: -1}, failure: failure{retryAfter: -1}})

var outcomeShape = record.NewShape(
	record.Millis("durationMs", func(o *outcome) *time.Duration { return &o.took }).Or("totalDurationMs"),
	record.Bool("interrupted", func(o *outcome) *bool { return &o.interrupted }),
).From(outcome{took: -1})

func (e *event) newMessage() *anthropic.Message {
	e.message = &anthropic.Message{}
	return e.message
}

func (e *event) newInner() *event {
	e.inner = &event{}
	return e.inner
}

// read reads the record that r stands before.
func (e *event) read(r *record.Reader) error {
	err := eventShape.Read(r, e)
	e.agent = cmp.Or(e.subagent, e.agent)
	if e.inner != nil {
		e.inner.nested = true
	}
	return err
}

// speaks reports whether records of a kind belong to the conversation. The
// others are bookkeeping, and the session they name may be another one.
func speaks(kind string) bool {
	switch kind {
	case "user", "assistant", "system", "progress", "attachment":
		return true
	}
	return false
}
