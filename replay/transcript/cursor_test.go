package transcript_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/replay/transcript"
)

var kinds = [...]string{"run", "request", "attempt", "delta", "response", "propose", "call", "end", "note"}

// events lists what the cursor makes of steps, a line each: kind, run/step/call,
// the delta's number, the line, and what the event carries.
func events(c *transcript.Cursor, steps ...*transcript.Step) (list []string) {
	for _, s := range steps {
		for ev := range c.Events(s) {
			out := fmt.Sprintf("%s %d/%d/%d", kinds[ev.Kind], ev.Pos.Run, ev.Pos.Step, ev.Pos.Call)
			if ev.Pos.Line != 0 {
				out += fmt.Sprintf(" line %d", ev.Pos.Line)
			}
			if ev.Attempt != nil {
				out += fmt.Sprintf(" status %d", ev.Attempt.Status)
			}
			if d := ev.Delta; d != nil {
				out += fmt.Sprintf(" #%d part %d %q to %d", ev.Pos.Delta, d.Index, d.Text, d.End)
				if d.Recorded {
					out += " recorded"
				}
			}
			if ev.Call != nil {
				out += " " + ev.Call.Tool
			}
			if ev.Step.Lane != "" {
				out += " @" + ev.Step.Lane
			}
			list = append(list, out)
		}
	}
	return list
}

func prompt(lane string) *transcript.Step {
	return &transcript.Step{Kind: transcript.Prompt, Lane: lane}
}

func response(lane string, tools ...string) *transcript.Step {
	s := &transcript.Step{Lane: lane}
	for _, tool := range tools {
		s.Calls = append(s.Calls, transcript.Call{Tool: tool})
	}
	return s
}

func flagged(s *transcript.Step, f transcript.Flags) *transcript.Step { s.Flags |= f; return s }

func attempts(s *transcript.Step, status ...int) *transcript.Step {
	for _, n := range status {
		s.Attempts = append(s.Attempts, transcript.Attempt{Status: n})
	}
	return s
}

// words splits after each blank.
func words(s string) iter.Seq[string] { return strings.SplitAfterSeq(s, " ") }

