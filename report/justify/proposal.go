package justify

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// A dossier asks what changes in production if paths go, come or are set otherwise, and
// whether there is the evidence to do it. All three are one comparison: of the preset
// with something in force and without it. For a deletion "with" is the preset as it is;
// for an addition it is the preset with the new path at its end; for a change it is the
// limits as they are. So the tables are the same ones, and the verdict is always about
// going from "with" to "without".

// Asked is the sort of question.
type Asked uint8

const (
	Deletion Asked = iota
	Change
	Addition
)

// A Setting is a parameter that a change would move.
type Setting struct{ ID, From, To string }

// A Proposal is what a dossier is about.
type Proposal struct {
	Kind     Asked
	Preset   *detectors.Preset // as it is today
	Set      detectors.Settings
	Paths    []*detectors.Detector // those that would go or come, or whose limits would move
	Settings []Setting             // of a change
	Targets  []string              // shapes of loops that they are for besides: the words of labels are anybody's
}

// Question asks for both sides, and for the paths in question by themselves: the
// L/O of a path is that of its own doing.
func (p *Proposal) Question() replay.Question {
	in := func(d *detectors.Detector) bool { return slices.Contains(p.Paths, d) }
	with, without := p.Preset, p.Preset
	set := p.Set
	switch p.Kind {
	case Deletion:
		without = restricted(p.Preset, p.Preset.Detectors, func(d *detectors.Detector) bool { return !in(d) })
	case Addition:
		with = restricted(p.Preset, slices.Concat(p.Preset.Detectors, p.Paths),
			func(*detectors.Detector) bool { return true })
	case Change:
		set = p.Set.With(nil)
		for _, s := range p.Settings {
			set[s.ID] = s.To
		}
	}
	return replay.Question{Alone: true, Configs: []replay.Config{
		{Preset: with, Set: p.Set}, {Preset: without, Set: set}, {Preset: restricted(with, with.Detectors, in), Set: p.Set},
	}}
}

// restricted is a preset with some of the detectors.
func restricted(p *detectors.Preset, list []*detectors.Detector,
	keep func(*detectors.Detector) bool) *detectors.Preset {
	some := *p
	some.Detectors = nil
	for _, d := range list {
		if keep(d) {
			some.Detectors = append(some.Detectors, d)
		}
	}
	return &some
}
