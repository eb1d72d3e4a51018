package claudecode

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// A record is one entry of the file, as far as it matters here.
type record struct {
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
	message       *message
	outcome       outcome
	failure       failure
	cost          float64
	delay         time.Duration // negative if not recorded
	attempt, most int64         // retryAttempt and maxRetries
	progress      string        // data.type
	toolUse       string        // parentToolUseID
	inner         *record       // data.message
	line          int
	nested        bool // came inside a progress record
}

// A message is what a record of the conversation carries.
type message struct {
	id, model string
	stop      string
	usage     transcript.Usage
	blocks    []block
}

// An outcome is what toolUseResult says beside the result's text.
type outcome struct {
	took        time.Duration // negative if not recorded
	interrupted bool
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

func readRecord(dec *jsontext.Decoder, nested bool) (*record, error) {
	rec := &record{nested: nested, delay: -1, outcome: outcome{took: -1}, failure: failure{retryAfter: -1}}
	err := object(dec, func(name []byte) error {
		switch string(name) {
		case "type":
			return str(dec, &rec.kind)
		case "subtype":
			return str(dec, &rec.subtype)
		case "sessionId":
			return str(dec, &rec.session)
		case "agentId":
			return str(dec, &rec.agent)
		case "uuid":
			return str(dec, &rec.uuid)
		case "parentUuid":
			return str(dec, &rec.parent)
		case "timestamp":
			return timestamp(dec, &rec.time)
		case "isSidechain":
			return boolean(dec, &rec.sidechain)
		case "isMeta":
			return boolean(dec, &rec.meta)
		case "isCompactSummary":
			return boolean(dec, &rec.summary)
		case "isApiErrorMessage":
			return boolean(dec, &rec.apiError)
		case "message":
			return rec.readMessage(dec)
		case "toolUseResult":
			return rec.outcome.read(dec)
		case "toolDenialKind":
			return str(dec, &rec.denial)
		case "costUSD":
			return number(dec, &rec.cost)
		case "content":
			return str(dec, &rec.content)
		case "error":
			return rec.failure.read(dec, 0)
		case "cause":
			return rec.failure.readCause(dec)
		case "requestId", "requestID":
			return str(dec, &rec.request)
		case "retryInMs":
			return millis(dec, &rec.delay)
		case "retryAttempt":
			return count(dec, &rec.attempt)
		case "maxRetries":
			return count(dec, &rec.most)
		case "parentToolUseID":
			return str(dec, &rec.toolUse)
		case "data":
			if !nested {
				return rec.readProgress(dec)
			}
		}
		return dec.SkipValue()
	})
	return rec, err
}

// readProgress reads what a progress record reports. Its normalizedMessages
// repeat data.message and are left out.
func (rec *record) readProgress(dec *jsontext.Decoder) error {
	return object(dec, func(name []byte) (err error) {
		switch string(name) {
		case "type":
			return str(dec, &rec.progress)
		case "agentId":
			return str(dec, &rec.agent)
		case "message":
			if dec.PeekKind() == '{' {
				rec.inner, err = readRecord(dec, true)
				return err
			}
		}
		return dec.SkipValue()
	})
}

func (rec *record) readMessage(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	m := &message{}
	rec.message = m
	return object(dec, func(name []byte) (err error) {
		switch string(name) {
		case "id":
			return str(dec, &m.id)
		case "model":
			return str(dec, &m.model)
		case "stop_reason":
			return str(dec, &m.stop)
		case "usage":
			return readUsage(dec, &m.usage)
		case "content":
			m.blocks, err = readContent(dec)
			return err
		}
		return dec.SkipValue()
	})
}

// readUsage reads the token counts. input_tokens excludes the cache already.
func readUsage(dec *jsontext.Decoder, u *transcript.Usage) error {
	return object(dec, func(name []byte) error {
		var to *int64
		switch string(name) {
		case "input_tokens":
			to = &u.Input
		case "output_tokens":
			to = &u.Output
		case "cache_read_input_tokens":
			to = &u.CacheRead
		case "cache_creation_input_tokens":
			to = &u.CacheWrite
		case "output_tokens_details":
			return object(dec, func(name []byte) error {
				if string(name) == "thinking_tokens" {
					return count(dec, &u.Reasoning)
				}
				return dec.SkipValue()
			})
		default:
			return dec.SkipValue()
		}
		u.Known = u.Known || dec.PeekKind() == '0'
		return count(dec, to)
	})
}

// read reads a toolUseResult, which may also be a string or an array.
func (o *outcome) read(dec *jsontext.Decoder) error {
	return object(dec, func(name []byte) error {
		switch string(name) {
		case "durationMs", "totalDurationMs":
			return millis(dec, &o.took)
		case "interrupted":
			return boolean(dec, &o.interrupted)
		}
		return dec.SkipValue()
	})
}

// finish maps stop_reason to the canonical word.
func finish(raw string) transcript.Finish {
	switch raw {
	case "end_turn", "stop_sequence":
		return transcript.FinishStop
	case "tool_use":
		return transcript.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return transcript.FinishLength
	case "refusal":
		return transcript.FinishRefusal
	case "pause_turn":
		return transcript.FinishPause
	}
	return transcript.FinishUnknown
}
