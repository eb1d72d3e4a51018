package replay_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

func TestExcluded(t *testing.T) {
	ok := func() *transcript.Step { return step("x force_stop") }
	units := func() []*formats.Unit {
		u := made("more records than steps", ok(), nil)
		u.Records = 400
		return []*formats.Unit{made("good", ok()), made("one of four", ok(), nil, ok(), ok()), made("half", nil, ok(), nil, nil, nil, ok()), u, made("last", ok())}
	}
	for _, test := range []struct {
		max  float64
		left string
	}{
		{0, "one of four|half|more records than steps"},
		{0.25, "half"}, // one bad record costs itself alone
		{1, "half"},
		{66.6, "half"},
		{66.7, ""},
		{70, ""},
	} {
		var left []string
		e := &replay.Engine{Plan: newPlan(t, toys()), MaxBad: test.max}
		list := run(t, e, units())
		if len(list) != 5 {
			t.Fatalf("%d outcomes, want 5", len(list))
		}
		for _, o := range list {
			if o.Err == nil {
				if o.Steps == 0 || len(o.Points[0].Fires) == 0 {
					t.Errorf("%s: nothing in it", o.Session.ID)
				}
				continue
			}
			left = append(left, o.Session.ID)
			if o.Steps != 0 || o.Runs != nil || o.Points != nil {
				t.Errorf("%s is left out, but counted: %+v", o.Session.ID, o)
			}
		}
		if got := strings.Join(left, "|"); got != test.left {
			t.Errorf("up to %v %%: left out %q, want %q", test.max, got, test.left)
		}
	}

	o := run(t, &replay.Engine{Plan: newPlan(t, toys())}, units())[2]
	var excluded *replay.ExcludedError
	if !errors.As(o.Err, &excluded) || excluded.Bad != 4 || excluded.Records != 6 {
		t.Fatalf("error %v", o.Err)
	}
	want := "4 of 6 records could not be read (first: half:1: no step); --max-bad-lines PERCENT keeps such sessions"
	if o.Err.Error() != want {
		t.Errorf("%q, want %q", o.Err, want)
	}
	if o.BadRecords != 4 || len(o.Bad) != 3 {
		t.Errorf("%d bad records, %d of them kept; want 4 and 3", o.BadRecords, len(o.Bad))
	}
}

// failing is a session whose reader gives up after its first step.
func failing(id string, err error) *formats.Unit {
	u := made(id, step("x nudge"))
	steps := u.Steps
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for s := range steps() {
				if !yield(s, nil) {
					return
				}
			}
			yield(nil, err)
		}
	}
	return u
}

func TestAReaderThatGivesUp(t *testing.T) {
	gone := errors.New("the file is gone")
	var progress []replay.Progress
	e := &replay.Engine{Plan: newPlan(t, toys()), Progress: func(p replay.Progress) { progress = append(progress, p) }}
	list := run(t, e, []*formats.Unit{failing("a", gone), made("b", step("x nudge"))})
	if !errors.Is(list[0].Err, gone) || list[0].Points != nil {
		t.Errorf("outcome %+v", list[0])
	}
	if list[1].Err != nil || len(list[1].Points[0].Fires) != 1 {
		t.Errorf("the other one: %+v", list[1])
	}
	want := []replay.Progress{{Units: 1, Failed: 1, Done: 100, Total: 200}, {Units: 2, Failed: 1, Done: 200, Total: 200}}
	if diff := cmp.Diff(want, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestNoUnits(t *testing.T) {
	if got := run(t, &replay.Engine{Plan: newPlan(t, toys())}, nil); got != nil {
		t.Errorf("outcomes of nothing: %v", got)
	}
}

// endless is a session without an end. It calls at with the number of each step.
func endless(id string, at func(n int)) *formats.Unit {
	u := made(id)
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for n := 1; ; n++ {
				at(n)
				if !yield(step("x x"), nil) {
					return
				}
			}
		}
	}
	return u
}

// settled waits until there are no more goroutines than before. It fails the
// test, by its deadline, if they do not end.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 1_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines are left, %d before", runtime.NumGoroutine(), before)
}

func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 8} {
		for _, memory := range []int64{0, 1} {
			ctx, cancel := context.WithCancel(context.Background())
			units := []*formats.Unit{made("a", step("x x"))}
			for range 20 {
				units = append(units, endless("b", func(n int) {
					if n == 3 {
						cancel()
					}
				}))
			}
			seen := 0
			e := &replay.Engine{Plan: newPlan(t, toys()), Workers: workers, Memory: memory}
			err := e.Run(ctx, units, func(o *replay.Outcome) error {
				if o.Session.ID == "b" {
					t.Errorf("an outcome of a session that was not read to its end: %v", o.Err)
				}
				seen++
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers: %v, want it to be cancelled", workers, err)
			}
			if seen > 1 {
				t.Errorf("%d workers: %d outcomes", workers, seen)
			}
			cancel()
			settled(t, before)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := (&replay.Engine{Plan: newPlan(t, toys())}).Run(ctx, []*formats.Unit{endless("a", func(int) {})}, func(*replay.Outcome) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
	settled(t, before)
}

func TestAnErrorFromSinkStopsTheRun(t *testing.T) {
	before := runtime.NumGoroutine()
	enough := errors.New("enough")
	for _, workers := range []int{1, 2, 8} {
		var units []*formats.Unit
		for range 200 {
			units = append(units, made("a", step("x x"), step("x x")))
		}
		units = append(units, endless("never ends", func(int) {}))
		seen := 0
		e := &replay.Engine{Plan: newPlan(t, toys()), Workers: workers}
		err := e.Run(context.Background(), units, func(*replay.Outcome) error {
			if seen++; seen == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || seen != 3 {
			t.Errorf("%d workers: %v after %d outcomes, want %v after 3", workers, err, seen, enough)
		}
		settled(t, before)
	}
}

// A mistake of the program names the session, and does not pass for one of the recording.
func TestAPanicIsAnInternalError(t *testing.T) {
	before := runtime.NumGoroutine()
	units := []*formats.Unit{made("a", step("x x")), endless("b", func(n int) {
		if n == 2 {
			panic("a hole in the reader")
		}
	}), made("c", step("x x"))}
	err := (&replay.Engine{Plan: newPlan(t, toys())}).Run(context.Background(), units, func(*replay.Outcome) error { return nil })
	var internal *replay.InternalError
	if !errors.As(err, &internal) || !strings.Contains(err.Error(), "session b: a hole in the reader") {
		t.Errorf("error %v", err)
	}
	settled(t, before)
}
