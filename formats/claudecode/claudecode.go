// Package claudecode reads the session files of Claude Code.
//
// A file is a log of records, and a record is rarely a step. One response of
// the model is spread over as many records as it has content blocks, with the
// results of its first calls between them; sub-agents write into the same file
// under three different conventions; what a resumed session repeats keeps its
// record ids. So decoding is bookkeeping: records are told apart (event.go),
// sorted into lanes (steps.go), and joined to steps in a short queue for each
// lane (lane.go), which bounds what is held whatever the size of the file.
//
// Fields of an unexpected type are treated as absent. The format has no
// published schema and changes with every release; a record is worth more than
// any one of its fields.
package claudecode

import (
	"slices"

	"groundhog/formats"
	"groundhog/formats/record"
)

const name = "claude-code"

// Format is Claude Code's session JSONL, also as a JSON array or pretty-printed.
var Format = &formats.Format{
	Name: name,
	Doc: "Claude Code session files\n\n" +
		"The files below ~/.claude/projects, one session or sub-agent each. Exports that wrap\n" +
		"the records in a JSON array or spread them over several lines are read as well.",
	Sniff: sniff,
	Find:  find,
}

// headTypes are the records that often precede the conversation, each with a
// field that it always has.
var headTypes = []struct{ kind, field string }{
	{"summary", "leafUuid"},
	{"queue-operation", "operation"},
	{"file-history-snapshot", "snapshot"},
	{"permission-mode", "permissionMode"},
	{"mode", "sessionId"},
	{"last-prompt", "sessionId"},
}

// sniff looks for records of the conversation, and settles for what a file may
// begin with. Qwen Code descends from the same layout and is told by its message.
func sniff(h *formats.Head) formats.Confidence {
	best := formats.No
	for _, rec := range h.Records {
		message := rec.Obj("message")
		if message.Has("parts") || message.Str("role") == "model" {
			return formats.No
		}
		best = max(best, evidence(rec, message))
	}
	return best
}

func evidence(rec, message record.Outline) formats.Confidence {
	kind := rec.Str("type")
	switch {
	case rec.Has("sessionId", "parentUuid", "message") && (message.Has("content") || rec.Cut == "message"):
		return formats.Certain
	case rec.Has("sessionId", "parentUuid", "isSidechain", "type"):
		return formats.Likely // system, progress and attachment records
	case rec.Has("sessionId", "uuid") && (kind == "user" || kind == "assistant") && message.Has("content"):
		return formats.Likely // a root record without a parent
	}
	known := slices.ContainsFunc(headTypes, func(t struct{ kind, field string }) bool {
		return kind == t.kind && rec.Has(t.field)
	})
	if known {
		return formats.Likely
	}
	return formats.No
}
