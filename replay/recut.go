package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Recorded deltas are the truth, and all tallies see the same ones. What made-up
// deltas would have given is asked only where something fired, and for that response
// alone: its text is split under every splitter, as the first response of a run.

// A recordedJitter is the jitter of one fire of a point, by the fire's index.
type recordedJitter struct {
	fire int
	*Jitter
}

// recorded notes where the fires at recorded deltas of a response would stand if only
// its text had been recorded. fires are all fires of a point of Engine.Plan in the
// response; the first of them has index from.
func (o *otherTallies) recorded(s *transcript.Step, point, from int, fires []*Fire) {
	if o == nil || !slices.ContainsFunc(fires, func(f *Fire) bool {
		return f.Phase == detectors.InStream && f.Recorded
	}) {
		return
	}
	i, ok := o.alone[point]
	if !ok {
		i = slices.Index(o.points, point)
	}
	if i < 0 {
		return
	}
	places := o.recut(s, i)
	seen := make(map[string]int)
	for k, f := range fires {
		if !f.Recorded || f.Phase != detectors.InStream || o.detector(i, f.Detector) == nil {
			continue
		}
		n := seen[f.Detector]
		seen[f.Detector]++
		j := newJitter(o.grow(places[f.Detector], n)[n])
		o.shown[point] = append(o.shown[point], recordedJitter{from + k, j})
	}
}

// recut is where a point would fire on a response's text alone: by detector, by
// index among its fires, by splitter.
func (s *otherSplits) recut(step *transcript.Step, point int) map[string][][]Place {
	bare := *step
	bare.Parts = slices.Clone(step.Parts)
	for i := range bare.Parts {
		if bare.Parts[i].Kind != transcript.ToolInput {
			bare.Parts[i].Cuts = nil
		}
	}
	places := make(map[string][][]Place)
	for i, c := range s.cuts {
		t := newTally(s.plan, &transcript.Session{})
		cur := transcript.Cursor{Split: c.Split}
		for ev := range cur.Events(&bare) {
			t.add(ev)
		}
		keys, fires := s.madeUp(point, t.finish().Points[point].Fires)
		for _, k := range keys {
			places[k.detector] = s.grow(places[k.detector], k.n)
			places[k.detector][k.n][i] = Place{c.Name, true, fires[k].Part, fires[k].Offset}
		}
	}
	return places
}

// grow makes a list of fires hold index n. A fire that is added stands nowhere yet.
func (s *otherSplits) grow(list [][]Place, n int) [][]Place {
	for len(list) <= n {
		none := make([]Place, len(s.cuts))
		for k := range none {
			none[k].Cut = s.cuts[k].Name
		}
		list = append(list, none)
	}
	return list
}
