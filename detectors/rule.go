package detectors

import "groundhog/replay/transcript"

// A Rule is the form in which a detector is written; Define turns it into a
// Detector. S is the meter's state, L its limits and M one measurement. M is a
// flat struct of booleans, integers and short arrays of integers, all exported:
// it is shown as evidence and kept in ledgers, and a measurement that cannot hold
// text cannot leak any.
//
// Name, Doc, Origin, New, a measuring function, and either Count or Judge and Explain
// are required. Everything else may be left out.
type Rule[S, L, M any] struct {
	// Name is the family and the detector's own name, in lower case:
	// "kocoro/consecutive_duplicate". Settings, labels and saved results refer to it,
	// so it never changes.
	Name string

	// Doc is the documentation. Its first line is a title without a full stop; after
	// an empty line comes what the rule means by "no progress", what it lets pass,
	// and what it hits wrongly.
	Doc string

	// Origin says why the rule exists. Vet reports an incident or source that is
	// missing for a ladder; for a detector Define refuses an empty Origin.
	Origin Origin

	// Needs says what a recording must hold for the rule to be judged on it. A need
	// that is left out makes a recording that cannot answer look like a session on
	// which the rule was quiet.
	Needs Needs

	// Targets are the shapes of loops that the rule is for, in the words of labels.
	// Reports take only loops of these shapes for its exposure, so with no targets
	// nothing speaks for keeping it.
	Targets []string

	// External names what outside a replay is said to catch such loops as well. It
	// is printed as a claim and counted nowhere.
	External []string

	// New makes the state of a meter, before any event. It may ask in for features;
	// asking later is too late. Each lane of a session has a state of its own.
	New func(in *Inputs) *S

	// Shape binds the parameters that change what is measured, Limits those that
	// only change what a measurement is judged to be. Nil: there are none. A sweep
	// replays a session once for each shape, and judges all limits in one pass: a
	// limit that the meter reads after all gives wrong cells, silently.
	Shape  func(*S, *Params)
	Limits func(*L, *Params)

	// The meter hears these events. OnRun and OnMessage come before the others; nil
	// leaves an event out. A measuring function reports whether there is anything to
	// judge, and returning false costs nothing further. At least one is required;
	// usually they are method expressions such as (*tail).measure.
	//
	// A meter never hears what came of its measurements (but see Closed), and must
	// not keep what it is given: events are reused.

	// OnRun is the beginning of a run: forget the last one. With a nil OnRun the
	// state lasts for the whole session.
	OnRun func(*S)
	// OnMessage is a step that is no response: what a person said, after OnRun, and
	// what the harness wrote.
	OnMessage func(*S, *transcript.Step)
	// OnAttempt is one attempt at a request, failed or not.
	OnAttempt func(*S, *transcript.Attempt)
	// OnRequest is the moment before the request for a response.
	OnRequest func(*S) (M, bool)
	// OnDelta is a piece of a streamed response. Where a recording has whole texts,
	// they are cut, and the verdict says so.
	OnDelta func(*S, *transcript.Delta) (M, bool)
	// OnResponse is a response that has come to its end. Its calls have not run for
	// the agent, although a recording has their results: reading them is a mistake
	// that no replay shows and a live agent would.
	OnResponse func(*S, *transcript.Step) (M, bool)
	// OnPropose is a call that is about to run. Its result must not be read either.
	OnPropose func(*S, *transcript.Call) (M, bool)
	// OnCall is a call with its result.
	OnCall func(*S, *transcript.Call) (M, bool)
	// OnStep is the end of a response with all of its calls.
	OnStep func(*S, *transcript.Step) (M, bool)

	// Switch names the Bool parameter of Shape that turns the rule on, without its
	// prefix. "": it is always on. A rule that is off is reported as off, which is
	// not "quiet".
	Switch string

	// Closed says that the meter acts on its own verdicts: what they change is
	// changed for its later measurements, too. Such a rule has no Limits, because a
	// threshold that moves state is part of the shape. It is right only where each
	// verdict is delivered, so a preset that has one must set Preset.Every.
	Closed bool

	// A rule that counts has a Count, and most rules do; see count.go. All of these
	// functions must be pure: they are called for events, for explanations and gauges,
	// and for measurements that come from a ledger.

	// Count is what is counted in a measurement. Nil: the rule has a Judge.
	Count func(M) Count
	// Cases are the names that Count gives to cases with limits of their own, or with
	// counts of their own that can be reached, besides the usual one. Nil: there is
	// one case. A case that is left out is judged all the same, but slowly.
	Cases []string
	// Against gives the limits of a case; "" is the usual one. It is asked once for
	// each case and set of limits. Nil: L is Limits itself, and its parameters are what
	// every case is set against.
	Against func(l L, kind string) Limits
	// Passes reports that a measurement is let pass, although its count would ask for
	// v; gauges ask it about a count that asks for nothing, too. Nil: none passes.
	// Why says why, and is required with Passes.
	Passes func(m M, l L, v Verdict) bool
	Why    func(M, L) string
	// Text is the sentence of a fire, for a person who has not read the code. The
	// limits follow it in brackets: "the same call 3 times in a row (nudges at 3,
	// stops at 4)". Nil: the count and what it is of, "3 identical calls in a row".
	Text func(M) string
	// Verb is what the agent's nudge does, for that sentence: "reminds". "": "nudges".
	Verb string

	// Judge judges a rule that does not count, or whose number depends on its limits.
	// Nil: the rule has a Count.
	Judge func(M, L) Verdict
	// Explain is the reason and the sentence of a fire; it is called for fires only.
	// reason is a short constant that tells sub-paths apart, "" where there is one.
	// Required with Judge. With Count it takes the place of Text.
	Explain func(m M, l L, v Verdict) (reason, text string)
	// Gauge reads a measurement that Judge judges as a count, whether it fires or
	// not. It must reach its limit exactly where Judge speaks. Nil: it is no count,
	// and reports that say how near a session came leave the detector out.
	Gauge func(M, L) Gauge
	// Case says to which of several cases a measurement that Judge judges belongs.
	// Nil: there is one. Vet names cases, and calls a verdict impossible in one if
	// Reach lists none there.
	Case func(M, L) Case

	// Evidence is what a fire shows of its measurement. Nil: every field that is no
	// array.
	Evidence func(M, L) []Field

	// Episode numbers the situation a measurement belongs to and never goes down
	// within a run. After a win an arbiter keeps the detector silent until the number
	// has grown by Rest. Nil, or an episode of 0: it may speak at every event. This
	// is how "say it once" is written: a flag that firing clears would make the meter
	// depend on who fired before it.
	Episode func(M) int64
	// Rest is how many episodes the rule keeps silent after a win. Nil: 1.
	Rest func(L) int64

	// Floor shows a meter all limits in the plan, once and before the first event,
	// so that it can skip work none of them could see. Nil: it measures everything.
	// A measurement that some limits would have judged above Continue and that was
	// skipped is a fire that is missing.
	Floor func(*S, []L)

	// Dismiss reports that no way of cutting a response's text into deltas could
	// make the rule fire, whatever came before: the text need not be split. It is
	// asked only where OnDelta is set. Nil: every text is split, which is slow and
	// right.
	Dismiss func(*S, *transcript.Step) bool

	// Near says how close a response came to a fire by itself, at the closest of
	// its deltas, or of its words where none were recorded. It must not change the
	// state. Nil: reports leave the detector out of "how near was it".
	Near func(*S, *transcript.Step, L) (Near, bool)

	// Reach lists the extreme measurements that a shape allows of a recording
	// without signals: what no limits would make of them, they make of nothing. Nil,
	// or a function that returns nil because the shape is too wide to be listed: vet
	// takes everything for possible, and says nothing of verdicts that cannot happen.
	// A measurement that is left out makes vet call a verdict impossible that is not.
	Reach func(*S) Extremes[M]
	// Unbounded says that there is no end to what can be measured, and that Reach
	// lists the smallest.
	Unbounded bool
	// Unit is what the sizes of the sessions of Reach count. "": "call".
	Unit string
}

// Needs says what a recording must hold for a detector to be judged on it. On
// one that lacks it the detector is "not applicable", which is not "quiet".
type Needs struct {
	Errors  bool // whether a call failed
	Results bool // what a call gave back
	Text    bool // what the model wrote or thought
	Finish  bool // why a response ended
	Timed   bool // when its deltas came
}

// episodeOf is the episode of a measurement, 0 if the rule has none.
func (r *Rule[S, L, M]) episodeOf(m M) int64 {
	if r.Episode == nil {
		return 0
	}
	return r.Episode(m)
}

// restOf is how many episodes the rule is silent after a win.
func (r *Rule[S, L, M]) restOf(l L) int64 {
	if r.Rest == nil {
		return 1
	}
	return r.Rest(l)
}
