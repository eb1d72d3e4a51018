package render

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"groundhog/detectors"
	"groundhog/formats/record"
	"groundhog/replay"
)

// Fires writes one record for every verdict above continue: a JSON object a
// line, or a row of Parquet.
type Fires struct {
	w     io.Writer
	rows  *parquet.GenericWriter[fireRow] // nil for JSON
	plan  *replay.Plan
	views map[replay.View]bool
	split string // names how text without recorded deltas was cut
	buf   []byte
	err   error // of the rows
}

// NewFires writes the fires of some views.
func NewFires(w io.Writer, plan *replay.Plan, views []replay.View, splitter string) *Fires {
	f := &Fires{w: w, plan: plan, split: splitter, views: make(map[replay.View]bool)}
	for _, v := range views {
		f.views[v] = true
	}
	return f
}

// NewParquetFires writes the fires of some views as fires.parquet.
func NewParquetFires(w io.Writer, plan *replay.Plan, views []replay.View, splitter string) *Fires {
	f := NewFires(w, plan, views, splitter)
	f.rows = newParquetFires(w)
	return f
}

// Close completes the output. It does not close what is below.
func (f *Fires) Close() error {
	if f.rows == nil {
		return nil
	}
	return f.rows.Close()
}

// Add writes the fires of one session: by preset, then by view, in order.
func (f *Fires) Add(o *replay.Outcome) error {
	if o.Err != nil {
		return nil
	}
	f.buf = f.buf[:0]
	for i := range f.plan.Points {
		p := &f.plan.Points[i]
		preset := f.plan.Configs[p.Config].Preset.Name
		for j := range o.Points[i].Fires {
			fire := o.Points[i].Fires[j]
			view := p.View()
			if f.views[view] {
				f.line(o.Session.ID, preset, view, &fire.Fire, fire, true)
			}
			if view == replay.Production && f.views[replay.Shadow] {
				for k := range fire.Wanted {
					f.line(o.Session.ID, preset, replay.Shadow, &fire.Wanted[k], fire, k == 0)
				}
			}
		}
		if f.views[replay.Production] {
			f.near(o, i, preset)
			for _, fire := range o.Points[i].Elsewhere {
				f.line(o.Session.ID, preset, replay.OtherSplit, &fire.Fire, fire, true)
			}
		}
	}
	if f.err != nil || f.rows != nil {
		return f.err
	}
	_, err := f.w.Write(f.buf)
	return err
}

// line appends one fire. winner says that it is the one that won its decision
// point, so that the delivery is its own.
func (f *Fires) line(session, preset string, view replay.View, d *detectors.Fire, fire *replay.Fire, winner bool) {
	if f.rows != nil {
		if f.err == nil {
			_, f.err = f.rows.Write([]fireRow{f.row(session, preset, view, d, fire, winner)})
		}
		return
	}
	start := len(f.buf)
	f.str(`{"session":`, session)
	f.str(`,"preset":`, preset)
	f.str(`,"view":`, string(view))
	f.str(`,"detector":`, d.Detector)
	f.str(`,"verdict":`, d.Verdict.String())
	delivered := ""
	if winner && fire.Delivered > detectors.Continue && view != replay.OtherSplit {
		delivered = fire.Delivered.String()
	}
	f.str(`,"delivered":`, delivered)
	f.buf = fmt.Appendf(f.buf, `,"run":%d,"step":%d,"call":%d`, d.Pos.Run, d.Pos.Step, d.Pos.Call)
	f.str(`,"phase":`, string(d.Phase))
	if d.Phase == detectors.InStream {
		f.buf = fmt.Appendf(f.buf, `,"part":%d,"offset":%d`, d.Part, d.Offset)
		f.str(`,"deltas":`, f.deltas(view, d, fire))
		if winner && fire.Jitter != nil {
			f.jitter(fire.Jitter)
		}
		f.saved(fire.Cost)
	}
	f.str(`,"reason":`, d.Reason)
	f.buf = append(f.buf, `,"evidence":{`...)
	for i, e := range d.Evidence {
		if i > 0 {
			f.buf = append(f.buf, ',')
		}
		f.str("", e.Name)
		f.buf = strconv.AppendInt(append(f.buf, ':'), e.Value, 10)
	}
	f.buf = append(f.buf, `},"masked":[`...)
	if winner {
		for i, m := range fire.Masked {
			if i > 0 {
				f.buf = append(f.buf, ',')
			}
			f.str("", m)
		}
	}
	f.buf = fmt.Appendf(f.buf, `],"open":%t`, fire.Open)
	f.str(`,"tier":`, string(fire.Tier))
	f.str(`,"text":`, d.Text)
	f.buf = append(f.buf, "}\n"...)
	f.clean(start)
}

// clean cleans what was appended from start on.
func (f *Fires) clean(start int) {
	if clean := CleanJSON(f.buf[start:]); len(clean) != len(f.buf)-start {
		f.buf = append(f.buf[:start], clean...)
	}
}

// deltas says where a fire's delta comes from.
func (f *Fires) deltas(view replay.View, d *detectors.Fire, fire *replay.Fire) string {
	switch {
	case d.Recorded:
		return "recorded"
	case view == replay.OtherSplit: // of the first that has it
		for _, p := range fire.Jitter.Places {
			if p.Fired {
				return "reconstructed:" + p.Cut
			}
		}
	}
	return "reconstructed:" + f.split
}

func (f *Fires) str(key, s string) {
	f.buf = record.AppendQuote(append(f.buf, key...), s)
}
