package retry_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/policy"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/retry"
	"groundhog/replay/transcript"
)

// requests replays steps and returns what the session asked of its models.
func requests(t testing.TB, steps ...*transcript.Step) *retry.Requests {
	t.Helper()
	plan, err := replay.NewPlan(replay.Question{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	u := &formats.Unit{Session: &transcript.Session{ID: "s"}, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, s := range steps {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
	var found *retry.Requests
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
		found = o.Requests
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var noon = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// failed is a request that failed so long after noon, and what the client waited.
func failed(status int, after, wait time.Duration) transcript.Attempt {
	return transcript.Attempt{Status: status, Message: "m", Time: noon.Add(after), Delay: wait, RetryAfter: -1}
}

func answer(at time.Duration, attempts ...transcript.Attempt) *transcript.Step {
	return &transcript.Step{Attempts: attempts, Time: noon.Add(at), Parts: []transcript.Part{{Text: "ok"}}, Finish: transcript.FinishStop}
}

func givenUp(attempts ...transcript.Attempt) *transcript.Step {
	return &transcript.Step{Attempts: attempts, Flags: transcript.Synthetic}
}

func describe(e *retry.Episode) string {
	s := fmt.Sprintf("%s %d recovered=%v end=%v known=%v clock=%v", e.Kind, len(e.Failures), e.Recovered, e.End, e.EndKnown, e.Clock)
	for _, f := range e.Failures {
		s += fmt.Sprintf(" %s@%v+%v", f.Segment, f.At, f.Took)
	}
	return s
}

func TestEpisodes(t *testing.T) {
	clockless := func(a transcript.Attempt) transcript.Attempt { a.Time = time.Time{}; return a }
	stream := failed(0, 3*time.Second, time.Second)
	stream.Phase, stream.Code = "stream", "ECONNRESET"
	second := failed(500, 9*time.Second, 0)
	second.N = 1
	first := failed(500, 0, 0)
	first.N = 1
	apiError := &transcript.Step{Flags: transcript.Synthetic | transcript.ErrorMessage, Time: noon.Add(time.Minute),
		Parts: []transcript.Part{{Text: `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}}}
	for _, test := range []struct {
		name    string
		steps   []*transcript.Step
		logical int
		want    []string
	}{
		{"an answer is no episode", []*transcript.Step{answer(0)}, 1, nil},
		{"failures and an answer", []*transcript.Step{answer(9*time.Second, failed(503, 0, time.Second), failed(503, 3*time.Second, 4*time.Second))}, 1,
			[]string{"server 2 recovered=true end=7s known=true clock=true request@0s+0s request@3s+2s"}},
		{"without waits the answer's own time ends it", []*transcript.Step{answer(9*time.Second, failed(503, 0, -1))}, 1,
			[]string{"server 1 recovered=true end=9s known=true clock=true request@0s+0s"}},
		{"without times the waits add up", []*transcript.Step{answer(0, clockless(failed(503, 0, time.Second)), clockless(failed(503, 0, 2*time.Second)))}, 1,
			[]string{"server 2 recovered=true end=3s known=true clock=false request@0s+0s request@1s+0s"}},
		{"without either nothing is known", []*transcript.Step{answer(0, clockless(failed(503, 0, -1)), clockless(failed(503, 0, -1)))}, 1,
			[]string{"server 2 recovered=true end=0s known=false clock=false request@0s+0s request@0s+0s"}},
		{"a give-up", []*transcript.Step{givenUp(failed(429, 0, time.Second), failed(429, time.Second, -1)), answer(time.Minute)}, 2,
			[]string{"rate_limit 2 recovered=false end=1s known=true clock=true request@0s+0s request@1s+0s"}},
		{"two segments of one episode", []*transcript.Step{answer(time.Minute, failed(503, 0, time.Second), stream)}, 1,
			[]string{"server 2 recovered=true end=4s known=true clock=true request@0s+0s stream@3s+2s"}},
		{"an agent that counts from the beginning makes another request", []*transcript.Step{answer(time.Minute, first, second)}, 2,
			[]string{"server 1 recovered=false end=0s known=true clock=true request@0s+0s", "server 1 recovered=true end=0s known=true clock=true request@0s+0s"}},
		{"the error in the place of an answer is the last failure", []*transcript.Step{apiError}, 1,
			[]string{"overloaded 1 recovered=false end=0s known=true clock=true request@0s+0s"}},
		{"an answer that broke off", []*transcript.Step{{Attempts: []transcript.Attempt{stream}, Finish: transcript.FinishError}}, 1,
			[]string{"stream 1 recovered=false end=0s known=true clock=true stream@0s+0s"}},
		{"steps of another session do not count", []*transcript.Step{{Attempts: []transcript.Attempt{stream}, Flags: transcript.Context}}, 0, nil},
	} {
		r := requests(t, test.steps...)
		var got []string
		for i := range r.Episodes {
			got = append(got, describe(&r.Episodes[i]))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", test.want) || r.Logical != test.logical {
			t.Errorf("%s: %d requests\n got %q\nwant %q", test.name, r.Logical, got, test.want)
		}
	}
}

func retrier(t testing.TB, name string, set detectors.Settings) *policy.Retrier {
	t.Helper()
	r, err := policy.Find(name, catalog.Policies).At(set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Cases where the two clocks agree and where they do not.
func TestTwoClocks(t *testing.T) {
	hinted := failed(429, 0, 30*time.Second)
	hinted.RetryAfter = 30 * time.Second
	called := failed(0, 0, time.Second)
	called.Code, called.Phase, called.AfterCall = "ECONNRESET", "stream", true
	for _, test := range []struct {
		name, policy string
		step         *transcript.Step
		want         string
	}{
		{"as many attempts, late enough", "vercel-ai", answer(time.Minute, failed(503, 0, time.Second)), "recovered recovered/recovered firm=true 2s requests=2"},
		{"enough attempts, too early", "openai-sdk", answer(time.Minute, failed(503, 0, 20*time.Second)), "recovered recovered/lost firm=false 437.5ms requests=2"},
		{"too few attempts, late enough", "vercel-ai", answer(time.Minute, failed(503, 0, time.Second), failed(503, time.Second, time.Second), failed(503, 2*time.Second, time.Second), failed(503, 3*time.Second, time.Second)),
			"count lost/recovered firm=false 6s requests=3"},
		{"neither", "litellm", answer(time.Hour, failed(503, 0, time.Minute), failed(503, time.Minute, time.Minute)), "count lost/lost firm=true 437.5ms requests=2"},
		{"the record gave up first", "opencode-1.14.19", givenUp(failed(503, 0, time.Second)), "open unknown/unknown firm=false 2s requests=1"},
		{"the policy gave up first", "openai-sdk", givenUp(failed(401, 0, time.Second), failed(401, time.Second, -1)), "terminal lost/lost firm=true 0s requests=1"},
		{"a hint decides", "openai-sdk", answer(time.Minute, hinted), "recovered recovered/recovered firm=true 30s requests=2"},
		{"after a tool call", "mimo-2026-09", answer(time.Minute, called), "unsafe lost/lost firm=true 0s requests=1"},
		{"after a tool call, without a test for it", "opencode-1.14.19", answer(time.Minute, called), "recovered recovered/recovered firm=true 2s requests=2 unsafe=1"},
	} {
		r := requests(t, test.step)
		o := retry.Run(retrier(t, test.policy, nil), &r.Episodes[0])
		got := fmt.Sprintf("%s %s/%s firm=%v %v requests=%d", o.Stop, o.ByAttempt, o.ByTime, o.Firm(), o.Total.Expect, o.Requests)
		if o.Unsafe > 0 {
			got += fmt.Sprintf(" unsafe=%d", o.Unsafe)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A persistent 503 costs MiMo Code of 2026-09 up to (4+1)(8+1) requests, and an SDK
// below it three times as many.
func TestWorstRequests(t *testing.T) {
	r := requests(t, answer(time.Second, failed(503, 0, time.Second)))
	mimo := retrier(t, "mimo-2026-09", nil)
	for want, p := range map[int]*policy.Retrier{45: mimo, 135: retrier(t, "openai-sdk", nil).Stack(mimo), 3: retrier(t, "openai-sdk", nil)} {
		if o := retry.Run(p, &r.Episodes[0]); o.Worst != want || o.Endless {
			t.Errorf("%s: %d requests, endless %v, want %d", p.Name, o.Worst, o.Endless, want)
		}
	}
	if o := retry.Run(retrier(t, "opencode-1.14.19", nil), &r.Episodes[0]); !o.Endless {
		t.Errorf("OpenCode stops after %d", o.Worst)
	}
}

// drawn makes episodes of all kinds.
var drawn = rapid.Custom(func(t *rapid.T) *transcript.Step {
	now := time.Duration(0)
	var list []transcript.Attempt
	for i := range rapid.IntRange(1, 8).Draw(t, "failures") {
		now += time.Duration(rapid.IntRange(0, 90).Draw(t, "after")) * time.Second
		a := failed(rapid.SampledFrom([]int{0, 400, 401, 408, 429, 500, 503, 529}).Draw(t, "status"), now, time.Duration(rapid.IntRange(-1, 60).Draw(t, "wait"))*time.Second)
		a.N = i + 1
		a.Code = rapid.SampledFrom([]string{"", "ECONNRESET"}).Draw(t, "code")
		a.Phase = rapid.SampledFrom([]string{"", "request", "stream"}).Draw(t, "phase")
		a.AfterCall = rapid.IntRange(0, 9).Draw(t, "call") == 0
		a.RetryAfter = time.Duration(rapid.SampledFrom([]int{-1, -1, 0, 5, 1000}).Draw(t, "asked")) * time.Second
		if rapid.IntRange(0, 9).Draw(t, "clockless") == 0 {
			a.Time = time.Time{}
		}
		list = append(list, a)
	}
	if rapid.Bool().Draw(t, "recovers") {
		return answer(now+time.Minute, list...)
	}
	return givenUp(list...)
})

// What holds for every policy on every episode.
func TestRetryInvariants(t *testing.T) {
	var all []*policy.Retrier
	for _, p := range catalog.Policies {
		all = append(all, retrier(t, p.Name, nil))
	}
	all = append(all, retrier(t, "openai-sdk", nil).Stack(retrier(t, "claude-code", nil)))
	rapid.Check(t, func(rt *rapid.T) {
		r := requests(t, drawn.Draw(rt, "step"))
		p := rapid.SampledFrom(all).Draw(rt, "policy")
		for i := range r.Episodes {
			e := &r.Episodes[i]
			o := retry.Run(p, e)
			if len(o.Steps) > len(e.Failures) || o.Requests > len(e.Failures)+1 || o.Requests < 1 {
				rt.Errorf("%s: %d steps and %d requests of %d failures", p.Name, len(o.Steps), o.Requests, len(e.Failures))
			}
			if (o.Stop == retry.StopRecovered) != (o.ByAttempt == retry.Recovered) || o.ByAttempt == retry.Recovered && !e.Recovered || o.ByTime == retry.Recovered && !e.Recovered {
				rt.Errorf("%s: %s, %s by attempt, %s by time, of an episode that recovered: %v", p.Name, o.Stop, o.ByAttempt, o.ByTime, e.Recovered)
			}
			for k := range o.Steps {
				w := o.Steps[k].Wait
				if w.Least > w.Expect || w.Expect > w.Most {
					rt.Errorf("%s: waits %v", p.Name, w)
				}
				if stops := o.Steps[k].Stop != ""; stops && k != len(o.Steps)-1 {
					rt.Errorf("%s goes on after it stopped", p.Name)
				}
			}
			if !o.Endless && o.Worst < len(o.Steps) {
				rt.Errorf("%s: at worst %d requests, and %d steps", p.Name, o.Worst, len(o.Steps))
			}
			if len(o.Sent) > o.Requests-1 {
				rt.Errorf("%s: %d retries sent of %d requests", p.Name, len(o.Sent), o.Requests)
			}
		}
	})
}

// More retries never lose an episode that fewer came through, by attempts.
func TestMoreRetriesLoseNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := requests(t, drawn.Draw(rt, "step"))
		n := rapid.IntRange(0, 8).Draw(rt, "retries")
		few := retrier(t, "openai-sdk", detectors.Settings{"openai-sdk/retry.max_retries": fmt.Sprint(n)})
		more := retrier(t, "openai-sdk", detectors.Settings{"openai-sdk/retry.max_retries": fmt.Sprint(n + 1)})
		for i := range r.Episodes {
			a, b := retry.Run(few, &r.Episodes[i]), retry.Run(more, &r.Episodes[i])
			if a.ByAttempt == retry.Recovered && b.ByAttempt != retry.Recovered || b.Total.Expect < a.Total.Expect {
				rt.Errorf("%d retries: %s %v, one more: %s %v", n, a.Stop, a.Total, b.Stop, b.Total)
			}
		}
	})
}
