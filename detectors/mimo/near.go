package mimo

import (
	"fmt"
	"iter"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/stream"
	"groundhog/replay/transcript"
)

// This file says how close a response came to a fire in its stream. It is a
// measurement of its own, with a floor of two copies, so that a replay does not
// pay for it where nobody asks.

// deltas are those of a part as they were recorded, else its words: a distance
// needs no vocabulary.
func deltas(p transcript.Part) iter.Seq[string] {
	if len(p.Cuts) == 0 {
		return transcript.Words(p.Text)
	}
	return func(yield func(string) bool) {
		from := 0
		for _, cut := range p.Cuts {
			if !yield(p.Text[from:cut.End]) {
				return
			}
			from = cut.End
		}
	}
}

// near is the most copies of a block that stand in the window at some delta.
func (g *ngrams) near(s *transcript.Step, l ngramLimits) (detectors.Near, bool) {
	m := stream.NewMonitor(stream.Shape{Window: g.shape.Window, MinDistinct: g.shape.MinDistinct, Floor: 2})
	var best stream.Run
	near := detectors.Near{Need: int64(l.threshold), Unit: "token"}
	table := false
	for _, p := range s.Parts {
		if p.Kind == transcript.ToolInput {
			continue
		}
		for d := range deltas(p) {
			m.Feed(d)
			r := m.Repeats()
			if run := r.Runs[l.n-1]; run.Copies > best.Copies || run.Copies == best.Copies && run.Period < best.Period {
				best, near.Block, table = run, m.Block(run), r.TableHeavy
			}
		}
	}
	if best.Copies == 0 {
		return near, true
	}
	near.Have, near.Period = int64(best.Copies), int64(best.Period)
	switch {
	case l.threshold < 2:
		near.Never, near.Why = true, "a threshold below 2 never fires"
	case best.Period*l.threshold > g.shape.Window:
		near.Never = true
		near.Why = fmt.Sprintf("%d copies of %d tokens do not fit the window of %d", l.threshold, best.Period, g.shape.Window)
	case l.tableExempt && table:
		near.Why = "the text is mostly a table"
	}
	return near, true
}

// near is the suffix that comes closest to its limit at some check.
func (c *chars) near(s *transcript.Step, l charLimits) (detectors.Near, bool) {
	table := stream.DefaultCharTable()
	watch := stream.NewChars(c.window, c.interval)
	near := detectors.Near{Unit: "character"}
	for _, p := range s.Parts {
		if p.Kind == transcript.ToolInput {
			continue
		}
		watch.Reset()
		for d := range deltas(p) {
			if _, checked := watch.Feed(d); !checked {
				continue
			}
			period, copies, limit := watch.Nearest(&table, l.percent)
			if at := (detectors.Near{Have: int64(copies), Need: int64(limit), Period: int64(period),
				Unit: near.Unit}); copies > 0 && at.Closer(near) {
				at.Block = watch.Tail(period)
				at.Never = period*limit > c.window
				if at.Never {
					at.Why = fmt.Sprintf("%d copies of %d characters do not fit the window of %d", limit, period, c.window)
				}
				near = at
			}
		}
	}
	return near, true
}
