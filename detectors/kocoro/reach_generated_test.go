package kocoro_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/detectortest"
	"groundhog/detectors/kocoro"
	"groundhog/replay/transcript"
)

// What each path lists as possible, it can be made to say, under every revision
// and under numbers that move.
func TestReachIsShown(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, p := range kocoro.Presets {
		for i := range 6 {
			set := p.Set
			if i > 0 {
				set = set.With(settings(shuffle(Preset(p.Name), r)))
			}
			if i%2 == 1 {
				set = set.With(detectors.Settings{"kocoro.web_read_only": "true"})
			}
			for _, d := range kocoro.Detectors {
				detectortest.Reach(t, d, set)
			}
		}
	}
}

// What no path lists as possible does not happen in generated sessions. These
// know no signals, as the claim does.
func TestNothingBeyondReach(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 20
	}
	for _, p := range kocoro.Presets {
		seen := make(map[detectortest.Claim]bool)
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, 11))
			set := p.Set.With(settings(shuffle(Preset(p.Name), r)))
			if r.IntN(2) == 0 {
				set["kocoro.window"] = fmt.Sprint(2 + r.IntN(12)) // small windows rule out the most
			}
			set["kocoro.batch_tolerant"] = []string{"", "http", "bash,file_read,grep", "bash,notion_list_pages"}[r.IntN(4)]
			set["kocoro.web_read_only"] = fmt.Sprint(r.IntN(2) == 0)
			claims := detectortest.Claims(t, kocoro.Detectors, set)
			var steps []*transcript.Step
			for _, c := range Generate(seed) {
				result := transcript.Result{Status: transcript.ResultOK, Text: c.Result}
				if c.IsError {
					result.Status = transcript.ResultError
				}
				call := transcript.Call{Tool: c.Name, Args: c.Args, Result: result}
				steps = append(steps, &transcript.Step{
					Kind: transcript.Response, Finish: transcript.FinishToolCalls, Calls: []transcript.Call{call},
				})
			}
			for _, f := range detectortest.Drive(t, kocoro.Detectors, set, steps) {
				c := detectortest.ClaimOf(f.Fire)
				if least, ok := claims[c]; !ok {
					t.Fatalf("%s, seed %d, under %v: %s says %v (%s) at call %d, and lists no history that does", p.Name, seed, set, c.Detector, c, f.Text, f.Pos.Call)
				} else if int(f.Pos.Call) < least {
					t.Fatalf("%s, seed %d: %s says %v at call %d, and the smallest history listed has %d", p.Name, seed, c.Detector, c, f.Pos.Call, least)
				}
				seen[c] = true
			}
		}
		if len(seen) < 15 {
			t.Errorf("%s: the sessions show only %d of what can be said", p.Name, len(seen))
		}
	}
}
