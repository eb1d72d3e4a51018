package parquet_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/corpus"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/claudecode"
	"groundhog/formats/formattest"
	"groundhog/formats/native"
	"groundhog/formats/parquet"
	"groundhog/replay"
)

// fires are all that all presets say about sessions, and what is counted.
func fires(t *testing.T, units []*formats.Unit) (list []string) {
	t.Helper()
	q := replay.Question{Alone: true}
	for _, p := range catalog.Presets {
		q.Configs = append(q.Configs, replay.Config{Preset: p})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: plan, MaxBad: 100}
	err = e.Run(t.Context(), units, func(o *replay.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		list = append(list, fmt.Sprintf("%s: %d steps, %d calls, %d errors, %d inferred, %d missing, %d attempts, %d deltas, %+v, %v",
			o.Session.ID, o.Steps, o.Calls, o.Errors, o.Inferred, o.Missing, o.Attempts, o.Deltas, o.Tokens, o.Inputs))
		for i := range o.Points {
			for _, f := range o.Points[i].Fires {
				list = append(list, fmt.Sprintf("%s point %d run %d step %d call %d %s %v delivered %v: %s %q",
					o.Session.ID, i, f.Pos.Run, f.Pos.Step, f.Pos.Call, f.Detector, f.Verdict, f.Delivered, f.Reason, f.Text))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func same(t *testing.T, units []*formats.Unit) {
	t.Helper()
	var list []recording
	for _, u := range units {
		r := recording{Session: u.Session}
		for s, err := range u.Steps() {
			if err == nil {
				r.Steps = append(r.Steps, s)
			}
		}
		list = append(list, r)
	}
	want := fires(t, units)
	if len(want) <= len(units) {
		t.Errorf("%d fires in %d sessions: nothing was compared", len(want)-len(units), len(units))
	}
	if diff := cmp.Diff(want, fires(t, reread(t, list))); diff != "" {
		t.Errorf("(-original +Parquet):\n%s", diff)
	}
}

// A session as Parquet gives the same fires as the recording it was made from.
func TestFires(t *testing.T) {
	t.Run("demo", func(t *testing.T) {
		demo, err := corpus.Demo()
		if err != nil {
			t.Fatal(err)
		}
		same(t, demo.Units)
	})
	t.Run("labelled", func(t *testing.T) {
		same(t, find(t, formattest.Shared(t, "labelled", "sessions.jsonl.gz"), native.Format).Units)
	})
	t.Run("claude_code", func(t *testing.T) {
		same(t, find(t, formattest.Shared(t, "samples", "claude_code"), claudecode.Format).Units)
	})
}

// Columns that are not wanted are not read: damage to them is not seen, and
// counts stay what they are.
func TestColumns(t *testing.T) {
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, decode(t, demo.Units))
	whole := find(t, dir, parquet.Format)
	few := find(t, dir, parquet.With(parquet.Args))
	if len(few.Units) != len(whole.Units) {
		t.Fatalf("%d sessions, want %d", len(few.Units), len(whole.Units))
	}
	for i, r := range decode(t, few.Units) {
		want := decode(t, whole.Units[i:i+1])[0]
		if len(r.Steps) != len(want.Steps) {
			t.Fatalf("session %s: %d steps, want %d", r.Session.ID, len(r.Steps), len(want.Steps))
		}
		for j, s := range r.Steps {
			if len(s.Parts) > 0 {
				t.Errorf("session %s: a text was read", r.Session.ID)
			}
			for k := range s.Calls {
				got, all := &s.Calls[k], &want.Steps[j].Calls[k]
				failed, _ := got.Result.Failed()
				failedToo, _ := all.Result.Failed()
				if got.Args != all.Args || got.Result.Text != "" || failed != failedToo {
					t.Errorf("session %s step %d call %d: %+v, want %+v without its result", r.Session.ID, j, k, got, all)
				}
			}
		}
	}
}
