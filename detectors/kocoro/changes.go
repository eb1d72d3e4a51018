package kocoro

import (
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Changes tells calls that may change something from those that are known to
// only read, as kocoro-head does (readonly.go), and gives the former an identity:
// the tool and its arguments. Tools that Kocoro does not have go by the verbs in
// their name, as its rule for MCP has it; whatever says nothing of itself may
// change something. The function may be called from several goroutines.
func Changes(set detectors.Settings) func(*transcript.Call) (id uint64, ok bool) {
	as := Name(set)
	rev := revisions["head"]
	return func(c *transcript.Call) (uint64, bool) {
		if c.Signals != nil && c.Signals.ReadOnly {
			return 0, false
		}
		name, part := as(c), ""
		args := []byte(c.Args)
		if c.Signals == nil {
			part, _ = mcpTool(c.Tool)
			args = appendArguments(nil, c.Args)
		}
		t := &tool{name: name, family: rev.family(name), mcpPart: part}
		if isReadOnly(t, args, true) || part == "" && !ownNames[name] && isReadMCPNameAtHead(name) {
			return 0, false
		}
		return hash(append(append([]byte(name), 0), args...)), true
	}
}

// Name gives Kocoro's name for the tool of a call, under settings. An
// instrumented agent's names are Kocoro's own.
func Name(set detectors.Settings) func(*transcript.Call) string {
	extra := nameTable(set)
	return func(c *transcript.Call) string {
		if c.Signals != nil {
			return c.Tool
		}
		return MapTool(c.Tool, extra)
	}
}

// nameTable is the mapping that a user adds, under settings.
func nameTable(set detectors.Settings) map[string]string {
	extra := make(map[string]string)
	for pair := range strings.SplitSeq(set["kocoro.tool_names"], ",") {
		if from, to, ok := strings.Cut(pair, "="); ok {
			extra[strings.TrimSpace(from)] = strings.TrimSpace(to)
		}
	}
	return extra
}
