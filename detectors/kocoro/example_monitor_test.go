package kocoro_test

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay/transcript"
)

// An agent asks before it runs a call, and tells what came of it. A vetoed call
// is not run, so it never comes back as Called.
func Example_monitor() {
	head := kocoro.Presets[len(kocoro.Presets)-1]
	m, err := detectors.NewMonitor(head, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := func(a detectors.Alarm, fired bool) {
		if fired {
			fmt.Printf("step %d: %s %s: %s\n", a.Pos.Step, a.Delivered, a.Detector, a.Text)
		}
	}

	prompt := &transcript.Step{Kind: transcript.Prompt}
	report(m.Observe(&transcript.Event{Kind: transcript.RunBegins, Step: prompt}))
	for n := int32(1); n <= 6; n++ {
		call := transcript.Call{Tool: "file_read", Args: `{"path":"build.log"}`}
		step := &transcript.Step{Calls: []transcript.Call{call}}
		ev := transcript.Event{Kind: transcript.Proposed, Pos: transcript.Pos{Step: n, Call: n}, Step: step, Call: &step.Calls[0]}
		a, fired := m.Observe(&ev)
		report(a, fired)
		if !fired || a.Delivered < detectors.Block {
			step.Calls[0].Result = transcript.Result{Status: transcript.ResultOK, Text: "still building"}
			ev.Kind = transcript.Called
			report(m.Observe(&ev))
		}
		ev.Kind, ev.Call = transcript.StepEnds, nil
		report(m.Observe(&ev))
	}

	// Output:
	// step 3: nudge kocoro/consecutive_duplicate: the same read 3 times in a row with the same outcome (nudges at 3, stops at 6)
	// step 6: block kocoro/before_stable_read_only: the same read came back the same 5 times in a row (vetoed from 5 on)
}
