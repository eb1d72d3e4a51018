package kocoro

import "groundhog/detectors/family"

// Required is the contract of Kocoro's tools, by Kocoro's names for them. A path
// that may be left out, as in a search, is not in it.
//
// The incident behind it: on 2026-05-13 file_write was called without content,
// emptied a user's file, reported success, and was called again.
var Required = required()

func required() family.Required {
	path := family.Argument{"path", "file_path", "filename", "file", "target_file"}
	content := family.Argument{"content", "contents", "file_text", "text", "data"}
	command := family.Argument{"command", "cmd", "script"}
	pattern := family.Argument{"pattern", "regex", "query"}
	query := family.Argument{"query", "q", "queries"}
	url := family.Argument{"url", "urls", "uri"}
	return family.Required{
		Tools: map[string][]family.Argument{
			"file_write": {path, content},
			"file_edit":  {path},
			"file_read":  {path},
			"bash":       {command},
			"grep":       {pattern},
			"glob":       {pattern},
			"web_search": {query},
			"web_fetch":  {url},
			"http":       {url},
		},
		Others: []string{"message", "body", "code"},
	}
}
