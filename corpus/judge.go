package corpus

import (
	"slices"

	"groundhog/detectors"
	"groundhog/replay"
)

// A Judgement is what one configuration did in one session, at one level, compared with
// the session's label. It holds numbers and names, and no text.
type Judgement struct {
	Result Result
	Runs   []Result // as Outcome.Runs
	First  *Hit     // the first fire that counts at this level; nil if none
	Wrong  *Hit     // the first false fire; nil if none

	// Fires at this level or above, up to the first stop of each run, and their episodes:
	// chains of fires of one path, each at most one call after the one before. The first
	// right fire of a window counts as right; the others are Repeat.
	Fires, Episodes           int
	RightFires, Repeat        int
	FalseFires, FalseEpisodes int
	Unjudged                  int // fires that the label leaves open

	Spans     []Caught  // by ordinary window, in order of runs and calls
	Calls     int       // up to and including the first stop of each run
	WorkCalls int       // of Calls, those outside every span and tolerated stretch; 0 unless fully reviewed
	Stop      *Obeyed   // stop level: what obeying right stops would have saved; nil without any
	Damage    []Damaged // stop level: by false stop
}

// A Hit is a fire as it is counted: where it is and which path it is of.
type Hit struct {
	Run, Step, Call int
	Line            int // of the fire in its file; 0 if the file has no lines
	Phase           detectors.Phase
	Detector        string
	Verdict         detectors.Verdict
	Tier            replay.Tier
}

// A Caught is one loop, caught or missed.
type Caught struct {
	Span Span // a window, with its ideal stop filled in
	Hit  *Hit // the first right fire in it; nil if the loop was missed
	// Latency is the number of calls from the onset to the fire, and LatencyTokens the
	// tokens of the steps from one to the other, both included. Both are 0 without a Hit.
	Latency       int
	LatencyTokens replay.Tokens
	// Wasted calls ran after the ideal stop; Proposed calls were written by the model
	// after it. A missed loop is charged up to its end. AtLeast says that the record
	// stops inside the loop.
	Wasted, Proposed int
	WastedTokens     replay.Tokens
	AtLeast          bool
	Censored         bool // nothing fired, and a recorded intervention cut the record inside the loop
}

// Judge compares one point with a label. The label may be nil: then nothing is right or
// wrong, and fires and calls are counted all the same.
func Judge(l *Label, o *replay.Outcome, p *replay.PointOutcome, level detectors.Verdict) *Judgement {
	j := &Judgement{}
	judged := l != nil && l.Class != Unlabelled
	for i := range o.Runs {
		r := runOf(l, o, p, i, level)
		if judged {
			j.Runs = append(j.Runs, r.result())
		} else {
			j.Runs = append(j.Runs, unknown(len(r.fires) > 0))
		}
		j.add(r)
	}
	j.Result = rollUp(l, j.Runs)
	return j
}

// unknown is the result without a label.
func unknown(fired bool) Result {
	if fired {
		return UnknownFire
	}
	return UnknownQuiet
}

// add adds one run.
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
	return &Hit{
		Run: run.Number, Step: int(f.Pos.Step), Call: CallOf(run, f), Line: f.Pos.Line, Phase: f.Phase,
		Detector: f.Detector, Verdict: f.Verdict, Tier: f.Tier,
	}
}
