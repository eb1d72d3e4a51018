package detectors_test

import (
	"testing"

	"groundhog/detectors/detectortest"
)

// The example's sessions are in testdata/cycle.session.
func TestExampleSessions(t *testing.T) {
	detectortest.Run(t, "testdata", Cycle, Preset)
	detectortest.Files(t, "testdata", Preset.Detectors)
	detectortest.Targets(t, Preset.Detectors, []string{"three_tool_cycle"})
}
