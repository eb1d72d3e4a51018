package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// DoomLoop asks for permission when one response makes the same call over and over.
var DoomLoop = detectors.Define(detectors.Rule[doom, detectors.Limits, sameCalls]{
	Name: "opencode/doom_loop",
	Doc: "the same call over and over inside one response\n\n" +
		"The arguments count as they were written, order of keys included. Text, thinking or another call in between " +
		"ends the row. A response is one step, so equal calls in different steps are repeated_action's business.",
	Origin:  detectors.Origin{Source: upstream},
	Targets: []string{"equal_calls_in_one_response"},
	New:     func(in *detectors.Inputs) *doom { return &doom{response: response.From(in)} },
	Limits: func(l *detectors.Limits, p *detectors.Params) {
		p.Int(&l.Nudge, "threshold", 3, 2, 8, "equal calls in a row before permission is asked")
	},
	OnPropose: (*doom).measure,
	Reach:     (*doom).reach,
	Unbounded: true,
	Count:     sameCalls.count,
	Text:      sameCalls.text,
	Verb:      "asks",
	OnRun:     (*doom).reset,
	OnStep:    (*doom).end,
})

// sameCalls is the row of equal calls of the response that this one ends.
type sameCalls struct{ Calls int }

// doom reads a row off a whole response: the calls are complete in the order in
// which they stand, since a recording does not say otherwise.
type doom struct {
	response *responseParts
	runs     []int
	next     int
}

func (d *doom) reset() { d.runs = nil }

func (d *doom) measure(*transcript.Call) (sameCalls, bool) {
	if d.runs == nil {
		list := d.response.list
		all := steps.DoomRuns(list)
		d.runs, d.next = make([]int, 0, len(all)), 0
		for i := range list {
			if list[i].Kind == steps.Tool {
				d.runs = append(d.runs, all[i])
			}
		}
	}
	if d.next >= len(d.runs) {
		return sameCalls{}, false
	}
	d.next++
	return sameCalls{d.runs[d.next-1]}, true
}

func (d *doom) end(*transcript.Step) (sameCalls, bool) {
	d.runs = nil
	return sameCalls{}, false
}

func (m sameCalls) count() detectors.Count {
	return detectors.Count{N: m.Calls, Of: "equal calls in a row in one response"}
}

func (m sameCalls) text() string {
	return fmt.Sprintf("the same call %d times in a row in one response", m.Calls)
}

// responseParts is the response as the step algorithms see it.
type responseParts struct{ list []steps.Part }

// response is what several detectors look at.
var response = &detectors.Feature[responseParts]{
	Name: "mimo/response",
	Doc:  "the parts of the response, in order",
	New:  func(*detectors.Inputs) *responseParts { return &responseParts{} },
	OnResponse: func(r *responseParts, s *transcript.Step) {
		r.list = parts(s)
		for i := range r.list {
			// Nothing has a result yet, and that makes no call incomplete.
			r.list[i].State = steps.Running
		}
	},
}
