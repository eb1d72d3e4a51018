package sdk

import (
	"time"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

const ms = time.Millisecond

// usual is what most libraries retry.
var usual = statuses(true, 408, 409, 429, above500)

// awsTransient are the statuses that AWS's standard mode retries; throttling is
// told by the kind, whatever the status.
var awsTransient = anyOf(statuses(true, 500, 502, 503, 504), kinds(policy.RateLimited))

// transient is whatever may be better the next time.
var transient = kinds(policy.RateLimited, policy.Overloaded, policy.ServerFailed, policy.NetworkFailed,
	policy.StreamFailed)

// Policies are those of the libraries, then those of agents, by name.
var Policies = []*policy.Policy{
	newPolicy("anthropic-sdk", "Anthropic SDK 1.14 (JavaScript): 2 retries, hints obeyed",
		"its source, stored versions of 2026; one refresh after a 401 is left out: it needs the credentials",
		backoff{retryable: inRequest(told(usual)), retries: 2, initial: 500 * ms, limit: 8 * time.Second,
			low: 0.75, high: 1, hint: obeyed}),
	newPolicy("aws-standard", "AWS SDK, standard mode (Go v1.48): 2 retries, full jitter",
		"its source, stored versions of 2026; without the retry quota, which a client shares between requests",
		backoff{retryable: inRequest(awsTransient), retries: 2, initial: 50 * ms, throttled: time.Second,
			limit: 20 * time.Second, low: 0, high: 1}),
	newPolicy("gax-go", "Google gax (Go): bounded by the deadline alone, full jitter",
		"its source, stored versions of 2026; which codes are retried is each method's own, here unavailable (503); "+
			"the deadline is the caller's, here the 60 s of generated clients",
		backoff{retryable: inRequest(statuses(true, 503)), retries: -1, initial: time.Second, limit: 30 * time.Second,
			low: 0, high: 1, deadline: time.Minute}),
	newPolicy("litellm", "LiteLLM, the SDK: 1 retry, hints up to 60 s",
		"its source, stored versions of 2026; the Router's cooldowns and fallbacks are left out",
		backoff{retryable: inRequest(usual), retries: 1, initial: 500 * ms, limit: 8 * time.Second,
			low: 0.75, high: 1, hint: obeyed, hintLimit: time.Minute}),
	newPolicy("openai-sdk", "OpenAI SDK 6.49 (JavaScript): 2 retries, hints without a bound",
		"its source, stored versions of 2026; older versions obey hints below 60 s: openai-sdk/retry.hint_limit_ms=60000",
		backoff{retryable: inRequest(told(usual)), retries: 2, initial: 500 * ms, limit: 8 * time.Second,
			low: 0.75, high: 1, hint: obeyed}),
	newPolicy("vercel-ai", "Vercel AI SDK 6.0: 2 retries, 2 s doubled, no jitter",
		"its source, stored versions of 2026",
		backoff{retryable: inRequest(flagged(usual)), retries: 2, initial: 2 * time.Second,
			hint: orBelow, hintLimit: time.Minute}),

	newPolicy("aider", "aider: waits doubled until one is over 60 s, hints ignored",
		"its source, stored versions of 2026 (issue #5165)",
		backoff{retryable: anyOf(transient, kinds(policy.QuotaEnded)), retries: 8, initial: 250 * ms}),
	newPolicy("claude-code", "Claude Code: 10 retries, a hint over 60 s aborts (numbers second-hand)",
		"documentation and issue #81330, second-hand",
		backoff{
			retryable: anyOf(usual, inFrame(policy.Overloaded, policy.RateLimited, policy.ServerFailed, policy.StreamFailed)),
			retries:   10, initial: 500 * ms, limit: 32 * time.Second, low: 1, high: 1.25,
			hint: aborting, hintLimit: time.Minute}),
	newPolicy("codex", "Codex CLI: 4 retries of a request, not of a 429; 5 of a dropped stream",
		"a stored copy of 2026 that may be a branch revision",
		backoff{name: "request", takes: isRequest, retryable: statuses(true, above500, 408), retries: 4,
			initial: 200 * ms, low: 0.9, high: 1.1},
		backoff{name: "stream", takes: isStream, retryable: inStream(transient), retries: 5,
			initial: 200 * ms, low: 0.9, high: 1.1, hint: obeyed}),
	newPolicy("continue", "Continue, the core: 4 retries of 429 and overload, hints in seconds without a bound",
		"its source, stored versions of 2026; it also sleeps after the last failure, which is not counted here",
		backoff{retryable: kinds(policy.RateLimited, policy.Overloaded), retries: 4, initial: time.Second, hint: obeyed}),
	newPolicy("crush", "Crush: 3 retries, 5 s doubled", "its source, stored versions of 2026",
		backoff{retryable: flagged(usual), retries: 3, initial: 5 * time.Second, hint: orBelow, hintLimit: time.Minute}),
	newPolicy("gemini-cli", "Gemini CLI: 9 retries of a request, a hint over 300 s is terminal; 3 of a broken stream",
		"its source, stored versions of 2026; the dialog that offers another model is left out",
		backoff{name: "request", takes: isRequest, retryable: statuses(true, 429, 499, above500), retries: 9,
			initial: 5 * time.Second, limit: 30 * time.Second, low: 0.7, high: 1.3,
			hint: gentle, hintLimit: 5 * time.Minute},
		backoff{name: "stream", takes: isStream, retryable: inFrame(policy.StreamFailed, policy.NetworkFailed),
			retries: 3, initial: time.Second}),
	newPolicy("goose", "goose: 3 retries of rate limits alone", "a stored copy of 2026 that may be a branch revision",
		backoff{retryable: kinds(policy.RateLimited), retries: 3, initial: time.Second, limit: 30 * time.Second,
			low: 0.8, high: 1.2, hint: obeyed}),
	newPolicy("openhands", "OpenHands: 4 retries, 8 s doubled up to 64 s, hints ignored",
		"its source, stored versions of 2026",
		backoff{retryable: transient, retries: 4, initial: 8 * time.Second, limit: 64 * time.Second}),
	newPolicy("roo-code", "Roo Code with auto-approval: without end, 5 s doubled up to 10 min",
		"its source, stored versions of 2026; without auto-approval a person is asked",
		backoff{retryable: func(*transcript.Attempt) bool { return true }, retries: -1,
			initial: 5 * time.Second, limit: 10 * time.Minute}),
	newPolicy("strands", "Strands: 5 retries of throttling, 4 s doubled up to 240 s",
		"its source, stored versions of 2026",
		backoff{retryable: kinds(policy.RateLimited), retries: 5, initial: 4 * time.Second, limit: 4 * time.Minute}),
}

// newPolicy makes a policy of one loop, or of several, innermost first.
func newPolicy(name, doc, source string, loops ...backoff) *policy.Policy {
	build := func(p *detectors.Params) (layers []policy.Layer) {
		for _, b := range loops {
			prefix := ""
			if len(loops) > 1 {
				prefix = b.name + "."
			} else {
				b.name = name
			}
			layers = append(layers, b.layer(p, prefix))
		}
		return layers
	}
	return &policy.Policy{Name: name, Doc: doc, Source: source, Prefix: name + "/retry.", Build: build}
}

// inStream is what of a set happened inside a stream.
func inStream(set func(*transcript.Attempt) bool) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool { return isStream(a) && set(a) }
}

// inFrame is the set of errors of some kinds inside a stream.
func inFrame(list ...policy.Failure) func(*transcript.Attempt) bool { return inStream(kinds(list...)) }

func anyOf(sets ...func(*transcript.Attempt) bool) func(*transcript.Attempt) bool {
	return func(a *transcript.Attempt) bool {
		for _, set := range sets {
			if set(a) {
				return true
			}
		}
		return false
	}
}
