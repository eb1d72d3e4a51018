package replay

import (
	"cmp"

	"groundhog/replay/transcript"
)

// A Cut is a splitter to compare, with the name that outputs give it.
type Cut struct {
	Name  string
	Split transcript.Splitter
}

// A Jitter is where a fire in the stream stands under each of Engine.Cuts. For a
// fire at a recorded delta it is where the text alone would have given one.
type Jitter struct {
	Places    []Place // as Engine.Cuts
	Sensitive bool    // two of them differ
}

// A Place is where in a response a detector fires under one splitter.
type Place struct {
	Cut          string
	Fired        bool
	Part, Offset int // index of the part, and bytes into it; 0 if it does not fire
}

// Earliest is the first place where it fires, the zero Place if it fires nowhere.
func (j *Jitter) Earliest() Place { return j.edge(-1) }

// Latest is the last place where it fires, the zero Place if it fires nowhere.
func (j *Jitter) Latest() Place { return j.edge(1) }

func (j *Jitter) edge(sign int) (edge Place) {
	for _, p := range j.Places {
		if p.Fired && (!edge.Fired || sign*p.compare(edge) > 0) {
			edge = p
		}
	}
	return edge
}

func (p Place) compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Part, o.Part), cmp.Compare(p.Offset, o.Offset))
}

func newJitter(places []Place) *Jitter {
	j := &Jitter{Places: places}
	for _, p := range places {
		j.Sensitive = j.Sensitive || p.Fired != places[0].Fired || p.compare(places[0]) != 0
	}
	return j
}

// An Under is what a configuration would have done under another splitter.
type Under struct {
	Cut string
	PointOutcome
}
