package mimo

import (
	"fmt"
	"time"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// ChunkTimeout remarks on a silence inside a stream.
var ChunkTimeout = detectors.Define(detectors.Rule[silence, silenceLimits, gap]{
	Name: "mimo/chunk_timeout",
	Doc: "a silence between two chunks of a stream\n\n" +
		"It needs recorded deltas with their times; without them it is not applicable. A longer silence ends the attempt " +
		"as a stream error, which the retry policy then decides about.",
	Origin:  detectors.Origin{Source: article},
	Targets: []string{"stalled_stream"},
	Needs:   detectors.Needs{Timed: true},
	New:     func(*detectors.Inputs) *silence { return &silence{} },
	Limits:  (*silenceLimits).bind,
	OnDelta: (*silence).measure,
	OnStep:  (*silence).reset,
	Count:   gap.count,
	Against: silenceLimits.against,
	Explain: gap.explain,
	Dismiss: func(*silence, *transcript.Step) bool { return true }, // made-up deltas have no times
})

// gap is the silence before a delta.
type gap struct{ SilenceMs int64 }

type silenceLimits struct{ ms int }

func (l *silenceLimits) bind(p *detectors.Params) {
	p.Int(&l.ms, "timeout_ms", 480000, 30000, 900000,
		"longest silence, in milliseconds (provider.<id>.options.chunkTimeout)")
}

type silence struct {
	last  time.Duration
	heard bool
}

func (s *silence) measure(d *transcript.Delta) (gap, bool) {
	if !d.Recorded || d.At < 0 {
		return gap{}, false
	}
	m, ok := gap{(d.At - s.last).Milliseconds()}, s.heard
	s.last, s.heard = d.At, true
	return m, ok
}

func (s *silence) reset(*transcript.Step) (gap, bool) {
	s.heard = false
	return gap{}, false
}

func (m gap) count() detectors.Count {
	return detectors.Count{N: int(m.SilenceMs), Of: "ms between two chunks"}
}

func (l silenceLimits) against(string) detectors.Limits {
	return detectors.Limits{Annotate: l.ms + 1}
}

func (m gap) explain(l silenceLimits, _ detectors.Verdict) (reason, text string) {
	return "", fmt.Sprintf("%d ms of silence between two chunks (the stream is given up after %d)", m.SilenceMs, l.ms)
}
