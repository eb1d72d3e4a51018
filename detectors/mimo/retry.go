package mimo

import (
	"cmp"
	"math"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/retry"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// The policies: how MiMo Code and OpenCode retry. The request loop asks before
// anything of an answer has come; what it gives up goes to the stream policy,
// so that the two multiply.

// Policies are those without a configuration, oldest first.
var Policies = WithConfig(nil, "")

// WithConfig are the policies under a configuration of MiMo Code. OpenCode has
// none. provider is that of requests whose record does not name one; "" is none.
func WithConfig(c *RetryConfig, provider string) []*policy.Policy {
	var read *retry.Config
	if c != nil {
		read = c.read
	}
	return []*policy.Policy{
		{
			Name:   "opencode-1.14.19",
			Doc:    "OpenCode 1.14.19: no count and no deadline, 2 s doubled, hints obeyed without a bound",
			Source: upstream,
			Prefix: "opencode/retry.",
			Build:  openCode,
		},
		{
			Name:   "mimo-2026-09",
			Doc:    "MiMo Code as its article describes it: eight budgets, the network's persistent",
			Source: article,
			Prefix: "mimo/retry.",
			Build: func(p *detectors.Params) []policy.Layer {
				return build(p, retry.Version{ByMetadata: true}, read, provider)
			},
		},
		{
			Name:   "mimo-head",
			Doc:    "MiMo Code, the newest stored versions: server and rate limit persistent as well",
			Source: stored,
			Prefix: "mimo/retry.",
			Build: func(p *detectors.Params) []policy.Layer {
				return build(p, retry.Version{Head: true}, read, provider)
			},
		},
	}
}

// silentRetries is how often the overload with a channel of its own is retried.
const silentRetries = 3

// build makes the two loops of MiMo Code.
func build(p *detectors.Params, v retry.Version, c *retry.Config, provider string) []policy.Layer {
	p.Bool(&v.ByMetadata, "network_by_metadata", v.ByMetadata,
		"take a network error for one after it was normalised, as the article means it; "+
			"the code looks elsewhere and says unknown")
	over := overrides(p, *c.Resolve(v.Head, provider))
	of := func(name, provider string) policy.Budget {
		b := c.Resolve(v.Head, provider, &over).Of(name)
		return policy.Budget{Name: name, Persistent: b.Persistent, Retries: b.Retries, Deadline: b.Deadline,
			Initial: b.Initial, Limit: b.Most, Jitter: b.Jitter}
	}
	layer := func(name string) policy.Layer {
		var all []policy.Budget
		for _, budget := range retry.BudgetsIn(name, v.Head) {
			all = append(all, of(budget, provider))
		}
		return policy.Layer{
			Name:    name,
			Budgets: all,
			Decide: func(a *transcript.Attempt) policy.Decision {
				e, now := errorOf(a)
				d := retry.Decide(e, name, a.Scope, v, now)
				out := policy.Decision{Retry: d.Retry, Kind: d.Kind, Phase: d.Phase, Scope: d.Scope, Message: d.Message,
					Notice: d.Notice, Status: d.Status, Hint: -1}
				if d.Hint.OK {
					out.Hint = d.Hint.Wait
				}
				// The description leaves both out in max mode; the golden records have them.
				if name == retry.PhaseStream {
					out.Unsafe, out.Silent = a.AfterCall, d.Silent
				}
				return out
			},
			Budget: func(d policy.Decision, a *transcript.Attempt) policy.Budget {
				return of(retry.BudgetFor(retry.Decision{Kind: d.Kind, Phase: d.Phase, Scope: d.Scope}, v.Head),
					cmp.Or(a.Provider, provider))
			},
			Wait: func(b policy.Budget, d policy.Decision, _ *transcript.Attempt, n int, u float64) time.Duration {
				return retry.Delay(n, retry.Asked{Wait: d.Hint, OK: d.Hint >= 0},
					retry.Budget{Initial: b.Initial, Most: b.Limit, Jitter: b.Jitter}, u)
			},
		}
	}
	request, stream := layer(retry.PhaseRequest), layer(retry.PhaseStream)
	request.Takes = func(a *transcript.Attempt) bool { return policy.SegmentOf(a) == retry.PhaseRequest }
	request.NeedsCount = true
	request.Fallback = rejectsPrefill
	request.Shown, stream.Shown = !v.Head, true
	stream.Silent = silentRetries
	return []policy.Layer{request, stream}
}

// rejectsPrefill recognises a provider that takes no answer begun by the client.
// The product drops the last message and sends again. Its own pattern is not
// known; this is what the providers say.
func rejectsPrefill(a *transcript.Attempt) bool {
	text := strings.ToLower(a.Message + a.Body)
	return strings.Contains(text, "prefill") && strings.Contains(text, "not support")
}

// overrides binds the parameters of the eight budgets and returns what the user
// named. A count given to a persistent budget has no effect, as in the product.
func overrides(p *detectors.Params, base retry.Budgets) (list retry.Overrides) {
	for i, name := range retry.Names {
		b, id := base[i], snake(name)
		mode := map[bool]string{false: "bounded", true: "persistent"}[b.Persistent]
		p.Choice(&mode, id+".mode", mode, []string{"bounded", "persistent"}, "whether retries are bounded by a count")
		p.Count(&b.Retries, id+".max_retries", b.Retries, 20, "retries; a persistent budget has no count")
		p.Millis(&b.Deadline, id+".deadline_ms", b.Deadline, 0, 3_600_000,
			"time from the first failure within which retries begin; 0 is none")
		p.Millis(&b.Initial, id+".initial_delay_ms", b.Initial, 1, 60_000, "first wait, doubled from retry to retry")
		p.Millis(&b.Most, id+".max_delay_ms", b.Most, 1, 600_000, "longest wait, also of one that the provider asks for")
		percent := int(math.Round(100 * b.Jitter))
		p.Int(&percent, id+".jitter_percent", percent, 0, 100, "spread of waits to both sides; it is reported as a range")
		b.Persistent, b.Jitter = mode == "persistent", float64(percent)/100
		list[i] = retry.Override{
			Persistent: given(p, id+".mode", b.Persistent), Retries: given(p, id+".max_retries",
				b.Retries), Deadline: given(p, id+".deadline_ms", b.Deadline),
			Initial: given(p, id+".initial_delay_ms", b.Initial), Limit: given(p, id+".max_delay_ms",
				b.Most), Jitter: given(p, id+".jitter_percent", b.Jitter),
		}
	}
	return list
}

// given is a value that the user named; nil leaves what is there.
func given[T any](p *detectors.Params, name string, v T) *T {
	if !p.Given(name) {
		return nil
	}
	return &v
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// openCode is one loop around everything.
func openCode(*detectors.Params) []policy.Layer {
	unbounded := policy.Budget{Name: "unbounded", Persistent: true, Retries: -1}
	return []policy.Layer{{
		Name:    "stream",
		Budgets: []policy.Budget{unbounded},
		Decide: func(a *transcript.Attempt) policy.Decision {
			e, _ := errorOf(a)
			said := retry.Upstream(e)
			d := policy.Decision{Retry: said.S != "", Kind: "retry", Phase: policy.SegmentOf(a), Scope: a.Scope,
				Message: said.S, Status: a.Status, Hint: -1}
			if !d.Retry {
				d.Kind = retry.Terminal
			}
			return d
		},
		Budget: func(policy.Decision, *transcript.Attempt) policy.Budget {
			return unbounded
		},
		Wait: func(_ policy.Budget, _ policy.Decision, a *transcript.Attempt, n int, _ float64) time.Duration {
			e, now := errorOf(a)
			return retry.UpstreamDelay(n, e, now)
		},
	}}
}
