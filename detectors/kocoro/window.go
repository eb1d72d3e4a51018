package kocoro

import (
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A record is one call as Kocoro remembers it.
type record struct {
	tool       *tool
	args       uint64 // identity of the arguments
	topic      uint64 // identity of what was asked for; 0 if nothing
	result     uint64 // identity of the URLs that came back; 0 if none
	failed     bool
	validation bool // failed with the validation marker
	fruitless  bool // a search that found nothing
	emptyThink bool
	sleeps     bool
	outcome    uint64 // identity of the whole result; 0 if unknown
	readOnly   bool
	trusted    bool // the tool says that distinct outcomes prove progress
}

// A tool is what a name means under the revision.
type tool struct {
	name       string
	family     toolFamily
	visual     bool
	gui        bool
	repeatable bool
	exempt     bool // from the duplicate rules
	tolerant   bool // no_progress lets batches of distinct arguments pass
	bash       bool
	mcpPart    string // name of an MCP tool without its server; "" for others
}

// A window is the newest calls of a run, which all paths share.
type window struct {
	size     int
	revision string
	tolerant map[string]bool
	names    map[string]string
	foreign  struct{ noResult, validation bool }
	mask     bool
	skip     bool
	webReads bool
	withhold bool // read by who replays, not here

	rev     *revision
	tools   [2]map[string]*tool // by recorded name: of other agents, and of Kocoro itself
	records []record            // oldest first, at most size
	message map[[2]uint64]bool
	sleepy  bool   // somebody wants to know about sleeping commands
	next    record // the call that is proposed, as far as it is known
	buf     []byte // the arguments being derived
	text    []byte // any other text being hashed
}

// maxTools bounds the cache of names: a recording may invent a tool a call.
const maxTools = 4096

// Window is the feature behind every path.
var Window = &detectors.Feature[window]{
	Name:       "kocoro",
	Doc:        "the newest calls of the run, normalised as Kocoro does",
	New:        func(*detectors.Inputs) *window { return &window{} },
	Shape:      (*window).bind,
	OnRun:      (*window).reset,
	OnResponse: func(w *window, _ *transcript.Step) { clear(w.message) },
	OnPropose:  (*window).propose,
	OnCall:     (*window).add,
}

func (w *window) bind(p *detectors.Params) {
	p.Int(&w.size, "window", 20, 10, 60, "calls remembered; above 23 the force-stop of no_progress can happen")
	p.Choice(&w.revision, "revision", "4ec6772", []string{"2026-03", "pre-sleep-removal", "4ec6772", "head"},
		"tool families, exemptions and recovery rules of that revision")
	p.Names(&w.tolerant, "batch_tolerant", []string{"bash", "file_read", "glob", "grep", "directory_list"},
		"tools that no_progress lets repeat while their arguments differ; the default is what production sets")
	p.Table(&w.names, "tool_names",
		"names of Kocoro's tools for those of another agent, FROM=TO,…, on top of `groundhog list tools`")
	p.Bool(&w.foreign.noResult, "foreign_no_result", false,
		"count other agents' words for \"nothing found\" as fruitless searches (an adaptation)")
	p.Bool(&w.foreign.validation, "foreign_validation", false,
		"count other agents' validation errors as Kocoro's (an adaptation)")
	p.Bool(&w.mask, "mask_digits", false, "count runs of digits in arguments as equal (an adaptation)")
	p.Bool(&w.skip, "skip_repeats", false,
		"record a call that repeats one of its own message as an error, as Kocoro would have skipped it")
	p.Bool(&w.webReads, "web_read_only", false,
		"count web tools as read-only at head; in production they are not, and its rules about web results are dead")
	p.Bool(&w.withhold, "admission", false,
		"at head, keep the calls of a vetoed batch from the detectors, as if they had not run; "+
			"otherwise every recorded call did run")
	w.rev = revisions[w.revision]
	w.tools = [2]map[string]*tool{make(map[string]*tool), make(map[string]*tool)}
	w.message = make(map[[2]uint64]bool)
}

func (w *window) reset() { w.records = w.records[:0] }

// add appends the record of a call and drops the oldest one too many.
func (w *window) add(c *transcript.Call) {
	if w.size == 0 {
		return
	}
	if len(w.records) >= w.size {
		n := copy(w.records, w.records[len(w.records)-w.size+1:])
		w.records = w.records[:n]
	}
	w.records = append(w.records, w.derive(c))
}

// derive makes the record of a call. What an instrumented agent wrote down is
// taken as it is; everything else is derived as Kocoro's agent loop would have.
func (w *window) derive(c *transcript.Call) record {
	var r record
	r.failed, _ = c.Result.Failed()
	r.tool = w.identify(c)
	r.args = hash(w.buf)
	text := c.Result.Text
	if w.skip && c.Signals == nil && w.repeats(r.tool, c.Args) {
		r.failed, text = true, "skipped: the same call stands earlier in this message"
	}
	if r.failed {
		if c.Result.ErrorText != "" {
			text = c.Result.ErrorText
		}
		r.validation = strings.HasPrefix(text, validationMarker) || w.foreign.validation && hasAny(text, validationTags)
	}
	if r.tool.name == "think" {
		r.emptyThink = isEmptyThink("think", string(w.buf))
	}
	if w.sleepy && r.tool.name == "bash" {
		r.sleeps = isSleep("bash", string(w.buf))
	}
	w.deriveSearch(&r, c, text)
	if w.rev.outcomes {
		w.deriveOutcome(&r, c)
	}
	return r
}

// deriveSearch adds what only the rules about families look at.
func (w *window) deriveSearch(r *record, c *transcript.Call, text string) {
	if r.tool.family == noFamily {
		r.fruitless = c.Signals != nil && c.Signals.NonActionable
		return
	}
	r.topic = w.identity(normalizeWebQuery(string(w.buf)))
	switch {
	case c.Signals != nil:
		r.result, r.fruitless = w.identity(c.Signals.ResultSig), c.Signals.NonActionable
	case c.Result.Status != transcript.ResultMissing:
		r.result = w.identity(resultSignature(text))
		r.fruitless = r.tool.family == search && isFruitless(text, r.failed, w.foreign.noResult)
	}
}

// deriveOutcome adds what only the outcome rules look at. The arguments are
// still in the buffer.
func (w *window) deriveOutcome(r *record, c *transcript.Call) {
	if g := c.Signals; g != nil {
		r.outcome, r.readOnly, r.trusted = w.identity(g.OutcomeSig), g.ReadOnly, g.TrustsProgress
		return
	}
	r.readOnly = isReadOnly(r.tool, w.buf, w.webReads)
	if c.Result.Status != transcript.ResultMissing {
		w.text = appendOutcome(w.text[:0], c.Result.Text)
		r.outcome = max(hash(w.text), 1)
	}
}

// propose notes the call that is about to run. Nothing is recorded yet.
func (w *window) propose(c *transcript.Call) {
	if !w.rev.outcomes {
		return
	}
	t := w.identify(c)
	w.next = record{tool: t, args: hash(w.buf)}
	if c.Signals != nil {
		w.next.readOnly = c.Signals.ReadOnly
	} else {
		w.next.readOnly = isReadOnly(t, w.buf, w.webReads)
	}
}

// identify says which tool a call is of, and leaves its arguments, as they are
// compared, in the buffer.
func (w *window) identify(c *transcript.Call) (t *tool) {
	if c.Signals != nil {
		t = w.tool(native, c.Tool)
		w.buf = append(w.buf[:0], c.Args...)
	} else {
		t = w.tool(foreign, c.Tool)
		w.buf = appendArguments(w.buf[:0], c.Args)
	}
	if w.mask {
		w.buf = append(w.buf[:0], maskDigits(string(w.buf))...)
	}
	return t
}

// identity is the hash of a text, and 0 for none.
func (w *window) identity(s string) uint64 {
	if s == "" {
		return 0
	}
	w.text = append(w.text[:0], s...)
	return max(hash(w.text), 1)
}

func hasAny(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// repeats reports whether the message already holds this call.
func (w *window) repeats(t *tool, args string) bool {
	key := [2]uint64{hash([]byte(t.name)), hash([]byte(normalizeJSON(args)))}
	seen := w.message[key]
	w.message[key] = true
	return seen
}

// Whose names a call carries: an instrumented agent's are Kocoro's own.
const (
	foreign = iota
	native
)

// tool looks up what a name means.
func (w *window) tool(whose int, recorded string) *tool {
	cache := w.tools[whose]
	if t := cache[recorded]; t != nil {
		return t
	}
	name, part, mcpReader := recorded, "", false
	if whose == foreign {
		name = MapTool(recorded, w.names)
		part, _ = mcpTool(recorded)
		mcpReader = part != "" && w.rev.exemptions && w.readerName(part)
	}
	if len(cache) >= maxTools {
		clear(cache)
	}
	t := &tool{
		name:       strings.Clone(name),
		family:     w.rev.family(name),
		visual:     w.rev.visual[name],
		gui:        w.rev.isGUI(name),
		repeatable: w.rev.isRepeatable(name),
		exempt:     w.rev.isDuplicateExempt(name),
		tolerant:   w.tolerant[name] || mcpReader,
		bash:       w.rev.patientBash && name == "bash",
		mcpPart:    strings.Clone(part),
	}
	cache[strings.Clone(recorded)] = t
	return t
}

// readerName tells readers among MCP tools at this revision.
func (w *window) readerName(part string) bool {
	if w.rev.outcomes {
		return isReadMCPNameAtHead(part)
	}
	return isReadMCPName(part)
}

// last is the call just recorded. enough reports whether there are as many
// calls as any path needs; it is false if the window has no room at all.
func (w *window) last() (r *record, enough bool) {
	if len(w.records) == 0 {
		return &record{tool: &tool{}}, false
	}
	return &w.records[len(w.records)-1], len(w.records) >= 2
}

// same reports whether a record is of the same tool.
func (r *record) same(o *record) bool { return r.tool == o.tool || r.tool.name == o.tool.name }

// repeats reports whether a record is the same call.
func (r *record) repeats(o *record) bool { return r.args == o.args && r.same(o) }
