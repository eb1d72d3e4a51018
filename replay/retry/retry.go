package retry

import (
	"time"

	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// This file runs policies over recorded failures. The failures are taken as given: the
// k-th request of a policy meets the k-th recorded failure, and what comes after the
// recording is unknown. Nothing is random: an episode is walked three times, with every
// jitter at the least, in the middle and at the most of its range.

// The three walks of an episode, by where in its range a jitter is.
const (
	least  = 0.0
	expect = 0.5
	most   = 1.0
)

// An Outcome is what one policy would have done in one episode.
type Outcome struct {
	Steps    []Step // one for each failure that it meets, with the expected jitter
	Requests int    // sent, within the recording
	Total    Range  // waited in all
	Stop     string // StopRecovered, StopOpen or a policy.Stop
	// AtEnds holds Stop at the least and at the longest waits, which differ where the
	// jitter decides about a deadline.
	AtEnds    [2]string
	Budget    string // the one that ran out; "" if none did
	ByAttempt Recovery
	ByTime    Recovery // Unasked where the episode has no times
	Hints     int      // waits shorter than the server asked for
	Terminal  int      // retries of an error that the recording shows to be permanent
	Unsafe    int      // retries after a tool call had already arrived
	Fallbacks int
	// Worst is how many requests it would have sent had the last failure repeated for
	// ever, and Horizon when it would have sent the last of them, since the first
	// failure. Endless says that it never stops, as far as it was walked.
	Worst   int
	Horizon time.Duration
	Endless bool
	Sent    []time.Duration // when each retry was sent, since the first failure
}

// The stops that come from the recording and not from a policy.
const (
	StopRecovered = "recovered"
	StopOpen      = "open" // the recording gave up before the policy did
)

// A Range is a time in each of the three walks.
type Range struct{ Least, Expect, Most time.Duration }

// A Step is what a policy does about one failure.
type Step struct {
	policy.Answer
	Inner []policy.Answer // of inner layers, which gave up before
	Wait  Range
}

// A Recovery is whether a policy would have recovered. See help numbers: clocks.
type Recovery uint8

const (
	Unasked Recovery = iota // the episode has no times
	Unknown                 // the recording gave up before the policy did
	Recovered
	Lost // the policy gave up before the attempt that worked
)

func (r Recovery) String() string { return [...]string{"unasked", "unknown", "recovered", "lost"}[r] }

// Firm reports whether both clocks say Recovered, or both say Lost.
func (o *Outcome) Firm() bool {
	return o.ByAttempt == o.ByTime && (o.ByAttempt == Recovered || o.ByAttempt == Lost)
}

// Run walks one episode with one policy. Calls with different policies may run at the
// same time.
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
	switch last := &o.Steps[len(o.Steps)-1]; last.Stop {
	case policy.StopCount, policy.StopDeadline, policy.StopSilent:
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

// count counts what is risky about one retry.
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

// attemptClock takes each attempt to fail or work on its own: a policy recovers if it
// makes as many as the recording needed.
func attemptClock(e *Episode, stop string) Recovery {
	switch stop {
	case StopRecovered:
		return Recovered
	case StopOpen:
		return Unknown
	}
	return Lost
}

// A walk is one policy in one episode with one jitter.
type walk struct {
	e        *Episode
	w        *policy.Walk
	u        float64       // of every jitter, where in its range it is
	now      time.Duration // since the first failure
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

// mostRequests bounds the walk beyond the recording. Two nested layers of a hundred
// retries each stay below it, and no policy that is known has more.
const mostRequests = 20_000

// goOn repeats the last failure until the policy gives up.
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

// timeSteps bounds the walk of the time clock, since a policy that does not wait would
// send any number of requests during an outage.
const timeSteps = 10_000

// timeClock takes an outage to end by itself: a policy recovers if it makes an attempt
// at or after the time at which the recorded one worked. Until then it meets the
// failure that the recording shows at that time. Where the outcome depends on the
// jitter, it is unknown.
func timeClock(r *policy.Retrier, e *Episode) Recovery {
	first := r.Begin(e.Lane != "").Fail(e.Failures[0].Attempt, 0, expect)
	if first[len(first)-1].Stop != "" {
		return Lost // it does not try again, so times do not matter
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

// timeWalk is timeClock with one jitter.
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
			// It retries without a pause and without a count, so it still does when the
			// next recorded failure comes, unless a deadline stops it before.
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
