package ledger

import (
	"errors"
	"fmt"

	"groundhog/detectors"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A reader puts rows together into steps.
type reader struct {
	ledger *Ledger
	asked  [][]replay.Meter // as in matching
	kept   replay.Kept      // the step being put together
	begun  bool             // there is one
	done   replay.Kept      // the step before it
	ready  bool             // done has just been completed
	values []int64          // the measured numbers of kept
	spare  []int64          // those of done
}

// take takes the next row. A row that begins a step completes the one before.
func (r *reader) take(in *parquet.Row) (err error) {
	r.ready = false
	switch kind := in.Str(cRow); kind {
	case rowRun:
		r.begin(in)
		r.kept.Begins = true
		r.kept.Begin, err = place(in)
	case rowReminder:
		r.begin(in)
		r.kept.Reminded = true
		r.kept.Reminder, err = place(in)
	case rowStep:
		if !r.kept.Begins || r.kept.Ends || r.kept.Lane != int(in.Int(cLane)) || r.kept.Context != in.Bool(cContext) {
			r.begin(in)
		}
		r.kept.Ends = true
		return r.step(in)
	case rowMeasure:
		if !r.kept.Ends {
			return errors.New("a measurement outside a step")
		}
		return r.measure(in)
	default:
		return fmt.Errorf("row of kind %q: expected run, step, measure or reminder", kind)
	}
	return err
}

// begin completes the current step and begins the next.
func (r *reader) begin(in *parquet.Row) {
	r.ready = r.begun
	r.done, r.kept = r.kept, replay.Kept{Measured: r.done.Measured[:0]}
	r.values, r.spare = r.spare[:0], r.values
	r.begun = true
	r.kept.Lane, r.kept.Context = int(in.Int(cLane)), in.Bool(cContext)
}

// place is the position that a row has.
func place(in *parquet.Row) (p transcript.Pos, err error) {
	if p.Run, err = in.Small(cRun); err != nil {
		return p, err
	}
	if p.Step, err = in.Small(cStep); err != nil {
		return p, err
	}
	if p.Call, err = in.Small(cCall); err != nil {
		return p, err
	}
	p.Line = int(in.Int(cLine))
	return p, nil
}

// step takes the row of a response.
func (r *reader) step(in *parquet.Row) (err error) {
	k := &r.kept
	if k.End, err = place(in); err != nil {
		return err
	}
	calls, err := in.Small(cCalls)
	if err != nil {
		return err
	}
	k.Calls = int(calls)
	k.Usage = transcript.Usage{
		Known: !in.Null(cTokIn), Input: in.Int(cTokIn), Output: in.Int(cTokOut), Reasoning: in.Int(cTokReasoning),
		CacheRead: in.Int(cTokCacheRead), CacheWrite: in.Int(cTokCacheWrite), Cost: in.Float(cCost),
	}
	k.Time = in.Time(cTS)
	return nil
}

// measure gives a measurement to every meter of the plan that it answers for.
func (r *reader) measure(in *parquet.Row) (err error) {
	n := in.Int(cMeter)
	if n < 0 || n >= int64(len(r.asked)) {
		return fmt.Errorf("meter %d: the header has %d", n, len(r.asked))
	}
	targets := r.asked[n]
	if len(targets) == 0 {
		return nil
	}
	m := detectors.Measurement{Part: int(in.Int(cPart)), Offset: int(in.Int(cOffset)), Recorded: in.Bool(cRecorded)}
	if m.Kind, err = phaseOf(in.Str(cPhase)); err != nil {
		return err
	}
	if m.Pos, err = place(in); err != nil {
		return err
	}
	if m.Pos.Delta, err = in.Small(cDelta); err != nil {
		return err
	}
	from := len(r.values)
	for _, col := range r.ledger.places[n] {
		if in.Null(col) {
			return fmt.Errorf("a measurement of %s lacks %s", r.ledger.head.Meters[n].Detector, r.ledger.column(col))
		}
		r.values = append(r.values, in.Int(col))
	}
	m.Values = r.values[from:len(r.values):len(r.values)]
	if err := targets[0].Detector.Fits(m.Values); err != nil {
		return err
	}
	for _, t := range targets {
		m.Detector = t.Index
		r.kept.Measured = append(r.kept.Measured, replay.Measured{Panel: t.Panel, Measurement: m})
	}
	return nil
}
