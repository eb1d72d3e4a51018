package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Recorded deltas are the truth, and all tallies see the same ones. What made-up
// deltas would have given there is asked only where something fired, and for that
// response alone: its text is cut in every way, as the first response of a run.

// A placed is the jitter of one fire of a point, by its index.
type placed struct {
	fire int
	*Jitter
}

// recorded says where the fires at recorded deltas of a response would stand if
// only its text had been recorded. fires are all of one point of the main plan in
// the response, from index from on.
func (b *beside) recorded(s *transcript.Step, at, from int, fires []*Fire) {
	if b == nil || !slices.ContainsFunc(fires, func(f *Fire) bool { return f.Phase == detectors.InStream && f.Recorded }) {
		return
	}
	point, ok := b.alone[at]
	if !ok {
		point = slices.Index(b.points, at)
	}
	if point < 0 {
		return
	}
	places := b.recut(s, point)
	seen := make(map[string]int)
	for i, f := range fires {
		if !f.Recorded || f.Phase != detectors.InStream || b.detector(point, f.Detector) == nil {
			continue
		}
		n := seen[f.Detector]
		seen[f.Detector]++
		b.shown[at] = append(b.shown[at], placed{from + i, newJitter(b.grow(places[f.Detector], n)[n])})
	}
}

// recut is where a response's text alone would fire: by detector, by its fires, by
// cut.
func (a *aside) recut(s *transcript.Step, point int) map[string][][]Place {
	bare := *s
	bare.Parts = slices.Clone(s.Parts)
	for i := range bare.Parts {
		if bare.Parts[i].Kind != transcript.ToolInput {
			bare.Parts[i].Cuts = nil
		}
	}
	places := make(map[string][][]Place)
	for k, c := range a.cuts {
		t := newTally(a.plan, &transcript.Session{})
		cur := transcript.Cursor{Split: c.Split}
		for ev := range cur.Events(&bare) {
			t.add(ev)
		}
		list, at := a.spots(point, t.finish().Points[point].Fires)
		for _, s := range list {
			places[s.detector] = a.grow(places[s.detector], s.n)
			places[s.detector][s.n][k] = Place{c.Name, true, at[s].Part, at[s].Offset}
		}
	}
	return places
}

// grow makes a list of fires hold the n-th, at first without a place.
func (a *aside) grow(list [][]Place, n int) [][]Place {
	for len(list) <= n {
		none := make([]Place, len(a.cuts))
		for k := range none {
			none[k].Cut = a.cuts[k].Name
		}
		list = append(list, none)
	}
	return list
}
