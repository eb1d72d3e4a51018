package reference

import (
	"slices"
	"strings"
)

// ToolFamily names the family of a tool at a revision; most tools have none.
func ToolFamily(rev, name string) string {
	if rev == March2026 {
		switch name {
		case "web_search", "web_fetch", "browser":
			return "web"
		case "accessibility", "screenshot", "computer", "applescript":
			return "gui"
		case "grep", "glob":
			return "search"
		}
		return ""
	}
	if strings.HasPrefix(name, "browser_") {
		return "browser"
	}
	switch name {
	case "web_search", "web_fetch", "x_search":
		return "web"
	case "browser":
		return "browser"
	case "accessibility", "screenshot", "computer", "applescript":
		return "gui"
	case "computer_use":
		if rev == July2026 {
			return "gui"
		}
	case "grep", "glob":
		return "search"
	}
	return ""
}

func isVisual(rev, name string) bool {
	switch name {
	case "screenshot", "computer", "accessibility":
		return true
	case "computer_use":
		return rev == July2026
	}
	return false
}

// IsGUIToolName reports whether a tool works on or beside the screen.
func IsGUIToolName(rev, name string) bool {
	return isVisual(rev, name) || name == "applescript" || name == "browser" ||
		rev != March2026 && strings.HasPrefix(name, "browser_")
}

// IsRepeatableToolName reports whether a tool may be called often with little to tell its calls apart.
func IsRepeatableToolName(rev, name string) bool {
	return isVisual(rev, name) || name == "browser" ||
		rev != March2026 && strings.HasPrefix(name, "browser_")
}

func isSemiRepeatable(rev, name string) bool {
	return rev != March2026 && name == "bash"
}

func isDupExempt(rev, name string) bool {
	return rev != March2026 && name == "use_skill"
}

var (
	readVerbs  = strings.Fields("get list search query fetch read describe find count head show resolve lookup inspect")
	writeVerbs = strings.Fields("create delete update remove insert append archive modify rename replace drop prune clear " +
		"send move upload write push publish submit post add set patch put execute run")
)

// IsReadMCPName reports whether the first three words of an MCP tool's name have a verb of reading
// and none of writing.
func IsReadMCPName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
	if len(words) > 3 {
		words = words[:3]
	}
	for _, w := range words {
		if slices.Contains(writeVerbs, w) {
			return false
		}
	}
	for _, w := range words {
		if slices.Contains(readVerbs, w) {
			return true
		}
	}
	return false
}
