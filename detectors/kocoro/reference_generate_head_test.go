package kocoro_test

import (
	"fmt"
	"slices"
)

// mood draws what the calls of the next stretch have in common for Head.
func (s *script) mood() {
	s.readers = nil
	for _, sometimes := range [][]string{
		{"bash"},
		{"accessibility", "computer", "computer_use", "applescript"},
		{"web_search", "web_fetch", "x_search"},
		{"browser", "browser_click", "browser_navigate", "browser_type"},
		{"http", "file_edit", "notion_create_page", "use_skill"},
	} {
		if s.chance(40) {
			s.readers = append(s.readers, sometimes...)
		}
	}
	s.flipped = []int{0, 0, 0, 0, 5, 30}[s.IntN(6)]
	s.unknown = []int{0, 0, 0, 0, 0, 8, 100}[s.IntN(7)]
	s.trusted = []int{0, 0, 0, 50, 100}[s.IntN(5)]
}

// signals fills in what Head alone is told of a call.
func (s *script) signals(c *Call) {
	if !s.chance(s.unknown) {
		c.OutcomeSig = OutcomeSignature(c.Result)
	}
	c.ReadOnly = s.reads(c.Name) != s.chance(s.flipped)
	c.TrustsProgress = s.chance(s.trusted)
}

func (s *script) reads(name string) bool {
	switch name {
	case "file_read", "directory_list", "grep", "glob", "think", "screenshot", "process_status", "browser_snapshot",
		"notion_list_pages", "mcp__db__query_rows":
		return true
	}
	return slices.Contains(s.readers, name)
}

// reading makes a tool one that looks, for the rest of the stretch.
func (s *script) reading(name string) string {
	s.readers = append(s.readers, name)
	return name
}

// answer is one of few results, some of them the same in other words.
func (s *script) answer(n int) string {
	i := s.IntN(n)
	switch s.IntN(4) {
	case 0:
		return fmt.Sprintf(`{"state":%d,"at":"x"}`, i)
	case 1:
		return fmt.Sprintf(` {"at": "x", "state": %d.0}`, i)
	}
	return fmt.Sprintf("state %d", i)
}

// stable reads the same over and over and finds the same, but perhaps for one time.
func (s *script) stable() {
	name, args, result := s.reading(s.tool()), s.args(9), s.answer(3)
	n := s.between(3, 14)
	odd, kind := s.IntN(2*n), s.IntN(3)
	for i := range n {
		switch {
		case i != odd:
			s.call(name, args, result, false)
		case kind == 0:
			s.call(name, args, s.failure(), true)
		case kind == 1:
			result = s.answer(9) // from now on
			s.call(name, args, result, false)
		default:
			s.call(name, args, "for once", false)
		}
	}
}

// polling asks the same and is answered something else now and then, or always.
func (s *script) polling() {
	name, args := s.reading(s.tool()), s.args(9)
	every := s.between(1, 6)
	for i := range s.between(4, 24) {
		s.call(name, args, fmt.Sprintf(`{"done":%d}`, i/every), s.chance(2))
	}
}

// pingPong takes turns between two actions: both look, both act, or one of each. Some fail, and some find
// something else for once or from then on.
func (s *script) pingPong() {
	type side struct{ name, args, result string }
	sides := [2]side{{s.tool(), s.args(9), s.answer(3)}, {s.tool(), s.args(9), s.answer(3)}}
	if s.chance(25) {
		sides[1].name = sides[0].name
	}
	for _, side := range sides {
		if s.chance(60) {
			s.reading(side.name)
		}
	}
	if s.chance(70) {
		s.noise, s.unknown, s.flipped = 0, 0, 0
	}
	bad, other, lasting := []int{0, 0, 0, 4, 10}[s.IntN(5)], []int{0, 0, 0, 6, 50}[s.IntN(5)], s.chance(50)
	for i := range s.between(4, 24) {
		side := &sides[i%2]
		switch {
		case s.chance(bad):
			s.call(side.name, side.args, s.failure(), true)
		case s.chance(other):
			result := s.answer(9)
			if lasting {
				side.result = result
			}
			s.call(side.name, side.args, result, false)
		default:
			s.call(side.name, side.args, side.result, false)
		}
	}
}

// scattered comes back to one call between others, and finds the same or not.
func (s *script) scattered() {
	name, args, result := s.tool(), s.args(9), s.answer(3)
	if s.chance(70) {
		s.reading(name)
	}
	bad, other := []int{0, 0, 0, 5}[s.IntN(4)], []int{0, 0, 5, 30}[s.IntN(4)]
	for range s.between(5, 16) {
		switch {
		case s.chance(bad):
			s.call(name, args, s.failure(), true)
		case s.chance(other):
			s.call(name, args, s.answer(9), false)
		default:
			s.call(name, args, result, false)
		}
		if s.chance(60) {
			s.append(s.pick("file_edit", "bash", "browser_click", "http"), s.args(9), s.success(), s.chance(10))
		}
	}
}

// stableWeb asks other questions and gets the same pages, but perhaps for some.
func (s *script) stableWeb() {
	name, mixed := s.pick("web_search", "web_fetch", "x_search"), s.chance(40)
	if s.chance(70) {
		s.readers = append(s.readers, "web_search", "web_fetch", "x_search")
	}
	bad, other := []int{0, 0, 4}[s.IntN(3)], []int{0, 0, 6, 20}[s.IntN(4)]
	page := s.IntN(3)
	for i := range s.between(5, 22) {
		if mixed {
			name = s.pick("web_search", "web_fetch", "x_search")
		}
		result := fmt.Sprintf("%d: see https://news.example/%d?q=%d", i, page, i)
		if s.chance(other) {
			result = s.pick("found nothing", "see https://news.example/other")
		}
		args := fmt.Sprintf(`{"query":"subject %s%d"}`, s.pick("apple", "pear", "plum"), i)
		s.call(name, args, result, s.chance(bad))
	}
}

// snapshots looks at the page, again and again or after each thing done to it.
func (s *script) snapshots() {
	page, acts := 0, s.pick("browser_click", "browser_type", "file_edit", "")
	changes := []int{0, 0, 10, 100}[s.IntN(4)]
	for i := range s.between(3, 18) {
		s.call("browser_snapshot", `{}`, fmt.Sprintf("- page %d https://app.example/", page), s.chance(3))
		if acts != "" {
			s.call(acts, fmt.Sprintf(`{"ref":%d}`, i*s.between(0, 1)), "ok", s.chance(5))
		}
		if s.chance(changes) {
			page++
		}
	}
}

// progress does ever other things with one tool and gets ever other results, but perhaps for one.
func (s *script) progress() {
	name := s.pick("http", "file_edit", "notion_create_page", "process_status", "bash", "use_skill", "file_read", "think",
		"browser_snapshot")
	if s.chance(60) {
		s.reading(name)
	} else {
		s.trusted = 100
	}
	if s.chance(70) {
		s.unknown, s.flipped = 0, 0
	}
	n := s.between(11, 26)
	odd, kind := s.IntN(2*n), s.IntN(4)
	for i := range n {
		args, result, bad := fmt.Sprintf(`{"id":%d}`, i), fmt.Sprintf(`{"got":%d}`, i), false
		if i == odd && i > 0 {
			switch kind {
			case 0:
				args = fmt.Sprintf(`{"id":%d}`, i-1)
			case 1:
				result = fmt.Sprintf(`{ "got": %d }`, i-1)
			case 2:
				result, bad = "exit status 1", true
			case 3:
				result = ""
			}
		}
		s.call(name, args, result, bad)
	}
}
