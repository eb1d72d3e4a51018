package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// A Judgement is what one configuration did to one session, at one level,
// against its label (E5 to E7). It holds numbers and names, no text.
type Judgement struct {
	Result Result
	Runs   []Result // by run of the outcome
	First  *Hit     // the first fire that counts at this level; nil if none
	Wrong  *Hit     // the first false fire; nil if none
	// Fires and their episodes up to the first stop of each run, at this level or
	// above. An episode is a chain of fires of one path, each at most one call
	// after the last. Right fires are one a window: what follows there is Repeat.
	Fires, Episodes           int
	RightFires, Repeat        int
	FalseFires, FalseEpisodes int
	Unjudged                  int       // fires whose place nobody judged
	Spans                     []Caught  // by ordinary window, in order of runs and calls
	Calls                     int       // evaluated: up to and including the first stop of each run
	WorkCalls                 int       // of Calls, those outside every span and tolerated stretch, if fully reviewed
	Stop                      *Obeyed   // stop level: what an obeyed stop would have saved; nil if none was right
	Damage                    []Damaged // stop level: by false stop
}

// A Hit is a fire as it is counted: where, by which path.
type Hit struct {
	Run, Step, Call int
	Line            int // of the fire in its file; 0 if the file has no lines
	Phase           detectors.Phase
	Detector        string
	Verdict         detectors.Verdict
	Tier            replay.Tier
}

// Caught is one loop and what became of it.
type Caught struct {
	Span Span // merged, with its ideal stop filled in
	Hit  *Hit // the first right fire in the window; nil if it was missed
	// Latency is in calls from the onset to the fire; LatencyTokens are those of
	// the steps between, both included. Without a Hit they mean nothing.
	Latency       int
	LatencyTokens replay.Tokens
	// Wasted calls ran after the ideal stop, Proposed ones were generated. A missed
	// loop is charged to its end; AtLeast says that the record stops inside it.
	Wasted, Proposed int
	WastedTokens     replay.Tokens
	AtLeast          bool
	Censored         bool // nothing fired before the record was cut by an intervention
}

// Judge compares one point with a label. l may be nil: then nothing is right or
// wrong, and fires and exposure are counted all the same.
func Judge(l *Label, o *replay.Outcome, p *replay.PointOutcome, level detectors.Verdict) *Judgement {
	j := &Judgement{}
	judged := l != nil && l.Class != Unlabelled
	for i := range o.Runs {
		r := runOf(l, o, p, i, level)
		if judged {
			j.Runs = append(j.Runs, r.result())
		} else {
			j.Runs = append(j.Runs, quietOr(len(r.fires) > 0))
		}
		j.add(r)
	}
	j.Result = rollUp(l, j.Runs)
	return j
}

func quietOr(fired bool) Result {
	if fired {
		return UnknownFire
	}
	return UnknownQuiet
}

// A judgedRun is one run while it is judged.
type judgedRun struct {
	label   *Label // nil if there is none
	o       *replay.Outcome
	run     *replay.Run
	out     *replay.RunOutcome
	level   detectors.Verdict
	fires   []*replay.Fire // those that count: at stop level, the first stop alone
	truth   []Truth
	windows []Span
	gaps    []Span
	cut     bool // the record ends with the run, by a recorded intervention
}

func runOf(l *Label, o *replay.Outcome, p *replay.PointOutcome, i int, level detectors.Verdict) *judgedRun {
	r := &judgedRun{label: l, o: o, run: &o.Runs[i], out: &p.Runs[i], level: level}
	if l != nil {
		r.windows, r.gaps = l.Windows(r.run.Number, false), l.Windows(r.run.Number, true)
	}
	r.cut = o.Intervened && i == len(o.Runs)-1
	switch {
	case level == detectors.ForceStop && r.out.FirstStop != nil:
		r.fires = []*replay.Fire{r.out.FirstStop}
	case level < detectors.ForceStop:
		for _, f := range p.Fires {
			if f.Verdict >= level && !f.After && int(f.Pos.Run) == r.run.Number {
				r.fires = append(r.fires, f)
			}
		}
	}
	for _, f := range r.fires {
		t := Unknown
		if l != nil {
			t = l.Truth(level, r.run.Number, CallOf(r.run, f))
		}
		r.truth = append(r.truth, t)
	}
	return r
}

// CallOf is the call that a fire is about. A fire in the stream, or before the
// request, comes before the calls of its response: it is about the first of them,
// or, where there is none, about the last call before it.
func CallOf(run *replay.Run, f *replay.Fire) int {
	if f.Phase != detectors.InStream && f.Pos.Call > 0 {
		return int(f.Pos.Call)
	}
	if m := markAt(run, int(f.Pos.Step)); m != nil {
		if m.Calls > 0 {
			return m.Call - m.Calls + 1
		}
		return m.Call
	}
	return int(f.Pos.Call)
}

// markAt is the mark of a step, or nil.
func markAt(run *replay.Run, step int) *replay.Mark {
	i, ok := slices.BinarySearchFunc(run.Trail, step, func(m replay.Mark, step int) int { return m.Step - step })
	if !ok {
		return nil
	}
	return &run.Trail[i]
}

// stepOf is the index in the trail of the step that proposed a call; the length
// of the trail if there is none.
func stepOf(run *replay.Run, call int) int {
	i, _ := slices.BinarySearchFunc(run.Trail, call, func(m replay.Mark, call int) int {
		if m.Call < call {
			return -1
		}
		return 1 // the first mark that has it
	})
	return i
}

