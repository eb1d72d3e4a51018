package detectors

// A Gauge reads a measurement as one count against the limits that judge it: how
// near was it? A fire shows it as 3/3, a quiet path as 2/3. It decides nothing.
type Gauge struct {
	Count int64  // what there is
	Of    string // what is counted: "identical calls in a row"
	First int64  // the count at which the detector first asks for something here; 0 if none does
	Stop  int64  // the count at which it stops the run; 0 if it never does
	// Passes says why it keeps silent whatever the count is; "" if nothing keeps it.
	Passes string
}

// Limit is the count that a verdict was reached at.
func (g Gauge) Limit(v Verdict) int64 {
	if v == ForceStop && g.Stop > 0 {
		return g.Stop
	}
	return g.First
}

// Nearer reports whether g is closer to a verdict than h: by the share of the
// first limit that is reached, and then by what is missing. What passes at any
// count is further than anything else.
func (g Gauge) Nearer(h Gauge) bool {
	gOut, hOut := g.Passes != "" || g.First == 0, h.Passes != "" || h.First == 0
	if gOut != hOut {
		return hOut
	}
	if gOut {
		return g.Count > h.Count
	}
	if a, b := g.Count*h.First, h.Count*g.First; a != b {
		return a > b
	}
	return g.First-g.Count < h.First-h.Count
}
