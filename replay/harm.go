package replay

import (
	"sort"
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// This file counts what had been done before anybody spoke. A detector of loops
// acts at the earliest when something repeats; a call that destroys a file does
// so the first time. How much had run by then is a property of the recording and
// of a position, so it is kept once a session, whatever the presets.

// Calls says what single calls are, whatever a detector makes of them. Its
// functions may be called from several goroutines; nil ones are not asked.
type Calls struct {
	// Changes is the identity of a call that is not known to only read; equal
	// calls have equal ones.
	Changes func(*transcript.Call) (id uint64, ok bool)
	// Empty lists the arguments that a call must have, by its looks, and that came
	// empty. The names are those of a fixed list and hold no text of the session.
	Empty func(*transcript.Call) []Empty
}

// An Empty is an argument that came empty, or did not come at all.
type Empty struct {
	Argument string
	Missing  bool
}

// A Change is the first of its kind in a run: where a call ran that is not known
// to only read.
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
	maxEmpty   = 20      // calls that are named in a session
)

// A harm is what a tally remembers of the current run of each lane.
type harm map[*lane]*ran

type ran struct {
	run  int
	seen map[uint64]bool
}

// look takes in the next event of a session.
func (t *tally) look(l *lane, ev *transcript.Event) {
	if ev.Kind != transcript.Called || ev.Call.Result.Status == transcript.ResultDenied {
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
			t.out.Empty = append(t.out.Empty, EmptyArgument{ev.Pos, strings.Clone(ev.Call.Tool), e, ev.Call.Result.Status})
		}
	}
}

func (t *tally) change(l *lane, pos transcript.Pos, id uint64) {
	r := t.harm[l]
	if r == nil || r.run != l.run {
		r = &ran{run: l.run, seen: make(map[uint64]bool)}
		if t.harm == nil {
			t.harm = make(harm)
		}
		t.harm[l] = r
	}
	if r.seen[id] {
		return
	}
	run := &t.out.Runs[l.run]
	if len(r.seen) >= maxChanges {
		run.ChangesCut = true
		return
	}
	r.seen[id] = true
	run.Changes = append(run.Changes, Change{pos.Step, pos.Call})
}

// Before counts the distinct changes that had run when the agent would have
// heard a fire of this run: those of earlier steps for one that comes before its
// calls run, those of its own step, too, for one that comes after.
func (r *Run) Before(f *Fire) int {
	step := f.Pos.Step
	if f.Phase == detectors.InStream || f.Phase == detectors.BeforeCall {
		step--
	}
	return sort.Search(len(r.Changes), func(i int) bool { return r.Changes[i].Step > step })
}
