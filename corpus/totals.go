package corpus

import "groundhog/replay"

// Totals are the judgements of one configuration at one level, summed over sessions. The
// zero value is ready to use. Everything is a count; rates and their intervals are made
// of them by reports.
type Totals struct {
	Sessions    int
	Tally       Tally
	Fires       int
	Episodes    int
	Right       int // fires that were the first right one of a loop
	False       int // false fires
	FalseEp     int // their episodes
	Unjudged    int // fires that labels leave open
	Quiet       int // sessions without a fire
	Calls       int
	WorkCalls   int
	Spans       int // loops without the censored ones
	Caught      int
	Censored    int
	Latencies   []int // calls from the onset to the fire, by caught loop
	CaughtWaste []int // calls wasted, by caught loop
	Missed      []int // calls from the onset to the end, by missed loop
	Cut         []int // calls from the onset to the end, by censored loop
	// Wasted and Proposed are over all loops; a missed one is charged up to its end.
	// AtLeast counts the loops for which they are lower bounds.
	Wasted, Proposed, AtLeast int
	WastedTokens              replay.Tokens
	Saved, Foregone           Amount
	Overhead                  int64
	Stops                     int // sessions with an obeyed right stop
	Damages                   int // false stops
	CutWork                   Amount
	Sunk                      replay.Tokens
	Killed                    int // sessions whose recorded success a false stop would have prevented
}

// Add counts one session.
func (t *Totals) Add(j *Judgement) {
	if t.Tally == nil {
		t.Tally = Tally{}
	}
	t.Sessions++
	t.Tally[j.Result]++
	t.Fires += j.Fires
	t.Episodes += j.Episodes
	t.Right += j.RightFires
	t.False += j.FalseFires
	t.FalseEp += j.FalseEpisodes
	t.Unjudged += j.Unjudged
	if j.Fires == 0 {
		t.Quiet++
	}
	t.Calls += j.Calls
	t.WorkCalls += j.WorkCalls
	for i := range j.Spans {
		t.span(&j.Spans[i])
	}
	if s := j.Stop; s != nil {
		t.Stops++
		t.Saved.add(s.Saved)
		t.Foregone.add(s.Foregone)
		t.Overhead += s.Overhead
	}
	killed := false
	for i := range j.Damage {
		d := &j.Damage[i]
		t.Damages++
		t.CutWork.add(d.Cut)
		t.Sunk.Sum(d.Sunk)
		killed = killed || d.Killed
	}
	if killed {
		t.Killed++
	}
}

func (t *Totals) span(c *Caught) {
	seen := c.Span.End - c.Span.Onset
	if c.Censored {
		t.Censored++
		t.Cut = append(t.Cut, seen)
		return
	}
	t.Spans++
	t.Wasted += c.Wasted
	t.Proposed += c.Proposed
	t.WastedTokens.Sum(c.WastedTokens)
	if c.AtLeast {
		t.AtLeast++
	}
	if c.Hit == nil {
		t.Missed = append(t.Missed, seen)
		return
	}
	t.Caught++
	t.Latencies = append(t.Latencies, c.Latency)
	t.CaughtWaste = append(t.CaughtWaste, c.Wasted)
}

// Curve is the detection curve D(k): how many loops were caught within k calls of their
// onset, of those that could have been. Missed loops stay in the denominator; censored
// ones whose record ends before are left out of it. See help numbers: D(k).
func (t *Totals) Curve(k int) (caught, loops, left int) {
	for _, l := range t.Latencies {
		if l <= k {
			caught++
		}
	}
	loops = len(t.Latencies) + len(t.Missed)
	for _, seen := range t.Cut {
		if seen >= k {
			loops++
		} else {
			left++
		}
	}
	return caught, loops, left
}

// CurveAt are the k at which reports show the detection curve.
var CurveAt = []int{0, 1, 2, 3, 5, 10, 20, 50}
