package replay

import (
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay/retry"
	"groundhog/replay/transcript"
)

// A tally folds one session into an Outcome. It is not safe for concurrent use.
type tally struct {
	plan   *Plan
	out    *Outcome
	lanes  map[string]*lane
	tools  map[string]*Tool
	groups []*group
	of     []*group // by point
	blanks []Fire   // fires to come
	harm   harm

	// Of a session that is being kept.
	keeper  Keeper
	kept    Kept    // the current step
	numbers []int64 // of its measurements
	// Of one that was kept.
	recalled []detectors.Measurement
}

// A lane is one agent of the session and its panels.
type lane struct {
	index  int
	name   string
	panels []*detectors.Panel
	begun  bool
	run    int // index in Outcome.Runs; -1 before the first step that is this session's own
}

// maxTools bounds the count of tools by name: a recording may invent one a call.
const maxTools = 4096

// otherTools stands for the names beyond that.
const otherTools = "(other tools)"

func newTally(p *Plan, s *transcript.Session) *tally {
	t := &tally{
		plan:  p,
		out:   &Outcome{Session: s, Points: make([]*PointOutcome, len(p.Points))},
		lanes: make(map[string]*lane),
		tools: make(map[string]*Tool),
		of:    make([]*group, len(p.Points)),
	}
	for _, members := range p.alike {
		t.join(newGroup(p, members))
	}
	if p.Requests {
		t.out.Requests = &retry.Requests{}
	}
	return t
}

// join takes a group in and tells its members.
func (t *tally) join(g *group) {
	t.groups = append(t.groups, g)
	for _, j := range g.members {
		t.of[j] = g
	}
}

func (t *tally) lane(name string) *lane {
	l := t.lanes[name]
	if l == nil {
		l = &lane{index: len(t.lanes), name: name, panels: t.plan.newPanels(), run: -1}
		for _, g := range t.groups {
			g.lanes = append(g.lanes, g.newSeat())
		}
		t.lanes[name] = l
		if t.keeper != nil {
			t.listen(l)
		}
	}
	return l
}

// add takes the next event of the session.
func (t *tally) add(ev *transcript.Event) {
	l := t.lane(ev.Step.Lane)
	context := ev.Step.Has(transcript.Context)
	if t.keeper != nil {
		t.note(l, ev, context)
	}
	if ev.Kind == transcript.RunBegins {
		t.begin(l)
	}
	if !context {
		t.count(l, ev)
		t.look(l, ev)
	}
	for i, panel := range l.panels {
		if t.withheld(l, i, ev) {
			continue
		}
		if frame := panel.Observe(ev); !context {
			t.frame(l, i, frame)
		}
	}
	if ev.Kind == transcript.StepEnds && !context {
		t.ends(l, ev.Pos)
	}
}

// begin forgets the lane's last run.
func (t *tally) begin(l *lane) {
	l.begun, l.run = true, -1
	for _, g := range t.groups {
		g.lanes[l.index].begin()
	}
}

// frame lets the groups of a panel speak.
func (t *tally) frame(l *lane, panel int, f *detectors.Frame) {
	if f == nil {
		return
	}
	for k, n := 0, len(t.groups); k < n; k++ { // those that split off decide within the call
		if g := t.groups[k]; g.panel == panel {
			t.hear(l, g, f)
		}
	}
}

// ends ends the step for every group.
func (t *tally) ends(l *lane, pos transcript.Pos) {
	for _, g := range t.groups {
		if len(g.lanes[l.index].step) > 0 {
			t.deliver(l, g, pos)
		}
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
	return owner >= 0 && t.of[owner].lanes[l.index].vetoed && (ev.Kind == transcript.Proposed || ev.Kind == transcript.Called)
}

// exposed is the current run's exposure, which begins with its first step.
func (t *tally) exposed(l *lane, pos transcript.Pos) *Run {
	if l.run < 0 {
		l.run = len(t.out.Runs)
		t.out.Runs = append(t.out.Runs, Run{Number: int(pos.Run), Lane: l.name})
		for _, g := range t.groups {
			g.out.Runs = append(g.out.Runs, RunOutcome{})
		}
	}
	return &t.out.Runs[l.run]
}

// count keeps the numbers that do not depend on any detector.
func (t *tally) count(l *lane, ev *transcript.Event) {
	switch ev.Kind {
	case transcript.RunBegins, transcript.Requested: // a run of another session's steps has not been until now
		t.exposed(l, ev.Pos)
	case transcript.Attempted:
		t.out.Attempts++
	case transcript.Noted:
		if intervention(ev.Step) {
			t.intervened(l, ev.Pos)
		}
	case transcript.Streamed:
		if !ev.Delta.Recorded {
			t.out.Deltas.Reconstructed++
			break
		}
		t.out.Deltas.Recorded++
		if ev.Delta.At >= 0 {
			t.out.Inputs |= Times
		}
	case transcript.Responded:
		t.response(l, ev.Pos, len(ev.Step.Calls), ev.Step.Usage)
		if ev.Step.Finish != transcript.FinishUnknown {
			t.out.Inputs |= Finishes
		}
		for i := range ev.Step.Parts {
			if ev.Step.Parts[i].Kind != transcript.ToolInput {
				t.out.Inputs |= Texts
			}
		}
	case transcript.StepEnds:
		t.mark(l, ev.Pos, Mark{Calls: len(ev.Step.Calls), Usage: ev.Step.Usage, Time: ev.Step.Time})
	case transcript.Called:
		t.countCall(ev.Call, ev.Step.Has(transcript.ErrorInferred))
	}
}

// response counts a complete response.
func (t *tally) response(l *lane, pos transcript.Pos, calls int, u transcript.Usage) {
	run := t.exposed(l, pos)
	run.Steps++
	run.Calls += calls
	run.Tokens.Add(u)
	t.out.Steps++
	t.out.Calls += calls
	t.out.Tokens.Add(u)
}

// mark adds a step to the trail of its run.
func (t *tally) mark(l *lane, pos transcript.Pos, m Mark) {
	m.Step, m.Call = int(pos.Step), int(pos.Call)
	run := t.exposed(l, pos)
	run.Trail = append(run.Trail, m)
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

// finish completes the outcome once the last step has been read.
func (t *tally) finish() *Outcome {
	for _, g := range t.groups {
		for j := range g.out.Runs {
			r := &g.out.Runs[j]
			if r.FirstStop != nil {
				r.CallsLeft = t.out.Runs[j].Calls - r.CallsLeft
				r.TokensLeft = t.out.Runs[j].Tokens.minus(r.TokensLeft)
			}
		}
	}
	t.out.Intervened = stoppedByDetector(t.out.Session)
	for j, g := range t.of {
		t.out.Points[j] = g.out
	}
	for _, tool := range t.tools {
		t.out.Tools = append(t.out.Tools, *tool)
	}
	slices.SortFunc(t.out.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	t.out.Keeper = t.keeper
	return t.out
}
