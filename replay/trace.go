package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A Trace is one session as a person reviews it: its steps, what each path measured at
// each of them, and the Outcome. It is held in memory, so it is for one session at a
// time; texts beyond a budget are cut.
type Trace struct {
	Plan    *Plan
	Outcome *Outcome
	Steps   []TracedStep
	Paths   []*Path // by configuration, in the order of its preset
	Cut     bool    // texts were cut, so that Ask must not be called
}

// A TracedStep is a step with its position.
type TracedStep struct {
	*transcript.Step
	Pos   transcript.Pos // of the run and the step; Call is the run's last call before it
	Begun bool           // a run begins with it
}

// A Path is one detector under one configuration, with what it measured.
type Path struct {
	Config   int
	Detector *detectors.Detector
	Judge    *detectors.Judge
	Set      detectors.Settings
	// List is in the order of the session. Of the deltas of one response it holds those
	// at which the path came nearer to a verdict than at all before.
	List    []detectors.Measurement
	Clipped bool // there were more
	Streams bool // it listens to the deltas of a response

	index map[event]int // in List
}

const (
	maxTraced   = 64 << 20 // bytes of text that are held whole
	maxShown    = 2 << 10  // bytes that are kept of each text beyond
	maxMeasured = 50_000   // measurements that are kept of one path
)

// Trace replays one session and keeps what was seen. Of a session that is left out the
// trace has no more than an Outcome with Err set.
func (e *Engine) Trace(ctx context.Context, u *formats.Unit) (tr *Trace, err error) {
	defer func() {
		if r := recover(); r != nil {
			tr, err = nil, &InternalError{fmt.Sprintf("session %s: %v\n%s", u.Session.ID, r, debug.Stack())}
		}
	}()
	plan := e.Plan.nearer()
	tr = &Trace{Plan: plan, Paths: plan.paths()}
	t := newTally(plan, u.Session)
	w := &tracer{Trace: tr, tally: t, room: maxTraced}
	var cur transcript.Cursor
	steps := 0
	for step, err := range u.Read() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			var syntax *formats.SyntaxError
			if !errors.As(err, &syntax) {
				tr.Outcome = t.broken(err)
				return tr, nil
			}
			t.unreadable(err)
			continue
		}
		steps++
		w.step(step, &cur, e.Split)
	}
	if err := e.excluded(t, u, steps); err != nil {
		tr.Outcome = t.broken(err)
		return tr, nil
	}
	tr.Outcome = t.finish()
	return tr, nil
}

// A tracer walks one session.
type tracer struct {
	*Trace
	tally   *tally
	room    int  // bytes of text that may still be held
	context bool // the current step belongs to another session
}

// step takes the next step of the session.
func (w *tracer) step(s *transcript.Step, cur *transcript.Cursor, split transcript.Splitter) {
	w.context = s.Has(transcript.Context)
	if w.context && s.Kind == transcript.Response {
		w.tally.out.Context++
	}
	w.listen(s.Lane)
	if cur.Split = nil; split != nil && w.tally.hears(s) {
		cur.Split = split
	}
	traced, numbered := TracedStep{}, false
	for ev := range cur.Events(s) {
		numbered = true
		if ev.Kind == transcript.RunBegins {
			traced.Begun = true
		}
		traced.Pos = ev.Pos
		w.tally.add(ev)
	}
	if !numbered {
		return // a response that the client made up has no events, and is no step
	}
	traced.Pos.Call = max(traced.Pos.Call-int32(len(s.Calls)), 0)
	traced.Step = w.hold(s)
	w.Steps = append(w.Steps, traced)
}

// hold copies what of a step will be shown or asked about.
func (w *tracer) hold(s *transcript.Step) *transcript.Step {
	own := *s
	size := 0
	for i := range s.Parts {
		size += len(s.Parts[i].Text)
	}
	for i := range s.Calls {
		size += len(s.Calls[i].Args) + len(s.Calls[i].Result.Text) + len(s.Calls[i].Result.ErrorText)
	}
	if w.room -= size; w.room >= 0 {
		return &own
	}
	w.Cut = true
	own.Parts, own.Calls = slices.Clone(s.Parts), slices.Clone(s.Calls)
	for i := range own.Parts {
		own.Parts[i].Text, own.Parts[i].Cuts = clip(own.Parts[i].Text), nil
	}
	for i := range own.Calls {
		c := &own.Calls[i]
		c.Args, c.Result.Text, c.Result.ErrorText = clip(c.Args), clip(c.Result.Text), clip(c.Result.ErrorText)
	}
	return &own
}

