package kocoro

import "strings"

// A toolFamily groups tools that can look for the same thing.
type toolFamily uint8

const (
	noFamily toolFamily = iota
	web
	browser
	gui
	search
)

// A revision says which tools belong where, and which rules exist, at one
// point of Kocoro's history. Thresholds are parameters and not here.
type revision struct {
	families map[string]toolFamily
	visual   map[string]bool // tools that only look at a screen
	guiName  map[string]bool // tools that act on what a screen shows

	browserPrefix bool // every browser_* tool belongs to the browser family
	exemptions    bool // use_skill is exempt from the duplicate rules, and readers of MCP from no_progress
	recovery      bool // a success after failures of the same call is no duplicate
	unproductive  bool // only fruitless searches escalate, and search is left out of no_progress and the fallback
	scoped        bool // browser and gui families count per tool, and stay silent longer on one page
	patientBash   bool // bash has a budget of its own in no_progress
	outcomes      bool // what came back is compared as well, for calls that only read
}

// revisions holds the values of the parameter kocoro.revision.
var revisions = map[string]*revision{
	"2026-03": {
		families: map[string]toolFamily{
			"web_search": web, "web_fetch": web, "browser": web,
			"accessibility": gui, "screenshot": gui, "computer": gui, "applescript": gui,
			"grep": search, "glob": search,
		},
		visual:  names("screenshot", "computer", "accessibility"),
		guiName: names("screenshot", "computer", "accessibility", "applescript", "browser"),
	},
	"pre-sleep-removal": later(false),
	"4ec6772":           later(true),
	"head":              aware(later(true)),
}

// aware adds the outcome rules of August 2026.
func aware(r *revision) *revision {
	r.outcomes = true
	return r
}

// later is the state from April 2026 on; computer_use joined the gui tools in July.
func later(computerUse bool) *revision {
	r := &revision{
		families: map[string]toolFamily{
			"web_search": web, "web_fetch": web, "x_search": web,
			"browser":       browser,
			"accessibility": gui, "screenshot": gui, "computer": gui, "applescript": gui,
			"grep": search, "glob": search,
		},
		visual:        names("screenshot", "computer", "accessibility"),
		guiName:       names("screenshot", "computer", "accessibility", "applescript", "browser"),
		browserPrefix: true,
		exemptions:    true,
		recovery:      true,
		unproductive:  true,
		scoped:        true,
		patientBash:   true,
	}
	if computerUse {
		r.families["computer_use"] = gui
		r.visual["computer_use"] = true
		r.guiName["computer_use"] = true
	}
	return r
}

func names(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, n := range list {
		set[n] = true
	}
	return set
}

func (r *revision) family(name string) toolFamily {
	if r.browserPrefix && strings.HasPrefix(name, "browser_") {
		return browser
	}
	return r.families[name]
}

func (r *revision) isGUI(name string) bool {
	return r.guiName[name] || r.browserPrefix && strings.HasPrefix(name, "browser_")
}

// isRepeatable: tools that are called again and again by nature.
func (r *revision) isRepeatable(name string) bool {
	return r.visual[name] || name == "browser" || r.browserPrefix && strings.HasPrefix(name, "browser_")
}

// isDuplicateExempt: loading a skill again is idempotent. What still catches a
// real loop of it is same_tool_error and no_progress.
func (r *revision) isDuplicateExempt(name string) bool {
	return r.exemptions && name == "use_skill"
}

var (
	readVerbs = names("get", "list", "search", "query", "fetch", "read", "describe", "find", "count", "head",
		"show", "resolve", "lookup", "inspect")
	writeVerbs = names("create", "delete", "update", "remove", "insert", "append", "archive", "modify", "rename",
		"replace", "drop", "prune", "clear", "send", "move", "upload", "write", "push", "publish", "submit",
		"post", "add", "set", "patch", "put", "execute", "run")
)

func mcpWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
}

// isReadMCPName tells readers among MCP tools by the verbs in the first three
// words of their name. A write verb always wins.
func isReadMCPName(name string) bool {
	words := mcpWords(name)
	read := false
	for _, w := range words[:min(3, len(words))] {
		if writeVerbs[w] {
			return false
		}
		read = read || readVerbs[w]
	}
	return read
}
