package mimo

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/detectortest"
	"groundhog/replay/transcript"
)

// What each detector lists as possible, it can be made to say.
func TestReachIsShown(t *testing.T) {
	small := detectors.Settings{"mimo/text_ngram_repeat.window": "60", "mimo/text_ngram_repeat.threshold": "3", "mimo/text_ngram_repeat.n": "2",
		"mimo/output_loop_kmp.window": "4096", "mimo/output_loop_kmp.interval": "64", "mimo/output_loop_kmp.percent": "50",
		"mimo.invalid_limit": "0", "mimo.length_limit": "1", "mimo/thinking_streak.trigger_count": "2"}
	on := detectors.Settings{ThinkingStreak.Switch: "true"}
	for _, d := range Detectors {
		if d != ChunkTimeout && len(detectortest.Claims(t, []*detectors.Detector{d}, on)) == 0 {
			t.Errorf("%s lists nothing that it could say", d.Name)
		}
		sets := []detectors.Settings{{}, on, small, small.With(on)}
		for _, p := range Presets {
			sets = append(sets, p.Set)
		}
		for _, set := range sets {
			detectortest.Reach(t, d, set)
		}
	}
}

// What no detector lists as possible does not happen in random sessions: texts of
// repeated blocks in random pieces, and steps that end in every way.
func TestNothingBeyondReach(t *testing.T) {
	bounded := []*detectors.Detector{TextNgramRepeat, OutputLoopKMP, StepTextToolCall, StepThinkOnly, StepInvalid, StepFailed, StepFiltered, StepLength}
	seen := make(map[detectortest.Claim]bool)
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string, lo, hi int) string { return strconv.Itoa(rapid.IntRange(lo, hi).Draw(rt, name)) }
		set := detectors.Settings{
			"mimo/text_ngram_repeat.window": pick("window", 6, 60), "mimo/text_ngram_repeat.threshold": pick("threshold", 2, 6),
			"mimo/text_ngram_repeat.n": pick("n", 1, 6), "mimo/text_ngram_repeat.min_distinct": pick("distinct", 1, 4),
			"mimo/output_loop_kmp.window": pick("chars", 300, 600), "mimo/output_loop_kmp.interval": "16", "mimo/output_loop_kmp.percent": pick("percent", 20, 100),
			"mimo.invalid_limit": pick("invalid", 0, 2), "mimo.length_limit": pick("length", 0, 2), "mimo.text_tool_call_limit": pick("written", 0, 2),
		}
		claims := detectortest.Claims(t, bounded, set)
		var session []*transcript.Step
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			session = append(session, randomStep(rt))
		}
		for _, f := range detectortest.Drive(t, bounded, set, session) {
			c := detectortest.ClaimOf(f.Fire)
			if _, ok := claims[c]; !ok {
				rt.Fatalf("%s says %v (%s), and lists no history that does; settings %v", c.Detector, c, f.Text, set)
			}
			c.Case.N = 0
			seen[c] = true
		}
	})
	if len(seen) < 10 {
		t.Errorf("the sessions show only %d of what can be said: %v", len(seen), seen)
	}
}

// randomStep is a step that some detector may have something to say about.
func randomStep(t *rapid.T) *transcript.Step {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return callAsText()
	case 1:
		return onlyThought()
	case 2:
		return ended(rapid.SampledFrom([]transcript.Finish{transcript.FinishStop, transcript.FinishError, transcript.FinishFilter}).Draw(t, "finish"), "")()
	case 3:
		return ended(transcript.FinishLength, "To be continued")()
	}
	text := ""
	for range rapid.IntRange(1, 4).Draw(t, "stretches") {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a ", "b ", "cc ", "dd ", "e", "ff", "```"}), 1, 9).Draw(t, "block")
		text += strings.Repeat(strings.Join(words, ""), rapid.IntRange(1, 30).Draw(t, "times"))
	}
	s := saying(transcript.Text, text)
	s.Parts[0].Cuts = nil
	for at := 0; at < len(text); {
		at = min(len(text), at+rapid.IntRange(1, 80).Draw(t, "piece"))
		s.Parts[0].Cuts = append(s.Parts[0].Cuts, transcript.Cut{End: at, At: -1})
	}
	return s
}
