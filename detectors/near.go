package detectors

import "groundhog/replay/transcript"

// A Near is how close a response came to a fire: so much was there of what fires.
// Have is 0 where nothing repeats.
type Near struct {
	Detector   string
	Have, Need int64
	Period     int64  // tokens or characters in the block that repeats; 0 if there is none
	Unit       string // what a period counts: token, character
	Block      string // the block itself, from the transcript
	Never      bool   // no number of copies of this block would fire
	Why        string // what keeps it quiet although it would be enough, or for ever; "" if nothing does
}

// Closer reports whether n came closer to its fire than o.
func (n Near) Closer(o Near) bool {
	switch a, b := n.Have*max(o.Need, 1), o.Have*max(n.Need, 1); {
	case a != b:
		return a > b
	case n.Never != o.Never:
		return o.Never
	}
	return false
}

// Near says how close a response came to a fire of one detector under one variant
// of its limits; false if the detector knows no such distance.
func (p *Panel) Near(s *transcript.Step, det, variant int) (Near, bool) {
	return p.probes[det].near(s, variant)
}

func (p *meter[S, L, M]) near(s *transcript.Step, variant int) (Near, bool) {
	if p.rule.Near == nil {
		return Near{}, false
	}
	n, ok := p.rule.Near(p.state, s, p.limits[variant])
	n.Detector = p.rule.Name
	return n, ok
}
