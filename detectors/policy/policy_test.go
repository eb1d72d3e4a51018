package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// counted is a policy of one loop that retries everything with a status of 500
// and above.
func counted(name string, retries int, deadline time.Duration) *policy.Policy {
	return &policy.Policy{Name: name, Prefix: name + "/retry.", Build: func(p *detectors.Params) []policy.Layer {
		b := policy.Budget{Name: "b", Retries: retries, Deadline: deadline, Initial: time.Second, Limit: 8 * time.Second}
		p.Count(&b.Retries, "max_retries", retries, 10, "retries")
		p.Millis(&b.Deadline, "deadline_ms", deadline, 0, 60_000, "deadline")
		return []policy.Layer{{
			Name: name,
			Decide: func(a *transcript.Attempt) policy.Decision {
				return policy.Decision{Retry: a.Status >= 500, Kind: "k", Hint: a.RetryAfter, Unsafe: a.AfterCall}
			},
			Budget: func(policy.Decision, *transcript.Attempt) policy.Budget { return b },
		}}
	}}
}

func under(t testing.TB, p *policy.Policy, set detectors.Settings) *policy.Retrier {
	t.Helper()
	r, err := p.At(set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// walk feeds the same failure until the policy stops, at most so often, and
// returns the waits and the stop.
func walk(w *policy.Walk, a transcript.Attempt, most int) (waits []time.Duration, stop policy.Stop) {
	now := time.Duration(0)
	for range most {
		all := w.Fail(&a, now, 0.5)
		last := all[len(all)-1]
		if last.Stop != "" {
			return waits, last.Stop
		}
		waits = append(waits, last.Wait)
		now += last.Wait
	}
	return waits, ""
}

func TestWalk(t *testing.T) {
	down := transcript.Attempt{Status: 503, RetryAfter: -1}
	asked := transcript.Attempt{Status: 503, RetryAfter: 3 * time.Second}
	left := transcript.Attempt{Status: 503, RetryAfter: -1, AfterCall: true}
	for _, test := range []struct {
		name string
		p    *policy.Policy
		set  string
		a    transcript.Attempt
		want string
	}{
		{"doubled up to the limit, then the count", counted("a", 5, 0), "", down, "[1s 2s 4s 8s 8s] count"},
		{"the server's hint", counted("a", 2, 0), "", asked, "[3s 3s] count"},
		{"a terminal error", counted("a", 5, 0), "", transcript.Attempt{Status: 400, RetryAfter: -1}, "[] terminal"},
		{"after a tool call", counted("a", 5, 0), "", left, "[] unsafe"},
		{"a wait that would reach the deadline is not begun", counted("a", 9, 7*time.Second), "", down, "[1s 2s] deadline"},
		{"no retries at all", counted("a", 5, 0), "a/retry.max_retries=0", down, "[] count"},
		{"no count", counted("a", 2, 0), "a/retry.max_retries=none", down, "[1s 2s 4s 8s 8s 8s 8s 8s 8s 8s 8s 8s] "},
		{"another deadline", counted("a", 9, 0), "a/retry.deadline_ms=3000", down, "[1s] deadline"},
	} {
		set := detectors.Settings{}
		if id, v, ok := strings.Cut(test.set, "="); ok {
			set[id] = v
		}
		waits, stop := walk(under(t, test.p, set).Begin(false), test.a, 12)
		if got := fmt.Sprint(waits, " ", stop); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Layers multiply: every failure of an outer layer is a whole round of the inner one.
func TestLayersMultiply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner, outer := rapid.IntRange(0, 4).Draw(t, "inner"), rapid.IntRange(0, 4).Draw(t, "outer")
		a, _ := counted("in", inner, 0).At(nil)
		b, _ := counted("out", outer, 0).At(nil)
		waits, stop := walk(a.Stack(b).Begin(false), transcript.Attempt{Status: 500, RetryAfter: -1}, 1000)
		if want := (inner+1)*(outer+1) - 1; len(waits) != want || stop != policy.StopCount {
			t.Errorf("%d in %d: %d retries, %s, want %d", inner, outer, len(waits), stop, want)
		}
	})
}

// A walk is a function of what it is fed: the same again gives the same.
func TestWalksAreRepeatable(t *testing.T) {
	r := under(t, counted("a", 4, 20*time.Second), nil)
	rapid.Check(t, func(t *rapid.T) {
		type failure struct {
			status int
			now    time.Duration
			u      float64
		}
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) failure {
			return failure{rapid.SampledFrom([]int{500, 503, 400}).Draw(t, "status"), time.Duration(rapid.IntRange(0, 30).Draw(t, "s")) * time.Second, rapid.Float64Range(0, 1).Draw(t, "u")}
		}), 1, 8).Draw(t, "failures")
		run := func() string {
			w, out := r.Begin(false), ""
			for _, f := range list {
				out += fmt.Sprintf("%+v\n", w.Fail(&transcript.Attempt{Status: f.status, RetryAfter: -1}, f.now, f.u))
			}
			return out
		}
		if a, b := run(), run(); a != b {
			t.Errorf("first %s then %s", a, b)
		}
	})
}

