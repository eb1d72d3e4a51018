package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A WhatIf is a change to a traced session. Why a path is quiet is found by asking it
// about the changed session: if it fires there, the change is what kept it silent.
type WhatIf struct {
	// Edit changes a call, which is a copy. If it returns false the call is left out,
	// and its step too where no call is left. Nil changes nothing.
	Edit func(*transcript.Call) bool
	// The last Repeat steps with calls follow Times times more at the end.
	Repeat, Times int
}

// An Answer is where a path would first have fired.
type Answer struct {
	Verdict detectors.Verdict // Continue: nowhere
	Pos     transcript.Pos    // in the numbers of the recording
	Beyond  int               // how many calls after the end of the recording; 0 inside it
}

// Ask asks paths of one configuration about a changed session, each as if it were the
// only path, and gives an answer for each. It must not be called for paths that listen
// to deltas, nor if the trace is cut.
func (tr *Trace) Ask(paths []*Path, q WhatIf) ([]Answer, error) {
	a := &asker{paths: paths, answers: make([]Answer, len(paths)), lanes: make(map[string]*detectors.Panel)}
	steps := tr.Steps
	if q.Repeat > 0 {
		tail := tr.tail(q.Repeat)
		steps = slices.Clone(steps)
		for range q.Times {
			steps = append(steps, tail...)
		}
	}
	for i, s := range steps {
		a.beyond = i >= len(tr.Steps)
		if err := a.step(s, q.Edit); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(a.answers, func(x Answer) bool { return x.Verdict == detectors.Continue }) {
			break
		}
	}
	return a.answers, nil
}

// Part is the stretch around a position that has the given number of calls, or a few
// more; at the end of the session if about is nil. A path looks back a limited number
// of calls, so that what it would have said at the position can be asked of the
// stretch, which is cheaper. At the beginning of the stretch it remembers nothing.
func (tr *Trace) Part(about *transcript.Pos, calls int) *Trace {
	middle := len(tr.Steps) - 1
	if about != nil {
		middle = slices.IndexFunc(tr.Steps, func(s TracedStep) bool {
			return s.Pos.Run == about.Run && s.Pos.Step >= about.Step
		})
	}
	from, to, n := middle, middle, 0
	for n < calls && (from > 0 || to < len(tr.Steps)) { // to both sides in turn
		if to < len(tr.Steps) {
			n += len(tr.Steps[to].Calls)
			to++
		}
		if from > 0 && n < calls {
			from--
			n += len(tr.Steps[from].Calls)
		}
	}
	own := *tr
	own.Steps = tr.Steps[max(from, 0):to]
	return &own
}

// tail is the last n steps with calls.
func (tr *Trace) tail(n int) (list []TracedStep) {
	for i := len(tr.Steps) - 1; i >= 0 && len(list) < n; i-- {
		if len(tr.Steps[i].Calls) > 0 {
			list = append(list, tr.Steps[i])
		}
	}
	slices.Reverse(list)
	return list
}

// An asker feeds a changed session to panels of its own.
type asker struct {
	paths   []*Path
	answers []Answer
	lanes   map[string]*detectors.Panel
	cur     transcript.Cursor
	beyond  bool // the current step lies beyond the end of the recording
	past    int  // calls beyond the end of the recording
}

// edited is a step with its calls changed, and the recorded numbers of those that are
// left. ok is false if none is.
func edited(s TracedStep, edit func(*transcript.Call) bool) (own transcript.Step, numbers []int32, ok bool) {
	own = *s.Step
	if len(s.Calls) == 0 {
		return own, nil, true
	}
	own.Calls = nil
	for i, c := range s.Calls {
		if edit == nil || edit(&c) {
			own.Calls = append(own.Calls, c)
			numbers = append(numbers, s.Pos.Call+int32(i)+1)
		}
	}
	if len(own.Calls) < len(s.Calls) {
		own.Parts = slices.DeleteFunc(slices.Clone(s.Parts), func(p transcript.Part) bool {
			return p.Kind == transcript.ToolInput // its Call is an index among all calls
		})
	}
	return own, numbers, len(own.Calls) > 0
}

// step asks the paths about the next step.
func (a *asker) step(s TracedStep, edit func(*transcript.Call) bool) error {
	own, numbers, ok := edited(s, edit)
	if !ok {
		return nil
	}
	panel, err := a.panel(own.Lane)
	if err != nil {
		return err
	}
	base := a.past
	if a.beyond {
		a.past += len(own.Calls)
	}
	first := int32(-1)
	for ev := range a.cur.Events(&own) {
		if ev.Kind == transcript.Proposed && first < 0 {
			first = ev.Pos.Call
		}
		frame := panel.Observe(ev)
		if frame == nil || own.Has(transcript.Context) {
			continue
		}
		pos, beyond := s.Pos, 0
		if n := len(numbers); n > 0 {
			k := n - 1
			if ev.Kind == transcript.Proposed || ev.Kind == transcript.Called {
				k = int(ev.Pos.Call - first)
			}
			pos.Call = numbers[k]
			if a.beyond {
				beyond = base + k + 1
			}
		}
		for i, row := range frame.Rows {
			if row != nil && a.answers[i].Verdict == detectors.Continue && row.Verdicts[0] > detectors.Continue {
				a.answers[i] = Answer{row.Verdicts[0], pos, beyond}
			}
		}
	}
	return nil
}

// panel finds or makes the panel of a lane.
func (a *asker) panel(lane string) (*detectors.Panel, error) {
	if panel := a.lanes[lane]; panel != nil {
		return panel, nil
	}
	var list []*detectors.Detector
	var variants [][]detectors.Settings
	for _, p := range a.paths {
		list = append(list, p.Detector)
		variants = append(variants, []detectors.Settings{p.Set})
	}
	panel, err := detectors.NewPanel(list, a.paths[0].Set, variants)
	a.lanes[lane] = panel
	return panel, err
}
