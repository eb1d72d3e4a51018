package bench

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"groundhog/replay/transcript"
)

// What sessions look like. The number of calls follows a log-normal distribution with a
// median of 15, which puts the 90th percentile near 74 and the 99th near 261. Sizes
// follow such distributions too.
const (
	callsMedian, callsSigma, callsMost = 15, 1.235, 3000

	resultMedian, resultSigma = 900, 1.1 // bytes
	textMedian, textSigma     = 180, 0.9
	editMedian, editSigma     = 300, 1.0

	hugeResult  = 2 << 20 // of one call in the middle of all sessions
	largeResult = 100_000 // of one call in largeEvery, give or take a fifth
	largeEvery  = 500

	stuckEvery            = 25 // one call in so many begins a stuck stretch, when none is on
	stuckLeast, stuckMost = 3, 22

	failEvery   = 16 // one ordinary call in so many fails
	promptEvery = 25 // one ordinary step in so many ends a run
	batchEvery  = 8  // one ordinary response in so many makes two to four calls
)

// A Spec names a set of sessions. Equal values name equal sessions, on every
// machine; each is generated as it is asked for and none is kept.
type Spec struct {
	Sessions int
	Seed     uint64
}

// A Session is one generated session. Every Shape can hold it, so it has one lane, no
// signals, and a result with an error flag for each call.
type Session struct {
	Header *transcript.Session
	Calls  int

	seed, number uint64
	huge         bool // its last result is the one of hugeResult
	text         text
}

// All yields the sessions in order.
func (s Spec) All() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		words := newText(s.Seed)
		for i := range s.Sessions {
			session := &Session{seed: s.Seed, number: uint64(i), huge: i == s.Sessions/2, text: words}
			a := session.author()
			session.Calls = max(1, min(callsMost, a.size(callsMedian, callsSigma)))
			session.Header = &transcript.Session{
				ID:      fmt.Sprintf("%08x-%04x-4000-8000-%012x", uint32(s.Seed), uint16(s.Seed>>32), i),
				Model:   "model-large-1",
				Started: a.now,
			}
			if !yield(session) {
				return
			}
		}
	}
}

// Steps yields the steps of the session. It may be ranged over again and then
// yields the same.
func (s *Session) Steps() iter.Seq[*transcript.Step] {
	return func(yield func(*transcript.Step) bool) {
		a := s.author()
		a.size(callsMedian, callsSigma) // the number of calls, which All has drawn too
		if !yield(a.prompt()) {
			return
		}
		for a.made < s.Calls {
			if !yield(a.response()) {
				return
			}
			if a.left == 0 && a.made < s.Calls && a.oneIn(promptEvery) {
				if !yield(a.answer()) || !yield(a.prompt()) {
					return
				}
			}
		}
		yield(a.answer())
	}
}

// An author writes one session.
type author struct {
	*rand.Rand
	session *Session
	files   []string
	now     time.Time
	steps   int
	made    int   // calls so far
	context int64 // tokens

	stuck func(i int) act // the next call of the stretch
	done  int             // calls of it
	left  int             // calls of it to come
}

// An act is one call as it will go.
type act struct {
	tool, args, result string
	failed             bool
}

// epoch is when the first session begins; the others follow by the hour.
var epoch = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

func (s *Session) author() *author {
	a := &author{
		Rand:    rand.New(rand.NewPCG(s.seed, s.number)),
		session: s,
		now:     epoch.Add(time.Duration(s.number) * time.Hour),
		context: 12_000,
	}
	for range 12 {
		a.files = append(a.files, s.text.path(a.Rand))
	}
	return a
}

// oneIn is true once in n times.
func (a *author) oneIn(n int) bool { return a.IntN(n) == 0 }

// size draws from a log-normal distribution.
func (a *author) size(median, sigma float64) int {
	return int(math.Round(median * math.Exp(sigma*a.NormFloat64())))
}

