package vet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/replay"
)

func check(t *testing.T, preset string, set detectors.Settings, finders ...Finder) []Finding {
	t.Helper()
	return checkPreset(t, catalog.Find(preset, catalog.Presets), set, finders...)
}

func checkPreset(t *testing.T, p *detectors.Preset, set detectors.Settings, finders ...Finder) []Finding {
	t.Helper()
	s, err := NewSubject(replay.Config{Preset: p, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Check(t.Context(), s, finders)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// says reports what findings of a rule say about a place.
func says(list []Finding, rule, where string) string {
	var out []string
	for _, f := range list {
		if f.Rule == "vet/"+rule && (f.Where == where || where == "") {
			out = append(out, f.What+" | "+f.Rests+" | "+f.Do)
		}
	}
	return strings.Join(out, "\n")
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("want %q in\n%s", p, got)
		}
	}
}

func TestKocoroInJuly(t *testing.T) {
	list := check(t, "kocoro-4ec6772", nil, Finders()...)
	wants(t, says(list, "unreachable", "kocoro/no_progress"),
		"force_stop cannot happen", "it needs 24 calls or 32 calls (bash)", "the longest of 20 calls",
		"kocoro.window=24", "kocoro/no_progress.nudge=10", "kocoro/no_progress.force_factor=1", "bash: kocoro.window=32")
	wants(t, says(list, "shadowed", "kocoro/exact_duplicate"),
		"force_stop, every call failed,", "consecutive_duplicate had stopped the run", "no proof")
	effect := says(list, "no_effect", "kocoro.batch_tolerant")
	wants(t, effect, "glob in this set", "grep in this set", "http is exempt in the agent's constructor")
	for _, name := range []string{"bash in", "file_read in", "directory_list in"} {
		if strings.Contains(effect, name) {
			t.Errorf("%s the set has an effect:\n%s", name, effect)
		}
	}
	wants(t, says(list, "uncovered", ""), "distinct arguments", "no path speaks", "nudged at call 12 and stopped at 14")
	if len(list) != 6 {
		t.Errorf("%d findings, want 6: %v", len(list), list)
	}
}

// What is unreachable in a window of 20 is not in a larger one, nor was it in March.
func TestReachMoves(t *testing.T) {
	for _, c := range []struct {
		preset string
		set    detectors.Settings
	}{
		{"kocoro-2026-03", nil},
		{"kocoro-4ec6772", detectors.Settings{"kocoro.window": "32"}},
		{"kocoro-4ec6772", detectors.Settings{"kocoro/no_progress.nudge": "10", "kocoro/no_progress.bash_nudge": "10"}},
	} {
		if got := says(check(t, c.preset, c.set, unreachable), "unreachable", "kocoro/no_progress"); got != "" {
			t.Errorf("%s under %v: %s", c.preset, c.set, got)
		}
	}
	// Half-way: with 24 the stop can happen, and not for bash.
	got := says(check(t, "kocoro-4ec6772", detectors.Settings{"kocoro.window": "24"}, unreachable), "unreachable", "kocoro/no_progress")
	wants(t, got, "force_stop cannot happen: bash", "it needs 32 calls")
}

// What a finding says to do does what it says.
func TestRemediesHelp(t *testing.T) {
	for _, p := range catalog.Presets {
		s, err := NewSubject(replay.Config{Preset: p})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Paths {
			path := &s.Paths[i]
			if !path.Bounded {
				continue
			}
			gaps, err := s.gaps(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range gaps {
				for _, r := range g.remedies {
					with, _, err := path.Detector.Reach(s.Set.With(detectors.Settings{r.id: s.nearest(path, g.Key, r)}))
					if err != nil || !containsKey(keys(with), g.Key) {
						t.Errorf("%s: %v does not happen with %s=%s", path.Detector.Name, g.Key, r.id, s.nearest(path, g.Key, r))
					}
				}
				if g.Case.N > 28 {
					break // one after the other
				}
			}
		}
	}
}

func TestOtherFindings(t *testing.T) {
	wants(t, says(check(t, "mimo-2026-09", nil, unreachable), "unreachable", "mimo/text_ngram_repeat"),
		"the tokens of a block: 26 or more", "it needs 520 tokens", "window=520", "threshold=19")
	wants(t, says(check(t, "mimo-2026-09", nil, nudgesOnly), "nudge_only", "mimo/repeated_action"), "nothing ever turns its nudges into a stop")
	wants(t, says(check(t, "kocoro-head", nil, unreachable), "unreachable", "kocoro/before_stable_web"), "block cannot happen", "kocoro.web_read_only=true")
	wants(t, says(check(t, "kocoro-head", detectors.Settings{"kocoro/ping_pong.nudge": "7"}, unreachable), "unreachable", "kocoro/ping_pong"), "nudge cannot happen", "nudge=6")
	off := check(t, "kocoro-4ec6772", detectors.Settings{"kocoro/nudge_window.count": "0"}, nudgesOnly)
	wants(t, says(off, "nudge_only", "kocoro/no_progress"), "1 of 1 count it, and none of these makes a stop")
	for _, name := range []string{"kocoro/tool_mode_switch", "kocoro/success_after_error"} {
		wants(t, says(off, "nudge_only", name), "nothing ever turns")
	}
	wants(t, says(check(t, "kocoro-4ec6772", detectors.Settings{"kocoro/nudge_window.count": "6", "kocoro/nudge_window.steps": "5"}, unreachable), "unreachable", "kocoro/nudge_window"),
		"never makes a stop", "wants 6 within 5 steps")
	wants(t, says(check(t, "kocoro-4ec6772", detectors.Settings{"kocoro/exact_duplicate.nudge": "12"}, outOfRange), "out_of_range", "kocoro/exact_duplicate.nudge"), "12 lies outside", "3 to 10")
	if got := says(check(t, "kocoro-2026-03", nil, outOfRange), "out_of_range", ""); got != "" {
		t.Errorf("0 steps is the whole run, as the parameter says: %s", got)
	}
}

func TestWithoutOrigin(t *testing.T) {
	p := *catalog.Find("kocoro-4ec6772", catalog.Presets)
	ladder, path := *p.Ladders[0], *p.Detectors[0]
	ladder.Origin, path.Origin = detectors.Origin{}, detectors.Origin{}
	p.Ladders = []*detectors.Ladder{&ladder}
	p.Detectors = append([]*detectors.Detector{&path}, p.Detectors[1:]...)
	list := checkPreset(t, &p, nil, withoutOrigin)
	wants(t, says(list, "no_origin", "kocoro/nudge_window"), "neither an incident nor a source")
	wants(t, says(list, "no_origin", "kocoro/empty_think"), "candidate for deletion")
}

// A target that no label can say counts nowhere. Without the words of labels
// nothing is said.
func TestUnknownTargets(t *testing.T) {
	s, err := NewSubject(replay.Config{Preset: catalog.Find("mimo-2026-09", catalog.Presets)})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		shapes []string
		want   string
	}{
		{nil, ""},
		{slices.Concat(every(s, "stalled_stream"), []string{"another"}), `shape "stalled_stream", which no label has`},
		{every(s, ""), ""},
	} {
		s.Shapes = test.shapes
		list, err := Check(t.Context(), s, []Finder{unknownTargets})
		if err != nil {
			t.Fatal(err)
		}
		got := says(list, "unknown_target", "mimo/chunk_timeout")
		if wants(t, got, test.want); test.want == "" && len(list) > 0 || len(list) > 1 {
			t.Errorf("with %d shapes: %v", len(test.shapes), list)
		}
	}
}

// every is the targets of all paths but one.
func every(s *Subject, but string) (shapes []string) {
	for _, p := range s.Paths {
		shapes = append(shapes, p.Detector.Targets...)
	}
	return slices.DeleteFunc(shapes, func(shape string) bool { return shape == but })
}

// Whether an exemption has an effect depends on who reads the set.
func TestEffectOfExemptions(t *testing.T) {
	if got := says(check(t, "kocoro-2026-03", detectors.Settings{"kocoro.batch_tolerant": "glob"}, withoutEffect), "no_effect", "kocoro.batch_tolerant"); got != "" {
		t.Errorf("in March no_progress looks at searches: %s", got)
	}
	got := says(check(t, "kocoro-4ec6772", detectors.Settings{"kocoro.batch_tolerant": "http,screenshot"}, withoutEffect), "no_effect", "kocoro.batch_tolerant")
	wants(t, got, "screenshot in this set")
	if strings.Contains(got, "http") {
		t.Errorf("http has an effect once it is in the set: %s", got)
	}
}

// Nothing that is called shadowed wins in sessions that the search did not make.
func TestShadowsHold(t *testing.T) {
	for _, name := range []string{"kocoro-pre-sleep-removal", "kocoro-4ec6772", "kocoro-head"} {
		s, err := NewSubject(replay.Config{Preset: catalog.Find(name, catalog.Presets)})
		if err != nil {
			t.Fatal(err)
		}
		found, err := shadowed(t.Context(), s)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v %v, want the all-errors stop of exact_duplicate alone", name, found, err)
		}
		if found[0].Where != "kocoro/exact_duplicate" || !strings.Contains(found[0].What, "every call failed") {
			t.Errorf("%s: %s %s", name, found[0].Where, found[0].What)
		}
		smallest, longest := s.witnesses()
		for seed := range uint64(3) {
			sessions := generate(append(smallest, longest...), seed+2)
			outs, err := replayed(t.Context(), sessions, s.config)
			if err != nil {
				t.Fatal(err)
			}
			var trials []trial
			for i, o := range outs {
				trials = append(trials, trial{sessions[i], false, o.Calls, o})
			}
			for i := range s.Paths {
				for _, k := range s.Paths[i].Keys {
					if d := s.Paths[i].Detector; d.Name == found[0].Where && k.Verdict == detectors.ForceStop && k.Case.Name != "" && strings.Contains(found[0].What, k.Case.Name) {
						if c := s.count(d, k, trials); c.wins > 0 {
							t.Errorf("%s: %s says %v in a session of seed %d", name, d.Name, k, seed+2)
						}
					}
				}
			}
		}
	}
}

