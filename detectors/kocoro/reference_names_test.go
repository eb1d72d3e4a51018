package kocoro_test

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
		if knowsComputerUse(rev) {
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
		return knowsComputerUse(rev)
	}
	return false
}

func knowsComputerUse(rev string) bool { return rev == July2026 || rev == Head }

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

// isWindowDupExempt is about exact_duplicate alone.
func isWindowDupExempt(rev, name string) bool {
	return rev == Head && name == "browser_snapshot"
}

var (
	readVerbs  = strings.Fields("get list search query fetch read describe find count head show resolve lookup inspect")
	writeVerbs = strings.Fields("create delete update remove insert append archive modify rename replace drop prune clear " +
		"send move upload write push publish submit post add set patch put execute run")
)

// IsReadMCPName reports whether the first three words of an MCP tool's name have a verb of reading
// and none of writing. Head asks IsReadMCPNameHead.
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

var (
	mintWords = strings.Fields("token tokens lock locks lease leases nonce otp credential credentials secret secrets ticket tickets")
	mintPairs = strings.Fields("next_task next_job next_message next_item upload_url signed_url presigned_url")
)

// IsReadMCPNameHead is IsReadMCPName, but false for names that make or use up what they get.
func IsReadMCPNameHead(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
	for i, w := range words {
		if slices.Contains(mintWords, w) {
			return false
		}
		if i > 0 && slices.Contains(mintPairs, words[i-1]+"_"+w) {
			return false
		}
	}
	return IsReadMCPName(name)
}
