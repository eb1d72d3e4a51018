package detectors_test

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Where nobody masks anybody, each detector delivers for itself, and a ladder of
// one counts nobody else's nudges.
func TestEveryDeliversForItself(t *testing.T) {
	own := ladder("toy/own", detectors.Nudge, 2, 0)
	own.Of = "toy/a"
	p := preset([]*detectors.Ladder{own}, toy("a", "call"), toy("b", "call"))
	p.Every = true
	m, err := detectors.NewMonitor(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var cur transcript.Cursor
	var got []string
	for _, s := range []*transcript.Step{step("b=2"), step("a=2 b=2"), step("b=2"), step("a=2 b=2")} {
		for ev := range cur.Events(s) {
			worst, ok := m.Observe(ev)
			var all []string
			for _, a := range m.Alarms() {
				if len(a.Masked) > 0 {
					t.Errorf("%s masks %v", a.Detector, a.Masked)
				}
				all = append(all, fmt.Sprintf("%s %s", a.Detector, a.Delivered))
			}
			if ok {
				got = append(got, fmt.Sprintf("%d: %s; worst %s", ev.Pos.Step, strings.Join(all, ", "), worst.Detector))
			}
		}
	}
	want := []string{
		"1: toy/b nudge; worst toy/b",
		"2: toy/a nudge, toy/b nudge; worst toy/a",
		"3: toy/b nudge; worst toy/b",
		"4: toy/a force_stop, toy/b nudge; worst toy/a",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
