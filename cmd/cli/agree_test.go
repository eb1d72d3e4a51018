package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The fires of jsonl add up to those of the tables, by the rule that `groundhog
// help views` gives: a run's count ends with the step of the first stop that a
// path asked for itself.
func TestFiresAddUp(t *testing.T) {
	const presets = "kocoro-2026-03,kocoro-pre-sleep-removal,kocoro-4ec6772,kocoro-head,mimo-2026-09,mimo-head"
	print := func(format string) string {
		return output(t, []string{"replay", "--demo", "--preset", presets, "--format", format})
	}
	got := make(map[string]int)
	stops := make(map[string]int) // step, by run
	for line := range strings.Lines(print("jsonl")) {
		var f struct {
			Preset, Session, Detector, Verdict, Delivered string
			Run, Step                                     int
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		run := fmt.Sprint(f.Preset, " ", f.Session, " ", f.Run)
		if at, stopped := stops[run]; stopped && f.Step > at {
			continue
		} else if !stopped && f.Verdict == "force_stop" && f.Delivered == "force_stop" {
			stops[run] = f.Step
		}
		_, short, _ := strings.Cut(f.Detector, "/")
		got[f.Preset+" "+short]++
	}
	var report struct {
		Sections []struct {
			Title string
			Rows  []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(print("json")), &report); err != nil {
		t.Fatal(err)
	}
	want := make(map[string]int)
	for _, s := range report.Sections {
		for _, row := range s.Rows {
			path, ok := row["path"].(string)
			fires, number := row["fires"].(float64)
			if !ok || !number || fires == 0 {
				continue
			}
			preset, _, _ := strings.Cut(strings.TrimSuffix(s.Title, ":"), " ")
			path, _, _ = strings.Cut(path, " ")
			want[strings.TrimSuffix(preset, ":")+" "+path] = int(fires)
		}
	}
	if len(want) < 20 {
		t.Errorf("%d rows of tables: too few to say much", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fires (-tables +jsonl):\n%s", diff)
	}
}
