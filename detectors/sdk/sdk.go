// Package sdk holds the retry policies of client libraries and of agents that
// have no family of their own here: one exponential backoff each, with the
// numbers, the retryable set and the treatment of the server's hint that each
// has. A policy whose numbers are second-hand says so.
//
// AWS's adaptive mode is left out: its rate limiter needs the requests that
// succeeded, too. So is the retry quota of its standard mode, which a client
// shares between all its requests.
package sdk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// A backoff is one loop with an exponential wait.
type backoff struct {
	name      string
	retryable func(*transcript.Attempt) bool
	retries   int // after the first request; negative: without end
	initial   time.Duration
	factor    float64 // 0 means 2
	limit     time.Duration
	// The jitter multiplies a wait by a number from low to high; both 0 mean 1.
	low, high float64
	hint      hintRule
	// hintLimit is up to where a hint is obeyed; what else happens is the rule's.
	hintLimit time.Duration
	deadline  time.Duration
	// throttled is a first wait of its own for rate limits; 0: the same.
	throttled time.Duration
	takes     func(*transcript.Attempt) bool
}

// A hintRule says what the wait becomes if the server asks for one.
type hintRule uint8

const (
	ignored  hintRule = iota
	obeyed            // if it is up to the limit, or there is none; else as without
	orBelow           // obeyed too where it is shorter than the backoff
	gentle            // the longer of both, a longer one than the limit is terminal
	aborting          // obeyed; a longer one than the limit is terminal
)

// layer binds the parameters and makes the loop.
func (b backoff) layer(p *detectors.Params, prefix string) policy.Layer {
	if b.factor == 0 {
		b.factor = 2
	}
	if b.low == 0 && b.high == 0 {
		b.low, b.high = 1, 1
	}
	p.Count(&b.retries, prefix+"max_retries", b.retries, 20, "retries after the first request")
	p.Millis(&b.initial, prefix+"initial_delay_ms", b.initial, 1, 60_000, "first wait, before the jitter")
	p.Millis(&b.limit, prefix+"max_delay_ms", b.limit, 0, 600_000, "longest wait, before the jitter; 0 is none")
	if b.hint != ignored {
		p.Millis(&b.hintLimit, prefix+"hint_limit_ms", b.hintLimit, 0, 600_000,
			"up to where the server's hint is obeyed; 0 is without bound")
	}
	if b.deadline > 0 {
		p.Millis(&b.deadline, prefix+"deadline_ms", b.deadline, 0, 600_000,
			"time from the first failure within which retries begin; 0 is none")
	}
	return policy.Layer{Name: b.name, Takes: b.takes, Decide: b.decide, Budget: b.budget, Budgets: b.budgets(),
		Wait: b.wait}
}

func (b *backoff) decide(a *transcript.Attempt) policy.Decision {
	kind := policy.FailureOf(a)
	d := policy.Decision{Retry: b.retryable(a), Kind: string(kind), Phase: policy.SegmentOf(a), Scope: a.Scope,
		Message: a.Message, Status: a.Status, Hint: asked(a)}
	switch tooLong := b.hintLimit > 0 && d.Hint > b.hintLimit; {
	case !d.Retry, tooLong && (b.hint == gentle || b.hint == aborting):
		d.Retry, d.Kind = false, "terminal"
	}
	return d
}

func (b *backoff) budget(d policy.Decision, _ *transcript.Attempt) policy.Budget {
	out := policy.Budget{Name: "retries", Persistent: b.retries < 0, Retries: b.retries, Deadline: b.deadline,
		Initial: b.initial, Limit: b.limit}
	if b.throttled > 0 {
		out.Name = "transient"
		if d.Kind == string(policy.RateLimited) {
			out.Name, out.Initial = "throttle", b.throttled
		}
	}
	return out
}

// budgets are those that budget chooses from.
func (b *backoff) budgets() []policy.Budget {
	list := []policy.Budget{b.budget(policy.Decision{}, nil)}
	if b.throttled > 0 {
		list = append(list, b.budget(policy.Decision{Kind: string(policy.RateLimited)}, nil))
	}
	return list
}

func (b *backoff) wait(out policy.Budget, d policy.Decision, _ *transcript.Attempt, retry int,
	u float64) time.Duration {

	own := policy.Exponential(out, b.factor, retry, b.low, b.high, u)
	if d.Hint < 0 {
		return own
	}
	plain := policy.Exponential(out, b.factor, retry, 1, 1, u)
	short := b.hintLimit == 0 || d.Hint < b.hintLimit
	switch b.hint {
	case obeyed:
		if short {
			return d.Hint
		}
	case orBelow:
		if short || d.Hint < plain {
			return d.Hint
		}
	case gentle:
		// Up to a fifth is added so that clients do not come back together.
		return time.Duration(float64(max(plain, d.Hint)) * (1 + 0.2*u))
	case aborting:
		return d.Hint
	}
	return own
}

// asked is the wait that the server asked for: in milliseconds, in seconds, or
// until a date, seen from the time of the failure or the server's own clock.
// Negative: it did not.
func asked(a *transcript.Attempt) time.Duration {
	ms, inMillis := header(a, "retry-after-ms")
	if f, err := strconv.ParseFloat(strings.TrimSpace(ms), 64); inMillis && err == nil && f >= 0 && f < maxHint {
		return time.Duration(f * float64(time.Millisecond))
	}
	after, ok := header(a, "retry-after")
	if !ok {
		return a.RetryAfter
	}
	if f, err := strconv.ParseFloat(strings.TrimSpace(after), 64); err == nil {
		if f < 0 || f*1000 >= maxHint {
			return -1
		}
		return time.Duration(f * float64(time.Second))
	}
	until, err := time.Parse(time.RFC1123, strings.TrimSpace(after))
	now := a.Time
	if date, ok := header(a, "date"); ok && now.IsZero() {
		now, _ = time.Parse(time.RFC1123, date)
	}
	if err != nil || now.IsZero() || until.Before(now) {
		return -1
	}
	return until.Sub(now)
}

// maxHint is what a timer can wait, in milliseconds; more is not obeyed.
const maxHint = 1 << 31

func header(a *transcript.Attempt, name string) (string, bool) {
	for _, h := range a.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// statuses is the set of errors with one of some statuses, or of 500 and above
// where that is among them, and of failures below HTTP.
func statuses(network bool, list ...int) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool {
		s := policy.StatusOf(a)
		if s == 0 {
			return network && policy.IsNetwork(a)
		}
		return slices.Contains(list, s) || s >= 500 && slices.Contains(list, above500)
	}
}

// above500 stands for every status of 500 and above.
const above500 = -500

// kinds is the set of failures of some kinds.
func kinds(list ...policy.Failure) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool { return slices.Contains(list, policy.FailureOf(a)) }
}

// inRequest restricts a set to requests that failed before the answer began: a
// library has returned by the time a stream breaks off.
func inRequest(set func(*transcript.Attempt) bool) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool { return isRequest(a) && set(a) }
}

func isRequest(a *transcript.Attempt) bool { return policy.SegmentOf(a) == "request" }
func isStream(a *transcript.Attempt) bool  { return !isRequest(a) }

// told heeds x-should-retry, which the server may send to settle it.
func told(set func(*transcript.Attempt) bool) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool {
		switch v, _ := header(a, "x-should-retry"); v {
		case "true":
			return true
		case "false":
			return false
		}
		return set(a)
	}
}

// flagged heeds the client's own flag where it was recorded.
func flagged(set func(*transcript.Attempt) bool) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool {
		if a.Retryable != nil {
			return *a.Retryable
		}
		return set(a)
	}
}
