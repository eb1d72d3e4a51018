package detectors

import (
	"slices"

	"groundhog/replay/transcript"
)

// An Arbiter turns verdicts into deliveries for one point: who wins at one
// decision point, what a step delivers, and when repeated nudges become a stop.
// It keeps all the state that depends on what was delivered, so that meters
// keep none. Of the four degrees by which a detector may feel its own verdicts
// (package doc), it carries three:
//
//   - a consumed flag: Rule.Episode, remembered here per detector when it wins;
//   - a pause after firing: the same with Rule.Rest;
//   - escalation: Ladder.
//
// It also carries silence by courtesy: a detector that yields to another says
// nothing in a step in which that one was delivered, and nothing of it is spent.
//
// The last degree, a verdict that changes what is seen later, is Rule.Closed: the
// meter does itself what its verdict says. A way back from here to the panel was
// considered (it would carry masked verdicts too, with a panel for each point);
// nobody needs it while closed rules stand where nobody masks anybody.

// A Point is one hypothetical configuration: which detectors take part, in
// which order, under which variant of their limits.
type Point struct {
	On      []int // detector indexes in the panel, in order of precedence
	Variant []int // by detector index
	Ladders []Rungs
	// YieldTo has, by position in On, the detectors whose delivery keeps this one
	// silent for the rest of the step; shorter than On where nobody yields.
	YieldTo [][]int
}

// Rungs are a Ladder's numbers under one assignment.
type Rungs struct {
	Counts Verdict
	Count  int
	Within int // steps, this one included; 0 means the whole run
}

// A Decision is who won at one decision point.
type Decision struct {
	Detector int // index in the panel
	Verdict  Verdict
	Wanted   []int // all that asked for something here, the winner included, in order of precedence; reused
	Open     bool  // after the run's first delivered stop
	Delivery Delivery
}

// A Delivery is a verdict that reached the model. Verdict is Continue if
// nothing did.
type Delivery struct {
	Verdict  Verdict
	Detector int
	Pos      transcript.Pos
	Ladder   bool // the ladder, not the detector, made it a ForceStop
}

// An Arbiter is not safe for concurrent use. It follows one lane.
type Arbiter struct {
	point   *Point
	spent   []int64 // by position in On: silent below this episode; nil until somebody spends one
	pending Delivery
	steps   [][]int32 // by ladder: steps that counted, oldest first; nil until one counts
	stopped bool
	silent  []bool // by position in On: yields in this step; nil until somebody does
	wanted  []int
}

// NewArbiter returns an arbiter at the beginning of a run. What it remembers is
// made when there is something to remember: of the thousands of a sweep most never
// have anything to say.
func NewArbiter(p *Point) *Arbiter { return &Arbiter{point: p} }

// Copy is an arbiter in the same state under another point, for which every
// verdict has been the same until now.
func (a *Arbiter) Copy(p *Point) *Arbiter {
	c := *a
	c.point = p
	c.spent = slices.Clone(a.spent)
	c.silent = slices.Clone(a.silent)
	c.steps = slices.Clone(a.steps)
	for i, steps := range a.steps {
		c.steps[i] = slices.Clone(steps)
	}
	c.wanted = nil
	return &c
}

// Follow makes the arbiter go on under another point, as Copy does.
func (a *Arbiter) Follow(p *Point) { a.point = p }

// RunBegins forgets the last run.
func (a *Arbiter) RunBegins() {
	clear(a.spent)
	clear(a.silent)
	for i := range a.steps {
		a.steps[i] = a.steps[i][:0]
	}
	a.pending = Delivery{}
	a.stopped = false
}

// Add decides at one frame: the first detector in order that does not say
// Continue wins. A verdict after a call, or at the end of the step, waits for
// StepEnds, where the most severe of the step is delivered (the first, on a
// tie); one that comes before a call, or while the response streams, is
// delivered at once.
func (a *Arbiter) Add(f *Frame) (Decision, bool) {
	a.wanted = a.wanted[:0]
	var d Decision
	for i, det := range a.point.On {
		row := f.Rows[det]
		if row == nil || a.silent != nil && a.silent[i] {
			continue
		}
		variant := a.point.Variant[det]
		v := row.Verdicts[variant]
		if v == Continue || row.Episode > 0 && a.spent != nil && row.Episode < a.spent[i] {
			continue
		}
		if len(a.wanted) == 0 {
			d.Detector, d.Verdict = det, v
			if row.Episode > 0 {
				if a.spent == nil {
					a.spent = make([]int64, len(a.point.On))
				}
				a.spent[i] = row.Episode + row.rest[variant]
			}
		}
		a.wanted = append(a.wanted, det)
	}
	if len(a.wanted) == 0 {
		return d, false
	}
	d.Wanted, d.Open = a.wanted, a.stopped
	made := Delivery{Verdict: d.Verdict, Detector: d.Detector, Pos: f.Pos}
	if f.Kind == transcript.Called || f.Kind == transcript.StepEnds {
		if d.Verdict > a.pending.Verdict {
			a.pending = made
		}
	} else {
		d.Delivery = a.deliver(made, f.Pos.Step)
		a.Delivered(d.Detector)
	}
	return d, true
}

// Delivered tells what another arbiter of the same configuration delivered
// before the end of the step.
func (a *Arbiter) Delivered(detector int) {
	for i, to := range a.point.YieldTo {
		if !slices.Contains(to, detector) {
			continue
		}
		if a.silent == nil {
			a.silent = make([]bool, len(a.point.On))
		}
		a.silent[i] = true
	}
}

// StepEnds delivers what the step's calls led to.
func (a *Arbiter) StepEnds(pos transcript.Pos) (Delivery, bool) {
	clear(a.silent)
	if a.pending.Verdict == Continue {
		return Delivery{}, false
	}
	d := a.deliver(a.pending, pos.Step)
	a.pending = Delivery{}
	return d, true
}

func (a *Arbiter) deliver(d Delivery, step int32) Delivery {
	if d.Verdict < ForceStop {
		for i, r := range a.point.Ladders {
			if d.Verdict < r.Counts || r.Count == 0 {
				continue
			}
			if a.steps == nil {
				a.steps = make([][]int32, len(a.point.Ladders))
			}
			steps := a.steps[i]
			if n := len(steps); n == 0 || steps[n-1] != step { // a step counts once
				steps = append(steps, step)
			}
			if r.Within > 0 {
				old := 0
				for steps[old] <= step-int32(r.Within) {
					old++
				}
				steps = append(steps[:0], steps[old:]...)
			} else if len(steps) > r.Count {
				steps = steps[:r.Count] // enough to know that the count is reached
			}
			a.steps[i] = steps
			if len(steps) >= r.Count {
				d.Verdict, d.Ladder = ForceStop, true
			}
		}
	}
	a.stopped = a.stopped || d.Verdict == ForceStop
	return d
}
