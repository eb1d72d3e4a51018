package replay

import (
	"sort"
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// This file counts what had run before the first verdict. A detector of loops acts at
// the earliest when something repeats; a call that destroys a file does so the first
// time. How much had run at a position depends on the recording alone, so it is kept
// once for a session, whatever the presets.

// Calls says what is to be noted about single calls, whatever detectors make of them.
// Its functions may be called from several goroutines; a nil one is not asked.
type Calls struct {
	// Changes gives the identity of a call that is not known to only read; equal
	// calls have equal ones.
	Changes func(*transcript.Call) (id uint64, ok bool)
	// Empty lists the arguments that a call must have, as far as its tool is known,
	// and that are empty. Names come from a fixed list and hold no text of the
	// session.
	Empty func(*transcript.Call) []Empty
}

// An Empty is an argument that is empty or missing.
type Empty struct {
	Argument string
	Missing  bool
}

// A Change is where a distinct call that is not known to only read ran for the first
// time in its run.
type Change struct{ Step, Call int32 }

// An EmptyArgument is a call that succeeded without an argument it must have.
type EmptyArgument struct {
	Pos    transcript.Pos
	Tool   string
	Empty  Empty
	Status transcript.ResultStatus
}

const (
	maxChanges = 1 << 16 // distinct changes that are told apart in a run
	maxEmpty   = 20      // calls with an empty argument that are named in a session
)

// noteCall notes what Question.Calls asks about the call of an event.
func (t *tally) noteCall(l *lane, ev *transcript.Event) {
	if ev.Kind != transcript.Called || ev.Call.Result.NotRun() != "" {
		return
	}
	if changes := t.plan.Calls.Changes; changes != nil {
		if id, ok := changes(ev.Call); ok {
			t.change(l, ev.Pos, id)
		}
	}
	if t.plan.Calls.Empty == nil {
		return
	}
	if failed, _ := ev.Call.Result.Failed(); failed || ev.Call.Result.Status == transcript.ResultMissing {
		return
	}
	for _, e := range t.plan.Calls.Empty(ev.Call) {
		if t.out.EmptyCount++; len(t.out.Empty) < maxEmpty {
			c := EmptyArgument{ev.Pos, strings.Clone(ev.Call.Tool), e, ev.Call.Result.Status}
			t.out.Empty = append(t.out.Empty, c)
		}
	}
}

func (t *tally) change(l *lane, pos transcript.Pos, id uint64) {
	if l.changed[id] {
		return
	}
	run := &t.out.Runs[l.run]
	if len(l.changed) >= maxChanges {
		run.ChangesCut = true
		return
	}
	if l.changed == nil {
		l.changed = make(map[uint64]bool)
	}
	l.changed[id] = true
	run.Changes = append(run.Changes, Change{pos.Step, pos.Call})
}

// Before counts the distinct changes that had run when the agent would have been told
// of a fire of this run: those of earlier steps, and those of the fire's own step
// where the fire comes after its calls.
func (r *Run) Before(f *Fire) int {
	step := f.Pos.Step
	if f.Phase == detectors.InStream || f.Phase == detectors.BeforeCall {
		step--
	}
	return sort.Search(len(r.Changes), func(i int) bool { return r.Changes[i].Step > step })
}
