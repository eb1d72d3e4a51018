package detectors_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// everything has a toy for each phase, two that compete after calls, and two ladders.
func everything() *detectors.Preset {
	return preset(
		[]*detectors.Ladder{ladder("toy/window", detectors.Nudge, 3, 4), ladder("toy/blocks", detectors.Block, 2, 0)},
		toy("d", "delta"), toy("r", "response"), toy("p", "propose"), toy("a", "call"), toy("b", "call"), toy("s", "step"),
	)
}

// speech draws what some of the toys are told.
func speech(t *rapid.T, names ...string) string {
	out := ""
	for _, name := range names {
		if rapid.IntRange(0, 2).Draw(t, "speaks") == 0 {
			out += fmt.Sprintf(" %s=%d/%d", name, rapid.IntRange(0, 4).Draw(t, "verdict"), rapid.IntRange(0, 2).Draw(t, "episode"))
		}
	}
	return out
}

// sessions draws a session of several runs in two lanes. Its lines tell steps apart.
func sessions(t *rapid.T) (list []*transcript.Step) {
	defer func() {
		for i, s := range list {
			s.Line = i + 1
			for j := range s.Calls {
				s.Calls[j].Line = i + 1
			}
		}
	}()
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		lane := rapid.SampledFrom([]string{"", "sub"}).Draw(t, "lane")
		if rapid.IntRange(0, 5).Draw(t, "prompt") == 0 {
			list = append(list, in(lane, prompt()))
		}
		var calls []string
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			calls = append(calls, speech(t, "p", "a", "b"))
		}
		list = append(list, in(lane, stepOf(speech(t, "r", "s"), speech(t, "d"), calls...)))
	}
	return list
}

// alarms is what a monitor of its own said about the steps, in order.
func alarms(t testing.TB, p *detectors.Preset, set detectors.Settings, steps []*transcript.Step) (list []detectors.Alarm) {
	t.Helper()
	m, err := detectors.NewMonitor(p, set)
	if err != nil {
		t.Fatal(err)
	}
	var cur transcript.Cursor
	for _, s := range steps {
		for ev := range cur.Events(s) {
			if a, ok := m.Observe(ev); ok {
				list = append(list, a)
			} else if a.Delivered != detectors.Continue || a.Detector != "" {
				t.Errorf("an alarm that is none: %+v", a)
			}
		}
	}
	return list
}

// A monitor is nothing but a panel and an arbiter for each lane: its alarms are
// the deliveries that the two make, driven by hand.
func TestMonitorEqualsPanelAndArbiter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := everything()
		set := detectors.Settings{"toy/a.least": fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "least")), "toy/b.rest": fmt.Sprint(rapid.IntRange(1, 3).Draw(rt, "rest"))}
		steps := sessions(rt)
		h := byHand(t, p, set)
		var want []detectors.Alarm
		var cur transcript.Cursor
		for _, s := range steps {
			for ev := range cur.Events(s) {
				for _, d := range h.observe(ev) {
					if d.Delivered > detectors.Continue {
						want = append(want, detectors.Alarm{Fire: d.Fire, Delivered: d.Delivered, Ladder: d.Ladder})
					}
				}
			}
		}
		if diff := cmp.Diff(want, alarms(t, p, set, steps)); diff != "" {
			rt.Errorf("(-by hand +monitor):\n%s", diff)
		}
	})
}

// What happens in one lane is not felt in another.
func TestMonitorLanesAreApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := sessions(rt)
		lanes := make(map[string][]detectors.Alarm)
		for _, lane := range []string{"", "sub"} {
			var own []*transcript.Step
			for _, s := range steps {
				if s.Lane == lane {
					own = append(own, s)
				}
			}
			lanes[lane] = alarms(t, everything(), nil, own)
		}
		for i, a := range alarms(t, everything(), nil, steps) {
			var own *detectors.Alarm
			for lane, list := range lanes {
				if len(list) == 0 {
					continue
				}
				// Only the numbers of the runs differ.
				first := list[0]
				first.Pos.Run = a.Pos.Run
				if cmp.Equal(first, a) {
					own = &first
					lanes[lane] = list[1:]
					break
				}
			}
			if own == nil {
				rt.Fatalf("alarm %d comes in neither lane alone: %+v", i, a)
			}
		}
		if left := len(lanes[""]) + len(lanes["sub"]); left > 0 {
			rt.Errorf("%d alarms of a lane alone are missing", left)
		}
	})
}

// A fire holds what its reader needs, and stays as it is when the session goes on.
func TestAlarm(t *testing.T) {
	p := preset(nil, toy("a", "call"), toy("b", "call"))
	got := alarms(t, p, nil, []*transcript.Step{step("b=2/7 a=3/5"), step("b=2/8")})
	want := []detectors.Alarm{
		{Delivered: detectors.Block, Fire: detectors.Fire{
			Detector: "toy/a", Verdict: detectors.Block, Reason: "call", Text: "told to block, at least 1",
			Phase: detectors.AfterCall, Pos: transcript.Pos{Step: 1, Call: 1}, Masked: []string{"toy/b"},
			Evidence: []detectors.Field{{Name: "verdict", Value: 3}, {Name: "episode", Value: 5}},
		}},
		{Delivered: detectors.Nudge, Fire: detectors.Fire{
			Detector: "toy/b", Verdict: detectors.Nudge, Reason: "call", Text: "told to nudge, at least 1",
			Phase: detectors.AfterCall, Pos: transcript.Pos{Step: 2, Call: 2},
			Evidence: []detectors.Field{{Name: "verdict", Value: 2}, {Name: "episode", Value: 8}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewMonitorChecksSettings(t *testing.T) {
	for id, value := range map[string]string{"toy/a.least": "-1", "toy/window.count": "x"} {
		if _, err := detectors.NewMonitor(everything(), detectors.Settings{id: value}); err == nil {
			t.Errorf("%s=%s was accepted", id, value)
		}
	}
}
