package detectors

// A Ladder turns repeated deliveries into a stop: the Count-th within Within
// steps becomes a ForceStop. Its numbers are parameters like any other
// (kocoro/nudge_window.count), so a sweep can walk them.
type Ladder struct {
	Name   string // "kocoro/nudge_window"
	Doc    string
	Origin Origin
	Of     string  // counts the deliveries of this detector alone; "" counts all
	Counts Verdict // counts deliveries at this level or above
	Count  int     // default: so many make a stop; 0 turns the ladder off
	Within int     // default: steps looked back, this one included; 0 means the whole run
	// Limits replaces the two parameters count and steps, if the agent has others.
	Limits func(*Rungs, *Params)
}

// Params lists the ladder's parameters.
func (l *Ladder) Params() []Param {
	params, _ := Bind(&Rungs{}, l.bind, l.Name+".", false, nil)
	return params
}

// Rungs gives the ladder's numbers under settings.
func (l *Ladder) Rungs(set Settings) (Rungs, error) {
	r := Rungs{Counts: l.Counts}
	_, err := Bind(&r, l.bind, l.Name+".", false, set)
	return r, err
}

func (l *Ladder) bind(r *Rungs, p *Params) {
	if l.Limits != nil {
		r.Count, r.Within = l.Count, l.Within
		l.Limits(r, p)
		return
	}
	p.Int(&r.Count, "count", l.Count, 2, 6, "deliveries that make a stop; 0 never stops")
	p.Int(&r.Within, "steps", l.Within, 5, 20, "steps looked back, this one included; 0 is the whole run")
}
