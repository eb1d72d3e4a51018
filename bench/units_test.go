package bench

import (
	"iter"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// unitOf is a unit whose steps are in memory.
func unitOf(s *transcript.Session, steps []*transcript.Step) *formats.Unit {
	return &formats.Unit{Session: s, Size: 1, Records: len(steps), Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, step := range steps {
				if !yield(step, nil) {
					return
				}
			}
		}
	}}
}
