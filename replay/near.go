package replay

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Nearness says which responses are measured for how near they came to a fire.
type Nearness uint8

const (
	NotNear   Nearness = iota // none
	NearHeard                 // those whose text no detector could dismiss; they are few
	NearAll                   // all, and each is kept
)

// A Near is how near one response came to a fire of one detector in its stream.
type Near struct {
	detectors.Near
	Pos   transcript.Pos
	Fired bool
}

// Nears is how near the responses of a session came to a fire of a configuration.
type Nears struct {
	Responses int    // with text
	Dismissed int    // of these, how many cannot fire under any splitter and were not measured
	Nearest   *Near  // of the measured ones without a fire, the nearest; the first on a tie; nil if none came near
	All       []Near // all measured ones, for NearAll
}

// near measures a response for the production point of each configuration. fires gives
// the fires of a point in the response.
func (t *tally) near(
	s *transcript.Step, pos transcript.Pos, heard bool, how Nearness, fires func(point int) []*Fire,
) {
	if how == NotNear || s.Kind != transcript.Response || !hasText(s) ||
		s.Has(transcript.Context) || s.Has(transcript.Synthetic) {
		return
	}
	panels := t.lane(s.Lane).panels
	if t.out.Near == nil {
		t.out.Near = make([]*Nears, len(t.plan.Points))
	}
	for i := range t.plan.Points {
		p := &t.plan.Points[i]
		if p.View() != Production {
			continue
		}
		for _, rule := range p.rules {
			for _, det := range rule.On {
				if !p.list[det].Nears {
					continue
				}
				out := t.out.Near[i]
				if out == nil {
					out = &Nears{}
					t.out.Near[i] = out
				}
				out.Responses++
				if how == NearHeard && !heard {
					out.Dismissed++
					continue
				}
				fired := hasFired(fires(i), p.list[det].Name)
				if fired && how == NearHeard { // only responses without a fire are shown
					continue
				}
				if n, ok := panels[p.panel].Near(s, det, rule.Variant[det]); ok {
					out.add(Near{n, pos, fired}, how)
				}
			}
		}
	}
}

func (n *Nears) add(near Near, how Nearness) {
	if how == NearAll {
		n.All = append(n.All, near)
	}
	if !near.Fired && near.Have > 0 && (n.Nearest == nil || near.Closer(n.Nearest.Near)) {
		n.Nearest = &near
	}
}

// hasFired reports whether one of the fires is a detector's.
func hasFired(fires []*Fire, detector string) bool {
	for _, f := range fires {
		if f.Detector == detector {
			return true
		}
	}
	return false
}

// hasText reports whether a response thinks or says anything.
func hasText(s *transcript.Step) bool {
	for _, p := range s.Parts {
		if p.Kind != transcript.ToolInput && p.Text != "" {
			return true
		}
	}
	return false
}
