package corpus

import (
	"time"

	"groundhog/replay"
)

// This file says what a stop would have saved and what it would have destroyed.

// An Amount is how much a stretch of a session holds.
type Amount struct {
	Calls  int
	Tokens replay.Tokens
	Time   time.Duration // without gaps longer than IdleCap; 0 unless Timed
	Timed  bool          // every step of the stretch has a time
}

// An Obeyed is what follows from obeying right stops. It assumes that the agent would
// have gone on as recorded (tier C).
type Obeyed struct {
	Saved    Amount // in the loop, after the stop
	Foregone Amount // work after a loop that the agent left by itself
	// Overhead is the tokens of the summary that a graceful stop asks for; steps without
	// recorded usage add nothing.
	Overhead int64
}

// A Damaged is what a false stop costs (tier C).
type Damaged struct {
	Hit    Hit
	Cut    Amount        // after the stop
	Sunk   replay.Tokens // of the run, up to the stop
	Killed bool          // the session is recorded as a success, and the deliverable was not complete
}

// IdleCap is the longest gap between two steps that counts as work. In a longer one the
// agent is taken to wait for a person.
const IdleCap = 5 * time.Minute

// SummaryTokens is what an agent is taken to write when it stops gracefully.
const SummaryTokens = 500

// obey counts what the first stop of a run saves or destroys.
func (j *Judgement) obey(r *judgedRun, f *replay.Fire, truth Truth) {
	step, end := markIndex(r.run, int(f.Pos.Step)), len(r.run.Trail)-1
	if step > end {
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
			last := stepOf(r.run, s.End)
			j.Stop.Saved.add(amount(r.run, step, last))
			if s.Escaped {
				j.Stop.Foregone.add(amount(r.run, last, end))
			}
			if u := r.run.Trail[step].Usage; u.Known {
				j.Stop.Overhead += u.Input + u.CacheRead + u.CacheWrite + SummaryTokens
			}
			break
		}
	case Wrong:
		d := Damaged{Hit: *hit(r.run, f), Cut: amount(r.run, step, end), Sunk: tokens(r.run, 0, step+1)}
		if ok := r.o.Session.Recorded.Success; ok != nil && *ok {
			done := r.label.DoneAt
			d.Killed = done == nil || r.run.Number < done.Run ||
				r.run.Number == done.Run && executed(r.run, f) < done.Call
		}
		j.Damage = append(j.Damage, d)
	}
}

// add adds a stretch. The sum has a time only if all stretches have one.
func (a *Amount) add(b Amount) {
	first := a.Calls == 0 && a.Tokens == (replay.Tokens{})
	a.Calls += b.Calls
	a.Tokens.Sum(b.Tokens)
	a.Time += b.Time
	a.Timed = b.Timed && (a.Timed || first)
}
