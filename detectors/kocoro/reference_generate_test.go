package kocoro_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generate returns a random sequence of 30 to 120 calls, the same for the same seed on every machine. It is
// made of stretches, each of a kind that some path looks for, with unrelated calls strewn into some of them.
// ResultSig and NonActionable are those of July2026 and Head; the earlier revisions, which know fewer tools, do
// not look at the signals of the others. OutcomeSig, ReadOnly and TrustsProgress are mostly what a tool would
// say, but not always: no detector may lean on a call being read-only because the last one like it was.
func Generate(seed uint64) []Call {
	s := &script{Rand: rand.New(rand.NewPCG(seed, 0x67726f756e64686f))}
	n := 30 + s.IntN(91)
	for len(s.calls) < n {
		s.noise = []int{0, 0, 0, 10, 30}[s.IntN(5)]
		s.mood()
		stretches[s.IntN(len(stretches))](s)
	}
	return s.calls[:n]
}

// script is a sequence in the making.
type script struct {
	*rand.Rand
	calls []Call
	noise int // percent of calls that an unrelated one follows

	// Of the signals of Head, in the stretch at hand.
	readers []string // tools that only look, beside those that always do
	flipped int      // percent of calls that are read-only if others of their tool are not, and the reverse
	unknown int      // percent of calls whose outcome is not known
	trusted int      // percent of calls whose tool trusts progress
}

// stretches are the kinds of behaviour a sequence is made of.
var stretches = []func(*script){
	(*script).repeat,
	(*script).validation,
	(*script).alternate,
	(*script).errors,
	(*script).recovery,
	(*script).screen,
	(*script).browser,
	(*script).web,
	(*script).fallback,
	(*script).search,
	(*script).sleeps,
	(*script).thoughts,
	(*script).skills,
	(*script).batch,
	(*script).unrelated,
	(*script).stable,
	(*script).polling,
	(*script).pingPong,
	(*script).scattered,
	(*script).stableWeb,
	(*script).snapshots,
	(*script).progress,
}

// between returns a number from low to high, both included.
func (s *script) between(low, high int) int { return low + s.IntN(high-low+1) }

// chance is true in so many of a hundred cases.
func (s *script) chance(percent int) bool { return s.IntN(100) < percent }

func (s *script) pick(from ...string) string { return from[s.IntN(len(from))] }

// call appends a call, and perhaps an unrelated one.
func (s *script) call(name, args, result string, isError bool) {
	s.append(name, args, result, isError)
	if s.chance(s.noise) {
		s.stray()
	}
}

func (s *script) append(name, args, result string, isError bool) {
	c := Call{Name: name, Args: args, IsError: isError, Result: result}
	if isError {
		c.Error = result
	}
	if ToolFamily(July2026, name) != "" {
		c.ResultSig = ResultSignature(result)
	}
	c.NonActionable = NonActionable(July2026, name, result, isError)
	s.signals(&c)
	s.calls = append(s.calls, c)
}

var tools = []string{
	"bash", "file_read", "file_edit", "http", "grep", "glob", "web_search", "web_fetch", "x_search", "screenshot",
	"computer", "computer_use", "accessibility", "applescript", "browser", "browser_click", "browser_snapshot",
	"think", "use_skill", "notion_list_pages", "notion_create_page", "mcp__db__query_rows", "process_status",
}

func (s *script) tool() string { return s.pick(tools...) }

