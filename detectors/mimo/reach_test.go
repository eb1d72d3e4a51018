package mimo

import (
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/detectortest"
)

// What each detector lists as possible, it can be made to say.
func TestReachIsShown(t *testing.T) {
	small := detectors.Settings{"mimo/text_ngram_repeat.window": "60", "mimo/text_ngram_repeat.threshold": "3", "mimo/text_ngram_repeat.n": "2",
		"mimo/output_loop_kmp.window": "4096", "mimo/output_loop_kmp.interval": "64", "mimo/output_loop_kmp.percent": "50",
		"mimo.invalid_limit": "0", "mimo.length_limit": "1"}
	for _, d := range Detectors {
		if d != ChunkTimeout && len(detectortest.Claims(t, []*detectors.Detector{d}, detectors.Settings{})) == 0 {
			t.Errorf("%s lists nothing that it could say", d.Name)
		}
		sets := []detectors.Settings{{}, small}
		for _, p := range Presets {
			sets = append(sets, p.Set)
		}
		for _, set := range sets {
			detectortest.Reach(t, d, set)
		}
	}
}
