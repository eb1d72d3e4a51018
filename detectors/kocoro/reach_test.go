package kocoro

import (
	"fmt"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/detectortest"
	"groundhog/replay/transcript"
)

// smallWorlds are sets of calls from which every short session is made.
var smallWorlds = map[string][]act{
	"one tool":  {update, {tool: "board_update", args: `{"card":"b"}`, text: "updated"}, failing, {tool: "board_update", args: `{"card":"b"}`, text: "connection refused", failed: true}, refused, note},
	"readers":   {reading, reading2, {tool: "file_read", args: `{"path":"a"}`, text: "another line"}, {tool: "file_read", args: `{"path":"a"}`, text: "gone", failed: true}, note},
	"the web":   {oneAnswer(1), oneAnswer(2), {tool: "web_search", args: `{"query":"` + letters(1) + `"}`, text: "nothing"}, {tool: "web_fetch", args: `{"page":"a"}`, text: "an answer"}, {tool: "web_fetch", args: `{"page":"b"}`, text: "an answer"}},
	"searches":  {{tool: "grep", args: `{"pattern":"a"}`, text: "no matches found"}, {tool: "glob", args: `{"pattern":"a"}`, text: "no files matched"}, {tool: "grep", args: `{"pattern":"b"}`, text: "no matches found"}, {tool: "grep", args: `{"pattern":"c"}`, text: "a.go:1: c"}, note},
	"a screen":  {script, look, clicks, {tool: "browser_click", args: `{"item":"b"}`, text: clicks.text}, {tool: "bash", args: `{"command":"a"}`, failed: true}, {tool: "bash", args: `{"command":"b"}`}},
	"a command": {{tool: "bash", args: `{"command":"sleep 5"}`}, {tool: "bash", args: `{"command":"sleep 6"}`}, {tool: "bash", args: `{"command":"c"}`}, {tool: "bash", args: `{"command":"d"}`}, thought},
}

// small are numbers that make everything happen soon, where the window is large
// enough, and some of it never, where it is not.
var small = detectors.Settings{
	"kocoro/consecutive_duplicate.nudge": "2", "kocoro/consecutive_duplicate.ro_nudge": "2", "kocoro/consecutive_duplicate.ro_force": "4",
	"kocoro/exact_duplicate.nudge": "2", "kocoro/same_tool_error.nudge": "2", "kocoro/validation_error.force": "2",
	"kocoro/family_no_progress.nudge": "2", "kocoro/family_no_progress.nudge2": "3", "kocoro/family_no_progress.force": "4",
	"kocoro/family_no_progress.repeatable_force": "3", "kocoro/family_no_progress.fallback_nudge": "2", "kocoro/family_no_progress.fallback_force": "3",
	"kocoro/family_no_progress.stable_web_force": "3", "kocoro/search_escalation.nudge": "2", "kocoro/search_escalation.force": "4",
	"kocoro/no_progress.nudge": "2", "kocoro/no_progress.bash_nudge": "3", "kocoro/sleep.nudge": "2", "kocoro/sleep.force": "4",
	"kocoro/ping_pong.nudge": "4", "kocoro/ping_pong.force": "6", "kocoro/before_stable_read_only.force": "3",
	"kocoro/before_ping_pong.force": "4", "kocoro/before_stable_web.force": "3", "kocoro.batch_tolerant": "bash,file_read",
}

// Every session of up to five calls, of every small world: what happens in some
// of them is exactly what is listed with so many calls, and at the smallest
// number of calls that is listed.
func TestReachIsExhaustive(t *testing.T) {
	for _, p := range Presets {
		for window, depth := range map[int]int{1: 3, 2: 4, 4: 5} {
			set := p.Set.With(small).With(detectors.Settings{"kocoro.window": fmt.Sprint(window), "kocoro.web_read_only": "true"})
			claims := detectortest.Claims(t, Detectors, set)
			seen := make(map[detectortest.Claim]int)
			for _, letters := range smallWorlds {
				exhaust(t, set, letters, depth, seen)
			}
			for c, call := range seen {
				if least, ok := claims[c]; !ok || call < least {
					t.Errorf("%s, window %d: %v happens at call %d; listed: %v, from %d calls", p.Name, window, c, call, ok, least)
				}
			}
			for c, least := range claims {
				if call, ok := seen[c]; least <= depth && (!ok || call != least) {
					t.Errorf("%s, window %d: %v is listed from %d calls; it happens: %v, first at call %d", p.Name, window, c, least, ok, call)
				}
			}
		}
	}
}

// exhaust drives every session of depth letters and notes the earliest call of
// everything that is said.
func exhaust(t *testing.T, set detectors.Settings, letters []act, depth int, seen map[detectortest.Claim]int) {
	steps := make([]*transcript.Step, len(letters))
	for i, a := range letters {
		steps[i] = a.step()
	}
	total := 1
	for range depth {
		total *= len(letters)
	}
	d := detectortest.NewDriver(t, Detectors, set)
	session := make([]*transcript.Step, depth)
	for n := range total {
		for i, rest := 0, n; i < depth; i, rest = i+1, rest/len(letters) {
			session[i] = steps[rest%len(letters)]
		}
		d.Run(session, func(f detectors.Fire) {
			c := detectortest.ClaimOf(f)
			if have, ok := seen[c]; !ok || int(f.Pos.Call) < have {
				seen[c] = int(f.Pos.Call)
			}
		})
	}
}