// pass lets some time go by and returns the time.
func (a *author) pass(median time.Duration) time.Time {
	ms := a.size(float64(median.Milliseconds()), 0.8)
	a.now = a.now.Add(time.Duration(ms) * time.Millisecond)
	return a.now
}

func (a *author) say(median float64) string {
	return a.session.text.prose(a.Rand, a.size(median, textSigma))
}

func (a *author) prompt() *transcript.Step {
	return &transcript.Step{
		Kind: transcript.Prompt, Time: a.pass(time.Minute),
		Parts: []transcript.Part{{Text: "Please " + a.say(2*textMedian)}},
	}
}

// answer is a response without calls, which ends a run.
func (a *author) answer() *transcript.Step {
	s := a.begin()
	s.Parts = append(s.Parts, transcript.Part{Text: "Done. " + a.say(4*textMedian)})
	a.end(s, transcript.FinishStop)
	return s
}

// response is one with calls: one of a stuck stretch, or one or a few others.
func (a *author) response() *transcript.Step {
	s := a.begin()
	if a.oneIn(3) {
		s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Thinking, Text: a.say(2 * textMedian)})
	}
	if a.oneIn(2) {
		s.Parts = append(s.Parts, transcript.Part{Text: a.say(textMedian)})
	}
	calls := 1
	if a.left == 0 && a.oneIn(batchEvery) {
		calls = 2 + a.IntN(3)
	}
	for range min(calls, a.session.Calls-a.made) {
		s.Calls = append(s.Calls, a.call())
	}
	a.end(s, transcript.FinishToolCalls)
	return s
}

func (a *author) begin() *transcript.Step {
	a.steps++
	return &transcript.Step{
		ID:    fmt.Sprintf("msg_%x_%x_%04d", a.session.seed, a.session.number, a.steps),
		Model: a.session.Header.Model, Time: a.pass(3 * time.Second),
	}
}

// end ends a response, whose tokens are taken to have four bytes each.
func (a *author) end(s *transcript.Step, why transcript.Finish) {
	out, in := 0, 0
	for _, p := range s.Parts {
		out += len(p.Text)
	}
	for _, c := range s.Calls {
		out += len(c.Args)
		in += len(c.Result.Text)
	}
	s.Finish, s.Ended = why, a.now
	s.Usage = transcript.Usage{
		Known: true, Input: int64(4 + in/4), Output: int64(8 + out/4),
		CacheRead: a.context, CacheWrite: int64(in / 4),
	}
	a.context = min(a.context+int64(in+out)/4, 180_000)
}

// call is the next call: one of the current stretch, or an ordinary one.
func (a *author) call() transcript.Call {
	if a.left == 0 && a.oneIn(stuckEvery) {
		a.stuck, a.done = a.stretch(), 0
		a.left = stuckLeast + a.IntN(stuckMost-stuckLeast+1)
	}
	var do act
	if a.left > 0 {
		do = a.stuck(a.done)
		a.done++
		a.left--
	} else {
		do = a.ordinary()
	}
	a.made++
	if a.session.huge && a.made == a.session.Calls {
		do.result = a.session.text.lines(a.Rand, hugeResult)
	}
	c := transcript.Call{
		ID: fmt.Sprintf("toolu_%x_%05d", a.session.number, a.made), Tool: do.tool, Args: do.args,
		State: "completed", Time: a.pass(time.Second),
	}
	c.Result = transcript.Result{Status: transcript.ResultOK, Text: do.result}
	if do.failed {
		c.Result.Status = transcript.ResultError
		c.State = "error"
	}
	began := a.now
	c.Result.Time = a.pass(400 * time.Millisecond)
	c.Took = a.now.Sub(began)
	return c
}

// output is what a tool printed.
func (a *author) output() string {
	n := a.size(resultMedian, resultSigma)
	if a.oneIn(largeEvery) {
		n = largeResult*4/5 + a.IntN(largeResult*2/5)
	}
	return a.session.text.lines(a.Rand, n)
}