func TestEvents(t *testing.T) {
	injection := &transcript.Step{Kind: transcript.Injection}
	for _, test := range []struct {
		name  string
		split transcript.Splitter
		steps []*transcript.Step
		want  string
	}{
		{name: "a prompt and a response", steps: []*transcript.Step{prompt(""), response("", "a", "b")}, want: `
			run 0/0/0
			request 0/1/0
			response 0/1/0
			propose 0/1/1 a
			propose 0/1/2 b
			call 0/1/1 a
			call 0/1/2 b
			end 0/1/2`},
		{name: "calls and steps are counted through the run", steps: []*transcript.Step{prompt(""), response("", "a"), response(""), response("", "b"), prompt(""), response("", "c")}, want: `
			run 0/0/0
			request 0/1/0
			response 0/1/0
			propose 0/1/1 a
			call 0/1/1 a
			end 0/1/1
			request 0/2/0
			response 0/2/0
			end 0/2/1
			request 0/3/0
			response 0/3/0
			propose 0/3/2 b
			call 0/3/2 b
			end 0/3/2
			run 1/0/0
			request 1/1/0
			response 1/1/0
			propose 1/1/1 c
			call 1/1/1 c
			end 1/1/1`},
		{name: "a response without a prompt begins a run", steps: []*transcript.Step{response(""), response("")}, want: `
			run 0/0/0
			request 0/1/0
			response 0/1/0
			end 0/1/0
			request 0/2/0
			response 0/2/0
			end 0/2/0`},
		{name: "two prompts are two runs", steps: []*transcript.Step{prompt(""), prompt(""), response("")}, want: `
			run 0/0/0
			run 1/0/0
			request 1/1/0
			response 1/1/0
			end 1/1/0`},
		{name: "lanes have runs of their own", steps: []*transcript.Step{prompt(""), response("", "task"), prompt("sub"), response("sub", "x"), response("", "a"), response("sub", "y"), response("other", "z")}, want: `
			run 0/0/0
			request 0/1/0
			response 0/1/0
			propose 0/1/1 task
			call 0/1/1 task
			end 0/1/1
			run 1/0/0 @sub
			request 1/1/0 @sub
			response 1/1/0 @sub
			propose 1/1/1 x @sub
			call 1/1/1 x @sub
			end 1/1/1 @sub
			request 0/2/0
			response 0/2/0
			propose 0/2/2 a
			call 0/2/2 a
			end 0/2/2
			request 1/2/0 @sub
			response 1/2/0 @sub
			propose 1/2/2 y @sub
			call 1/2/2 y @sub
			end 1/2/2 @sub
			run 2/0/0 @other
			request 2/1/0 @other
			response 2/1/0 @other
			propose 2/1/1 z @other
			call 2/1/1 z @other
			end 2/1/1 @other`},
		{name: "attempts come before the response", steps: []*transcript.Step{prompt(""), attempts(response("", "a"), 429, 500)}, want: `
			run 0/0/0
			request 0/1/0
			attempt 0/1/0 status 429
			attempt 0/1/0 status 500
			response 0/1/0
			propose 0/1/1 a
			call 0/1/1 a
			end 0/1/1`},
		{name: "a synthetic response is no step, but its attempts happened", steps: []*transcript.Step{prompt(""), flagged(attempts(response(""), 529), transcript.Synthetic), response("")}, want: `
			run 0/0/0
			attempt 0/0/0 status 529
			request 0/1/0
			response 0/1/0
			end 0/1/0`},
		{name: "injections and synthetic prompts begin nothing", steps: []*transcript.Step{prompt(""), response("", "a"), injection, flagged(prompt(""), transcript.Synthetic), response("", "b")}, want: `
			run 0/0/0
			request 0/1/0
			response 0/1/0
			propose 0/1/1 a
			call 0/1/1 a
			end 0/1/1
			note 0/1/0
			note 0/1/0
			request 0/2/0
			response 0/2/0
			propose 0/2/2 b
			call 0/2/2 b
			end 0/2/2`},
		{name: "a note before everything", steps: []*transcript.Step{{Kind: transcript.System}, prompt("")}, want: `
			note 0/0/0
			run 0/0/0`},
		{name: "lines are those of the record", steps: []*transcript.Step{
			{Kind: transcript.Prompt, Line: 1},
			{Line: 2, Attempts: []transcript.Attempt{{Line: 3}}, Calls: []transcript.Call{{Tool: "a", Line: 4}, {Tool: "b"}}},
		}, want: `
			run 0/0/0 line 1
			request 0/1/0 line 2
			attempt 0/1/0 line 3 status 0
			response 0/1/0 line 2
			propose 0/1/1 line 4 a
			propose 0/1/2 b
			call 0/1/1 line 4 a
			call 0/1/2 b
			end 0/1/2 line 2`},
		{name: "recorded deltas", steps: []*transcript.Step{streaming()}, want: `
			run 0/0/0
			request 0/1/0
			delta 0/1/0 #1 part 1 "so " to 3 recorded
			delta 0/1/0 #2 part 1 "it is" to 8 recorded
			delta 0/1/0 #3 part 3 "{}" to 2 recorded
			response 0/1/0
			end 0/1/0`},
		{name: "made up deltas", split: words, steps: []*transcript.Step{streaming()}, want: `
			run 0/0/0
			request 0/1/0
			delta 0/1/0 #1 part 0 "not " to 4
			delta 0/1/0 #2 part 0 "cut" to 7
			delta 0/1/0 #3 part 1 "so " to 3 recorded
			delta 0/1/0 #4 part 1 "it is" to 8 recorded
			delta 0/1/0 #5 part 3 "{}" to 2 recorded
			response 0/1/0
			end 0/1/0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &transcript.Cursor{Split: test.split}
			want := strings.Split(strings.ReplaceAll(strings.TrimPrefix(test.want, "\n"), "\t", ""), "\n")
			if diff := cmp.Diff(want, events(c, test.steps...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// streaming is a response with parts with and without recorded deltas.
func streaming() *transcript.Step {
	return &transcript.Step{Parts: []transcript.Part{
		{Kind: transcript.Thinking, Text: "not cut"},
		{Kind: transcript.Text, Text: "so it is", Cuts: []transcript.Cut{{End: 3}, {End: 8}}},
		{Kind: transcript.ToolInput, Text: `{"a": 1}`},
		{Kind: transcript.ToolInput, Text: "{}", Cuts: []transcript.Cut{{End: 2}}},
	}}
}

// steps draws a session.
func steps(t *rapid.T) (list []*transcript.Step) {
	lanes := rapid.SampledFrom([]string{"", "", "sub", "other"})
	for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
		s := &transcript.Step{
			Kind: rapid.SampledFrom([]transcript.StepKind{transcript.Response, transcript.Response, transcript.Prompt, transcript.Injection, transcript.Compaction, transcript.System}).Draw(t, "kind"),
			Lane: lanes.Draw(t, "lane"),
			Line: i + 1,
		}
		if rapid.IntRange(0, 4).Draw(t, "synthetic") == 0 {
			s.Flags |= transcript.Synthetic
		}
		if s.Kind == transcript.Response {
			s.Attempts = make([]transcript.Attempt, rapid.IntRange(0, 2).Draw(t, "attempts"))
			s.Calls = make([]transcript.Call, rapid.IntRange(0, 3).Draw(t, "calls"))
			if rapid.Bool().Draw(t, "streams") {
				s.Parts = streaming().Parts
			}
		}
		list = append(list, s)
	}
	return list
}

// However steps come, runs count up without a hole, a run's first event is
// RunBegins, steps and calls of a run count up from 1, and the events of a step
// stand in the order of their kinds.
func TestPositionsCountUp(t *testing.T) {
	type place struct{ run, step, call int32 }
	rapid.Check(t, func(t *rapid.T) {
		c := &transcript.Cursor{Split: words}
		runs := int32(0)
		lanes := make(map[string]*place)
		for _, s := range steps(t) {
			last := transcript.RunBegins
			called := int32(0)
			for ev := range c.Events(s) {
				if ev.Kind < last {
					t.Fatalf("%s after %s", kinds[ev.Kind], kinds[last])
				}
				last = ev.Kind
				p := lanes[s.Lane]
				switch ev.Kind {
				case transcript.RunBegins:
					p = &place{run: runs}
					lanes[s.Lane] = p
					runs++
				case transcript.Responded:
					p.step++
				case transcript.Called:
					called++
					if ev.Pos.Call != p.call+called {
						t.Fatalf("call %d, want %d", ev.Pos.Call, p.call+called)
					}
				case transcript.StepEnds:
					p.call += called
					if ev.Pos.Call != p.call {
						t.Fatalf("the step ends at call %d, want %d", ev.Pos.Call, p.call)
					}
				case transcript.Noted:
					if p == nil {
						continue
					}
				}
				step := p.step
				if ev.Kind < transcript.Responded && ev.Kind > transcript.RunBegins && !s.Has(transcript.Synthetic) {
					step++ // of the response that is still coming
				}
				if ev.Pos.Run != p.run || ev.Pos.Step != step {
					t.Fatalf("%s at %+v, want run %d step %d", kinds[ev.Kind], ev.Pos, p.run, step)
				}
				if (ev.Attempt != nil) != (ev.Kind == transcript.Attempted) || (ev.Delta != nil) != (ev.Kind == transcript.Streamed) ||
					(ev.Call != nil) != (ev.Kind == transcript.Proposed || ev.Kind == transcript.Called) {
					t.Fatalf("%s carries what does not belong to it: %+v", kinds[ev.Kind], *ev)
				}
			}
		}
	})
}

// The deltas of a part, recorded or made up, are the part.
func TestDeltasConcatenateToTheirPart(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "é", "bc ", ""}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		s := &transcript.Step{}
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			p := transcript.Part{Kind: rapid.SampledFrom([]transcript.PartKind{transcript.Text, transcript.Thinking}).Draw(t, "kind")}
			recorded := rapid.Bool().Draw(t, "recorded")
			for _, piece := range text.Draw(t, "text") {
				p.Text += piece
				if recorded && piece != "" {
					p.Cuts = append(p.Cuts, transcript.Cut{End: len(p.Text)})
				}
			}
			s.Parts = append(s.Parts, p)
		}
		joined := make([]string, len(s.Parts))
		c := transcript.Cursor{Split: words}
		for ev := range c.Events(s) {
			if d := ev.Delta; d != nil {
				joined[d.Index] += d.Text
				if d.End != len(joined[d.Index]) {
					t.Errorf("a delta of part %d ends at %d, want %d", d.Index, d.End, len(joined[d.Index]))
				}
				if d.Part != s.Parts[d.Index].Kind {
					t.Errorf("a delta of part %d has kind %d", d.Index, d.Part)
				}
				if d.Recorded != (len(s.Parts[d.Index].Cuts) > 0) {
					t.Errorf("a delta of part %d: recorded is %v", d.Index, d.Recorded)
				}
			}
		}
		for i := range joined {
			if joined[i] != s.Parts[i].Text {
				t.Errorf("part %d came as %q, want %q", i, joined[i], s.Parts[i].Text)
			}
		}
	})
}

// Whoever stops listening may do so at any event.
func TestEventsMayBeLeftEarly(t *testing.T) {
	list := []*transcript.Step{
		prompt(""), attempts(streaming(), 429, 500), response("", "a", "b"), {Kind: transcript.Injection},
		response("sub", "c"), flagged(prompt("sub"), transcript.Synthetic),
	}
	list[1].Calls = []transcript.Call{{Tool: "x"}, {Tool: "y"}}
	for _, s := range list {
		for n := 1; ; n++ {
			c := transcript.Cursor{Split: words}
			left := n
			for range c.Events(s) {
				if left--; left == 0 {
					break
				}
			}
			if left > 0 {
				break // n is more than there are
			}
		}
	}
}
