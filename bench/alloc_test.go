package bench

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// Allocations are counted over a whole round of calls and not for one, because
// an average for each call would round one allocation in two calls down to 0.

// A lane is a panel and its arbiters, as a replay has them for one agent.
type lane struct {
	panel    *detectors.Panel
	arbiters []*detectors.Arbiter
	fires    int
}

// newLane has one arbiter for each of n points that all differ in every limit
// named by vary: point i takes its default plus i.
func newLane(t testing.TB, n int, vary ...string) *lane {
	t.Helper()
	p := preset(t, current)
	settings := make([]detectors.Settings, n)
	for i := range settings {
		over := detectors.Settings{}
		for _, id := range vary {
			q, err := replay.FindParam(p.Params(), id)
			if err != nil {
				t.Fatalf("no parameter %s: %v", id, err)
			}
			def, err := strconv.Atoi(q.Default)
			if err != nil {
				t.Fatal(err)
			}
			over[q.ID] = strconv.Itoa(def + i)
		}
		settings[i] = p.Set.With(over)
	}
	variants := make([][]detectors.Settings, len(p.Detectors))
	for i := range variants {
		variants[i] = settings
	}
	panel, err := detectors.NewPanel(p.Detectors, p.Set, variants)
	if err != nil {
		t.Fatal(err)
	}
	l := &lane{panel: panel}
	for i, set := range settings {
		point := &detectors.Point{Variant: slices.Repeat([]int{i}, len(p.Detectors))}
		for det := range p.Detectors {
			point.On = append(point.On, det)
		}
		for _, ladder := range p.Ladders {
			r, err := ladder.Rungs(set)
			if err != nil {
				t.Fatal(err)
			}
			point.Ladders = append(point.Ladders, r)
		}
		l.arbiters = append(l.arbiters, detectors.NewArbiter(point))
	}
	return l
}

// observe is what a replay does at an event, except that nothing is explained.
func (l *lane) observe(ev *transcript.Event) {
	if ev.Kind == transcript.RunBegins {
		for _, a := range l.arbiters {
			a.RunBegins()
		}
	}
	if f := l.panel.Observe(ev); f != nil {
		for _, a := range l.arbiters {
			if _, ok := a.Add(f); ok {
				l.fires++
			}
		}
	}
	if ev.Kind == transcript.StepEnds {
		for _, a := range l.arbiters {
			a.StepEnds(ev.Pos)
		}
	}
}

// events are those of one run with a call a step, every kind that a call has
// part in. They are kept, so that making them is not what is counted.
func events(calls []transcript.Call) []*transcript.Event {
	var cur transcript.Cursor
	var list []*transcript.Event
	for i := range calls {
		step := &transcript.Step{Calls: calls[i : i+1]}
		for ev := range cur.Events(step) {
			kept := *ev
			list = append(list, &kept)
		}
	}
	return list
}

// allocs counts the allocations of a warm lane for one pass over the events.
func allocs(l *lane, list []*transcript.Event) float64 {
	return testing.AllocsPerRun(20, func() {
		for _, ev := range list {
			l.observe(ev)
		}
	})
}

const round = 100 // calls

// underRace reports whether the race detector is on.
func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// edited is an instrumented agent's call of no family, so that nothing about it
// has to be derived.
func edited(args string) transcript.Call {
	return transcript.Call{Tool: "file_edit", Args: args, Signals: &transcript.Signals{},
		Result: transcript.Result{Status: transcript.ResultOK, Text: "ok"}}
}

// instrumented is a round of such calls. Some repeat and some fail.
func instrumented(args string) []transcript.Call {
	calls := make([]transcript.Call, round)
	for i := range calls {
		c := edited(fmt.Sprintf(args, i))
		switch {
		case i%10 > 5:
			c = edited(args)
		case i%10 == 5:
			c.Result.Status, c.Result.Text = transcript.ResultError, "exit status 1"
		}
		calls[i] = c
	}
	return calls
}

const (
	short = `{"path":"/repo/%02d.go"}` // within the 32 bytes that a conversion holds on the stack
	long  = `{"path":"/repo/internal/%02d.go","text":"x := 1"}`
)

// Nothing has to be derived, and nothing is allocated, whoever fires.
func TestAllocsInstrumented(t *testing.T) {
	limits := []string{"consecutive_duplicate.nudge", "exact_duplicate.nudge", "same_tool_error.nudge", "no_progress.nudge"}
	for _, points := range []int{1, 140} {
		for _, args := range []string{short, long} {
			l := newLane(t, points, limits...)
			if n := allocs(l, events(instrumented(args))); n != 0 {
				t.Errorf("%d points, arguments like %s: %g allocations in %d calls, want 0", points, args, n, round)
			}
			if l.fires == 0 {
				t.Errorf("%d points: nothing fires, so no arbiter had work to do", points)
			}
		}
	}
}

