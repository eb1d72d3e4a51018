package detectors

import (
	"slices"

	"groundhog/replay/transcript"
)

// A Monitor applies one preset to one session while it happens. It is the same
// panel and the same arbiter the replayer uses; acting on a fire (inject, stop)
// is the agent's business. It is not safe for concurrent use.
type Monitor struct {
	preset *Preset
	kit    *Kit
	points []Point
	lanes  map[string]*watch
	alarms []Alarm // of the last event
}

// A watch is a Monitor's view of one lane.
type watch struct {
	panel    *Panel
	arbiters []*Arbiter
	fires    []Fire // by arbiter: of the verdict pending in this step
}

// NewMonitor returns a monitor of p with some settings changed. The error is
// that of Preset.Check.
func NewMonitor(p *Preset, set Settings) (*Monitor, error) {
	if err := p.Check(set); err != nil {
		return nil, err
	}
	kit, err := p.kit(set)
	if err != nil {
		return nil, err
	}
	points, err := p.Points(p.Detectors, func(d *Detector) int { return slices.Index(p.Detectors, d) },
		make([]int, len(p.Detectors)), p.Set.With(set))
	if err != nil {
		return nil, err
	}
	return &Monitor{preset: p, kit: kit, points: points, lanes: make(map[string]*watch)}, nil
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
// batches verdicts by step (Kocoro) gets them at StepEnds. Where a preset lets
// every detector deliver for itself, there may be more: the most severe alarm is
// returned, the first on a tie, and Alarms has all.
func (m *Monitor) Observe(ev *transcript.Event) (Alarm, bool) {
	w := m.watch(ev.Step.Lane)
	m.alarms = m.alarms[:0]
	if ev.Kind == transcript.RunBegins {
		for _, a := range w.arbiters {
			a.RunBegins()
		}
	}
	f := w.panel.Observe(ev)
	for i, a := range w.arbiters {
		if f != nil {
			m.add(w, i, f)
		}
		if ev.Kind == transcript.StepEnds {
			if d, ok := a.StepEnds(ev.Pos); ok {
				m.alarms = append(m.alarms, Alarm{w.fires[i], d.Verdict, d.Ladder})
			}
		}
	}
	var worst Alarm
	for _, a := range m.alarms {
		if a.Delivered > worst.Delivered {
			worst = a
		}
	}
	return worst, len(m.alarms) > 0
}

// Alarms is everything that the last event led to. It is reused by the next.
func (m *Monitor) Alarms() []Alarm { return m.alarms }

func (m *Monitor) watch(lane string) *watch {
	w := m.lanes[lane]
	if w == nil {
		panel, err := m.kit.Panel()
		if err != nil {
			panic(err) // NewMonitor has made one from the same kit
		}
		w = &watch{panel: panel, fires: make([]Fire, len(m.points))}
		for i := range m.points {
			w.arbiters = append(w.arbiters, NewArbiter(&m.points[i]))
		}
		m.lanes[lane] = w
	}
	return w
}

// add lets one arbiter decide.
func (m *Monitor) add(w *watch, i int, f *Frame) {
	a := w.arbiters[i]
	before := a.pending.Verdict
	d, ok := a.Add(f)
	if !ok {
		return
	}
	fire := f.Explain(&m.points[i], d, m.preset.Detectors)
	if d.Delivery.Verdict > Continue {
		for _, other := range w.arbiters {
			other.Delivered(d.Detector)
		}
		m.alarms = append(m.alarms, Alarm{fire, d.Delivery.Verdict, d.Delivery.Ladder})
	}
	if a.pending.Verdict > before {
		w.fires[i] = fire
	}
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
