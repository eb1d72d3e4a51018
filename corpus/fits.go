package corpus

import (
	"fmt"

	"groundhog/replay"
)

// Fits is an error about the first place in a session's labels that the session does not
// have. It is nil for a session without labels, one that was left out, and one that
// shares steps with another session, where numbers may differ.
func (ls *Labels) Fits(o *replay.Outcome) error {
	e := ls.by[o.Session.ID]
	if e == nil || o.Err != nil || o.Context > 0 {
		return nil
	}
	for _, r := range e.readings {
		if err := r.fits(o); err != nil {
			return err
		}
	}
	return nil
}

func (r Reading) fits(o *replay.Outcome) error {
	place := func(what string, run, call int) error {
		for i := range o.Runs {
			if o.Runs[i].Number != run {
				continue
			}
			if call > o.Runs[i].Calls {
				return &LabelError{r.From, fmt.Sprintf("label of %s: %s at call %d, but run %d has %d calls",
					o.Session.ID, what, call, run, o.Runs[i].Calls)}
			}
			return nil
		}
		return &LabelError{r.From, fmt.Sprintf("label of %s: %s in run %d, but the session has %d runs",
			o.Session.ID, what, run, len(o.Runs))}
	}
	for _, s := range r.Label.Spans {
		if err := place("a span ends", s.Run, s.End); err != nil {
			return err
		}
	}
	if d := r.Label.DoneAt; d != nil {
		if err := place("the work is done", d.Run, d.Call); err != nil {
			return err
		}
	}
	for _, p := range r.Label.Positions {
		if err := place("an answer", p.Run, p.Call); err != nil {
			return err
		}
	}
	for _, t := range r.Label.Tolerate {
		if err := place("a tolerated stretch ends", t.Run, t.To); err != nil {
			return err
		}
	}
	return nil
}