// Whoever keeps measurements pays for keeping them, and not for getting them.
func TestAllocsRecorded(t *testing.T) {
	l := newLane(t, 1)
	heard := 0
	l.panel.Record(func(m *detectors.Measurement) { heard += len(m.Values) })
	if n := allocs(l, events(instrumented(long))); n != 0 {
		t.Errorf("%g allocations in %d calls, want 0", n, round)
	}
	if heard == 0 {
		t.Error("nothing was recorded")
	}
}

// Under limits that everything reaches, every point decides at every call.
func TestAllocsEveryPointFires(t *testing.T) {
	calls := slices.Repeat([]transcript.Call{edited(short)}, round)
	l := newLane(t, 140, "exact_duplicate.error_factor") // which no call here reads
	if n := allocs(l, events(calls)); n != 0 {
		t.Errorf("%g allocations in %d calls, want 0", n, round)
	}
	if least := 140 * (round - 3); l.fires < least {
		t.Errorf("%d fires, want at least %d", l.fires, least)
	}
}

// An event that no detector listens to costs no memory, whatever it carries.
func TestAllocsUnheard(t *testing.T) {
	step := &transcript.Step{Calls: instrumented(long)[:1], Parts: []transcript.Part{{Text: strings.Repeat("word ", 1000)}}}
	list := []*transcript.Event{
		{Kind: transcript.Attempted, Step: step, Attempt: &transcript.Attempt{Status: 529}},
		{Kind: transcript.Streamed, Step: step, Delta: &transcript.Delta{Text: "word "}},
		{Kind: transcript.Responded, Step: step},
		{Kind: transcript.Proposed, Step: step, Call: &step.Calls[0]},
		{Kind: transcript.StepEnds, Step: step},
		{Kind: transcript.Noted, Step: step},
	}
	if n := allocs(newLane(t, 140), list); n != 0 {
		t.Errorf("%g allocations for %d events, want 0", n, len(list))
	}
}

// What has to be derived allocates, within these bounds. They are what was
// measured with Go 1.26. A bound may be lowered and not raised, except for a new Go.
func TestAllocsDerived(t *testing.T) {
	if underRace() {
		t.Skip("the race detector lets the pools of encoding/json drop what they hold")
	}
	text := strings.Repeat("/repo/internal/store/store.go:14: undefined: x\n", 40)
	foreign := func(tool, args, result string) transcript.Call {
		return transcript.Call{Tool: tool, Args: args, Result: transcript.Result{Status: transcript.ResultOK, Text: result}}
	}
	failed := func(c transcript.Call, text string) transcript.Call {
		c.Result = transcript.Result{Status: transcript.ResultError, Text: text}
		return c
	}
	search := edited(`{"pattern":"x","path":"/repo"}`)
	search.Tool = "grep"
	sleep := edited(`{"command":"sleep 5"}`)
	sleep.Tool = "bash"
	for _, test := range []struct {
		name string
		most float64 // allocations a call
		call transcript.Call
	}{
		{"no arguments", 0, foreign("Todo", "", text)},
		{"one argument", 0, foreign("Read", `{"file_path":"/repo/a.go"}`, text)},
		// Members that are out of order are copied once to sort them.
		{"three arguments", 1, foreign("Edit", `{"file_path":"/repo/internal/store.go","old_string":"x := 1\n","new_string":"x := 2\n"}`, text)},
		{"an argument of 4 KB", 1, foreign("Write", object("file_path", "/repo/a.go", "content", strings.Repeat(text, 2)), text)},
		// What is no easy case goes through encoding/json, whose behaviour is the
		// one to reproduce (detectors/kocoro/args.go).
		{"arguments that are no JSON", 6, foreign("Bash", `{"command":"go test`, text)},
		// The query is taken out of the arguments by decoding them.
		{"a search", 13, foreign("Grep", search.Args, text)},
		{"a search, instrumented", 13, search},
		{"a search on the web", 30, foreign("WebSearch", `{"query":"latest news about the go parser"}`, "https://a.example/x?y\nhttps://b.example/z\n"+text)},
		{"a sleep, instrumented", 0, sleep},
		{"a short error", 0, failed(edited("{}"), "exit status 1")},
		{"a long error", 0, failed(edited("{}"), text)},
	} {
		calls := slices.Repeat([]transcript.Call{test.call}, round)
		got := allocs(newLane(t, 1), events(calls)) / round
		// A collection now and then empties the pools of encoding/json.
		if math.Round(got) > test.most {
			t.Errorf("%s: %g allocations a call, want at most %g", test.name, got, test.most)
		}
	}
}
