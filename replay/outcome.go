package replay

import (
	"time"

	"groundhog/detectors"
	"groundhog/replay/retry"
	"groundhog/replay/transcript"
)

// An Outcome is everything learned from one session. Steps that belong to another
// session (transcript.Context), and their calls, are in none of its numbers but
// Context.
type Outcome struct {
	Session  *transcript.Session
	Runs     []Run
	Steps    int
	Calls    int
	Errors   int // calls that ran and failed
	Inferred int // of Errors, those without a flag that says so
	Missing  int // calls without a result
	NotRun   int // calls that were refused or cancelled before they ran
	Attempts int // recorded requests
	Deltas   DeltaCount
	Context  int // steps that belong to another session
	Tokens   Tokens
	Tools    []Tool // in order of name
	Inputs   Inputs // what the recording holds
	// Recorded are the interventions of the detectors that were live while the session
	// was recorded, as far as the recording shows them. Intervened says that one of
	// these detectors ended the session.
	Recorded   []Intervention
	Intervened bool
	// Empty holds the first calls that succeeded without an argument they must have;
	// EmptyCount counts all of them.
	Empty      []EmptyArgument
	EmptyCount int
	// Points are as Plan.Points. Points that behaved alike share one value.
	Points []*PointOutcome
	// Near is how near the responses came to a fire, as Plan.Points; nil where that was
	// not asked for, for points that are not a whole preset, and where no detector of
	// the point can tell.
	Near []*Nears
	// Requests are the requests made of models; nil unless Plan.Requests is set.
	Requests *retry.Requests
	// Bad holds the errors of the first records that could not be read; BadRecords
	// counts all of them.
	Bad        []error
	BadRecords int
	Err        error // the session was left out; nothing else here may be counted
	// Keeper is the session's Keeper, if Engine.Keeper is set.
	Keeper Keeper
}

// A DeltaCount says how many deltas were recorded and how many were made up.
type DeltaCount struct{ Recorded, Reconstructed int }

// A Run is the exposure of one run: what there was to watch.
type Run struct {
	Number int // from 0 in the session, over all lanes
	Lane   string
	Steps  int
	Calls  int
	Tokens Tokens
	Trail  []Mark // by step
	// Changes are the distinct calls that are not known to only read, in order;
	// ChangesCut says that there were more. It is empty unless Question.Calls asks.
	Changes    []Change
	ChangesCut bool
}

// A Mark is what is known of one step of a run. Steps that belong to another session
// leave none.
type Mark struct {
	Step  int // number of the step in its run, from 1
	Call  int // number of the run's last call by its end, from 1
	Calls int // in the step
	Usage transcript.Usage
	Time  time.Time // of the step; zero if not recorded
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

// Sum adds what u counts.
func (t *Tokens) Sum(u Tokens) {
	t.N += u.N
	t.Unknown += u.Unknown
}

// minus is what t holds beyond u.
func (t Tokens) minus(u Tokens) Tokens { return Tokens{t.N - u.N, t.Unknown - u.Unknown} }

// A Tool counts the calls of one tool.
type Tool struct {
	Name   string // as recorded
	Calls  int
	Native bool // some call carried signals, so the name is one that the detectors know
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

// Lacks reports whether a detector cannot be judged on this session, because the
// recording does not hold what the detector needs. A session without calls lacks
// nothing that comes with calls, and one without steps lacks nothing.
func (o *Outcome) Lacks(d *detectors.Detector) bool {
	n := d.Needs
	lacks := func(needed bool, input Inputs) bool { return needed && o.Inputs&input == 0 }
	return o.Calls > 0 && (lacks(n.Errors, ErrorFlags) || lacks(n.Results, Results)) ||
		o.Steps > 0 && (lacks(n.Text, Texts) || lacks(n.Finish, Finishes) || lacks(n.Timed, Times))
}

// A PointOutcome is what one configuration would have done.
type PointOutcome struct {
	Runs  []RunOutcome // as Outcome.Runs
	Fires []*Fire      // of the winners, in order; their Wanted is the shadow view
	// Under is the same under the other splitters of Engine.Cuts, and Elsewhere the
	// fires that exist only there. Both are nil where no text was split and where
	// nobody fired on what was. Otherwise the point shares its outcome with no other,
	// since points that agree under one splitter may differ under another.
	Under     []Under
	Elsewhere []*Fire
}

// A RunOutcome is what one configuration would have done in one run, up to its first
// stop.
type RunOutcome struct {
	FirstNudge *Fire // first fire that asks for at least a nudge; nil if none
	FirstStop  *Fire // first stop that a detector itself asks for; nil if none
	LadderStop *Fire // stop that a ladder makes before that, if every nudge is ignored; nil if none
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
	Jitter    *Jitter          // of a fire in the stream: where it stands under each splitter; nil if unknown
	Cost      *Cost            // of a fire in the stream: what a stop would have saved; nil if not asked for
}

// A Tier says what a statement rests on. See help numbers: tiers.
type Tier string

const (
	Exact        Tier = "E" // at or before the point where the agent would first have been told something else
	Conditional  Tier = "C" // assumes that the agent goes on as recorded
	Hypothetical Tier = "H" // depends on how the agent reacts
)
