package policy

import (
	"math"
	"time"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Policy is what an agent or an SDK does about failed requests, at one
// revision. Like a preset it never changes once it is published.
type Policy struct {
	Name   string // "mimo-2026-09", or the id of the system
	Doc    string // first line: a title
	Source string
	Prefix string // of its parameters: "mimo/retry."
	// Build makes the layers, innermost first, and binds their parameters. It is
	// called once to learn what exists and again for each assignment.
	Build func(p *detectors.Params) []Layer
}

// A Layer is one loop that owns retries. A failure goes to the innermost layer
// that takes it; where that gives up, the next one out decides, and an outer
// retry begins with fresh inner layers. So nested layers multiply.
//
// The four steps of a policy are separate, so that each can be reported on:
// decide, choose a budget, wait, stop. The stop is the same everywhere: a
// terminal error, a tool call that already left, a count, a deadline.
type Layer struct {
	Name   string
	Takes  func(*transcript.Attempt) bool // nil: every failure; the last layer takes what nobody did
	Decide func(*transcript.Attempt) Decision
	Budget func(Decision, *transcript.Attempt) Budget
	// Budgets are those that Budget chooses from where a failure names no provider,
	// for whoever looks at a policy without a failure.
	Budgets []Budget
	// Wait is the pause before a retry, counted from 1. u from 0 to 1 says where
	// in the range of the jitter it falls; no policy draws at random. Nil:
	// exponential, with the hint if there is one.
	Wait func(b Budget, d Decision, a *transcript.Attempt, retry int, u float64) time.Duration
	// Silent is how often an overload with a channel of its own is retried: the
	// first time at once, and without starting the clock. 0: there is none.
	Silent int
	// NeedsCount says that a bounded budget without a count allows no retry;
	// elsewhere it allows any number.
	NeedsCount bool
	// Shown says that the agent numbers the retries of this layer for its user, in
	// one row over all layers that it numbers.
	Shown bool
	// Fallback recognises an error that is sent again at once, changed, one time
	// in a chain; that is not counted. Nil: there is none.
	Fallback func(*transcript.Attempt) bool
}

// A Decision classifies one failed attempt.
type Decision struct {
	Retry   bool
	Kind    string // "network", "rate_limit", "server", "terminal", ...
	Phase   string
	Scope   string
	Message string        // what the policy makes of the error
	Notice  string        // what the user is told; "" if nothing
	Status  int           // 0 if there is none
	Hint    time.Duration // what the server asked for, as the policy reads it; negative if it did not
	Silent  bool          // an overload with a channel of its own
	Unsafe  bool          // a tool call had left: replaying could repeat it
}

// A Budget bounds the retries of one kind of failure.
type Budget struct {
	Name           string
	Persistent     bool          // no count applies
	Retries        int           // 0 allows none; negative: there is no count
	Deadline       time.Duration // 0: none
	Initial, Limit time.Duration // first wait, longest wait
	Jitter         float64       // reported as a range; never drawn at random
}

// Stop says why a layer gave up. The empty Stop means that it goes on.
type Stop string

const (
	StopTerminal Stop = "terminal" // the error is not one to retry
	StopUnsafe   Stop = "unsafe"   // a tool call had left
	StopCount    Stop = "count"
	StopDeadline Stop = "deadline"
	StopSilent   Stop = "silent" // the silent channel has had its retries
)

// An Answer is what one layer does about one failure.
type Answer struct {
	Layer    string
	Decision Decision
	Budget   string // that it draws on; "" if it came to none
	Retry    int    // failures of this layer so far, this one included
	Most     int    // retries the budget allows; negative if any number
	Endless  bool   // neither a count nor a deadline ends it
	Wait     time.Duration
	Silent   bool // retried at once on the silent channel
	Shown    bool // counts in the row of numbers that the user sees
	Fallback bool // sent again at once, changed
	Stop     Stop
}

// Params lists the parameters of the policy. A default that is not legal is an
// error of At.
func (p *Policy) Params() []detectors.Param {
	var layers []Layer
	params, _ := detectors.Bind(&layers, p.build, p.Prefix, false, nil)
	return params
}

func (p *Policy) build(dst *[]Layer, q *detectors.Params) { *dst = p.Build(q) }

// At is the policy with some parameters changed.
func (p *Policy) At(set detectors.Settings) (*Retrier, error) {
	r := &Retrier{Name: p.Name}
	if set == nil {
		set = detectors.Settings{}
	}
	_, err := detectors.Bind(&r.Layers, p.build, p.Prefix, false, set)
	return r, err
}

// A Retrier is a policy with its parameters bound. It is safe for concurrent use.
type Retrier struct {
	Name   string
	Layers []Layer // innermost first
}

// Stack puts outer around inner: a request that inner gives up is a failure of outer.
func (inner *Retrier) Stack(outer *Retrier) *Retrier {
	s := &Retrier{Name: inner.Name + "," + outer.Name}
	for _, r := range []*Retrier{inner, outer} {
		for _, l := range r.Layers {
			if l.Name != r.Name {
				l.Name = r.Name + " " + l.Name
			}
			s.Layers = append(s.Layers, l)
		}
	}
	return s
}

// A Walk is one logical request under one policy: failures in, answers out. It
// is what a live agent would hold, too. It is not safe for concurrent use.
type Walk struct {
	retrier *Retrier
	side    bool // of a sub-agent, which has no silent channel
	state   []layerState
}

type layerState struct {
	failures int
	fellBack bool
	started  bool
	first    time.Duration // when the clock started
}

// Begin starts a request; side says that it is a sub-agent's.
func (r *Retrier) Begin(side bool) *Walk {
	return &Walk{retrier: r, side: side, state: make([]layerState, len(r.Layers))}
}

// Fail takes a failure at a time since the request began. The last answer
// decides; those before it are of inner layers that gave up.
func (w *Walk) Fail(a *transcript.Attempt, now time.Duration, u float64) []Answer {
	var list []Answer
	for i := range w.retrier.Layers {
		l := &w.retrier.Layers[i]
		last := i == len(w.retrier.Layers)-1
		if l.Takes != nil && !l.Takes(a) && !(last && list == nil) {
			continue
		}
		answer := w.state[i].answer(l, a, w.side, now, u)
		list = append(list, answer)
		if answer.Stop == "" {
			return list
		}
		w.state[i] = layerState{}
	}
	return list
}

// answer is decide, budget, wait, stop, in the order of the product that has
// all of them.
func (s *layerState) answer(l *Layer, a *transcript.Attempt, side bool, now time.Duration, u float64) Answer {
	if l.Fallback != nil && l.Fallback(a) {
		if s.fellBack {
			return Answer{Layer: l.Name, Decision: l.Decide(a), Retry: s.failures, Stop: StopTerminal}
		}
		s.fellBack = true
		d := l.Decide(a)
		d.Retry, d.Kind = true, "fallback"
		return Answer{Layer: l.Name, Decision: d, Retry: s.failures, Most: -1, Fallback: true}
	}
	s.failures++
	d := l.Decide(a)
	out := Answer{Layer: l.Name, Decision: d, Retry: s.failures, Most: -1, Shown: l.Shown}
	if !d.Retry {
		out.Stop = StopTerminal
		return out
	}
	b := l.Budget(d, a)
	out.Budget = b.Name
	out.Most = l.Most(b)
	out.Endless = out.Most < 0 && b.Deadline == 0
	silent := l.Silent > 0 && d.Silent && !side
	switch {
	case d.Unsafe:
		out.Stop = StopUnsafe
	case out.Most >= 0 && s.failures > out.Most:
		out.Stop = StopCount
	case silent && s.failures > l.Silent:
		out.Stop = StopSilent
	case silent && s.failures == 1:
		out.Silent = true
	default:
		if !s.started {
			s.started, s.first = true, now
		}
		out.Wait = l.wait(b, d, a, s.failures, u)
		elapsed := now - s.first
		if b.Deadline > 0 && (elapsed >= b.Deadline || out.Wait >= b.Deadline-elapsed) {
			out.Stop, out.Wait = StopDeadline, 0
		}
	}
	return out
}

func (l *Layer) wait(b Budget, d Decision, a *transcript.Attempt, retry int, u float64) time.Duration {
	if l.Wait != nil {
		return l.Wait(b, d, a, retry, u)
	}
	if d.Hint >= 0 {
		return d.Hint
	}
	return Exponential(b, 2, retry, 1-b.Jitter, 1+b.Jitter, u)
}

// Exponential is a wait that grows by a factor from b.Initial up to b.Limit,
// times a jitter between two numbers.
func Exponential(b Budget, factor float64, retry int, low, high, u float64) time.Duration {
	base := float64(b.Initial) * math.Pow(factor, float64(retry-1))
	if b.Limit > 0 {
		base = math.Min(base, float64(b.Limit))
	}
	return time.Duration(math.Min(base*(low+(high-low)*u), math.MaxInt64/2))
}

// Find is the policy of a name, or nil.
func Find(name string, list []*Policy) *Policy {
	for _, p := range list {
		if p.Name == name {
			return p
		}
	}
	return nil
}
