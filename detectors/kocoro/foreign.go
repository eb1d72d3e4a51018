package kocoro

import (
	"maps"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/family"
)

// foreignNames is the default of the mapping. It is short on purpose: an unmapped
// tool gets the generic paths only, and a wrong mapping gives it rules that its
// agent never had. kocoro.tool_names adds to it.
var foreignNames = []family.Mapping{
	{Foreign: "Bash", Own: "bash"},
	{Foreign: "Edit", Own: "file_edit"},
	{Foreign: "Glob", Own: "glob"},
	{Foreign: "Grep", Own: "grep"},
	{Foreign: "LS", Own: "directory_list"},
	{Foreign: "MultiEdit", Own: "file_edit"},
	{Foreign: "Read", Own: "file_read"},
	{Foreign: "Skill", Own: "use_skill"},
	{Foreign: "Task", Own: "cloud_delegate"},
	{Foreign: "WebFetch", Own: "web_fetch"},
	{Foreign: "WebSearch", Own: "web_search"},
	{Foreign: "Write", Own: "file_write"},
}

// MapTool gives Kocoro's name for a tool of another agent: the extra table
// first, then the default, then the rule for MCP browsers. The name itself
// comes back if nothing maps it.
func MapTool(name string, extra map[string]string) string {
	if to, ok := extra[name]; ok {
		return to
	}
	for _, m := range foreignNames {
		if m.Foreign == name {
			return m.Own
		}
	}
	if tool, ok := mcpTool(name); ok && strings.HasPrefix(tool, "browser_") {
		return tool
	}
	return name
}

// ownNames are Kocoro's tools that its rules, or its users, name.
var ownNames = names("bash", "file_read", "file_write", "file_edit", "grep", "glob", "directory_list", "http",
	"web_search", "web_fetch", "x_search", "think", "use_skill", "cloud_delegate", "screenshot", "computer",
	"computer_use", "accessibility", "applescript", "browser")

// ruled are those tools in order, with one for the browser_ prefix.
var ruled = append(slices.Sorted(maps.Keys(ownNames)), "browser_click")

// describe is MapTool under settings, and whether the outcome is one of Kocoro's tools.
func describe(tool string, set detectors.Settings) (as string, known bool) {
	as = MapTool(tool, nameTable(set))
	return as, ownNames[as] || strings.HasPrefix(as, "browser_")
}

// mcpTool is the part after the server in mcp__server__tool.
func mcpTool(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", false
	}
	_, tool, ok := strings.Cut(rest, "__")
	return tool, ok
}

// noResultTexts is how other agents' search tools say that nothing was found.
// Kocoro knows only its own two texts; these count where kocoro.foreign_no_result is set.
var noResultTexts = names("No files found", "No matches found", "")

// validationTags open the validation errors of other agents. They count where
// kocoro.foreign_validation is set.
var validationTags = []string{"<tool_use_error>InputValidationError"}