func TestBadSettingsOfAPolicy(t *testing.T) {
	p := counted("a", 1, 0)
	for id, want := range map[string]string{
		"a/retry.max_retries=-1":          `a/retry.max_retries: "-1" is not a whole number from 0 to 1000000, or none`,
		"a/retry.max_retries=x":           `a/retry.max_retries: "x" is not a whole number from 0 to 1000000, or none`,
		"a/retry.deadline_ms=99999999999": `a/retry.deadline_ms: "99999999999" is not a whole number of milliseconds from 0 to 2147483647`,
	} {
		name, value, _ := strings.Cut(id, "=")
		if _, err := p.At(detectors.Settings{name: value}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", id, err, want)
		}
	}
}

func TestFailureOf(t *testing.T) {
	for _, test := range []struct {
		a    transcript.Attempt
		want policy.Failure
	}{
		{transcript.Attempt{Status: 429}, policy.RateLimited},
		{transcript.Attempt{Status: 429, Type: "insufficient_quota"}, policy.QuotaEnded},
		{transcript.Attempt{Status: 529}, policy.Overloaded},
		{transcript.Attempt{Phase: "stream", Body: `{"type":"error","error":{"type":"overloaded_error"}}`}, policy.Overloaded},
		{transcript.Attempt{Status: 500}, policy.ServerFailed},
		{transcript.Attempt{Phase: "stream", Code: "502", Message: "Provider returned error"}, policy.ServerFailed},
		{transcript.Attempt{Code: "ECONNRESET"}, policy.NetworkFailed},
		{transcript.Attempt{Message: "Connection error."}, policy.NetworkFailed},
		{transcript.Attempt{Message: "socket hang up", Phase: "stream"}, policy.StreamFailed},
		{transcript.Attempt{Status: 400, Message: "prompt is too long: 9 tokens > 8 maximum"}, policy.ContextTooBig},
		{transcript.Attempt{Status: 413}, policy.ContextTooBig},
		{transcript.Attempt{Status: 401}, policy.NotAllowed},
		{transcript.Attempt{Status: 404}, policy.BadRequest},
		{transcript.Attempt{Name: "AbortError", Message: "aborted"}, policy.Cancelled},
		{transcript.Attempt{Message: "something odd"}, policy.OtherFailure},
		{transcript.Attempt{N: 1, Max: 10}, policy.Undescribed},
		{transcript.Attempt{Type: "unknown"}, policy.Undescribed},
		{transcript.Attempt{Type: "unknown", Message: "odd"}, policy.OtherFailure},
	} {
		if got := policy.FailureOf(&test.a); got != test.want {
			t.Errorf("%+v: %s, want %s", test.a, got, test.want)
		}
	}
}
