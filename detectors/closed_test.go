package detectors_test

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// asker is a closed toy: it asks at each request for what the last message that
// was no response said.
type asker struct {
	ear
	on   bool
	last string
}

func (c *asker) bind(p *detectors.Params) { p.Bool(&c.on, "on", false, "say what you are told") }

func closed() detectors.Rule[asker, threshold, said] {
	return detectors.Rule[asker, threshold, said]{
		Name:      "toy/closed",
		Doc:       "says what it is told to before a request",
		Origin:    detectors.Origin{Source: "this test"},
		New:       func(*detectors.Inputs) *asker { return &asker{ear: ear{"c"}} },
		Shape:     (*asker).bind,
		Switch:    "on",
		Closed:    true,
		OnRun:     func(c *asker) { c.last = "" },
		OnMessage: func(c *asker, s *transcript.Step) { c.last = s.Text(transcript.Text) },
		OnRequest: func(c *asker) (said, bool) {
			m, ok := c.hear(c.last)
			return m, ok && c.on
		},
		Judge:   func(m said, _ threshold) detectors.Verdict { return detectors.Verdict(m.Verdict) },
		Explain: func(said, threshold, detectors.Verdict) (reason, text string) { return "", "told to" },
	}
}

func says(kind transcript.StepKind, text string) *transcript.Step {
	return &transcript.Step{Kind: kind, Parts: []transcript.Part{{Text: text}}}
}

// A rule hears what was said before it is asked about the request, and one that
// yields is silent in the rest of that step, keeps its episode and its rung, and
// speaks in the next.
func TestRequestsAndYields(t *testing.T) {
	first, b := detectors.Define(closed()), toy("b", "step")
	rungs := ladder("toy/rungs", detectors.Nudge, 2, 0)
	rungs.Of = b.Name
	p := preset([]*detectors.Ladder{rungs}, first, b)
	p.Every = true
	p.Yields = []detectors.Yield{{Detector: b, To: first}}
	p.Set = detectors.Settings{"toy/closed.on": "true"}
	session := []*transcript.Step{
		says(transcript.Prompt, "c=1"), stepOf("b=2/1", ""), // silent, and episode 1 is not spent
		says(transcript.Injection, "c=0"), stepOf("b=2/1", ""),
		says(transcript.Compaction, "c=1"), stepOf("b=2/2", ""),
		says(transcript.System, "nothing"), stepOf("b=2/2", ""), // the second rung, and not the third
		in("sub", stepOf("b=2/1", "")), // nobody said anything here
	}
	for _, test := range []struct {
		name string
		set  detectors.Settings
		want string
	}{
		{"on", nil, "1 closed annotate, 2 b nudge, 3 closed annotate, 4 b force_stop, 1 b nudge"},
		{"off", detectors.Settings{"toy/closed.on": "false"}, "1 b nudge, 3 b force_stop, 1 b nudge"},
	} {
		m, err := detectors.NewMonitor(p, test.set)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var cur transcript.Cursor
		for _, s := range session {
			for ev := range cur.Events(s) {
				m.Observe(ev)
				for _, a := range m.Alarms() {
					if a.Detector == first.Name && a.Phase != detectors.BeforeCall {
						t.Errorf("phase %s of a request", a.Phase)
					}
					got = append(got, fmt.Sprintf("%d %s %s", ev.Pos.Step, strings.TrimPrefix(a.Detector, "toy/"), a.Delivered))
				}
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: got %s, want %s", test.name, s, test.want)
		}
	}
}

// What acts on its own verdicts must not be masked, and has no limits that
// points could differ in.
func TestClosedRules(t *testing.T) {
	d := detectors.Define(closed())
	if !d.Closed || d.Switch != "toy/closed.on" || !d.Off(nil) || d.Off(detectors.Settings{"toy/closed.on": "true"}) {
		t.Errorf("closed %t, switch %q, off by default %t", d.Closed, d.Switch, d.Off(nil))
	}
	if toy("a", "step").Off(nil) {
		t.Error("a detector without a switch is off")
	}
	if err := preset(nil, d, toy("a", "step")).Check(nil); err == nil || !strings.Contains(err.Error(), "mask") {
		t.Errorf("a preset in which it may be masked: %v", err)
	}
	r := closed()
	r.Limits = (*threshold).bind
	refused(t, "a closed rule with limits", detectors.Define(r), "part of its Shape: it has no Limits")
	r = closed()
	r.Switch = "off"
	refused(t, "a switch that is no parameter", detectors.Define(r), "its switch toy/closed.off is no Bool of its Shape")
}