// clip is what is kept of a text beyond maxTraced.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.Clone(s[:maxShown])
}

// listen records what the panels of a lane measure, from its first step on.
func (w *tracer) listen(name string) {
	if w.tally.lanes[name] != nil {
		return
	}
	for i, panel := range w.tally.lane(name).panels {
		readers := make([][]*Path, len(w.Plan.panels[i].list))
		for _, p := range w.Paths {
			if w.Plan.Points[w.Plan.whole(p.Config)].panel == i {
				det := slices.Index(w.Plan.panels[i].list, p.Detector)
				readers[det] = append(readers[det], p)
			}
		}
		panel.Record(func(m *detectors.Measurement) {
			if w.context {
				return
			}
			for _, p := range readers[m.Detector] {
				p.keep(m)
			}
		})
	}
}

// keep adds a measurement. One at a delta of a response is kept only where it is nearer
// to a verdict than all before it in that response.
func (p *Path) keep(m *detectors.Measurement) {
	if n := len(p.List); m.Kind == transcript.Streamed && n > 0 {
		last := &p.List[n-1]
		if last.Kind == m.Kind && last.Pos.Run == m.Pos.Run && last.Pos.Step == m.Pos.Step {
			a, ok := p.Judge.Gauge(m.Values)
			b, _ := p.Judge.Gauge(last.Values)
			if ok && !a.Nearer(b) {
				return
			}
		}
	}
	if len(p.List) >= maxMeasured {
		p.Clipped = true
		return
	}
	own := *m
	own.Values = slices.Clone(m.Values)
	where := event{detectors.PhaseOf(own.Kind), own.Pos}
	where.pos.Line = 0
	p.index[where] = len(p.List)
	p.List = append(p.List, own)
}

// nearer is the plan with panels that also measure what lies far below the limits,
// which a meter with a floor (detectors.Rule.Floor) leaves out.
func (p *Plan) nearer() *Plan {
	own := *p
	own.panels = slices.Clone(p.panels)
	for i := range own.panels {
		pp := &own.panels[i]
		pp.variants, pp.limits = slices.Clone(pp.variants), slices.Clone(pp.limits)
		for j, d := range pp.list {
			if !d.HasFloor() {
				continue
			}
			low := detectors.Settings{}
			for _, q := range d.Params {
				if q.Kind == detectors.Int && !q.Shape {
					low[q.ID] = strconv.Itoa(q.Lo)
				}
			}
			pp.variants[j] = append(slices.Clip(pp.variants[j]), pp.set.With(low))
			pp.limits[j] = append(slices.Clip(pp.limits[j]), "nearer")
		}
	}
	return &own
}

// whole is the index of a configuration's point in the production view.
func (p *Plan) whole(config int) int {
	return slices.IndexFunc(p.Points, func(pt Point) bool { return pt.Config == config && pt.View() == Production })
}

// Of is what a configuration did, and what a path of it would have done alone. alone
// is nil unless the Question asked for it.
func (tr *Trace) Of(config int, detector string) (production, alone *PointOutcome) {
	for i := range tr.Plan.Points {
		switch p := &tr.Plan.Points[i]; {
		case p.Config != config:
		case p.View() == Production:
			production = tr.Outcome.Points[i]
		case p.View() == Standalone && p.Detector == detector:
			alone = tr.Outcome.Points[i]
		}
	}
	return production, alone
}

// paths are the paths of all configurations, with nothing measured yet.
func (p *Plan) paths() (list []*Path) {
	for i, c := range p.Configs {
		set := c.Preset.Set.With(c.Set)
		for _, d := range c.Preset.Detectors {
			judge, err := d.Bind(set)
			panel, err2 := detectors.NewPanel([]*detectors.Detector{d}, set, [][]detectors.Settings{{set}})
			if err != nil || err2 != nil {
				panic("settings were checked by NewPlan: " + fmt.Sprint(err, err2))
			}
			list = append(list, &Path{
				Config: i, Detector: d, Judge: judge, Set: set,
				Streams: panel.Streams(), index: make(map[event]int),
			})
		}
	}
	return list
}

// At is what the path measured at an event, or nil.
func (p *Path) At(phase detectors.Phase, pos transcript.Pos) *detectors.Measurement {
	pos.Line = 0
	if i, ok := p.index[event{phase, pos}]; ok {
		return &p.List[i]
	}
	return nil
}

// An event is a place where a path measures at most once. Its pos has no line.
type event struct {
	phase detectors.Phase
	pos   transcript.Pos
}
