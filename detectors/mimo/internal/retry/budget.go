package retry

import (
	"math"
	"time"
)

// A Budget bounds retries. Times are whole milliseconds.
type Budget struct {
	Persistent bool
	Retries    int           // -1: no count
	Deadline   time.Duration // 0: none
	Initial    time.Duration
	Most       time.Duration // longest wait
	Jitter     float64
}

// The names of the budgets, as the configuration writes them.
var Names = []string{"request", "stream", "maxCandidate", "maxJudge", "network", "server", "rateLimit", "unknown"}

// Budgets are the eight, in the order of Names.
type Budgets [8]Budget

// Of is the budget of a name.
func (b *Budgets) Of(name string) *Budget {
	for i, n := range Names {
		if n == name {
			return &b[i]
		}
	}
	panic("no budget " + name)
}

// Defaults are the budgets without a configuration. The article's rate
// limit deadline of 15 minutes is not in its table: it comes from the code.
func Defaults(head bool) Budgets {
	const ms = time.Millisecond
	bounded := func(n int, deadline, initial, most time.Duration) Budget {
		return Budget{Retries: n, Deadline: deadline, Initial: initial, Most: most, Jitter: 0.1}
	}
	b := Budgets{
		bounded(4, 30*time.Second, 200*ms, 30*time.Second),
		bounded(5, 10*time.Minute, 2*time.Second, 30*time.Second),
		bounded(3, 3*time.Minute, 500*ms, 30*time.Second),
		bounded(3, 3*time.Minute, 500*ms, 30*time.Second),
		{Persistent: true, Retries: -1, Initial: 5 * time.Second, Most: time.Minute},
		bounded(8, 15*time.Minute, 2*time.Second, 30*time.Second),
		bounded(5, 15*time.Minute, 2*time.Second, 5*time.Minute),
		bounded(8, 15*time.Minute, 2*time.Second, 30*time.Second),
	}
	if head {
		for _, name := range []string{"server", "rateLimit"} {
			p := b.Of(name)
			p.Persistent, p.Retries, p.Deadline = true, -1, 0
		}
	}
	return b
}

// BudgetFor is the name of the budget that a decision draws on: first match.
func BudgetFor(d Decision, head bool) string {
	if !head && d.Phase == PhaseRequest {
		return "request"
	}
	if !head && d.Kind == Network {
		return "network"
	}
	switch {
	case d.Scope == ScopeCandidate:
		return "maxCandidate"
	case d.Scope == ScopeJudge:
		return "maxJudge"
	case d.Kind == Network:
		return "network"
	case d.Kind == Server:
		return "server"
	case d.Kind == RateLimit:
		return "rateLimit"
	case d.Phase == PhaseRequest:
		return "request"
	case d.Kind == Unknown:
		return "unknown"
	}
	return "stream"
}

// BudgetsIn are the names of all budgets that the loop of a phase draws on, in
// the order of Names. A broken read of a stream is one in either loop.
func BudgetsIn(phase string, head bool) (list []string) {
	drawn := make(map[string]bool)
	for _, scope := range []string{ScopeRequest, ScopeLive, ScopeCandidate, ScopeJudge} {
		for _, kind := range []string{Network, RateLimit, Server, Stream, Unknown} {
			drawn[BudgetFor(Decision{Kind: kind, Phase: phase, Scope: scope}, head)] = true
		}
		drawn[BudgetFor(Decision{Kind: Stream, Phase: PhaseStream, Scope: scope}, head)] = true
	}
	for _, name := range Names {
		if drawn[name] {
			list = append(list, name)
		}
	}
	return list
}

// Delay is the wait before the next try. attempt counts failures from 1,
// and u says where in the range of the jitter the wait falls, from 0 to 1.
func Delay(attempt int, hint Asked, b Budget, u float64) time.Duration {
	if hint.OK {
		return min(b.Most, max(hintFloor, hint.Wait))
	}
	initial, most := float64(b.Initial/time.Millisecond), float64(b.Most/time.Millisecond)
	base := math.Min(most, initial*math.Pow(2, float64(attempt-1)))
	if b.Jitter > 0 {
		factor := 1 + (2*u-1)*b.Jitter
		base = math.Min(most, math.Max(100, math.Floor(base*factor+0.5)))
	}
	return time.Duration(base * float64(time.Millisecond))
}
