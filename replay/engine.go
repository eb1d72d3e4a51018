package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// All concurrency of the program is in this file. One goroutine hands out
// units: it takes a unit's size from a weighted semaphore, in input order, puts
// a one-slot channel into a bounded queue and starts a worker. Workers give the
// memory back before they send. The caller's goroutine empties the queue in
// order. Memory is taken in the order in which it is given out, so the head of
// the queue always holds what it needs, and nothing can wait in a circle.

// An Engine replays units in parallel and reports outcomes in input order.
// The zero values of its numbers mean sensible defaults.
type Engine struct {
	Plan    *Plan
	Workers int   // 0 means one per CPU
	Memory  int64 // bytes of input in flight; a larger unit runs alone; 0 means 256 MiB
	// MaxBad is the share of unreadable records, in percent, up to which a
	// session is kept (evaluation.md E2.4).
	MaxBad float64
	// Split cuts text without recorded deltas, where a detector listens to deltas
	// and cannot dismiss the text; nil leaves such text unheard.
	Split transcript.Splitter
	// Cuts are the ways of cutting such text that fires in the stream are compared
	// under; Chosen is the name of the one that Split is, if it is among them.
	Cuts   []Cut
	Chosen string
	// Count counts the tokens that a fire in the stream would have saved; nil
	// leaves costs out.
	Count Counter
	Near  Nearness // how far to look for responses that nearly fired
	// Keeper, if set, gives one for a session, which is told all that is measured.
	// The outcome carries it. It is called from several goroutines.
	Keeper func(*transcript.Session) Keeper
	// Progress, if set, is called from the goroutine that calls sink.
	Progress func(Progress)

	aside *aside // of Plan and Cuts
}

const defaultMemory = 256 << 20

// badShown is how many unreadable records of a session are kept to be shown.
const badShown = 3

// Progress says how far a run has come.
type Progress struct {
	Units, Failed int
	Done, Total   int64 // bytes
}

// An ExcludedError says that a session was left out because too many of its
// records could not be read.
type ExcludedError struct {
	Bad, Records int
	First        error
}

func (e *ExcludedError) Error() string {
	return fmt.Sprintf("%d of %d records could not be read (first: %v); --max-bad-lines PERCENT keeps such sessions", e.Bad, e.Records, e.First)
}

// Run calls sink once per unit, in order, from one goroutine. It stops at the
// first error from sink or when ctx ends. A unit that cannot be decoded is an
// Outcome with Err set, not an error from Run.
func (e *Engine) Run(ctx context.Context, units []*formats.Unit, sink func(*Outcome) error) error {
	var err error
	if e.aside, err = newAside(e.Plan, e.Cuts, e.Chosen); err != nil {
		return err
	}
	workers, memory := e.Workers, e.Memory
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if memory <= 0 {
		memory = defaultMemory
	}
	var total int64
	for _, u := range units {
		total += u.Size
		if past := past(u); past != nil {
			if err := past.Answers(e.Plan); err != nil {
				return err
			}
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan chan *Outcome, 2*workers)
	g.Go(func() error { return e.handOut(ctx, units, workers, semaphore.NewWeighted(memory), memory, slots) })
	done := Progress{Total: total}
	err = func() error {
		for slot := range slots {
			var o *Outcome
			select {
			case o = <-slot:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if o == nil {
				continue // not read to its end: Wait says why
			}
			if err := sink(o); err != nil {
				return err
			}
			done.Done += units[done.Units].Size
			done.Units++
			if o.Err != nil {
				done.Failed++
			}
			if e.Progress != nil {
				e.Progress(done)
			}
		}
		return nil
	}()
	if err != nil {
		// Let the rest end: handOut and the workers see ctx only if it is cancelled.
		g.Go(func() error { return err })
		for slot := range slots {
			_ = slot
		}
	}
	return g.Wait()
}

func (e *Engine) handOut(ctx context.Context, units []*formats.Unit, workers int, sem *semaphore.Weighted, memory int64, slots chan<- chan *Outcome) error {
	defer close(slots)
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, u := range units {
		weight := min(max(u.Size, 1), memory)
		if err := sem.Acquire(inner, weight); err != nil {
			break
		}
		slot := make(chan *Outcome, 1)
		select {
		case slots <- slot:
		case <-inner.Done():
		}
		g.Go(func() error {
			o, err := e.replay(inner, u)
			sem.Release(weight)
			slot <- o
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// replay is the heart of the program: one session through every panel. With an
// error, which ends the run, there is no outcome.
func (e *Engine) replay(ctx context.Context, u *formats.Unit) (o *Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{fmt.Sprintf("session %s: %v\n%s", u.Session.ID, r, debug.Stack())}
			o = nil
		}
	}()
	t := newTally(e.Plan, u.Session)
	if past := past(u); past != nil {
		return e.recall(ctx, t, past)
	}
	if e.Keeper != nil {
		t.keeper = e.Keeper(u.Session)
	}
	beside := e.aside.begin(u.Session, e.Count)
	follower := follower{Engine: e, beside: beside}
	var cur transcript.Cursor
	for step, err := range u.Read() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			var syntax *formats.SyntaxError
			if !errors.As(err, &syntax) {
				return t.broken(err), nil
			}
			t.unreadable(err)
			continue
		}
		if step.Has(transcript.Context) && step.Kind == transcript.Response {
			t.out.Context++
		}
		heard := e.Split != nil && t.hears(step)
		if cur.Split = nil; heard {
			cur.Split = e.Split
		}
		beside.step(&cur, step, heard)
		for ev := range cur.Events(step) {
			t.add(ev)
			beside.add(ev)
			follower.add(ev)
		}
		follower.step(t, step, heard)
		if r := t.out.Requests; r != nil {
			r.Add(step, cur.Where(step.Lane))
		}
		if t.keeper != nil {
			t.keeper.Step(step)
			t.stepped()
		}
	}
	if bad := t.out.BadRecords; bad > 0 && 100*float64(bad) > e.MaxBad*float64(max(u.Records, bad)) {
		return t.broken(&ExcludedError{bad, max(u.Records, bad), t.out.Bad[0]}), nil
	}
	return beside.finish(t.finish()), nil
}

// recall is replay for a session that was measured before.
func (e *Engine) recall(ctx context.Context, t *tally, past Past) (*Outcome, error) {
	for kept, err := range past.Kept(e.Plan) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return t.broken(err), nil
		}
		t.recall(kept)
	}
	o := t.finish()
	past.Complete(o)
	return o, nil
}

func (t *tally) unreadable(err error) {
	t.out.BadRecords++
	if len(t.out.Bad) < badShown {
		t.out.Bad = append(t.out.Bad, err)
	}
}

// broken is the outcome of a session that is left out: nothing of it counts.
func (t *tally) broken(err error) *Outcome {
	return &Outcome{Session: t.out.Session, Bad: t.out.Bad, BadRecords: t.out.BadRecords, Err: err}
}

// An InternalError is a mistake of this program, with its stack.
type InternalError struct{ Msg string }

func (e *InternalError) Error() string { return "internal error: " + e.Msg }
