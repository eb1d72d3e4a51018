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
	plan    *Plan
	out     *Outcome
	lanes   map[string]*lane
	tools   map[string]*Tool
	groups  []*group
	groupOf []*group // by point
	fires   []Fire   // allocated and not yet used

	// While a session is being kept: what is kept of the current step, and the numbers
	// of its measurements.
	keeper  Keeper
	kept    Kept
	numbers []int64
	// While a session that was kept is recalled: the measurements of one event.
	recalled []detectors.Measurement
}

// A lane is one agent of the session and its panels.
type lane struct {
	index  int
	name   string
	panels []*detectors.Panel
	begun  bool
	run    int // index in Outcome.Runs; -1 before the first step that is this session's own

	changed map[uint64]bool // identities of the run's distinct changes
}

// maxTools bounds the tools that are counted by name: a recording may have a new name
// for each call.
const maxTools = 4096

// otherTools stands for the tools beyond maxTools.
const otherTools = "(other tools)"

func newTally(p *Plan, s *transcript.Session) *tally {
	t := &tally{
		plan:  p,
		out:   &Outcome{Session: s, Points: make([]*PointOutcome, len(p.Points))},
		lanes: make(map[string]*lane),
		tools: make(map[string]*Tool),

		groupOf: make([]*group, len(p.Points)),
	}
	for _, members := range p.alike {
		t.join(newGroup(p, members))
	}
	if p.Requests {
		t.out.Requests = &retry.Requests{}
	}
	return t
}

// join adds a group.
func (t *tally) join(g *group) {
	t.groups = append(t.groups, g)
	for _, j := range g.members {
		t.groupOf[j] = g
	}
}

// lane finds or makes a lane.
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
		t.noteCall(l, ev)
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

// begin starts the next run of a lane.
func (t *tally) begin(l *lane) {
	l.begun, l.run, l.changed = true, -1, nil
	for _, g := range t.groups {
		g.lanes[l.index].begin()
	}
}

// frame lets the groups of a panel decide at one frame; nil is none.
func (t *tally) frame(l *lane, panel int, f *detectors.Frame) {
	if f == nil {
		return
	}
	for k, n := 0, len(t.groups); k < n; k++ { // judge adds the groups that split off, which have decided then
		if g := t.groups[k]; g.panel == panel {
			t.judge(l, g, f)
		}
	}
}

// ends ends a step for every group.
func (t *tally) ends(l *lane, pos transcript.Pos) {
	for _, g := range t.groups {
		if len(g.lanes[l.index].step) > 0 {
			t.deliver(l, g, pos)
		}
	}
}

// hears reports whether a response must be split into deltas, because some detector
// listens to deltas and cannot dismiss the text.
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

// withheld reports whether an event is kept from a panel, because the point that the
// panel belongs to has vetoed the step.
func (t *tally) withheld(l *lane, panel int, ev *transcript.Event) bool {
	owner := t.plan.owner[panel]
	return owner >= 0 && t.groupOf[owner].lanes[l.index].vetoed &&
		(ev.Kind == transcript.Proposed || ev.Kind == transcript.Called)
}

// exposed is the lane's current run, which is added to the outcome by the first event
// that belongs to this session.
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

// count counts what does not depend on detectors.
func (t *tally) count(l *lane, ev *transcript.Event) {
	switch ev.Kind {
	case transcript.RunBegins, transcript.Requested: // the latter where steps of another session began the run
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

// countCall counts a call. guessed says that the recording's error flags come from a
// heuristic.
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
	if c.Result.NotRun() != "" {
		t.out.NotRun++
		t.out.Inputs |= ErrorFlags | Results
		return
	}
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

// finish completes the outcome after the last step.
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
	for j, g := range t.groupOf {
		t.out.Points[j] = g.out
	}
	for _, tool := range t.tools {
		t.out.Tools = append(t.out.Tools, *tool)
	}
	slices.SortFunc(t.out.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	t.out.Keeper = t.keeper
	return t.out
}
