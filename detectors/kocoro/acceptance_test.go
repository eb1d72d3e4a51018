package kocoro

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// acceptance is the expectation of Kocoro's own acceptance corpus: where the
// first nudge and the first stop may lie, 0 for none.
var acceptance = map[string]struct{ nudgeFrom, nudgeTo, stop int }{
	"productive_multi_source_research":                  {0, 0, 0},
	"productive_browser_multistep":                      {0, 0, 0},
	"productive_distinct_http_batch":                    {0, 0, 0},
	"productive_same_args_polling_with_progress":        {0, 0, 0},
	"productive_alternating_observations_with_progress": {0, 0, 0},
	"loop_same_args_polling_without_progress":           {3, 3, 6},
	"loop_identical_polling":                            {3, 3, 4},
	"loop_ping_pong_without_progress":                   {6, 6, 9},
	"loop_repeated_validation_error":                    {0, 0, 3},
	"loop_varied_world_news_queries":                    {3, 5, 8},
	"known_gap_three_tool_cycle":                        {13, 13, 0},
	"known_gap_noisy_outcome_same_args":                 {12, 12, 0},
	"loop_misclassified_get_token_side_effect":          {3, 3, 4},
}

// TestAcceptance drives a Monitor event by event through the published corpus,
// as a live agent would: a vetoed call does not run.
func TestAcceptance(t *testing.T) {
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is not set: the acceptance corpus is not in the tree")
	}
	f, err := os.Open(filepath.Join(shared, "golden", "kocoro-head.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	passed := 0
	for lines.Scan() {
		var l struct {
			ID            string
			BatchTolerant []string `json:"batch_tolerant"`
			Calls         []goldenCall
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(l.ID, "acceptance/")
		want, known := acceptance[strings.TrimSuffix(name, "/admission")]
		if !ok || !known || !strings.HasSuffix(name, "/admission") || strings.Contains(name, "/production") {
			continue
		}
		nudge, stop := live(t, detectors.Settings{"kocoro.batch_tolerant": strings.Join(l.BatchTolerant, ",")}, l.Calls)
		if nudge < want.nudgeFrom || nudge > want.nudgeTo || stop != want.stop {
			t.Errorf("%s: first nudge %d, first stop %d, want %d to %d, and %d", name, nudge, stop, want.nudgeFrom, want.nudgeTo, want.stop)
			continue
		}
		passed++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if passed != len(acceptance) {
		t.Errorf("%d of %d traces pass", passed, len(acceptance))
	}
}

// live feeds calls to a monitor until the first veto or stop that a detector
// itself asks for. The nudge window is not part of the corpus.
func live(t *testing.T, set detectors.Settings, calls []goldenCall) (nudge, stop int) {
	t.Helper()
	m, err := detectors.NewMonitor(Presets[len(Presets)-1], set)
	if err != nil {
		t.Fatal(err)
	}
	hear := func(a detectors.Alarm, ok bool) {
		switch {
		case !ok:
		case a.Verdict >= detectors.Block && stop == 0:
			stop = int(a.Pos.Call)
		case a.Verdict == detectors.Nudge && nudge == 0:
			nudge = int(a.Pos.Call)
		}
	}
	var cur transcript.Cursor
	for i := range calls {
		step := &transcript.Step{Calls: []transcript.Call{calls[i].Signalled()}}
		for ev := range cur.Events(step) {
			hear(m.Observe(ev))
			if stop > 0 {
				return nudge, stop
			}
		}
	}
	return nudge, stop
}
