package corpus

// This file is about what a stop would have saved and destroyed (E7): what runs if
// it is obeyed, and what the record holds after it.

import (
	"slices"
	"time"

	"groundhog/detectors"
	"groundhog/replay"
)

// An Amount is a stretch of a session: calls, tokens, and wall time without idle
// gaps where every step has a time.
type Amount struct {
	Calls  int
	Tokens replay.Tokens
	Time   time.Duration
	Timed  bool
}

// Obeyed is what follows from obeying right stops. All of it assumes that the
// agent would have gone on as recorded (tier C).
type Obeyed struct {
	Saved    Amount // in the loop, after the stop
	Foregone Amount // work after a loop that the agent left by itself
	Overhead int64  // tokens of the summary that a graceful stop asks for; 0 where the prompt size is unknown
}

// Damaged is what a false stop costs (tier C).
type Damaged struct {
	Hit    Hit
	Cut    Amount // after the stop
	Sunk   replay.Tokens
	Killed bool // the session is recorded as a success, and the deliverable was not complete
}

// IdleCap is the longest gap between two steps that counts as work: what is
// longer waits for a person (E7).
const IdleCap = 5 * time.Minute

// SummaryTokens is what a graceful stop is taken to write (E7).
const SummaryTokens = 500

// executed is the last call that runs if a fire is obeyed (E1). Verdicts on
// calls wait for the end of the step, so its batch has run; a verdict in the
// stream, or a veto of the batch, comes before any call of the step.
func executed(o *replay.Outcome, run *replay.Run, f *replay.Fire) int {
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

// proposed is the last call the model had written by then.
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

// markIndex is the index of a step in the trail, or of the next one.
func markIndex(run *replay.Run, step int) int {
	i, _ := slices.BinarySearchFunc(run.Trail, step, func(m replay.Mark, step int) int { return m.Step - step })
	return i
}

// tokens sums the steps from index from to before index to.
func tokens(run *replay.Run, from, to int) (t replay.Tokens) {
	for i := max(from, 0); i < min(to, len(run.Trail)); i++ {
		t.Add(run.Trail[i].Usage)
	}
	return t
}

// amount is the stretch after the step of index at, up to the step of index end.
func amount(run *replay.Run, at, end int) Amount {
	end = min(end, len(run.Trail)-1)
	a := Amount{Tokens: tokens(run, at+1, end+1), Timed: at < end}
	for i := at + 1; i <= end; i++ {
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

// obey counts what the first stop of a run saves or destroys.
func (j *Judgement) obey(r *judgedRun, f *replay.Fire, truth Truth) {
	at, end := markIndex(r.run, int(f.Pos.Step)), len(r.run.Trail)-1
	if at > end {
		return
	}
	switch truth {
	case Right:
		call := CallOf(r.run, f)
		for _, s := range r.windows {
			if call < s.Onset || call > s.End {
				continue
			}
			if j.Stop == nil {
				j.Stop = &Obeyed{}
			}
			over := stepOf(r.run, s.End)
			j.Stop.Saved.add(amount(r.run, at, over))
			if s.Escaped {
				j.Stop.Foregone.add(amount(r.run, over, end))
			}
			if u := r.run.Trail[at].Usage; u.Known {
				j.Stop.Overhead += u.Input + u.CacheRead + u.CacheWrite + SummaryTokens
			}
			break
		}
	case Wrong:
		d := Damaged{Hit: *hit(r.run, f), Cut: amount(r.run, at, end), Sunk: tokens(r.run, 0, at+1)}
		if ok := r.o.Session.Recorded.Success; ok != nil && *ok {
			done := r.label.DoneAt
			d.Killed = done == nil || r.run.Number < done.Run || r.run.Number == done.Run && executed(r.o, r.run, f) < done.Call
		}
		j.Damage = append(j.Damage, d)
	}
}

// add sums two stretches. The sum has a time only if both have one.
func (a *Amount) add(b Amount) {
	fresh := a.Calls == 0 && a.Tokens == (replay.Tokens{})
	a.Calls += b.Calls
	a.Tokens.Sum(b.Tokens)
	a.Time += b.Time
	a.Timed = b.Timed && (a.Timed || fresh)
}
