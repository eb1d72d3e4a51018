package detectors

import "groundhog/replay/transcript"

// A Monitor applies one preset to one session while it happens. It is the same
// panel and the same arbiter the replayer uses; acting on a fire (inject, stop)
// is the agent's business. It is not safe for concurrent use.
type Monitor struct {
	preset *Preset
	set    Settings
	point  *Point
	lanes  map[string]*watch
}

// A watch is a Monitor's view of one lane.
type watch struct {
	panel   *Panel
	arbiter *Arbiter
	fire    Fire // of the verdict pending in this step
}

// NewMonitor returns a monitor of p with some settings changed. The error is
// that of Preset.Check.
func NewMonitor(p *Preset, set Settings) (*Monitor, error) {
	if err := p.Check(set); err != nil {
		return nil, err
	}
	point, err := p.point(set)
	if err != nil {
		return nil, err
	}
	return &Monitor{preset: p, set: set, point: point, lanes: make(map[string]*watch)}, nil
}

// An Alarm is a Fire as it reached the model. Delivered may be more severe than
// the detector's own verdict: then a ladder made it a stop.
type Alarm struct {
	Fire
	Delivered Verdict
	Ladder    bool
}

// Observe takes the next event of the session, in the order of
// transcript.Kind, and reports what the agent should do now. An agent that
// batches verdicts by step (Kocoro) gets them at StepEnds.
func (m *Monitor) Observe(ev *transcript.Event) (Alarm, bool) {
	w := m.lanes[ev.Step.Lane]
	if w == nil {
		panel, err := m.preset.panel(m.set)
		if err != nil {
			panic("settings were checked by NewMonitor: " + err.Error())
		}
		w = &watch{panel: panel, arbiter: NewArbiter(m.point)}
		m.lanes[ev.Step.Lane] = w
	}
	if ev.Kind == transcript.RunBegins {
		w.arbiter.RunBegins()
	}
	if f := w.panel.Observe(ev); f != nil {
		before := w.arbiter.pending.Verdict
		if d, ok := w.arbiter.Add(f); ok {
			fire := f.Explain(m.point, d, m.preset.Detectors)
			if d.Delivery.Verdict > Continue {
				return Alarm{fire, d.Delivery.Verdict, d.Delivery.Ladder}, true
			}
			if w.arbiter.pending.Verdict > before {
				w.fire = fire
			}
		}
	}
	if ev.Kind == transcript.StepEnds {
		if d, ok := w.arbiter.StepEnds(ev.Pos); ok {
			return Alarm{w.fire, d.Verdict, d.Ladder}, true
		}
	}
	return Alarm{}, false
}

// Explain is the winner's fire, with the names of those it masked.
func (f *Frame) Explain(p *Point, d Decision, list []*Detector) Fire {
	fire := f.Rows[d.Detector].Fire(p.Variant[d.Detector])
	for _, det := range d.Wanted {
		if det != d.Detector {
			fire.Masked = append(fire.Masked, list[det].Name)
		}
	}
	return fire
}
