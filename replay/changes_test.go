package replay_test

import (
	"fmt"
	"testing"

	"groundhog/detectors/kocoro"
	"groundhog/replay"
	"groundhog/replay/contract"
)

// counted asks one preset and counts single calls.
func counted(t *testing.T, src, preset string) *replay.Outcome {
	t.Helper()
	q := replay.Question{Calls: replay.Calls{Changes: kocoro.Changes(nil), Empty: contract.Empty(kocoro.Name(nil), kocoro.Required)}}
	for _, p := range kocoro.Presets {
		if p.Name == preset {
			q.Configs = []replay.Config{{Preset: p}}
		}
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	var out *replay.Outcome
	e := &replay.Engine{Plan: plan}
	if err := e.Run(t.Context(), written(t, src), func(o *replay.Outcome) error { out = o; return o.Err }); err != nil {
		t.Fatal(err)
	}
	return out
}

// The zero-byte write: the file is empty long before the first fire.
func TestChangesBeforeTheFirstVerdict(t *testing.T) {
	const session = `user "add the decisions"
call file_read {"path":"notes.md"} -> ok "# Notes"
call file_edit {"path":"todo.md"} -> denied "not today"
call bash {"command":"git status"} -> ok "clean"
call bash {"command":"make"} -> error "no rule"
call file_write {"path":"notes.md"} -> ok "wrote 0 bytes" x4
call file_write {"path":"other.md","content":"x"} -> ok "wrote 1 byte"
`
	out := counted(t, session, "kocoro-4ec6772")
	run := &out.Runs[0]
	got := fmt.Sprint(run.Changes)
	if want := "[{4 4} {5 5} {9 9}]"; got != want { // one for each, and none for what only read or never ran
		t.Errorf("changes %s, want %s", got, want)
	}
	r := &out.Points[0].Runs[0]
	if f := r.FirstNudge; f == nil || f.Pos.Call != 7 || run.Before(f) != 2 {
		t.Errorf("first nudge %+v", f)
	}
	if f := r.FirstStop; f == nil || f.Pos.Call != 8 || run.Before(f) != 2 {
		t.Errorf("first stop %+v", f)
	}
	if out.EmptyCount != 4 || len(out.Empty) != 4 || out.Empty[0].Empty != (replay.Empty{Argument: "content", Missing: true}) || out.Empty[0].Pos.Call != 5 {
		t.Errorf("%d empty arguments: %+v", out.EmptyCount, out.Empty)
	}
}

// A verdict after a call is delivered at the end of its step, when all of the step has
// run; a veto comes before any of it has. A new run begins with nothing done.
func TestChangesOfAStepCountOnceItsCallsHaveRun(t *testing.T) {
	const batch = `user "go"
step
  call board_update {"card":"a"} -> ok "updated" x4
  call board_update {"card":"b"} -> ok "updated"
user "again"
call board_update {"card":"a"} -> ok "updated" x3
`
	out := counted(t, batch, "kocoro-4ec6772")
	first, second := &out.Points[0].Runs[0], &out.Points[0].Runs[1]
	if f := first.FirstNudge; f.Pos.Call != 3 || out.Runs[0].Before(f) != 2 {
		t.Errorf("nudged at call %d after %d changes, want 3 after 2", f.Pos.Call, out.Runs[0].Before(f))
	}
	if f := second.FirstNudge; f.Pos.Call != 3 || out.Runs[1].Before(f) != 1 {
		t.Errorf("nudged at call %d after %d changes, want 3 after 1", f.Pos.Call, out.Runs[1].Before(f))
	}
	const veto = `user "go"
call board_update {"card":"a"} -> ok "updated"
call file_read {"path":"a"} -> ok "same" x5
step
  call file_read {"path":"a"} -> ok "same"
  call board_update {"card":"b"} -> ok "updated"
`
	out = counted(t, veto, "kocoro-head")
	var vetoed *replay.Fire
	for _, f := range out.Points[0].Fires {
		if f.Detector == "kocoro/before_stable_read_only" {
			vetoed = f
		}
	}
	if vetoed == nil || out.Runs[0].Before(vetoed) != 1 {
		t.Errorf("veto %+v, changes %v", vetoed, out.Runs[0].Changes)
	}
}

// A plan that does not ask for changes gets none.
func TestChangesAreNotCountedUnasked(t *testing.T) {
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: kocoro.Presets[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: plan}
	if err := e.Run(t.Context(), written(t, `call bash {"command":""} -> ok "" x9`), func(o *replay.Outcome) error {
		if len(o.Runs[0].Changes) > 0 || o.EmptyCount > 0 {
			t.Errorf("%v %v", o.Runs[0].Changes, o.Empty)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
