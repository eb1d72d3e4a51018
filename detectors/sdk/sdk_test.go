package sdk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"groundhog/detectors/policy"
	"groundhog/detectors/sdk"
	"groundhog/replay/transcript"
)

// run walks a policy over the same failure and prints kind of stop and the range
// of every wait.
func run(t *testing.T, name string, a transcript.Attempt, most int) string {
	t.Helper()
	p := policy.Find(name, sdk.Policies)
	if p == nil {
		t.Fatalf("no policy %s", name)
	}
	r, err := p.At(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	walks := [3]*policy.Walk{r.Begin(false), r.Begin(false), r.Begin(false)}
	var now [3]time.Duration
	for range most {
		var waits [3]time.Duration
		for i, u := range []float64{0, 0.5, 1} {
			all := walks[i].Fail(&a, now[i], u)
			last := all[len(all)-1]
			if last.Stop != "" {
				return strings.Join(append(out, string(last.Stop)), " ")
			}
			waits[i] = last.Wait
			now[i] += last.Wait
		}
		text := fmt.Sprint(waits[1])
		if waits[0] != waits[2] {
			text = fmt.Sprintf("%v..%v", waits[0], waits[2])
		}
		out = append(out, text)
	}
	return strings.Join(append(out, "…"), " ")
}

func status(n int, headers ...string) transcript.Attempt {
	a := transcript.Attempt{Status: n, RetryAfter: -1, Delay: -1}
	for i := 0; i < len(headers); i += 2 {
		a.Headers = append(a.Headers, transcript.Header{Name: headers[i], Value: headers[i+1]})
	}
	return a
}

// The numbers of each policy, row by row.
func TestPolicies(t *testing.T) {
	reset := transcript.Attempt{Code: "ECONNRESET", RetryAfter: -1, Delay: -1}
	broken := transcript.Attempt{Message: "socket hang up", Phase: "stream", RetryAfter: -1, Delay: -1}
	for _, test := range []struct {
		policy string
		a      transcript.Attempt
		want   string
	}{
		{"openai-sdk", status(500), "375ms..500ms 750ms..1s count"},
		{"openai-sdk", status(429, "retry-after", "90"), "1m30s 1m30s count"},
		{"openai-sdk", status(429, "retry-after-ms", "1500", "retry-after", "90"), "1.5s 1.5s count"},
		{"openai-sdk", status(400), "terminal"},
		{"openai-sdk", status(400, "x-should-retry", "true"), "375ms..500ms 750ms..1s count"},
		{"openai-sdk", status(500, "x-should-retry", "false"), "terminal"},
		{"openai-sdk", reset, "375ms..500ms 750ms..1s count"},
		{"openai-sdk", broken, "terminal"},
		{"anthropic-sdk", status(529), "375ms..500ms 750ms..1s count"},
		{"vercel-ai", status(503), "2s 4s count"},
		{"vercel-ai", status(429, "Retry-After", "30"), "30s 30s count"},
		{"vercel-ai", status(429, "retry-after", "61"), "2s 4s count"},
		{"litellm", status(429, "retry-after", "61"), "375ms..500ms count"},
		{"litellm", status(429, "retry-after", "20"), "20s count"},
		{"gemini-cli", status(503), "3.5s..6.5s 7s..13s 14s..26s 21s..39s 21s..39s 21s..39s 21s..39s 21s..39s 21s..39s count"},
		{"gemini-cli", status(429, "retry-after", "60"), "1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s 1m0s..1m12s count"},
		{"gemini-cli", status(429, "retry-after", "301"), "terminal"},
		{"gemini-cli", status(400), "terminal"},
		{"gemini-cli", broken, "1s 2s 4s count"},
		{"codex", status(500), "180ms..220ms 360ms..440ms 720ms..880ms 1.44s..1.76s count"},
		{"codex", status(429), "terminal"},
		{"codex", broken, "180ms..220ms 360ms..440ms 720ms..880ms 1.44s..1.76s 2.88s..3.52s count"},
		{"aws-standard", status(503), "0s..50ms 0s..100ms count"},
		{"aws-standard", status(429), "0s..1s 0s..2s count"},
		{"aws-standard", status(501), "terminal"},
		{"gax-go", status(503), "0s..1s 0s..2s 0s..4s …"},
		{"gax-go", status(500), "terminal"},
		{"claude-code", status(529), "500ms..625ms 1s..1.25s 2s..2.5s …"},
		{"claude-code", status(429, "retry-after", "61"), "terminal"},
		{"goose", status(429), "800ms..1.2s 1.6s..2.4s 3.2s..4.8s count"},
		{"goose", status(500), "terminal"},
		{"openhands", status(500), "8s 16s 32s 1m4s count"},
		{"crush", status(500), "5s 10s 20s count"},
		{"strands", status(429), "4s 8s 16s 32s 1m4s count"},
		{"aider", status(500), "250ms 500ms 1s 2s 4s 8s 16s 32s count"},
		{"roo-code", status(400), "5s 10s 20s …"},
		{"continue", status(429), "1s 2s 4s 8s count"},
	} {
		most := 12
		if strings.HasSuffix(test.want, "…") {
			most = 3
		}
		if got := run(t, test.policy, test.a, most); got != test.want {
			t.Errorf("%s on %d %s %v: %s, want %s", test.policy, test.a.Status, test.a.Message, test.a.Headers, got, test.want)
		}
	}
}

// Every policy has what a reader of the list needs, and its own parameters.
func TestEveryPolicy(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range sdk.Policies {
		if p.Doc == "" || p.Source == "" || seen[p.Name] {
			t.Errorf("%s: doc %q, source %q, twice %v", p.Name, p.Doc, p.Source, seen[p.Name])
		}
		seen[p.Name] = true
		for _, q := range p.Params() {
			if !strings.HasPrefix(q.ID, p.Name+"/retry.") || q.Doc == "" {
				t.Errorf("%s: parameter %q %q", p.Name, q.ID, q.Doc)
			}
		}
	}
}
