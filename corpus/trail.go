package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// This file finds calls and steps in the trail of a run, and sums stretches of it.

// After is what the recording holds after the step of a fire, to the end of its run.
func After(run *replay.Run, f *replay.Fire) Amount {
	return amount(run, markIndex(run, int(f.Pos.Step)), len(run.Trail)-1)
}

// CallOf is the call that a fire is about. A fire in the stream, or before the request,
// comes before the calls of its response. It is about the first of them, or about the
// last call before it if the response has none.
func CallOf(run *replay.Run, f *replay.Fire) int {
	if f.Phase != detectors.InStream && f.Pos.Call > 0 {
		return int(f.Pos.Call)
	}
	if m := markAt(run, int(f.Pos.Step)); m != nil {
		if m.Calls > 0 {
			return m.Call - m.Calls + 1
		}
		return m.Call
	}
	return int(f.Pos.Call)
}

// markAt is the mark of a step, or nil.
func markAt(run *replay.Run, step int) *replay.Mark {
	i := markIndex(run, step)
	if i == len(run.Trail) || run.Trail[i].Step != step {
		return nil
	}
	return &run.Trail[i]
}

// markIndex is the index in the trail of a step, or of the next one.
func markIndex(run *replay.Run, step int) int {
	i, _ := slices.BinarySearchFunc(run.Trail, step, func(m replay.Mark, step int) int { return m.Step - step })
	return i
}

// stepOf is the index in the trail of the step that made a call; the length of the
// trail if none did.
func stepOf(run *replay.Run, call int) int {
	i, _ := slices.BinarySearchFunc(run.Trail, call, func(m replay.Mark, call int) int {
		if m.Call < call {
			return -1
		}
		return 1 // the first mark that has it
	})
	return i
}

// executed is the last call that runs if a fire is obeyed. A verdict on a call is
// delivered at the end of the step, when all its calls have run. A verdict in the stream,
// or a veto of the whole step, comes before any of them.
func executed(run *replay.Run, f *replay.Fire) int {
	m := markAt(run, int(f.Pos.Step))
	if m == nil {
		return int(f.Pos.Call)
	}
	switch {
	case f.Phase == detectors.InStream, f.Phase == detectors.BeforeCall && f.Batch:
		return m.Call - m.Calls
	case f.Phase == detectors.BeforeCall:
		return max(int(f.Pos.Call)-1, m.Call-m.Calls)
	}
	return m.Call
}

// proposed is the last call that the model had written by then.
func proposed(run *replay.Run, f *replay.Fire) int {
	m := markAt(run, int(f.Pos.Step))
	switch {
	case m == nil:
		return int(f.Pos.Call)
	case f.Phase == detectors.InStream:
		return m.Call - m.Calls
	}
	return m.Call
}

// tokens sums the steps from index from up to, not including, index to.
func tokens(run *replay.Run, from, to int) (t replay.Tokens) {
	for i := max(from, 0); i < min(to, len(run.Trail)); i++ {
		t.Add(run.Trail[i].Usage)
	}
	return t
}

// amount is what the steps after index step hold, up to and including index end.
func amount(run *replay.Run, step, end int) Amount {
	end = min(end, len(run.Trail)-1)
	a := Amount{Tokens: tokens(run, step+1, end+1), Timed: step < end}
	for i := step + 1; i <= end; i++ {
		m, before := &run.Trail[i], &run.Trail[i-1]
		a.Calls += m.Calls
		if m.Time.IsZero() || before.Time.IsZero() {
			a.Timed = false
			continue
		}
		if gap := m.Time.Sub(before.Time); gap > 0 && gap <= IdleCap {
			a.Time += gap
		}
	}
	if !a.Timed {
		a.Time = 0
	}
	return a
}
