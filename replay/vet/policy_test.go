package vet

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// oneLoop is a policy that retries everything on one budget.
func oneLoop(b policy.Budget, needsCount bool) *policy.Policy {
	return &policy.Policy{Name: "made", Prefix: "made/retry.", Build: func(p *detectors.Params) []policy.Layer {
		b := b
		p.Millis(&b.Deadline, "deadline_ms", b.Deadline, 0, 60_000, "deadline")
		p.Millis(&b.Initial, "initial_delay_ms", b.Initial, 1, 60_000, "first wait")
		return []policy.Layer{{
			Name: "loop", NeedsCount: needsCount, Budgets: []policy.Budget{b},
			Decide: func(a *transcript.Attempt) policy.Decision {
				return policy.Decision{Retry: true, Hint: a.RetryAfter}
			},
			Budget: func(policy.Decision, *transcript.Attempt) policy.Budget { return b },
		}}
	}}
}

// What is said of a deadline is what a walk does at both ends of the jitter.
func TestVetDeadlineBeforeFirstDelay(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name        string
		budget      policy.Budget
		low, high   bool // a retry begins at that end of the jitter
		finds, does string
	}{
		{"over before", policy.Budget{Name: "b", Retries: 3, Deadline: 799 * ms, Initial: time.Second, Jitter: 0.2}, false, false,
			"no retry on budget b begins: the deadline is 799 ms, the first delay 800 to 1200 ms", "deadline_ms=1201 or more or made/retry.initial_delay_ms=665 or less; or say with a count of 0"},
		{"due at the deadline", policy.Budget{Name: "b", Retries: -1, Deadline: time.Second, Initial: time.Second}, false, false,
			"the first delay 1000 ms, without jitter", "deadline_ms=1001 or more or made/retry.initial_delay_ms=999 or less"},
		{"by the jitter", policy.Budget{Name: "b", Retries: 3, Deadline: 1199 * ms, Initial: time.Second, Jitter: 0.2}, true, false,
			"the jitter decides whether a retry on budget b begins", "deadline_ms=1201 or more"},
		{"capped", policy.Budget{Name: "b", Retries: 3, Deadline: 500 * ms, Initial: time.Second, Limit: 499 * ms}, true, true, "", ""},
		{"just not", policy.Budget{Name: "b", Retries: 3, Deadline: 1201 * ms, Initial: time.Second, Jitter: 0.2}, true, true, "", ""},
		{"no deadline", policy.Budget{Name: "b", Persistent: true, Initial: time.Second}, true, true, "", ""},
	} {
		p := oneLoop(c.budget, false)
		found, err := CheckPolicy(p, detectors.Settings{"other/retry.deadline_ms": "1"})
		if err != nil {
			t.Fatal(err)
		}
		wants(t, says(found, "deadline_before_first_delay", "made/retry.deadline_ms"), c.finds, c.does)
		if (c.finds != "") != (len(found) == 1) {
			t.Errorf("%s: %d findings: %v", c.name, len(found), found)
		}
		if got, want := begins(t, p, nil), [2]bool{c.low, c.high}; got != want {
			t.Errorf("%s: a retry begins at the ends of the jitter: %v, want %v", c.name, got, want)
		}
		for _, f := range found {
			for _, m := range regexp.MustCompile(`(made/retry\.\w+)=(\d+)`).FindAllStringSubmatch(f.Do, -1) {
				if got := begins(t, p, detectors.Settings{m[1]: m[2]}); got != [2]bool{true, true} {
					t.Errorf("%s: with %s a retry begins at the ends of the jitter: %v", c.name, m[0], got)
				}
			}
		}
	}
	// Where a count allows no retry, no deadline forbids one.
	short := policy.Budget{Name: "b", Deadline: ms, Initial: time.Second}
	uncounted := short
	uncounted.Retries = -1
	for _, p := range []*policy.Policy{oneLoop(short, false), oneLoop(uncounted, true)} {
		if found, err := CheckPolicy(p, nil); err != nil || len(found) > 0 {
			t.Errorf("no retry is allowed: %v %v", found, err)
		}
	}
}

// begins says whether a first retry begins at the short and the long end of the
// jitter.
func begins(t *testing.T, p *policy.Policy, set detectors.Settings) (ends [2]bool) {
	t.Helper()
	r, err := p.At(set)
	if err != nil {
		t.Fatal(err)
	}
	for u := range ends {
		ends[u] = r.Begin(false).Fail(&transcript.Attempt{RetryAfter: -1}, 0, float64(u))[0].Stop == ""
	}
	return ends
}

// CheckPolicy looks at every budget that failures draw on, and no published
// policy has a deadline that forbids its first retry.
func TestVetPublishedPolicies(t *testing.T) {
	for _, p := range catalog.Policies {
		if found, err := CheckPolicy(p, nil); err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", p.Name, found, err)
		}
		r, err := p.At(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Layers {
			l := &r.Layers[i]
			drawn := 0
			for _, a := range failures() {
				d := l.Decide(&a)
				if !d.Retry {
					continue
				}
				drawn++
				if b := l.Budget(d, &a); !slices.Contains(l.Budgets, b) {
					t.Errorf("%s, loop %s: %+v draws on %q, which is not among its budgets", p.Name, l.Name, a, b.Name)
				}
			}
			if drawn == 0 {
				t.Errorf("%s, loop %s retries none of the failures", p.Name, l.Name)
			}
		}
	}
}

// failures are of every sort, in every phase and scope.
func failures() (list []transcript.Attempt) {
	for _, a := range []transcript.Attempt{
		{Status: 429}, {Status: 500}, {Status: 503}, {Status: 529}, {Status: 408}, {Code: "ECONNRESET", Message: "read ECONNRESET"}, {Message: "SSE read timed out"}, {Message: "odd"},
		{Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, {Body: `{"type":"error","error":{"type":"upstream_error","message":"lost"}}`},
	} {
		for _, phase := range []string{"request", "stream"} {
			for _, scope := range []string{"", "max-candidate", "max-judge"} {
				a.Phase, a.Scope, a.RetryAfter = phase, scope, -1
				list = append(list, a)
			}
		}
	}
	return list
}
