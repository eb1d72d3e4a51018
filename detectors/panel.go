package detectors

import (
	"groundhog/replay/transcript"
)

// A Panel is the set of meters that watch one lane, with the features they
// share. Events go in, frames come out. Three rules make one pass over a
// session answer every point of a plan at once:
//
//   - A meter never hears who won or what was delivered, so it measures the
//     same under every point (package doc, "open loop").
//   - A judge is asked once per distinct set of limits, and not once per point:
//     a hundred points that move one threshold share all other verdicts.
//   - A meter that measured nothing, or nothing above Continue under any
//     limits, gives no row. Most calls give no frame at all, and then no point
//     has work to do.
//
// Nothing here allocates once the panel is warm.

// A Panel runs features and meters over one lane of a session. It is not safe
// for concurrent use; a session is a sequence.
type Panel struct {
	features []hooks
	probes   []probe
	listen   [transcript.Noted + 1][]int // by kind: the probes that listen
	frame    Frame
	hear     func(*Measurement) // see Record; usually nil
	kept     Measurement        // what hear is given
}

// NewPanel builds a panel. set holds the shape parameters; variants holds, for
// each detector, the distinct sets of limits to judge under.
func NewPanel(list []*Detector, set Settings, variants [][]Settings) (*Panel, error) {
	k, err := NewKit(list, set, variants)
	if err != nil {
		return nil, err
	}
	return k.Panel()
}

// A Kit is what the panels of all lanes have in common, their limits bound once:
// a sweep has hundreds of them. It may be used by several goroutines.
type Kit struct {
	list   []*Detector
	set    Settings
	limits []any // by detector
}

// NewKit binds the limits of a panel; see NewPanel.
func NewKit(list []*Detector, set Settings, variants [][]Settings) (*Kit, error) {
	k := &Kit{list: list, set: set}
	for i, d := range list {
		if err := d.Err(); err != nil {
			return nil, err
		}
		limits, err := d.vary(variants[i])
		if err != nil {
			return nil, err
		}
		k.limits = append(k.limits, limits)
	}
	return k, nil
}

// Panel builds a panel for one lane.
func (k *Kit) Panel() (*Panel, error) {
	in := newInputs(k.set)
	p := &Panel{}
	for i, d := range k.list {
		pr, err := d.probe(in, k.limits[i])
		if err != nil {
			return nil, err
		}
		p.probes = append(p.probes, pr)
		for k := range p.listen {
			if pr.listens(transcript.Kind(k)) {
				p.listen[k] = append(p.listen[k], i)
			}
		}
	}
	p.features = in.features
	p.frame.Rows = make([]*Row, len(k.list))
	return p, in.err
}

// Streams reports whether somebody listens to deltas.
func (p *Panel) Streams() bool { return len(p.listen[transcript.Streamed]) > 0 }

// Listens reports whether an event of some kind could change anything here.
func (p *Panel) Listens(k transcript.Kind) bool { return len(p.listen[k]) > 0 || len(p.features) > 0 }

// Dismisses reports that a response need not be split into deltas, because
// nobody who listens to them could fire on it.
func (p *Panel) Dismisses(s *transcript.Step) bool {
	for _, i := range p.listen[transcript.Streamed] {
		if !p.probes[i].dismisses(s) {
			return false
		}
	}
	return true
}

// Observe reports what was measured at ev, or nil if no detector said anything
// above Continue under any limits. The Frame is reused by the next call. A call that
// the agent cancelled before it ran is nothing that a detector was ever shown.
func (p *Panel) Observe(ev *transcript.Event) *Frame {
	if ev.Call != nil && ev.Call.Result.Status == transcript.ResultCancelled {
		return nil
	}
	for i := range p.features {
		p.features[i].hear(ev)
	}
	any := false
	for _, i := range p.listen[ev.Kind] {
		pr := p.probes[i]
		if !pr.observe(ev) {
			continue
		}
		if p.hear != nil {
			p.kept.Detector = i
			pr.save(&p.kept)
			p.hear(&p.kept)
		}
		if pr.judge() {
			any = p.say(any, ev.Kind, ev.Pos, deltaOf(ev), i)
		}
	}
	return p.said(any)
}

// say puts a detector's row into the frame, which begins with the first.
func (p *Panel) say(begun bool, kind transcript.Kind, pos transcript.Pos, delta transcript.Delta, detector int) bool {
	if !begun {
		clear(p.frame.Rows)
		p.frame.Kind, p.frame.Pos, p.frame.Delta = kind, pos, delta
	}
	p.frame.Rows[detector] = p.probes[detector].row()
	return true
}

// deltaOf is the delta of an event without its text; zero if it has none.
func deltaOf(ev *transcript.Event) (d transcript.Delta) {
	if ev.Kind == transcript.Streamed {
		d = *ev.Delta
		d.Text = ""
	}
	return d
}

// said is the frame, if anybody spoke.
func (p *Panel) said(any bool) *Frame {
	if !any {
		return nil
	}
	return &p.frame
}

func (h *hooks) hear(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.RunBegins:
		if h.run != nil {
			h.run()
		}
	case transcript.Attempted:
		if h.attempt != nil {
			h.attempt(ev.Attempt)
		}
	case transcript.Streamed:
		if h.delta != nil {
			h.delta(ev.Delta)
		}
	case transcript.Responded:
		if h.response != nil {
			h.response(ev.Step)
		}
	case transcript.Proposed:
		if h.propose != nil {
			h.propose(ev.Call)
		}
	case transcript.Called:
		if h.call != nil {
			h.call(ev.Call)
		}
	case transcript.StepEnds:
		if h.step != nil {
			h.step(ev.Step)
		}
	}
}

// A Frame holds, for one event, the verdicts of every detector under every
// distinct set of limits of the plan.
type Frame struct {
	Kind  transcript.Kind
	Pos   transcript.Pos
	Delta transcript.Delta // of a Streamed event, without its text
	Rows  []*Row           // by detector; nil where it had nothing to say
}

// A Row is one detector's answer at one event. It is valid as long as its Frame.
type Row struct {
	Verdicts []Verdict // by variant of limits
	Episode  int64

	rest  []int64
	probe probe
}

// Alike reports whether two variants of limits say the same here, and would be
// silent equally long after it.
func (r *Row) Alike(a, b int) bool {
	return r.Verdicts[a] == r.Verdicts[b] && (r.Episode == 0 || r.rest[a] == r.rest[b])
}

// Fire explains the verdict under one variant of limits.
func (r *Row) Fire(variant int) Fire { return r.probe.fire(variant) }
