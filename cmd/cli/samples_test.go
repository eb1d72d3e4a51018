package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/replay/cut"
)

// Fires in real recordings say where their deltas come from. No sample repeats
// itself twenty times, so the monitor is asked for less.
func TestSamplesSayWhereDeltasComeFrom(t *testing.T) {
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is not set: no samples")
	}
	type line struct {
		View, Phase, Deltas string
		Jitter              *struct {
			Splitters map[string]*int
		}
		Saved *struct {
			Chars  int64
			Tokens int64
			By     string `json:"tokens_by"`
		}
	}
	fires := func(dir string) (list []line) {
		args := []string{"replay", filepath.Join(shared, "samples", dir), "-q", "-p", "mimo-2026-09", "--format", "jsonl", "--set", "text_ngram_repeat.threshold=2",
			"--set", "text_ngram_repeat.n=1", "--set", "text_ngram_repeat.min_distinct=1"}
		for l := range strings.Lines(output(t, args)) {
			var f line
			if err := json.Unmarshal([]byte(l), &f); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			if f.Phase == "stream" {
				list = append(list, f)
			}
		}
		return list
	}
	list := fires("claude_code")
	if len(list) == 0 {
		t.Error("nothing fires in sessions of Claude Code")
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Deltas, "reconstructed:") || f.Jitter == nil || len(f.Jitter.Splitters) != len(cut.Apart()) || f.Saved == nil {
			t.Errorf("%+v", f)
		}
		if f.Saved != nil && f.Saved.Chars > 100 && f.Saved.Tokens == 0 {
			t.Errorf("%d characters are %d tokens by %s", f.Saved.Chars, f.Saved.Tokens, f.Saved.By)
		}
	}
	// Whole streams were recorded there: what fires, fires at a recorded delta.
	for _, dir := range []string{"sse_openai", "sse_anthropic", "sse_responses"} {
		for _, f := range fires(dir) {
			if f.Deltas != "recorded" {
				t.Errorf("%s: deltas %q", dir, f.Deltas)
			}
		}
	}
}