// Where vetoed calls do not run, a stop that needs them is never asked for.
func TestVetoesShadow(t *testing.T) {
	got := says(check(t, "kocoro-head", detectors.Settings{"kocoro.admission": "true"}, shadowed), "shadowed", "kocoro/consecutive_duplicate")
	wants(t, got, "force_stop, calls that only read,", "it never asked, though alone it does from 6 calls on: the calls of vetoed steps are kept from it")
}

// The same preset gives the same findings, whatever the workers do.
func TestFindingsAreDeterministic(t *testing.T) {
	a, b := check(t, "kocoro-head", nil, Finders()...), check(t, "kocoro-head", nil, Finders()...)
	if !slices.Equal(a, b) {
		t.Errorf("two answers:\n%v\n%v", a, b)
	}
}

// No settings make vet hang or panic.
func TestOddSettings(t *testing.T) {
	for _, set := range []detectors.Settings{
		{"kocoro.window": "0"}, {"kocoro.window": "1"}, {"kocoro.window": "1000000"},
		{"kocoro/exact_duplicate.nudge": "1000000"}, {"kocoro.batch_tolerant": "", "kocoro/no_progress.unique_percent": "0"},
	} {
		list := check(t, "kocoro-head", set, Finders()...)
		if set["kocoro.window"] == "1000000" && says(list, "unreachable", "kocoro/no_progress") != "" {
			t.Errorf("nothing is known of a window of a million calls: %v", list)
		}
		if set["kocoro.window"] == "1" && !strings.Contains(fmt.Sprint(list), "kocoro.window=") {
			t.Errorf("a window of one call silences nearly everything, and a larger one helps: %v", list)
		}
	}
	for _, set := range []detectors.Settings{
		{"mimo/text_ngram_repeat.window": "0"}, {"mimo/text_ngram_repeat.window": "1000000"}, {"mimo/text_ngram_repeat.threshold": "0", "mimo.invalid_limit": "1000000"},
	} {
		check(t, "mimo-head", set, Finders()...)
	}
}