// args are those of any tool, out of n; few of them make equal calls likely.
func (s *script) args(n int) string {
	i := s.IntN(n)
	switch s.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"query":"topic %c words"}`, 'a'+i)
	case 1:
		return fmt.Sprintf(`{"url":"https://site.example/%d"}`, i)
	case 2:
		return s.pick(`{}`, `null`, `not json`, `[]`, ``, `{"thought":"  "}`, `{"query":"latest news 2026"}`)
	}
	return fmt.Sprintf(`{"path":"f%d"}`, i)
}

func (s *script) failure() string {
	return s.pick("exit status 1", "[transient error] timed out", "[validation error] missing required parameter(s): path",
		"[validation error]", " [validation error] not at the start", strings.Repeat("é", 99)+"[validation error]",
		"404 from https://site.example/missing")
}

func (s *script) success() string {
	return s.pick("ok", "", "done", "see https://site.example/1", "see https://site.example/1, https://other.example/?q=2",
		"no matches found")
}

// stray is any call of any tool.
func (s *script) stray() {
	if s.chance(25) {
		s.append(s.tool(), s.args(3), s.failure(), true)
	} else {
		s.append(s.tool(), s.args(3), s.success(), false)
	}
}

func (s *script) unrelated() {
	for range s.between(1, 8) {
		s.stray()
	}
}

// repeat makes one call over and over: always well, always badly, or in turns.
func (s *script) repeat() {
	name, args, bad := s.tool(), s.args(9), []int{0, 100, 100, 40}[s.IntN(4)]
	for range s.between(2, 12) {
		if s.chance(bad) {
			s.call(name, args, s.failure(), true)
		} else {
			s.call(name, args, s.success(), false)
		}
	}
}

func (s *script) validation() {
	name, args := s.tool(), s.args(9)
	for i := range s.between(2, 9) {
		switch {
		case s.chance(8):
			s.call(name, args, "ok", false)
		case s.chance(8):
			s.call(name, args, "[business error] no", true)
		default:
			s.call(name, args, fmt.Sprint("[validation error] try ", i), true)
		}
	}
}

// alternate goes round two to five calls, some of which may be one tool's, and some of which may fail.
func (s *script) alternate() {
	type step struct {
		name, args string
		bad        int
	}
	steps := make([]step, s.between(2, 5))
	for i := range steps {
		steps[i] = step{s.tool(), s.args(9), []int{0, 0, 100, 20}[s.IntN(4)]}
		if i > 0 && s.chance(30) {
			steps[i].name = steps[i-1].name
		}
	}
	for i := range s.between(4, 26) {
		step := steps[i%len(steps)]
		if s.chance(step.bad) {
			s.call(step.name, step.args, s.failure(), true)
		} else {
			s.call(step.name, step.args, s.success(), false)
		}
	}
}

// errors makes one tool fail with ever other arguments.
func (s *script) errors() {
	name, few := s.tool(), s.between(3, 30)
	for range s.between(3, 18) {
		if s.chance(15) {
			s.call(name, s.args(few), s.success(), false)
		} else {
			s.call(name, s.args(few), s.failure(), true)
		}
	}
}

// recovery fails, then succeeds with the same or with other arguments, and may look at the screen afterwards.
func (s *script) recovery() {
	name, args := s.tool(), s.args(9)
	for range s.between(1, 3) {
		for range s.between(1, 7) {
			s.call(name, args, s.failure(), true)
		}
		if s.chance(50) {
			args = s.args(9)
		}
		for range s.between(1, 3) {
			s.call(name, args, s.success(), false)
		}
		for range s.IntN(4) {
			s.call(s.visual(), s.args(9), s.success(), false)
		}
	}
}

func (s *script) visual() string {
	return s.pick("screenshot", "computer", "computer_use", "accessibility")
}

// screen takes turns between what works on the screen, what looks at it, and what does neither.
func (s *script) screen() {
	url := s.pick("", "", "https://app.example/")
	for i := range s.between(3, 18) {
		args := fmt.Sprintf(`{"x":%d}`, i)
		switch s.IntN(6) {
		case 0:
			s.call(s.pick("applescript", "browser", "browser_click"), args, url, s.chance(20))
		case 1:
			s.call(s.pick("bash", "file_read"), args, "ok", s.chance(20))
		default:
			s.call(s.visual(), args, url, s.chance(20))
		}
	}
}

// browser works on one page: every result names it, and the arguments may too.
func (s *script) browser() {
	name := s.pick("browser", "browser_click", "browser_navigate", "computer", "computer_use", "screenshot", "applescript")
	topics, pages := s.IntN(3), s.between(1, 2)
	for i := range s.between(5, 22) {
		args := fmt.Sprintf(`{"ref":%d}`, i)
		if topics > 0 {
			args = fmt.Sprintf(`{"url":"https://app.example/%d","ref":%d}`, s.IntN(topics), i)
		}
		if s.chance(10) {
			s.call(s.pick("browser_snapshot", "browser_type"), args, "https://app.example/", false)
		}
		s.call(name, args, fmt.Sprintf("at https://app.example/%d", s.IntN(pages)), s.chance(5))
	}
}

// web asks the same in other words, or finds the same whatever it asks.
func (s *script) web() {
	fillers := strings.Fields("today latest Recent TOP major breaking headlines news current 2026 2026-03-02")
	other, pages := []int{0, 0, 15, 100}[s.IntN(4)], s.between(1, 6)
	name, mixed := s.pick("web_search", "web_fetch", "x_search"), s.chance(30)
	for i := range s.between(3, 20) {
		words := []string{"world", "economy", s.pick(fillers...), s.pick(fillers...)}
		if s.chance(other) {
			words = append(words, fmt.Sprint("number", i))
		}
		s.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		if mixed {
			name = s.pick("web_search", "web_fetch", "x_search")
		}
		key := s.pick(`"query":`, `"query":`, `"q":`, `"n":1,"query":`)
		args := "{" + key + `"` + strings.Join(words, " ") + `"}`
		result := fmt.Sprintf("found https://news.example/%d", s.IntN(pages))
		if s.chance(40) {
			result = "found nothing"
		}
		s.call(name, args, result, s.chance(5))
	}
}

// fallback uses tools of a family without a sign of topic or result.
func (s *script) fallback() {
	name := s.pick("applescript", "applescript", "web_fetch", "web_search", "x_search", "browser_click", "grep")
	for i := range s.between(5, 20) {
		s.call(name, fmt.Sprintf(`{"step":%d}`, i), "ok", s.chance(5))
	}
}

func (s *script) search() {
	found, few := s.pick("", "no matches found", "a.go:1: x", "LICENSE: https://licence.example/"), s.between(3, 40)
	for range s.between(3, 20) {
		name, args := s.pick("grep", "glob"), fmt.Sprintf(`{"pattern":"p%d"}`, s.IntN(few))
		switch {
		case found != "" && s.chance(90) || s.chance(5):
			s.call(name, args, found, false)
		case s.chance(10):
			s.call(name, args, "bad pattern", true)
		default:
			s.call(name, args, s.pick("no matches found", "no files matched", "Binary file a matches",
				"Binary file a matches\nBinary file b matches\n"), false)
		}
	}
}

func (s *script) sleeps() {
	few := s.between(1, 30)
	for range s.between(1, 8) {
		n := s.IntN(few)
		s.call("bash", s.pick(
			fmt.Sprintf(`{"command":"sleep %d && status"}`, n),
			fmt.Sprintf(`{"command":"sleep %d && status"}`, n),
			fmt.Sprintf(`{"COMMAND":"sleep\t%d"}`, n),
			fmt.Sprintf(`{"command":"sleeper %d; sleep $N"}`, n),
		), "ok", s.chance(10))
		if s.chance(40) {
			s.stray()
		}
	}
}

func (s *script) thoughts() {
	for range s.between(1, 5) {
		s.call("think", s.pick(`{}`, `{"thought":""}`, `{"Thought":" \n"}`, `{"thought":"plan"}`, `{"thought":5}`, `null`),
			"thought logged", false)
		if s.chance(50) {
			s.stray()
		}
	}
}

func (s *script) skills() {
	bad := s.pick("", "", "not found", "[validation error] name")
	for range s.between(3, 14) {
		if bad == "" {
			s.call("use_skill", `{"name":"pdf"}`, "loaded", false)
		} else {
			s.call("use_skill", `{"name":"pdf"}`, bad, true)
		}
	}
}

// batch does one thing to many: the arguments all differ, or half of them, or few.
func (s *script) batch() {
	name := s.pick("bash", "bash", "file_read", "http", "directory_list", "file_edit", "notion_list_pages",
		"notion_create_page", "mcp__db__delete_row", "use_skill")
	n := s.between(8, 28)
	few := []int{n * 4, n / 2, max(3, n/3)}[s.IntN(3)]
	for range n {
		s.call(name, fmt.Sprintf(`{"item":%d}`, s.IntN(few)), "ok", s.chance(3))
	}
}
