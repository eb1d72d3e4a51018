package retry

import (
	"time"

	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// This file walks recorded failures through policies. The failures are taken as
// given: the k-th request of a policy meets the k-th recorded failure, and what
// comes after the recording is unknown. No clock is read and nothing is drawn: a
// wait with a jitter is computed at both ends and in the middle of its range.

// Where in the range of a jitter the three walks are.
const (
	least  = 0.0
	expect = 0.5
	most   = 1.0
)

// A Outcome is what one policy would have done in one episode.
type Outcome struct {
	Steps    []Step // one for each failure that it meets, as expected
	Requests int    // sent, within the recording
	Total    Range  // waited in all
	Stop     string // recovered, open, or a detectors.Stop
	// AtEnds holds the stops at the least and the longest waits, where a deadline
	// may fall elsewhere.
	AtEnds    [2]string
	Budget    string // the one that ran out; "" if none did
	ByAttempt Recovery
	ByTime    Recovery // Unasked without times
	Hints     int      // waits shorter than the server asked for
	Terminal  int      // retries of what the record shows to be terminal
	Unsafe    int      // retries after a tool call had left
	Fallbacks int
	// Worst is how many requests it would have sent had the last failure gone on,
	// and Horizon when the last of them; Endless says that it never stops.
	Worst   int
	Horizon time.Duration
	Endless bool
	Sent    []time.Duration // when each retry was sent, since the first failure
}

// The stops that no layer makes.
const (
	StopRecovered = "recovered"
	StopOpen      = "open" // the recording gave up before the policy did
)

// A Range is a time at the least, the expected and the longest waits.
type Range struct{ Least, Expect, Most time.Duration }

func (r *Range) add(x Range) {
	r.Least += max(x.Least, 0)
	r.Expect += max(x.Expect, 0)
	r.Most += max(x.Most, 0)
}

// A Step is what a policy does about one failure.
type Step struct {
	policy.Answer
	Inner []policy.Answer // of inner layers that gave up before
	Wait  Range
}

// Recovery is whether a policy would have come through.
type Recovery uint8

const (
	Unasked Recovery = iota // there is no clock to ask
	Unknown                 // the recording gave up before the policy did
	Recovered
	Lost // the policy gave up before the attempt that worked
)

func (r Recovery) String() string { return [...]string{"unasked", "unknown", "recovered", "lost"}[r] }

// Firm reports whether both clocks say the same, and that it is known.
func (o *Outcome) Firm() bool {
	return o.ByAttempt == o.ByTime && (o.ByAttempt == Recovered || o.ByAttempt == Lost)
}

// Run walks one episode through one policy.
func Run(r *policy.Retrier, e *Episode) *Outcome {
	o := &Outcome{}
	r = remembering(r)
	walks := [3]walk{newWalk(r, e, least), newWalk(r, e, expect), newWalk(r, e, most)}
	mid := &walks[1]
	for i := range walks {
		walks[i].run()
	}
	for i := range mid.steps {
		step := mid.steps[i]
		for k := range walks {
			w := step.Answer.Wait
			if i < len(walks[k].steps) && walks[k].steps[i].Stop == step.Stop {
				w = walks[k].steps[i].Answer.Wait
			}
			*[]*time.Duration{&step.Wait.Least, &step.Wait.Expect, &step.Wait.Most}[k] = w
		}
		o.count(e, i, &step)
		o.Steps = append(o.Steps, step)
	}
	o.Requests, o.Stop, o.AtEnds = mid.requests, mid.stop, [2]string{walks[0].stop, walks[2].stop}
	o.Total = Range{walks[0].waited, mid.waited, walks[2].waited}
	o.Sent = mid.sent
	if last := &o.Steps[len(o.Steps)-1]; last.Stop == policy.StopCount || last.Stop == policy.StopDeadline || last.Stop == policy.StopSilent {
		o.Budget = last.Budget
	}
	o.ByAttempt = attemptClock(e, o.Stop)
	o.ByTime = timeClock(r, e)
	o.Worst, o.Horizon, o.Endless = mid.goOn()
	return o
}

// remembering is a retrier that classifies each failure once, however many walks
// meet it. It is not safe for concurrent use.
func remembering(r *policy.Retrier) *policy.Retrier {
	out := &policy.Retrier{Name: r.Name}
	for _, l := range r.Layers {
		decide, known := l.Decide, make(map[*transcript.Attempt]policy.Decision)
		l.Decide = func(a *transcript.Attempt) policy.Decision {
			d, ok := known[a]
			if !ok {
				d = decide(a)
				known[a] = d
			}
			return d
		}
		out.Layers = append(out.Layers, l)
	}
	return out
}

// count takes the risks of one retry.
func (o *Outcome) count(e *Episode, i int, s *Step) {
	f := &e.Failures[i]
	if s.Stop != "" {
		return
	}
	if s.Fallback {
		o.Fallbacks++
	} else if f.Asked >= 0 && s.Wait.Expect < f.Asked {
		o.Hints++
	}
	if e.Terminal() && f.Kind.Terminal() {
		o.Terminal++
	}
	if f.AfterCall {
		o.Unsafe++
	}
}

// attemptClock takes each try for a new draw: a policy recovers if it makes as
// many as were needed.
func attemptClock(e *Episode, stop string) Recovery {
	switch stop {
	case StopRecovered:
		return Recovered
	case StopOpen:
		return Unknown
	}
	return Lost
}

// A walk is one policy on one episode with one jitter.
type walk struct {
	e        *Episode
	w        *policy.Walk
	u        float64
	now      time.Duration
	waited   time.Duration
	steps    []Step
	sent     []time.Duration
	requests int
	stop     string
}

func newWalk(r *policy.Retrier, e *Episode, u float64) walk {
	return walk{e: e, w: r.Begin(e.Lane != ""), u: u}
}

// fail passes one failure to the policy and returns its answer.
func (w *walk) fail(a *transcript.Attempt) policy.Answer {
	all := w.w.Fail(a, w.now, w.u)
	last := len(all) - 1
	if all[last].Stop == policy.StopTerminal && all[0].Stop == policy.StopTerminal {
		last = 0 // what it says comes from where it failed, not from the loops outside
	}
	w.steps = append(w.steps, Step{Answer: all[last], Inner: all[:last]})
	return all[last]
}

// run meets the recorded failures, one after the other.
func (w *walk) run() {
	for i := range w.e.Failures {
		f := &w.e.Failures[i]
		w.now += f.Took
		w.requests++
		answer := w.fail(f.Attempt)
		if answer.Stop != "" {
			w.stop = string(answer.Stop)
			return
		}
		w.now += max(answer.Wait, 0)
		w.waited += max(answer.Wait, 0)
		w.sent = append(w.sent, w.now)
	}
	w.stop = StopOpen
	if w.e.Recovered {
		w.stop = StopRecovered
		w.requests++
	} else {
		w.sent = w.sent[:len(w.sent)-1] // not within the recording
	}
}

// mostRequests bounds the walk beyond the recording. No bounded budget comes near
// it: two nested layers of a hundred retries each would.
const mostRequests = 20_000

// goOn lets the last failure repeat until the policy gives up.
func (w *walk) goOn() (requests int, horizon time.Duration, endless bool) {
	n, answer := len(w.steps), w.steps[len(w.steps)-1].Answer
	last := w.e.Failures[len(w.e.Failures)-1].Attempt
	for ; answer.Stop == ""; n++ {
		horizon = w.now
		if answer.Endless || n == mostRequests {
			return n, horizon, true
		}
		all := w.w.Fail(last, w.now, w.u)
		answer = all[len(all)-1]
		w.now += max(answer.Wait, 0)
	}
	return n, horizon, false
}

// timeSteps bounds the walk of the time clock: a policy that waits not at all
// would fill any outage with requests.
const timeSteps = 10_000

// timeClock takes an outage to end by itself: a policy recovers if it makes an
// attempt at or after the time when the recorded one worked. Until then it
// meets the failure that the record shows at that time. Jitter must not decide:
// where its ends disagree, nothing is known.
func timeClock(r *policy.Retrier, e *Episode) Recovery {
	if first := r.Begin(e.Lane != "").Fail(e.Failures[0].Attempt, 0, expect); first[len(first)-1].Stop != "" {
		return Lost // it takes no clock to see that it does not try again
	}
	if !e.EndKnown {
		return Unasked
	}
	result := timeWalk(r, e, expect)
	for _, u := range []float64{least, most} {
		if timeWalk(r, e, u) != result {
			return Unknown
		}
	}
	return result
}

func timeWalk(r *policy.Retrier, e *Episode, u float64) Recovery {
	w := r.Begin(e.Lane != "")
	now, i := time.Duration(0), 0
	for range timeSteps {
		for i+1 < len(e.Failures) && e.Failures[i+1].At <= now {
			i++
		}
		f := &e.Failures[i]
		all := w.Fail(f.Attempt, now, u)
		answer := all[len(all)-1]
		if answer.Stop != "" {
			return Lost
		}
		now += max(answer.Wait, 0)
		if answer.Most < 0 && answer.Wait <= 0 && f.Took == 0 {
			// It asks without a pause and without a count: it is still asking when
			// something changes, unless a deadline comes first.
			next := e.End
			if i+1 < len(e.Failures) {
				next = e.Failures[i+1].At
			}
			late := next > now && !answer.Endless
			now = next
			if late {
				continue
			}
		}
		switch {
		case now >= e.End && e.Recovered:
			return Recovered
		case now > e.End || now == e.End && answer.Endless && i == len(e.Failures)-1:
			return Unknown
		}
		now += f.Took
	}
	return Unknown
}
