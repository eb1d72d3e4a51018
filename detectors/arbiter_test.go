package detectors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

func TestArbiter(t *testing.T) {
	abc := preset(nil, toy("a", "call"), toy("b", "call"), toy("c", "call"))
	phases := preset(nil, toy("d", "delta"), toy("r", "response"), toy("p", "propose"), toy("c", "call"), toy("s", "step"))
	for _, test := range []struct {
		name   string
		preset *detectors.Preset
		set    detectors.Settings
		steps  []*transcript.Step
		want   []string
	}{
		{"silence", abc, nil, []*transcript.Step{step("", "d=4"), step()}, nil},
		{"the first in order wins, whatever the others ask for", abc, nil, []*transcript.Step{step("c=4 b=1 a=0")},
			[]string{"0/1/1 b annotate post masks c", "0/1/1 b delivered -> annotate"}},
		{"wanted lists all that asked, in order", abc, nil, []*transcript.Step{step("c=2 a=2 b=3")},
			[]string{"0/1/1 a nudge post masks b masks c", "0/1/1 a delivered -> nudge"}},
		{"a step delivers the most severe verdict", abc, nil, []*transcript.Step{step("a=2", "b=4", "c=3")},
			[]string{"0/1/1 a nudge post", "0/1/2 b force_stop post", "0/1/3 c block post", "0/1/2 b delivered -> force_stop"}},
		{"the first of two as severe", abc, nil, []*transcript.Step{step("c=2", "a=2", "b=1")},
			[]string{"0/1/1 c nudge post", "0/1/2 a nudge post", "0/1/3 b annotate post", "0/1/1 c delivered -> nudge"}},
		{"steps do not add up", abc, nil, []*transcript.Step{step("a=3"), step("a=2")},
			[]string{"0/1/1 a block post", "0/1/1 a delivered -> block", "0/2/2 a nudge post", "0/2/2 a delivered -> nudge"}},
		{"after a stop everything is open until the run ends", abc, nil, []*transcript.Step{step("a=4", "b=2"), step("b=2"), prompt(), step("b=2")},
			[]string{"0/1/1 a force_stop post", "0/1/2 b nudge post", "0/1/1 a delivered -> force_stop",
				"0/2/3 b nudge post open", "0/2/3 b delivered -> nudge", "1/1/1 b nudge post", "1/1/1 b delivered -> nudge"}},
		{"before a call, and in the stream, at once", phases, nil, []*transcript.Step{stepOf("r=2", "d=1", "p=3", "p=2")},
			[]string{"0/1/0 d annotate stream -> annotate", "0/1/0 r nudge pre -> nudge", "0/1/1 p block pre -> block", "0/1/2 p nudge pre -> nudge"}},
		{"a stop in the stream opens the rest of the step", phases, nil, []*transcript.Step{stepOf("", "d=4", "c=2")},
			[]string{"0/1/0 d force_stop stream -> force_stop", "0/1/1 c nudge post open", "0/1/1 c delivered -> nudge"}},
		{"a verdict before a call does not replace one after it", phases, nil, []*transcript.Step{step("p=2 c=1")},
			[]string{"0/1/1 p nudge pre -> nudge", "0/1/1 c annotate post", "0/1/1 c delivered -> annotate"}},
		{"the end of the step is part of it", phases, nil, []*transcript.Step{stepOf("s=2", "", "c=1"), stepOf("s=2", "", "c=2"), stepOf("s=2", "")},
			[]string{"0/1/1 c annotate post", "0/1/1 s nudge step_end", "0/1/1 s delivered -> nudge",
				"0/2/2 c nudge post", "0/2/2 s nudge step_end", "0/2/2 c delivered -> nudge",
				"0/3/2 s nudge step_end", "0/3/2 s delivered -> nudge"}},
		{"an episode is spent by a win", abc, nil, []*transcript.Step{step("a=2/1", "a=2/1"), step("a=2/1", "a=2/2", "a=2/2")},
			[]string{"0/1/1 a nudge post", "0/1/1 a delivered -> nudge", "0/2/4 a nudge post", "0/2/4 a delivered -> nudge"}},
		{"and not by being masked", abc, nil, []*transcript.Step{step("a=2 b=2/1"), step("b=2/1"), step("a=2 b=2/1")},
			[]string{"0/1/1 a nudge post masks b", "0/1/1 a delivered -> nudge", "0/2/2 b nudge post", "0/2/2 b delivered -> nudge",
				"0/3/3 a nudge post", "0/3/3 a delivered -> nudge"}},
		{"episode 0 is no memory", abc, nil, []*transcript.Step{step("a=2", "a=2")},
			[]string{"0/1/1 a nudge post", "0/1/2 a nudge post", "0/1/1 a delivered -> nudge"}},
		{"who is silent lets the next one speak", abc, nil, []*transcript.Step{step("a=2/1"), step("a=2/1 b=2")},
			[]string{"0/1/1 a nudge post", "0/1/1 a delivered -> nudge", "0/2/2 b nudge post", "0/2/2 b delivered -> nudge"}},
		{"rest is how far the number must grow", abc, detectors.Settings{"toy/a.rest": "3"}, []*transcript.Step{step("a=2/1", "a=2/2", "a=2/3", "a=2/4", "a=2/6", "a=2/7")},
			[]string{"0/1/1 a nudge post", "0/1/4 a nudge post", "0/1/6 a nudge post", "0/1/1 a delivered -> nudge"}},
		{"a run begins with nothing spent", abc, nil, []*transcript.Step{step("a=2/1"), prompt(), step("a=2/1")},
			[]string{"0/1/1 a nudge post", "0/1/1 a delivered -> nudge", "1/1/1 a nudge post", "1/1/1 a delivered -> nudge"}},
		{"limits decide what is asked for", abc, detectors.Settings{"toy/a.least": "3"}, []*transcript.Step{step("a=2 b=2", "a=3")},
			[]string{"0/1/1 b nudge post", "0/1/2 a block post", "0/1/2 a delivered -> block"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(t, test.preset, test.set, test.steps...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// ladder counts nudges.
func ladder(name string, counts detectors.Verdict, count, within int) *detectors.Ladder {
	return &detectors.Ladder{Name: name, Doc: "stops", Origin: detectors.Origin{Source: "this test"}, Counts: counts, Count: count, Within: within}
}

// stops gives the steps at which a ladder stops, where a nudge is delivered in each of some steps.
func stops(t *testing.T, set detectors.Settings, l *detectors.Ladder, verdict string, nudged ...int) (list []int) {
	t.Helper()
	var steps []*transcript.Step
	for n := 1; n <= nudged[len(nudged)-1]; n++ {
		args := ""
		for _, at := range nudged {
			if at == n {
				args = "a=" + verdict
			}
		}
		steps = append(steps, step(args))
	}
	h := byHand(t, preset([]*detectors.Ladder{l}, toy("a", "call")), set)
	var cur transcript.Cursor
	for _, s := range steps {
		for ev := range cur.Events(s) {
			for _, d := range h.observe(ev) {
				if d.Ladder {
					if d.Delivered != detectors.ForceStop || !d.AtEnd {
						t.Errorf("a ladder delivered %v", d)
					}
					list = append(list, int(d.Fire.Pos.Step))
				}
			}
		}
	}
	return list
}

func TestLadder(t *testing.T) {
	l := ladder("toy/window", detectors.Nudge, 3, 10)
	for _, test := range []struct {
		name    string
		set     detectors.Settings
		verdict string
		nudged  []int
		want    []int
	}{
		{"the third within the window", nil, "2", []int{1, 2, 3}, []int{3}},
		{"at the edge of the window", nil, "2", []int{1, 5, 10}, []int{10}},
		{"one step too late", nil, "2", []int{1, 5, 11}, nil},
		{"old ones leave the window one by one", nil, "2", []int{1, 5, 11, 12}, []int{12}},
		{"it goes on after the first stop", nil, "2", []int{1, 2, 3, 4, 20, 21, 22}, []int{3, 4, 22}},
		{"annotations do not count", nil, "1", []int{1, 2, 3}, nil},
		{"blocks count", nil, "3", []int{1, 2, 3}, []int{3}},
		{"a stop is no rung", nil, "4", []int{1, 2, 3}, nil},
		{"count 0 is off", detectors.Settings{"toy/window.count": "0"}, "2", []int{1, 2, 3, 4, 5}, nil},
		{"count 1 stops at once", detectors.Settings{"toy/window.count": "1"}, "2", []int{4, 30}, []int{4, 30}},
		{"within 0 is the whole run", detectors.Settings{"toy/window.steps": "0"}, "2", []int{1, 50, 100, 150}, []int{100, 150}},
		{"within 1 is this step alone", detectors.Settings{"toy/window.steps": "1"}, "2", []int{1, 2, 3, 4}, nil},
	} {
		if got := stops(t, test.set, l, test.verdict, test.nudged...); !cmp.Equal(got, test.want) {
			t.Errorf("%s: stops at %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLadderCountsDeliveries(t *testing.T) {
	whole := ladder("toy/window", detectors.Nudge, 3, 0)
	block := ladder("toy/blocks", detectors.Block, 2, 0)
	toys := []*detectors.Detector{toy("p", "propose"), toy("a", "call")}
	for _, test := range []struct {
		name    string
		ladders []*detectors.Ladder
		steps   []*transcript.Step
		want    []string
	}{
		{"a step of many nudges counts once", []*detectors.Ladder{whole}, []*transcript.Step{step("a=2", "a=2", "a=2"), step("a=2"), step("a=2")},
			[]string{"0/1/1 a nudge post", "0/1/2 a nudge post", "0/1/3 a nudge post", "0/1/1 a delivered -> nudge",
				"0/2/4 a nudge post", "0/2/4 a delivered -> nudge", "0/3/5 a nudge post", "0/3/5 a delivered -> force_stop by ladder"}},
		{"a run begins at the bottom", []*detectors.Ladder{whole}, []*transcript.Step{step("a=2"), step("a=2"), prompt(), step("a=2")},
			[]string{"0/1/1 a nudge post", "0/1/1 a delivered -> nudge", "0/2/2 a nudge post", "0/2/2 a delivered -> nudge",
				"1/1/1 a nudge post", "1/1/1 a delivered -> nudge"}},
		{"what comes at once counts, too, but a step counts once", []*detectors.Ladder{whole}, []*transcript.Step{step("p=2", "p=2 a=2"), step("p=2"), step("a=2")},
			[]string{"0/1/1 p nudge pre -> nudge", "0/1/2 p nudge pre -> nudge", "0/1/2 a nudge post", "0/1/2 a delivered -> nudge",
				"0/2/3 p nudge pre -> nudge", "0/3/4 a nudge post", "0/3/4 a delivered -> force_stop by ladder"}},
		{"two ladders count for themselves", []*detectors.Ladder{whole, block}, []*transcript.Step{step("p=3"), step("a=2"), step("p=3")},
			[]string{"0/1/1 p block pre -> block", "0/2/2 a nudge post", "0/2/2 a delivered -> nudge", "0/3/3 p block pre -> force_stop by ladder"}},
		{"what a ladder stops opens the rest", []*detectors.Ladder{ladder("toy/w", detectors.Nudge, 1, 0)}, []*transcript.Step{step("p=2 a=2")},
			[]string{"0/1/1 p nudge pre -> force_stop by ladder", "0/1/1 a nudge post open", "0/1/1 a delivered -> force_stop by ladder"}},
	} {
		if diff := cmp.Diff(test.want, told(t, preset(test.ladders, toys...), nil, test.steps...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLadderParams(t *testing.T) {
	l := ladder("toy/window", detectors.Nudge, 3, 10)
	params := l.Params()
	if len(params) != 2 || params[0].ID != "toy/window.count" || params[0].Default != "3" || params[1].ID != "toy/window.steps" || params[1].Default != "10" {
		t.Errorf("params %v", params)
	}
	r, err := l.Rungs(detectors.Settings{"toy/window.count": "4"})
	if want := (detectors.Rungs{Counts: detectors.Nudge, Count: 4, Within: 10}); err != nil || r != want {
		t.Errorf("rungs %v, %v, want %v", r, err, want)
	}
	_, err = l.Rungs(detectors.Settings{"toy/window.steps": "many"})
	if want := `toy/window.steps: "many" is not a whole number from 0 to 1000000`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
