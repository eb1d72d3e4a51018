package replay

import (
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Tally folds one session into an Outcome. It is not safe for concurrent use.
type tally struct {
	plan  *Plan
	out   *Outcome
	lanes map[string]*lane
	tools map[string]*Tool
}

// A lane is one agent of the session: its panels, and an arbiter for each point.
type lane struct {
	panels []*detectors.Panel
	points []lanePoint
	run    int // index in Outcome.Runs; -1 before the first step that is this session's own
}

// A lanePoint is where one point stands in one lane.
type lanePoint struct {
	arbiters []*detectors.Arbiter
	step     []stepFire // of the current step
	diverged bool
	open     bool // after the run's first delivered stop
	stopped  bool // by a detector itself
	vetoed   bool // the current step, so that its calls do not run
}

// A stepFire is a fire of the current step with the arbiter that chose it.
type stepFire struct {
	*Fire
	arbiter int
}

// maxTools bounds the count of tools by name: a recording may invent one a call.
const maxTools = 4096

// otherTools stands for the names beyond that.
const otherTools = "(other tools)"

func newTally(p *Plan, s *transcript.Session) *tally {
	t := &tally{
		plan:  p,
		out:   &Outcome{Session: s, Points: make([]PointOutcome, len(p.Points))},
		lanes: make(map[string]*lane),
		tools: make(map[string]*Tool),
	}
	if p.Requests {
		t.out.Requests = &Requests{}
	}
	return t
}

func (t *tally) lane(name string) *lane {
	l := t.lanes[name]
	if l == nil {
		l = &lane{panels: t.plan.newPanels(), run: -1}
		for i := range t.plan.Points {
			var p lanePoint
			for k := range t.plan.Points[i].rules {
				p.arbiters = append(p.arbiters, detectors.NewArbiter(&t.plan.Points[i].rules[k]))
			}
			l.points = append(l.points, p)
		}
		t.lanes[name] = l
	}
	return l
}

// add takes the next event of the session.
func (t *tally) add(ev *transcript.Event) {
	l := t.lane(ev.Step.Lane)
	context := ev.Step.Has(transcript.Context)
	if ev.Kind == transcript.RunBegins {
		l.begin()
	}
	if !context {
		t.count(l, ev)
	}
	for i, panel := range l.panels {
		if t.withheld(l, i, ev) {
			continue
		}
		frame := panel.Observe(ev)
		if frame == nil || context {
			continue
		}
		for j := range l.points {
			if t.plan.Points[j].panel == i {
				t.decide(l, j, frame)
			}
		}
	}
	if ev.Kind == transcript.StepEnds && !context {
		for j := range l.points {
			t.deliver(l, j, ev.Pos)
		}
	}
}

func (l *lane) begin() {
	l.run = -1
	for i := range l.points {
		p := &l.points[i]
		for _, a := range p.arbiters {
			a.RunBegins()
		}
		*p = lanePoint{arbiters: p.arbiters, step: p.step[:0]}
	}
}

// hears reports whether a response must be cut into deltas for somebody.
func (t *tally) hears(s *transcript.Step) bool {
	if s.Kind != transcript.Response {
		return false
	}
	for _, p := range t.lane(s.Lane).panels {
		if p.Streams() && !p.Dismisses(s) {
			return true
		}
	}
	return false
}

// withheld reports whether a panel does not get to see an event, because the
// point it belongs to has vetoed the step.
func (t *tally) withheld(l *lane, panel int, ev *transcript.Event) bool {
	owner := t.plan.owner[panel]
	return owner >= 0 && l.points[owner].vetoed && (ev.Kind == transcript.Proposed || ev.Kind == transcript.Called)
}

// exposed is the current run's exposure, which begins with its first step.
func (t *tally) exposed(l *lane, ev *transcript.Event) *Run {
	if l.run < 0 {
		l.run = len(t.out.Runs)
		t.out.Runs = append(t.out.Runs, Run{Number: int(ev.Pos.Run), Lane: ev.Step.Lane})
		for i := range t.out.Points {
			t.out.Points[i].Runs = append(t.out.Points[i].Runs, RunOutcome{})
		}
	}
	return &t.out.Runs[l.run]
}

// count keeps the numbers that do not depend on any detector.
func (t *tally) count(l *lane, ev *transcript.Event) {
	switch ev.Kind {
	case transcript.RunBegins:
		t.exposed(l, ev)
	case transcript.Attempted:
		t.out.Attempts++
	case transcript.Streamed:
		t.exposed(l, ev) // a run of another session's steps has not been until now
		if !ev.Delta.Recorded {
			t.out.Deltas.Reconstructed++
			break
		}
		t.out.Deltas.Recorded++
		if ev.Delta.At >= 0 {
			t.out.Inputs |= Times
		}
	case transcript.Responded:
		run := t.exposed(l, ev)
		run.Steps++
		run.Calls += len(ev.Step.Calls)
		run.Tokens.add(ev.Step.Usage)
		t.out.Steps++
		t.out.Calls += len(ev.Step.Calls)
		t.out.Tokens.add(ev.Step.Usage)
		if ev.Step.Finish != transcript.FinishUnknown {
			t.out.Inputs |= Finishes
		}
		for i := range ev.Step.Parts {
			if ev.Step.Parts[i].Kind != transcript.ToolInput {
				t.out.Inputs |= Texts
			}
		}
	case transcript.Called:
		t.countCall(ev.Call, ev.Step.Has(transcript.ErrorInferred))
	}
}

func (t *tally) countCall(c *transcript.Call, guessed bool) {
	tool := t.tools[c.Tool]
	if tool == nil {
		name := c.Tool
		if len(t.tools) >= maxTools {
			name = otherTools
		}
		if tool = t.tools[name]; tool == nil {
			tool = &Tool{Name: strings.Clone(name)}
			t.tools[tool.Name] = tool
		}
	}
	tool.Calls++
	tool.Native = tool.Native || c.Signals != nil
	failed, inferred := c.Result.Failed()
	if failed {
		t.out.Errors++
	}
	if failed && (inferred || guessed) {
		t.out.Inferred++
	}
	switch {
	case c.Result.Status == transcript.ResultMissing:
		t.out.Missing++
		return
	case c.Result.Status != transcript.ResultUnflagged || inferred:
		t.out.Inputs |= ErrorFlags
	}
	t.out.Inputs |= Results
}

// decide lets one point speak at one frame.
func (t *tally) decide(l *lane, j int, f *detectors.Frame) {
	p := &l.points[j]
	for k, a := range p.arbiters {
		d, ok := a.Add(f)
		if !ok {
			continue
		}
		fire := t.fire(p, &t.plan.Points[j], k, f, d)
		p.step = append(p.step, stepFire{fire, k})
		if d.Delivery.Verdict > detectors.Continue { // at once, and not at the end of the step
			t.delivered(l, j, fire, d.Delivery)
		}
	}
}

// fire is a decision as it will be shown.
func (t *tally) fire(p *lanePoint, point *Point, k int, f *detectors.Frame, d detectors.Decision) *Fire {
	fire := &Fire{Open: p.open, After: p.stopped, Tier: Exact}
	if p.diverged {
		fire.Tier = Conditional
	}
	if t.plan.Brief {
		fire.Fire = detectors.Fire{Detector: point.list[d.Detector].Name, Verdict: d.Verdict, Phase: detectors.PhaseOf(f.Kind), Pos: f.Pos}
	} else {
		for _, det := range d.Wanted {
			fire.Wanted = append(fire.Wanted, f.Rows[det].Fire(point.rules[k].Variant[det]))
		}
		fire.Fire = fire.Wanted[0]
	}
	for _, det := range d.Wanted[1:] {
		fire.Masked = append(fire.Masked, point.list[det].Name)
	}
	return fire
}

// deliver ends the step for one point.
func (t *tally) deliver(l *lane, j int, pos transcript.Pos) {
	p, out := &l.points[j], &t.out.Points[j]
	for k, a := range p.arbiters {
		d, ok := a.StepEnds(pos)
		if !ok {
			continue
		}
		var heard *Fire // as the arbiter chooses: the most severe that waits, the first on a tie
		for _, f := range p.step {
			if f.arbiter == k && f.Delivered == detectors.Continue && (heard == nil || f.Verdict > heard.Verdict) {
				heard = f.Fire
			}
		}
		t.delivered(l, j, heard, d)
	}
	for _, f := range p.step {
		first(&out.Runs[l.run], f.Fire)
		if !t.plan.Brief || t.plan.Points[j].View() != Standalone {
			out.Fires = append(out.Fires, f.Fire)
		}
	}
	p.step, p.vetoed = p.step[:0], false
}

// delivered notes what reached the model, and what that means for the run.
func (t *tally) delivered(l *lane, j int, f *Fire, d detectors.Delivery) {
	p := &l.points[j]
	f.Delivered, f.Ladder = d.Verdict, d.Ladder
	if d.Ladder {
		f.Tier = Hypothetical
	}
	p.diverged = true
	p.open = p.open || d.Verdict == detectors.ForceStop
	p.vetoed = p.vetoed || f.Verdict == detectors.Block
	if f.Verdict == detectors.ForceStop && !p.stopped {
		p.stopped = true
		run, out := &t.out.Runs[l.run], &t.out.Points[j].Runs[l.run]
		out.CallsLeft, out.TokensLeft = run.Calls, run.Tokens // completed by finish
	}
}

// first notes the first fire of each kind in a run.
func first(r *RunOutcome, f *Fire) {
	if f.After {
		return
	}
	if r.FirstNudge == nil && f.Verdict >= detectors.Nudge {
		r.FirstNudge = f
	}
	if r.FirstStop == nil && f.Verdict == detectors.ForceStop {
		r.FirstStop = f
	}
	if r.LadderStop == nil && f.Ladder {
		r.LadderStop = f
	}
}

// finish completes the outcome once the last step has been read.
func (t *tally) finish() *Outcome {
	for i := range t.out.Points {
		point := &t.out.Points[i]
		for j := range point.Runs {
			r := &point.Runs[j]
			if r.FirstStop != nil {
				r.CallsLeft = t.out.Runs[j].Calls - r.CallsLeft
				r.TokensLeft = t.out.Runs[j].Tokens.minus(r.TokensLeft)
			}
		}
	}
	for _, tool := range t.tools {
		t.out.Tools = append(t.out.Tools, *tool)
	}
	slices.SortFunc(t.out.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return t.out
}
