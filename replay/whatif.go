package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A WhatIf is a session that was not recorded: the traced one with something else
// about it. Why a path is quiet is found out by asking it again: if it speaks once
// one thing is different, that thing kept it silent.
type WhatIf struct {
	// Edit changes a call, its own copy; false leaves the call out, and its step
	// with it where no call is left. Nil changes nothing.
	Edit func(*transcript.Call) bool
	// The last Repeat steps come Times times more.
	Repeat, Times int
}

// An Answer is where a path would first have spoken.
type Answer struct {
	Verdict detectors.Verdict // Continue: nowhere
	Pos     transcript.Pos    // in the numbers of the recording
	Beyond  int               // so many calls after its end; 0 inside it
}

// Ask asks paths of one configuration, each as if it were the only one, and gives
// an answer for each. It must not be called for paths that listen to deltas, nor
// if the trace is cut.
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

// Part is the stretch of at most so many calls about a place, at the end of the
// session if there is none. A path forgets at some distance, so what it would have
// said there can be asked of the stretch; at its beginning it remembers nothing.
func (tr *Trace) Part(about *transcript.Pos, calls int) *Trace {
	at := len(tr.Steps) - 1
	if about != nil {
		at = slices.IndexFunc(tr.Steps, func(s TracedStep) bool { return s.Pos.Run == about.Run && s.Pos.Step >= about.Step })
	}
	from, to, n := at, at, 0
	for n < calls && (from > 0 || to < len(tr.Steps)) { // to both sides, evenly
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

// tail is the last so many steps with calls.
func (tr *Trace) tail(n int) (list []TracedStep) {
	for i := len(tr.Steps) - 1; i >= 0 && len(list) < n; i-- {
		if len(tr.Steps[i].Calls) > 0 {
			list = append(list, tr.Steps[i])
		}
	}
	slices.Reverse(list)
	return list
}

// An asker feeds an edited session to panels of its own.
type asker struct {
	paths   []*Path
	answers []Answer
	lanes   map[string]*detectors.Panel
	cur     transcript.Cursor
	beyond  bool
	past    int // calls beyond the end of the recording
}

func (a *asker) step(s TracedStep, edit func(*transcript.Call) bool) error {
	own, numbers := *s.Step, []int32(nil)
	if len(s.Calls) > 0 {
		own.Calls = nil
		for i, c := range s.Calls {
			if edit == nil || edit(&c) {
				own.Calls = append(own.Calls, c)
				numbers = append(numbers, s.Pos.Call+int32(i)+1)
			}
		}
		if len(own.Calls) == 0 {
			return nil
		}
		if len(own.Calls) < len(s.Calls) {
			own.Parts = slices.DeleteFunc(slices.Clone(s.Parts), func(p transcript.Part) bool { return p.Kind == transcript.ToolInput })
		}
	}
	panel := a.lanes[own.Lane]
	if panel == nil {
		var err error
		if panel, err = a.panel(); err != nil {
			return err
		}
		a.lanes[own.Lane] = panel
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

func (a *asker) panel() (*detectors.Panel, error) {
	var list []*detectors.Detector
	var variants [][]detectors.Settings
	for _, p := range a.paths {
		list = append(list, p.Detector)
		variants = append(variants, []detectors.Settings{p.Set})
	}
	return detectors.NewPanel(list, a.paths[0].Set, variants)
}