// result is the outcome of the run (E5).
func (r *judgedRun) result() Result {
	first := noSpan
	if len(r.windows) > 0 {
		first = r.windows[0].Onset
	}
	var right, early, late, inGap, before, unknown bool
	for i, f := range r.fires {
		call := CallOf(r.run, f)
		switch r.truth[i] {
		case Right:
			right = true
		case InGap:
			inGap, before = true, call < first
		case Unknown:
			unknown = true
		case Wrong:
			if call < first {
				early = true
			} else {
				late = true
			}
		}
	}
	stop := r.level == detectors.ForceStop
	switch {
	case first == noSpan && len(r.gaps) > 0:
		if inGap {
			return GapHit
		}
		return GapMiss
	case first == noSpan:
		switch {
		case early || late:
			return FalsePositive
		case stop && unknown:
			return UnknownFire
		}
		return TrueNegative
	case right:
		return TruePositive
	case early:
		return Premature
	case late:
		return Late
	case stop && unknown:
		return UnknownFire
	case stop && inGap && before: // a loop before the gap was missed, whatever came then
		return Censored
	case len(r.fires) == 0 && r.cut && r.windows[len(r.windows)-1].End >= r.run.Calls:
		return Censored
	}
	return FalseNegative
}

const noSpan = 1 << 30

// add counts one run.
func (j *Judgement) add(r *judgedRun) {
	type previous struct {
		fire  *replay.Fire
		wrong bool
	}
	var last map[string]previous // by path
	if len(r.fires) > 1 {
		last = make(map[string]previous)
	}
	seen := make([]bool, len(r.windows))
	for i, f := range r.fires {
		call := CallOf(r.run, f)
		if j.First == nil {
			j.First = hit(r.run, f)
		}
		j.Fires++
		prev := last[f.Detector]
		chained := prev.fire != nil && call-CallOf(r.run, prev.fire) <= 1
		if !chained {
			j.Episodes++
		}
		switch r.truth[i] {
		case Right:
			w := slices.IndexFunc(r.windows, func(s Span) bool { return s.Onset <= call && call <= s.End })
			if w >= 0 && seen[w] {
				j.Repeat++
			} else {
				j.RightFires++
			}
			if w >= 0 {
				seen[w] = true
			}
		case Wrong:
			if j.Wrong == nil {
				j.Wrong = hit(r.run, f)
			}
			j.FalseFires++
			if !chained || !prev.wrong {
				j.FalseEpisodes++
			}
		case Unknown:
			j.Unjudged++
		}
		if last != nil {
			last[f.Detector] = previous{f, r.truth[i] == Wrong}
		}
	}
	exposed := r.run.Calls - r.out.CallsLeft
	j.Calls += exposed
	j.WorkCalls += r.work(exposed)
	for w := range r.windows {
		j.Spans = append(j.Spans, r.caught(&r.windows[w]))
	}
	if r.level == detectors.ForceStop && len(r.fires) > 0 {
		j.obey(r, r.fires[0], r.truth[0])
	}
}

func hit(run *replay.Run, f *replay.Fire) *Hit {
	return &Hit{Run: run.Number, Step: int(f.Pos.Step), Call: CallOf(run, f), Line: f.Pos.Line, Phase: f.Phase, Detector: f.Detector, Verdict: f.Verdict, Tier: f.Tier}
}

// work counts the calls among the first so many that no span and no tolerated
// stretch covers.
func (r *judgedRun) work(exposed int) int {
	if r.label == nil || r.label.Reviewed != "full" {
		return 0
	}
	if len(r.label.Spans) == 0 && len(r.label.Tolerate) == 0 {
		return exposed
	}
	n := 0
	for _, m := range r.run.Trail {
		for c := m.Call - m.Calls + 1; c <= m.Call && exposed > 0; c++ {
			exposed--
			if !r.label.covers(r.run.Number, c) {
				n++
			}
		}
	}
	return n
}

// covers reports whether a span, a known gap or a tolerated stretch holds a call.
func (l *Label) covers(run, call int) bool {
	for _, s := range l.Spans {
		if s.Run == run && s.Onset <= call && call <= s.End {
			return true
		}
	}
	for _, t := range l.Tolerate {
		if t.Run == run && t.From <= call && call <= t.To {
			return true
		}
	}
	return false
}

// caught is what became of one loop.
func (r *judgedRun) caught(s *Span) Caught {
	c := Caught{Span: *s}
	for i, f := range r.fires {
		call := CallOf(r.run, f)
		if r.truth[i] != Right || call < s.Onset || call > s.End {
			continue
		}
		c.Hit = hit(r.run, f)
		c.Latency = call - s.Onset
		at := markIndex(r.run, int(f.Pos.Step))
		c.LatencyTokens = tokens(r.run, stepOf(r.run, s.Onset), at+1)
		c.Wasted = max(0, executed(r.o, r.run, f)-s.Ideal())
		c.Proposed = max(0, proposed(r.run, f)-s.Ideal())
		c.WastedTokens = tokens(r.run, stepOf(r.run, s.Ideal())+1, at+1)
		return c
	}
	c.Censored = r.cut && s.End >= r.run.Calls
	c.Wasted = max(0, s.End-s.Ideal())
	c.Proposed = c.Wasted
	c.WastedTokens = tokens(r.run, stepOf(r.run, s.Ideal())+1, stepOf(r.run, s.End)+1)
	c.AtLeast = s.Censored || c.Censored
	return c
}
