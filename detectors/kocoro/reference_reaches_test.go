package kocoro_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		a, b := Generate(seed), Generate(seed)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d gives two sequences", seed)
		}
		if len(a) < 30 || len(a) > 120 {
			t.Errorf("seed %d gives %d calls", seed, len(a))
		}
	}
}

// A differential test is worth what its inputs reach.
func TestGenerateReachesEveryVerdict(t *testing.T) {
	always := []string{
		"continue",
		"nudge tool_mode_switch",
		"nudge success_after_error",
		"nudge consecutive_duplicate", "force_stop consecutive_duplicate",
		"nudge exact_duplicate", "force_stop exact_duplicate",
		"nudge same_tool_error", "force_stop same_tool_error",
		"nudge family_no_progress nudge1", "nudge family_no_progress nudge2", "force_stop family_no_progress force",
		"nudge family_no_progress fallback", "force_stop family_no_progress fallback",
		"nudge search_escalation", "force_stop search_escalation",
		"nudge no_progress",
	}
	only := map[string][]string{
		March2026:       {"force_stop no_progress", "nudge sleep", "force_stop sleep"},
		PreSleepRemoval: {"force_stop empty_think", "nudge sleep", "force_stop sleep"},
		July2026:        {"force_stop empty_think", "force_stop validation_error"},
		Head: {
			"force_stop empty_think", "force_stop validation_error", "nudge ping_pong", "force_stop ping_pong",
			"force_stop family_no_progress stable_web", "force_stop before_stable_read_only",
			"force_stop before_ping_pong", "force_stop before_stable_web",
		},
	}
	tolerant := []string{"bash", "directory_list", "file_read", "glob", "grep", "notion_list_pages"}
	for _, preset := range []string{March2026, PreSleepRemoval, July2026, Head} {
		count := map[string]int{}
		for seed := range uint64(300) {
			d := New(preset, tolerant)
			for _, c := range Generate(seed) {
				for _, v := range answers(d, c, false) {
					key := v.Action
					for _, word := range []string{v.Path, v.Variant} {
						if word != "" {
							key = fmt.Sprint(key, " ", word)
						}
					}
					count[key]++
				}
			}
		}
		for _, key := range slices.Concat(always, only[preset]) {
			t.Logf("%s: %5d %s", preset, count[key], key)
			if count[key] < 20 {
				t.Errorf("%s: %q in %d of 300 sequences' verdicts, want 20 or more", preset, key, count[key])
			}
			delete(count, key)
		}
		if len(count) > 0 {
			t.Errorf("%s: unreachable verdicts: %v", preset, count)
		}
	}
}
