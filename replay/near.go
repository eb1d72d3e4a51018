package replay

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Nearness says how far to look for responses that nearly fired.
type Nearness uint8

const (
	// NotNear: nowhere.
	NotNear Nearness = iota
	// NearHeard: at those whose text could not be dismissed. They are few.
	NearHeard
	// NearAll: at every response, each of which is kept.
	NearAll
)

// A Near is how close one response came to a fire of one detector in its stream.
type Near struct {
	detectors.Near
	Pos   transcript.Pos
	Fired bool
}

// Nears is what a configuration knows about the distance of responses.
type Nears struct {
	Responses int    // with text
	Dismissed int    // of these, those that cannot fire however they are cut, and were not measured
	Nearest   *Near  // of the quiet ones that were measured, the closest; the first on a tie
	All       []Near // each, if all were asked for
}

// near measures a response for each whole preset. Fires are those of the response.
func (t *tally) near(s *transcript.Step, pos transcript.Pos, heard bool, how Nearness, fires func(point int) []*Fire) {
	if how == NotNear || s.Kind != transcript.Response || s.Has(transcript.Context) || s.Has(transcript.Synthetic) || !hasText(s) {
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
				fired := firedIn(fires(i), p.list[det].Name)
				if fired && how == NearHeard { // only the quiet ones are shown
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

func firedIn(fires []*Fire, detector string) bool {
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
