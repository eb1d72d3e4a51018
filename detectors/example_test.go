package detectors_test

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Cycle fires when the same three calls are made in turn, round after round.
var Cycle = detectors.Define(detectors.Rule[cycle, detectors.Limits, rounds]{
	Name: "mine/cycle",
	Doc: "three calls in turn, round after round\n\n" +
		"No progress means: each call is, with its arguments, that of three calls before. Results are not compared.",
	Origin:  detectors.Origin{Incident: "2026-11-02: status, log, wait, status, log, wait, for two hours"},
	Targets: []string{"three_tool_cycle"},
	New:     func(*detectors.Inputs) *cycle { return &cycle{} },
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Nudge, "nudge", 3, 2, 8, "rounds before a nudge")
		p.Int(&l.Stop, "stop", 5, 2, 12, "rounds before a stop")
	},
	OnRun:  func(c *cycle) { *c = cycle{} },
	OnCall: (*cycle).measure,
	Count: func(m rounds) detectors.Count {
		return detectors.Count{N: m.Rounds, Of: "rounds of the same three calls"}
	},
})

// Preset is what an agent that has the detector does.
var Preset = &detectors.Preset{Name: "mine-1", Doc: "my agent", Detectors: []*detectors.Detector{Cycle}}

// rounds is the measurement: whole rounds that end here.
type rounds struct{ Rounds int }

// cycle is the meter: the last three calls, oldest first, and how many of those up
// to now, in a row, were that of three calls before. It never looks at a limit.
type cycle struct {
	last  [3]string
	again int
}

func (c *cycle) measure(call *transcript.Call) (rounds, bool) {
	key := call.Tool + " " + call.Args
	if c.again++; key != c.last[0] {
		c.again = 0
	}
	c.last = [3]string{c.last[1], c.last[2], key}
	three := c.last[0] != c.last[1] && c.last[1] != c.last[2] && c.last[0] != c.last[2]
	return rounds{1 + c.again/3}, three && c.again > 0 && c.again%3 == 0
}

// A live agent asks at every event, and acts on what it is told.
func Example() {
	monitor, err := detectors.NewMonitor(Preset, detectors.Settings{"mine/cycle.stop": "4"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var cursor transcript.Cursor
	for n := range 12 {
		call := transcript.Call{Tool: []string{"status", "log", "wait"}[n%3], Args: `{}`}
		for event := range cursor.Events(&transcript.Step{Calls: []transcript.Call{call}}) {
			if alarm, fired := monitor.Observe(event); fired {
				fmt.Printf("call %d: %s: %s\n", n+1, alarm.Delivered, alarm.Text)
			}
		}
	}
	// Output:
	// call 9: nudge: 3 rounds of the same three calls (nudges at 3, stops at 4)
	// call 12: force_stop: 4 rounds of the same three calls (nudges at 3, stops at 4)
}
