package kocoro_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay/transcript"
)

// settings turns a configuration of the reference into ours.
func settings(c Config) detectors.Settings {
	set := detectors.Settings{}
	for id, n := range map[string]int{
		"kocoro.window":                              c.Window,
		"kocoro/empty_think.force":                   c.EmptyThinkForce,
		"kocoro/validation_error.force":              c.ValidationErrorForce,
		"kocoro/consecutive_duplicate.nudge":         c.ConsecutiveDuplicateNudge,
		"kocoro/consecutive_duplicate.force_over":    c.ConsecutiveDuplicateForceOver,
		"kocoro/consecutive_duplicate.error_factor":  c.ConsecutiveDuplicateErrorFactor,
		"kocoro/exact_duplicate.nudge":               c.ExactDuplicateNudge,
		"kocoro/exact_duplicate.force_factor":        c.ExactDuplicateForceFactor,
		"kocoro/exact_duplicate.error_factor":        c.ExactDuplicateErrorFactor,
		"kocoro/same_tool_error.nudge":               c.SameToolErrorNudge,
		"kocoro/same_tool_error.force_factor":        c.SameToolErrorForceFactor,
		"kocoro/family_no_progress.nudge":            c.FamilyNoProgressNudge,
		"kocoro/family_no_progress.nudge2":           c.FamilyNoProgressNudge2,
		"kocoro/family_no_progress.force":            c.FamilyNoProgressForce,
		"kocoro/family_no_progress.repeatable_force": c.FamilyNoProgressRepeatableForce,
		"kocoro/family_no_progress.fallback_nudge":   c.FamilyNoProgressFallbackNudge,
		"kocoro/family_no_progress.fallback_force":   c.FamilyNoProgressFallbackForce,
		"kocoro/search_escalation.nudge":             c.SearchEscalationNudge,
		"kocoro/search_escalation.force":             c.SearchEscalationForce,
		"kocoro/no_progress.nudge":                   c.NoProgressNudge,
		"kocoro/no_progress.bash_nudge":              c.NoProgressBashNudge,
		"kocoro/no_progress.force_factor":            c.NoProgressForceFactor,
		"kocoro/no_progress.unique_percent":          c.NoProgressUniquePercent,
		"kocoro/sleep.nudge":                         c.SleepNudge,
		"kocoro/sleep.force":                         c.SleepForce,
		"kocoro/consecutive_duplicate.ro_nudge":      c.ConsecutiveDuplicateRONudge,
		"kocoro/consecutive_duplicate.ro_force":      c.ConsecutiveDuplicateROForce,
		"kocoro/ping_pong.nudge":                     c.PingPongNudge,
		"kocoro/ping_pong.force":                     c.PingPongForce,
		"kocoro/family_no_progress.stable_web_force": c.FamilyNoProgressStableWebForce,
		"kocoro/before_stable_read_only.force":       c.BeforeStableReadOnlyForce,
		"kocoro/before_ping_pong.force":              c.BeforePingPongForce,
		"kocoro/before_stable_web.force":             c.BeforeStableWebForce,
	} {
		set[id] = strconv.Itoa(n)
	}
	return set
}

// shuffle moves the numbers of a configuration around inside and beside their ranges.
func shuffle(c Config, r *rand.Rand) Config {
	if r.IntN(3) == 0 {
		return c // as published
	}
	pick := func(n *int, lo, hi int) {
		if r.IntN(2) == 0 {
			*n = lo + r.IntN(hi-lo+1)
		}
	}
	pick(&c.Window, 2, 60)
	pick(&c.EmptyThinkForce, 2, 4)
	pick(&c.ValidationErrorForce, 2, 6)
	pick(&c.ConsecutiveDuplicateNudge, 1, 8)
	pick(&c.ConsecutiveDuplicateForceOver, 1, 4)
	pick(&c.ConsecutiveDuplicateErrorFactor, 1, 4)
	pick(&c.ExactDuplicateNudge, 1, 10)
	pick(&c.ExactDuplicateForceFactor, 1, 4)
	pick(&c.ExactDuplicateErrorFactor, 1, 4)
	pick(&c.SameToolErrorNudge, 1, 12)
	pick(&c.SameToolErrorForceFactor, 1, 4)
	pick(&c.FamilyNoProgressNudge, 3, 9)
	c.FamilyNoProgressNudge2 = c.FamilyNoProgressNudge + r.IntN(5)
	c.FamilyNoProgressForce = c.FamilyNoProgressNudge2 + r.IntN(8)
	pick(&c.FamilyNoProgressRepeatableForce, 8, 20)
	pick(&c.FamilyNoProgressFallbackNudge, 5, 16)
	pick(&c.FamilyNoProgressFallbackForce, 5, 16)
	pick(&c.SearchEscalationNudge, 3, 16)
	pick(&c.SearchEscalationForce, 3, 16)
	pick(&c.NoProgressNudge, 6, 20)
	pick(&c.NoProgressBashNudge, 6, 20)
	pick(&c.NoProgressForceFactor, 1, 4)
	pick(&c.NoProgressUniquePercent, 25, 100)
	pick(&c.SleepNudge, 2, 8)
	pick(&c.SleepForce, 2, 8)
	pick(&c.ConsecutiveDuplicateRONudge, 2, 8)
	pick(&c.ConsecutiveDuplicateROForce, 2, 12)
	pick(&c.PingPongNudge, 4, 14)
	pick(&c.PingPongForce, 4, 14)
	pick(&c.FamilyNoProgressStableWebForce, 4, 12)
	pick(&c.BeforeStableReadOnlyForce, 2, 12)
	pick(&c.BeforePingPongForce, 4, 14)
	pick(&c.BeforeStableWebForce, 2, 12)
	if c.Preset == March2026 {
		// The first revision has one budget for errors and one for every tool,
		// which our parameters would let a user change.
		c.ConsecutiveDuplicateErrorFactor, c.ExactDuplicateErrorFactor = 1, 1
	}
	return c
}

