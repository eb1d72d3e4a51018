package replay

import (
	"time"

	"groundhog/detectors"
	"groundhog/replay/retry"
	"groundhog/replay/transcript"
)

// An Outcome is everything learned from one session. Steps and calls that
// belong to another session (evaluation.md E2.2) are in none of its numbers.
type Outcome struct {
	Session  *transcript.Session
	Runs     []Run
	Steps    int
	Calls    int
	Errors   int // calls that failed
	Inferred int // of Errors, those without a flag that says so
	Missing  int // calls without a result
	Attempts int // recorded requests
	Deltas   DeltaCount
	Context  int // steps that belong to another session
	Tokens   Tokens
	Tools    []Tool // in order of name
	Inputs   Inputs // what the recording holds
	// Recorded are the interventions of the detectors that were live then, as far
	// as the recording shows them.
	Recorded   []Intervention
	Intervened bool // the last of them ended the session (evaluation.md E11.3)
	// Empty is the first calls that succeeded without an argument they must have;
	// EmptyCount counts all.
	Empty      []EmptyArgument
	EmptyCount int
	// Points are as Plan.Points. Points that behaved alike share one value.
	Points []*PointOutcome
	// Near is what each point of a whole preset knows about the distance of
	// responses, as Plan.Points; nil where that was not asked for, or no detector
	// of the point knows one.
	Near []*Nears
	// Requests is what was asked of models, if the plan wants it.
	Requests *retry.Requests
	// Bad is the first records that could not be read; BadRecords counts all.
	Bad        []error
	BadRecords int
	Err        error // the session was left out; nothing else here may be counted
	// Keeper is the one that was told of this session, if Engine.Keeper is set.
	Keeper Keeper
}

// A DeltaCount says how much of the stream was recorded, and how much made up.
type DeltaCount struct{ Recorded, Reconstructed int }

// A Run is the exposure of one run: what there was to watch.
type Run struct {
	Number int // from 0 in the session, over all lanes (evaluation.md E1)
	Lane   string
	Steps  int
	Calls  int
	Tokens Tokens
	Trail  []Mark // by step, from the first
	// Changes are the distinct calls that are not known to only read, in order;
	// ChangesCut says that there were more. Empty unless Question.Calls asks.
	Changes    []Change
	ChangesCut bool
}

// A Mark is where a run stands after one step, and what that step cost. Steps
// that belong to another session leave none.
type Mark struct {
	Step, Call int // numbers of the step and of the run's last call by then (evaluation.md E1)
	Calls      int // in the step
	Usage      transcript.Usage
	Time       time.Time // of the step; zero if not recorded
}

// Tokens sums what was recorded: input, cache and output alike.
type Tokens struct {
	N       int64
	Unknown int // steps that recorded none
}

// Add counts one step.
func (t *Tokens) Add(u transcript.Usage) {
	if !u.Known {
		t.Unknown++
		return
	}
	t.N += u.Input + u.CacheRead + u.CacheWrite + u.Output
}

// Sum counts what u counts.
func (t *Tokens) Sum(u Tokens) {
	t.N += u.N
	t.Unknown += u.Unknown
}

// minus is what t holds beyond u.
func (t Tokens) minus(u Tokens) Tokens { return Tokens{t.N - u.N, t.Unknown - u.Unknown} }

// A Tool counts the calls of one tool by its recorded name.
type Tool struct {
	Name   string
	Calls  int
	Native bool // calls carried signals, so the name is that of the detector's own agent
}

// Inputs says which inputs of detectors a recording holds.
type Inputs uint8

const (
	// ErrorFlags: some result says whether it is an error, or has an exit status.
	ErrorFlags Inputs = 1 << iota
	// Results: some call has a result.
	Results
	// Texts: some response has text or thinking.
	Texts
	// Finishes: some response says why it ended.
	Finishes
	// Times: some recorded delta says when it came.
	Times
)

// Lacks reports whether a detector cannot be judged on this session, because
// the recording does not hold what it looks at. A session without calls, or
// without steps, lacks nothing: it was recorded, and nothing happened.
func (o *Outcome) Lacks(d *detectors.Detector) bool {
	n := d.Needs
	return o.Calls > 0 && (n.Errors && o.Inputs&ErrorFlags == 0 || n.Results && o.Inputs&Results == 0) ||
		o.Steps > 0 && (n.Text && o.Inputs&Texts == 0 || n.Finish && o.Inputs&Finishes == 0 || n.Timed && o.Inputs&Times == 0)
}

// A PointOutcome is what one configuration would have done.
type PointOutcome struct {
	Runs  []RunOutcome // as Outcome.Runs
	Fires []*Fire      // the winners' in order; their Wanted is the shadow view
	// Under is the same under the other ways of cutting text (Engine.Cuts), and
	// Elsewhere the fires that exist only there. Both are nil where text was not
	// cut, or nobody fired on it; else the point shares its outcome with no other,
	// since limits that agree under one cut may not under another.
	Under     []Under
	Elsewhere []*Fire
}

// A RunOutcome is what one configuration would have done in one run. The first
// stop ends a run: what follows is open, and in none of these numbers but Open.
type RunOutcome struct {
	FirstNudge *Fire // first fire that asks for at least a nudge; nil if none
	FirstStop  *Fire // first stop that a detector itself asks for; nil if none
	LadderStop *Fire // a stop that a ladder makes before that, if every nudge is ignored; nil if none
	CallsLeft  int   // calls after the step of FirstStop
	TokensLeft Tokens
}

// A Fire is one verdict above Continue.
type Fire struct {
	detectors.Fire
	Kind transcript.Kind // of the event at which it fired
	// Delivered is what reached the model at the end of the step; Continue if
	// another verdict of the step, or none, did.
	Delivered detectors.Verdict
	Ladder    bool // the ladder made the delivery a stop
	Open      bool // after the run's first delivered stop
	After     bool // after the run's first stop that a detector itself asked for
	Batch     bool // the veto of a call keeps the whole step from running
	Tier      Tier
	Wanted    []detectors.Fire // all that asked for something here, the winner first
	Jitter    *Jitter          // of a fire in the stream: where it would stand if text were cut otherwise; nil if unknown
	Cost      *Cost            // of a fire in the stream: what a stop would have saved; nil if not asked for
}

// A Tier says what a statement rests on (evaluation.md E11).
type Tier string

const (
	Exact        Tier = "E" // at or before the point where the agent would first have heard something else
	Conditional  Tier = "C" // assumes that the agent goes on as recorded
	Hypothetical Tier = "H" // depends on how the agent reacts
)
