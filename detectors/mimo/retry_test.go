package mimo_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors"
	"groundhog/detectors/mimo"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// A policyRecord is a sequence of failures on a clock of its own: took_ms
// passes before each, then the wait.
type policyRecord struct {
	ID     string                    `json:"id"`
	Preset string                    `json:"preset"`
	Scope  string                    `json:"scope"`
	Main   bool                      `json:"main"`
	Config jsontext.Value            `json:"config"`
	Errors map[string]jsontext.Value `json:"errors"`
	Seq    []struct {
		Error  string  `json:"error"`
		Took   int64   `json:"took_ms"`
		Safe   bool    `json:"replay_safe"`
		Random float64 `json:"random"`
	} `json:"seq"`
	Out []struct {
		Attempt int    `json:"attempt"`
		Wait    int64  `json:"wait_ms"`
		Silent  bool   `json:"silent"`
		Kind    string `json:"kind"`
		Phase   string `json:"phase"`
		Most    int    `json:"max_attempts"`
		Stop    bool   `json:"stop"`
	} `json:"out"`
	Notices []string `json:"notices"`
}

// policyRecords reads all of the shared data where it is there, else the sample.
func policyRecords(t *testing.T) (list []policyRecord) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "mimo-retry-policy.jsonl.gz"))
	if dir := os.Getenv("GROUNDHOG_SHARED"); dir != "" {
		if data, err = os.ReadFile(filepath.Join(dir, "golden", "mimo-retry-policy.jsonl")); err != nil {
			t.Fatalf("GROUNDHOG_SHARED is set: %v", err)
		}
	} else if err == nil {
		z, e := gzip.NewReader(bytes.NewReader(data))
		if e != nil {
			t.Fatal(e)
		}
		data, err = io.ReadAll(z)
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r policyRecord
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if len(list) < 20 {
		t.Errorf("only %d records", len(list))
	}
	return list
}

// The stream policy on every recorded sequence, with the recorded draws: each
// wait, each kind and the place where it stops.
func TestGoldenPolicy(t *testing.T) {
	n := 0
	for _, rec := range policyRecords(t) {
		cfg, err := mimo.ReadRetryConfig(rec.Config)
		if err != nil {
			t.Errorf("%s: %v", rec.ID, err)
			continue
		}
		// The records come from the code, which does not look at metadata.
		r, err := policy.Find(rec.Preset, mimo.WithConfig(cfg, "")).At(detectors.Settings{"mimo/retry.network_by_metadata": "false"})
		if err != nil {
			t.Fatal(err)
		}
		w := r.Begin(!rec.Main)
		now := time.Duration(0)
		for i, f := range rec.Seq {
			now += time.Duration(f.Took) * time.Millisecond
			a := &transcript.Attempt{Error: string(rec.Errors[f.Error]), Phase: "stream", Scope: rec.Scope, AfterCall: !f.Safe,
				RetryAfter: -1, Delay: -1, Time: time.UnixMilli(1788000000000).Add(now)}
			answers := w.Fail(a, now, f.Random)
			if len(answers) != 1 {
				t.Fatalf("%s failure %d: %d answers", rec.ID, i+1, len(answers))
			}
			n++
			got := answers[0]
			want := rec.Out[i]
			if want.Stop != (got.Stop != "") || got.Retry != want.Attempt {
				t.Errorf("%s failure %d: attempt %d stops for %q, want attempt %d, stop %v", rec.ID, i+1, got.Retry, got.Stop, want.Attempt, want.Stop)
				break
			}
			if want.Stop {
				if notice := got.Decision.Notice != "" && rec.Main; notice != (len(rec.Notices) > 0) {
					t.Errorf("%s: notice %q, want %q", rec.ID, got.Decision.Notice, rec.Notices)
				}
				break
			}
			if want.Silent { // nothing is published
				want.Kind, want.Phase, want.Most = got.Decision.Kind, got.Decision.Phase, max(got.Most, 0)
			}
			have := fmt.Sprintf("%s %s %d %v %d", got.Decision.Kind, got.Decision.Phase, max(got.Most, 0), got.Silent, got.Wait/time.Millisecond)
			if wish := fmt.Sprintf("%s %s %d %v %d", want.Kind, want.Phase, want.Most, want.Silent, want.Wait); have != wish {
				t.Errorf("%s failure %d: %s, want %s", rec.ID, i+1, have, wish)
				break
			}
			now += got.Wait
		}
	}
	t.Logf("%d failures", n)
}
