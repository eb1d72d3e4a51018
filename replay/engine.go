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

// Sessions are replayed in parallel here and nowhere else. (A reader may have goroutines
// of its own to go through one file, as that of Parquet has for its row groups.)
//
// One goroutine hands out the units. In input order it takes a unit's size from a
// weighted semaphore, puts a channel with one slot into a bounded queue, and starts a
// worker. A worker gives its memory back before it sends the outcome into its slot. The
// caller's goroutine empties the queue in order. Since memory is handed out in the order
// of the queue, the unit at its head always has the memory it needs, so nothing can
// wait in a circle.

// An Engine replays units in parallel and reports outcomes in input order. Only Plan
// must be set. An Engine may be used again, by one goroutine at a time.
type Engine struct {
	Plan    *Plan
	Workers int   // sessions replayed at once; 0 means one for each CPU
	Memory  int64 // bytes of input in flight; a larger unit runs alone; 0 means 256 MiB
	// MaxBad is the share of unreadable records, in percent, up to which a session is
	// kept. A session with more is an Outcome with an ExcludedError.
	MaxBad float64
	// Split splits text without recorded deltas, where a detector listens to deltas and
	// cannot dismiss the text. If it is nil no detector sees such text as deltas.
	Split transcript.Splitter
	// Cuts are the splitters under which fires in the stream are compared. Chosen is
	// the name of Split, if it is one of them.
	Cuts   []Cut
	Chosen string
	// Count counts the tokens that a fire in the stream would have saved; nil leaves
	// Fire.Cost out.
	Count Counter
	// Near says which responses are measured for how near they came to a fire.
	Near Nearness
	// Keeper, if set, makes the Keeper of a session, which the outcome then carries. It
	// is called from several goroutines.
	Keeper func(*transcript.Session) Keeper
	// Progress, if set, is called after each unit, from the goroutine that calls sink.
	Progress func(Progress)

	others *otherSplits // of Plan and Cuts
}

const defaultMemory = 256 << 20

// badShown is how many errors of unreadable records of a session are kept.
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
	return fmt.Sprintf("%d of %d records could not be read (first: %v); --max-bad-lines PERCENT keeps such sessions",
		e.Bad, e.Records, e.First)
}

// Run calls sink once for each unit, in order, from the goroutine that called Run. It
// stops at the first error of sink and when ctx ends. A unit that cannot be decoded is
// an Outcome with Err set, not an error of Run; an InternalError is one.
func (e *Engine) Run(ctx context.Context, units []*formats.Unit, sink func(*Outcome) error) error {
	var err error
	if e.others, err = newOtherSplits(e.Plan, e.Cuts, e.Chosen); err != nil {
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
		if past := pastOf(u); past != nil {
			if err := past.Answers(e.Plan); err != nil {
				return err
			}
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan chan *Outcome, 2*workers)
	g.Go(func() error { return e.handOut(ctx, units, workers, memory, slots) })
	if err := e.collect(ctx, units, total, slots, sink); err != nil {
		// This cancels ctx, without which handOut and its workers would not end.
		g.Go(func() error { return err })
		for range slots {
		}
	}
	return g.Wait()
}

// collect takes the outcomes in order. total is the size of all units.
func (e *Engine) collect(
	ctx context.Context, units []*formats.Unit, total int64, slots <-chan chan *Outcome, sink func(*Outcome) error,
) error {
	done := Progress{Total: total}
	for slot := range slots {
		var o *Outcome
		select {
		case o = <-slot:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if o == nil {
			continue // replay returned an error, which ends handOut and so Run
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
}

// handOut starts a worker for each unit and puts its slot into the queue.
func (e *Engine) handOut(
	ctx context.Context, units []*formats.Unit, workers int, memory int64, slots chan<- chan *Outcome,
) error {
	defer close(slots)
	sem := semaphore.NewWeighted(memory)
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

// replay is the heart of the program: it takes one session through every panel. An
// error ends the whole run, and there is no outcome then.
func (e *Engine) replay(ctx context.Context, u *formats.Unit) (o *Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{fmt.Sprintf("session %s: %v\n%s", u.Session.ID, r, debug.Stack())}
			o = nil
		}
	}()
	t := newTally(e.Plan, u.Session)
	if past := pastOf(u); past != nil {
		return e.recall(ctx, t, past)
	}
	if e.Keeper != nil {
		t.keeper = e.Keeper(u.Session)
	}
	others := e.others.begin(u.Session, e.Count)
	follower := follower{Engine: e, others: others}
	var cur transcript.Cursor
	steps := 0
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
		steps++
		if step.Has(transcript.Context) && step.Kind == transcript.Response {
			t.out.Context++
		}
		heard := e.Split != nil && t.hears(step)
		if cur.Split = nil; heard {
			cur.Split = e.Split
		}
		others.step(&cur, step, heard)
		for ev := range cur.Events(step) {
			t.add(ev)
			others.add(ev)
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
	if err := e.excluded(t, u, steps); err != nil {
		return t.broken(err), nil
	}
	return others.finish(t.finish()), nil
}

// excluded is an ExcludedError if too many records of a session could not be read.
func (e *Engine) excluded(t *tally, u *formats.Unit, steps int) error {
	bad := t.out.BadRecords
	of, damaged := u.Damaged(bad, steps, e.MaxBad)
	if !damaged {
		return nil
	}
	return &ExcludedError{bad, of, t.out.Bad[0]}
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

// unreadable counts a record that could not be read.
func (t *tally) unreadable(err error) {
	t.out.BadRecords++
	if len(t.out.Bad) < badShown {
		t.out.Bad = append(t.out.Bad, err)
	}
}

// broken is the outcome of a session that is left out. Nothing of it counts.
func (t *tally) broken(err error) *Outcome {
	return &Outcome{Session: t.out.Session, Bad: t.out.Bad, BadRecords: t.out.BadRecords, Err: err}
}

// An InternalError is a fault of this program, with its stack.
type InternalError struct{ Msg string }

func (e *InternalError) Error() string { return "internal error: " + e.Msg }