// compare replays one generated sequence through both and reports the first difference.
func compare(t *testing.T, p *detectors.Preset, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	c := shuffle(Preset(p.Name), r)
	var batch []string
	if p.Name != March2026 {
		batch = [][]string{nil, {"http"}, {"bash", "file_read", "glob", "grep", "directory_list", "notion_list_pages"}}[r.IntN(3)]
	}
	seq := Generate(seed)
	head := p.Name == Head
	signals := head || r.IntN(2) == 0 // which of Kocoro's tools only read is not in the reference
	admission := head && r.IntN(2) == 0
	calls := make([]transcript.Call, len(seq))
	want, before := make([]kocoro.GoldenVerdict, len(seq)), make([]kocoro.GoldenVerdict, len(seq))
	d := NewWith(c, batch)
	for i, q := range seq {
		g := kocoro.GoldenCall{Name: q.Name, Args: q.Args, Result: &q.Result, IsError: q.IsError, ResultSig: q.ResultSig, NonActionable: q.NonActionable,
			OutcomeSig: q.OutcomeSig, ReadOnly: q.ReadOnly, Trusts: q.TrustsProgress}
		calls[i] = g.Plain()
		if signals || kocoro.ArgumentsString(q.Args) != q.Args {
			calls[i] = g.Signalled()
		}
		b := d.CheckBefore(q.Name, q.Args, q.ReadOnly)
		if before[i] = (kocoro.GoldenVerdict{Action: b.Action, Path: b.Path}); b.Action == "force_stop" {
			if before[i].Action = "block"; admission {
				want[i].Action = "blocked"
				continue
			}
		}
		d.Record(q)
		v := d.Check(q.Name)
		want[i] = kocoro.GoldenVerdict{Action: v.Action, Path: v.Path, Variant: v.Variant}
	}
	set := settings(c)
	set["kocoro.batch_tolerant"] = strings.Join(batch, ",")
	got, pre := kocoro.ReplayCalls(t, p, set, calls, admission)
	for i := range got {
		got[i].Numbers, pre[i].Numbers = nil, nil
		if !pre[i].Equal(before[i]) {
			t.Fatalf("%s seed %d before call %d (%s): got %v, want %v\n%+v", p.Name, seed, i+1, seq[i].Name, pre[i], before[i], c)
		}
		if !got[i].Equal(want[i]) {
			t.Fatalf("%s seed %d call %d (%s): got %v, want %v\n%+v", p.Name, seed, i+1, seq[i].Name, got[i], want[i], c)
		}
	}
}

func TestReference(t *testing.T) {
	for _, p := range kocoro.Presets {
		t.Run(p.Name, func(t *testing.T) {
			for seed := range uint64(1500) {
				compare(t, p, seed)
			}
		})
	}
}

func FuzzReference(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, p := range kocoro.Presets {
			compare(t, p, seed)
		}
	})
}

// FuzzDerivations feeds texts to what is derived from a call, here and in the
func FuzzDerivations(f *testing.F) {
	f.Add(`{"query":"Top news today, March 2, 2026"}`)
	f.Add("see https://a.example/x?y#z, https://b.example/.")
	f.Add(`"{\"b\":1.0,\"a\":[1e3]}" x`)
	f.Add("[validation error] " + strings.Repeat("é\xff", 80))
	f.Add(`{"b" : [1, {"z":"\n\"","a":-0.5e+3}, true] , "a":null,"é":" <"}`)
	f.Add("Binary file a matches\nBinary file b matches\n")
	f.Fuzz(func(t *testing.T, s string) {
		same := func(what string, got, want any) {
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s(%q) = %q, want %q", what, s, got, want)
			}
		}
		same("argumentsString", kocoro.ArgumentsString(s), ArgumentsString(s))
		same("resultSignature", kocoro.ResultSignature(s), ResultSignature(s))
		same("appendArguments", string(kocoro.AppendArguments(nil, s)), ArgumentsString(s))
		same("validationMarker", strings.HasPrefix(s, kocoro.ValidationMarker), strings.HasPrefix(ErrorSig(s), kocoro.ValidationMarker))
		same("isReadMCPName", kocoro.IsReadMCPName(s), IsReadMCPName(s))
		same("family", kocoro.FamilyOf(s), ToolFamily(July2026, s))
		same("isSleep", kocoro.IsSleep("bash", s), IsSleepCommand(s))
		same("isEmptyThink", kocoro.IsEmptyThink("think", s), IsEmptyThinkInput("think", s))
		same("isFruitless", kocoro.IsFruitless(s, false, false), NonActionable(July2026, "grep", s, false))
		if !strings.ContainsAny(s, "eE") { // a number beyond float64 is read differently; the description leaves it open
			same("normalizeWebQuery", kocoro.NormalizeWebQuery(s), NormalizeWebQuery(s))
			same("normalizeJSON", kocoro.NormalizeJSON(s), NormalizeJSON(s))
		}
	})
}
