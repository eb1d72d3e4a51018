// Package streamjson reads what Claude Code prints with --output-format
// stream-json, and its SDKs with it.
//
// The records are those of a session file with other names around them: one
// response is spread over as many records as it has blocks, results are blocks
// of user records, and sub-agents write between the records of the main agent,
// told by the call that started them. What is new are the events of the wire
// (with partial messages), which give a message's deltas before its records
// come, a record for each request that is tried again, and a last record with
// what was refused.
package streamjson

import (
	"groundhog/formats"
	"groundhog/formats/record"
)

const name = "claude-stream-json"

// Format is the output of claude -p --output-format stream-json.
var Format = &formats.Format{
	Name: name,
	Doc: "Claude Code output of --output-format stream-json\n\n" +
		"As saved by a CI job: what a shell has printed before is skipped. With\n" +
		"--include-partial-messages the deltas are read, too. The JSON array of\n" +
		"--output-format json --verbose is read as well.",
	Sniff: sniff,
	Find:  find,
}

// The notes of this package.
const (
	noteNoise   = "lines that are no records were skipped"
	noteDiffers = "texts that differ from their deltas"
)

// sniff looks for one record that only this format has: the records of the
// command's output have session_id, those of the session file sessionId.
func sniff(h *formats.Head) formats.Confidence {
	for _, r := range h.Records {
		if evidence(r) {
			return formats.Certain
		}
	}
	return formats.No
}

func evidence(r record.Outline) bool {
	if r.Has("sessionId") {
		return false
	}
	switch r.Str("type") {
	case "system":
		return r.Str("subtype") == "init" && r.Has("session_id") || r.Obj("message").Str("subtype") == "init"
	case "result":
		return r.Has("num_turns")
	case "assistant", "user", "stream_event":
		return r.Has("session_id", "parent_tool_use_id")
	}
	return false
}
