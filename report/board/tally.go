package board

import "groundhog/corpus"

// A Mark is one judgement in small numbers: all that metrics add up. A choice over a
// thousand points and as many sessions adds up a million of them for every fold, so
// they are small, the sums over all sessions are made once, and what a fold leaves
// out is taken away from them.
type Mark struct {
	result                     corpus.Result
	quiet, killed              bool
	spans, spansCaught         int32
	wasted, caughtWaste        int32
	proposed, atLeast          int32
	fires, right, unjudged     int32
	episodes, falseEpisodes    int32
	calls, workCalls, censored int32
}

// MarkOf is a judgement in small numbers.
func MarkOf(j *corpus.Judgement) (m Mark) {
	m = Mark{
		result: j.Result, quiet: j.Fires == 0,
		fires: int32(j.Fires), right: int32(j.RightFires), unjudged: int32(j.Unjudged),
		episodes: int32(j.Episodes), falseEpisodes: int32(j.FalseEpisodes),
		calls: int32(j.Calls), workCalls: int32(j.WorkCalls),
	}
	for i := range j.Spans {
		s := &j.Spans[i]
		m.AddLoop(s.Hit != nil, s.Censored, s.AtLeast, s.Wasted, s.Proposed)
	}
	for i := range j.Damage {
		m.killed = m.killed || j.Damage[i].Killed
	}
	return m
}

// NewMark is a session of which only these numbers are known; loops are added.
func NewMark(r corpus.Result, fired, killed bool, falseEpisodes, calls, workCalls int) Mark {
	return Mark{result: r, quiet: !fired, killed: killed,
		falseEpisodes: int32(falseEpisodes), calls: int32(calls), workCalls: int32(workCalls)}
}

// AddLoop counts one loop of the session.
func (m *Mark) AddLoop(caught, censored, atLeast bool, wasted, proposed int) {
	if censored {
		m.censored++
		return
	}
	m.spans++
	m.wasted += int32(wasted)
	m.proposed += int32(proposed)
	if atLeast {
		m.atLeast++
	}
	if caught {
		m.spansCaught++
		m.caughtWaste += int32(wasted)
	}
}

// Sums are marks added up. The numerator and the denominator of every metric that is
// a rate are functions of it. The zero value is the sum of nothing.
type Sums struct {
	Sessions, Quiet, Killed int
	// Sessions by result. Missed are the loops that nothing caught in time; WrongOnLoop
	// of them were hit too early or too late instead.
	Caught, Missed, WrongOnLoop, FalseHit, Clean int
	GapHit, GapMiss, NotJudged                   int
	Premature, Late                              int

	Spans, SpansCaught, CensoredSpans int // loops of these sessions; censored ones are in no other number
	Wasted, CaughtWaste, Proposed     int // calls
	AtLeast                           int // loops whose waste is a lower bound
	Fires, Right, Unjudged            int
	Episodes, FalseEpisodes           int
	Calls, WorkCalls                  int
}

// Add counts a mark so many times; -1 takes it away.
func (s *Sums) Add(m *Mark, times int) {
	s.Sessions += times
	if m.quiet {
		s.Quiet += times
	}
	if m.killed {
		s.Killed += times
	}
	switch m.result {
	case corpus.TruePositive:
		s.Caught += times
	case corpus.FalseNegative:
		s.Missed += times
	case corpus.Premature:
		s.Missed, s.WrongOnLoop, s.Premature = s.Missed+times, s.WrongOnLoop+times, s.Premature+times
	case corpus.Late:
		s.Missed, s.WrongOnLoop, s.Late = s.Missed+times, s.WrongOnLoop+times, s.Late+times
	case corpus.FalsePositive:
		s.FalseHit += times
	case corpus.TrueNegative:
		s.Clean += times
	case corpus.GapHit:
		s.GapHit += times
	case corpus.GapMiss:
		s.GapMiss += times
	default:
		s.NotJudged += times
	}
	s.Spans += times * int(m.spans)
	s.SpansCaught += times * int(m.spansCaught)
	s.CensoredSpans += times * int(m.censored)
	s.Wasted += times * int(m.wasted)
	s.CaughtWaste += times * int(m.caughtWaste)
	s.Proposed += times * int(m.proposed)
	s.AtLeast += times * int(m.atLeast)
	s.Fires += times * int(m.fires)
	s.Right += times * int(m.right)
	s.Unjudged += times * int(m.unjudged)
	s.Episodes += times * int(m.episodes)
	s.FalseEpisodes += times * int(m.falseEpisodes)
	s.Calls += times * int(m.calls)
	s.WorkCalls += times * int(m.workCalls)
}

// Loops is the number of loop sessions that were judged.
func (s *Sums) Loops() int { return s.Caught + s.Missed }

// Work is the number of productive sessions that were judged.
func (s *Sums) Work() int { return s.FalseHit + s.Clean }

// FalseHits is the number of sessions that were hit wrongly, loops included.
func (s *Sums) FalseHits() int { return s.FalseHit + s.WrongOnLoop }
