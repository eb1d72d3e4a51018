package replay

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A detector in the stream decides at the end of a delta. So a text without recorded
// deltas has not one answer but one for each splitter. The engine replays a session
// once, and feeds, in the same walk, one more tally for each splitter in Engine.Cuts
// but the chosen one.
//
// These other tallies are kept small. They hold the whole preset of each
// configuration that has a detector in the stream, and no other points. Where every
// detector delivers for itself they hold only those detectors, since the others
// answer the same under any splitter, and finish joins the two. They get only the
// events that one of their detectors listens to, and split a text only where the
// chosen splitter does: a text that detectors can dismiss is dismissed under any.
//
// Points that share an outcome under the chosen splitter (group.go) may differ under
// the others, so what is found here is noted in copies of their outcomes.

// An otherSplits is what the other tallies of all sessions share.
type otherSplits struct {
	plan   *Plan // of the detectors that are replayed under every splitter
	points []int // by point of plan: the point of Engine.Plan that it is compared with
	// alone gives, for points of Engine.Plan with one detector that delivers for
	// itself, the point of plan that answers for them.
	alone   map[int]int
	listens [transcript.Noted + 1]bool // by kind of event: somebody wants it
	cuts    []Cut
	chosen  int // index in cuts of Engine.Split; -1 if it is none of them
}

// newOtherSplits is nil where no detector of a plan depends on the splitter.
func newOtherSplits(p *Plan, cuts []Cut, chosen string) (*otherSplits, error) {
	if len(cuts) == 0 {
		return nil, nil
	}
	s := &otherSplits{
		alone:  make(map[int]int),
		cuts:   cuts,
		chosen: slices.IndexFunc(cuts, func(c Cut) bool { return c.Name == chosen }),
	}
	q := Question{Brief: p.Brief}
	for i := range p.Points {
		pt := &p.Points[i]
		c := p.Configs[pt.Config]
		preset := splitDependent(c.Preset)
		switch {
		case preset == nil:
		case pt.View() == Production: // the first point of its configuration
			q.Configs = append(q.Configs, Config{Preset: preset, Set: c.Set})
			s.points = append(s.points, i)
		case pt.View() == Standalone && preset.Every:
			s.alone[i] = len(s.points) - 1
		}
	}
	if q.Configs == nil {
		return nil, nil
	}
	var err error
	if s.plan, err = NewPlan(q); err != nil {
		return nil, err
	}
	panels := s.plan.newPanels()
	for k := range s.listens {
		switch transcript.Kind(k) {
		case transcript.RunBegins, transcript.Requested, transcript.Responded, transcript.StepEnds:
			s.listens[k] = true // a tally itself needs these
		}
		for _, panel := range panels {
			s.listens[k] = s.listens[k] || panel.Listens(transcript.Kind(k))
		}
	}
	return s, nil
}

// dependsOnSplit reports whether a splitter can move a detector's fires. A detector
// that looks at times finds none in deltas that were made up.
func dependsOnSplit(d *detectors.Detector) bool { return d.Streams && !d.Needs.Timed }

// splitDependent is the part of a preset that must be replayed under every splitter,
// or nil.
func splitDependent(p *detectors.Preset) *detectors.Preset {
	if !slices.ContainsFunc(p.Detectors, dependsOnSplit) {
		return nil
	}
	if !p.Every { // who fires first decides whose verdict is delivered
		return p
	}
	for _, y := range p.Yields { // a delivery keeps another detector silent
		if dependsOnSplit(y.Detector) || dependsOnSplit(y.To) {
			return p
		}
	}
	part := *p
	part.Detectors = slices.DeleteFunc(slices.Clone(p.Detectors), func(d *detectors.Detector) bool {
		return !dependsOnSplit(d)
	})
	return &part
}

// detector finds a detector of a point of the plan by its name; nil if it is not
// among those that are replayed under every splitter.
func (s *otherSplits) detector(point int, name string) *detectors.Detector {
	for _, d := range s.plan.Configs[s.plan.Points[point].Config].Preset.Detectors {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// A fireKey matches a fire across splitters: the n-th fire of a detector in a
// response.
type fireKey struct {
	run, step int32
	detector  string
	n         int
}

// madeUp finds the fires at deltas that were made up. keys are in the order of the
// fires.
func (s *otherSplits) madeUp(point int, fires []*Fire) (keys []fireKey, byKey map[fireKey]*Fire) {
	byKey = make(map[fireKey]*Fire)
	for _, f := range fires {
		if f.Phase != detectors.InStream || f.Recorded || s.detector(point, f.Detector) == nil {
			continue
		}
		k := fireKey{run: f.Pos.Run, step: f.Pos.Step, detector: f.Detector}
		for byKey[k] != nil {
			k.n++
		}
		byKey[k] = f
		keys = append(keys, k)
	}
	return keys, byKey
}
