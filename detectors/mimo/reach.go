package mimo

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/detectors/mimo/internal/stream"
	"groundhog/replay/transcript"
)

// This file says how far each detector can see. In the stream a window bounds
// it; from step to step nothing does, and the smallest histories are listed.

// examples is how many counts are listed of what has no end.
const examples = 64

// saying is a response of one text, in one recorded delta.
func saying(kind transcript.PartKind, text string) *transcript.Step {
	return &transcript.Step{Kind: transcript.Response, Finish: transcript.FinishStop,
		Parts: []transcript.Part{{Kind: kind, Text: text, Cuts: []transcript.Cut{{End: len(text), At: -1}}}}}
}

// times is a session of n equal steps.
func times(n int, step func() *transcript.Step) func() []*transcript.Step {
	return func() []*transcript.Step {
		var list []*transcript.Step
		for range n {
			list = append(list, step())
		}
		return list
	}
}

// counted lists the counts from 1 to n.
func counted[M any](n int, measure func(n int) M, session func(n int) func() []*transcript.Step) detectors.Extremes[M] {
	return func(yield func(detectors.Extreme[M]) bool) {
		for i := 1; i <= n; i++ {
			if !yield(detectors.Extreme[M]{M: measure(i), Size: i, Session: session(i)}) {
				return
			}
		}
	}
}

// letters is a number in letters.
func letters(i int) string {
	w := ""
	for {
		w = string(rune('a'+i%26)) + w
		if i = i/26 - 1; i < 0 {
			return "w" + w
		}
	}
}

// words is n different words.
func words(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(letters(i) + " ")
	}
	return out.String()
}

// widest is the largest window of either kind that is listed.
const (
	widestTokens = 4096
	widestChars  = 32768
)

// reach lists, for every block that fits twice into the window, how often it can
// stand there. A block of fewer different tokens than asked for is never seen.
func (g *ngrams) reach() detectors.Extremes[repeats] {
	window := g.shape.Window
	if window > widestTokens {
		return nil
	}
	return func(yield func(detectors.Extreme[repeats]) bool) {
		for p := max(g.shape.MinDistinct, 1); 2*p <= window; p++ {
			for c := 2; c*p <= window; c++ {
				m := repeats{Response: 1, Tokens: c * p}
				for n := 1; n <= stream.MaxMinPeriod; n++ {
					whole := (n + p - 1) / p // a longer block asked for is several of these
					if c/whole >= 2 {
						m.Copies[n-1], m.Period[n-1] = int32(c/whole), int32(whole*p)
					}
				}
				e := detectors.Extreme[repeats]{M: m, Size: c * p, Session: func() []*transcript.Step {
					return []*transcript.Step{saying(transcript.Text, strings.Repeat(words(p), c))}
				}}
				if !yield(e) {
					return
				}
			}
		}
	}
}

func caseOfRepeats(m repeats, l ngramLimits) (c detectors.Case) {
	if n := int(m.Period[l.n-1]); n > 0 {
		c = detectors.Case{Name: "the tokens of a block", N: n}
	}
	return c
}

// shortest is the shortest block of each class of the table, in characters.
var shortest = [stream.CharRows]int{1, 2, 5, 15, 30, 50, 200}

// reach lists the shortest block of each class, which fits in most often.
func (c *chars) reach() detectors.Extremes[loopedChars] {
	if c.window > widestChars {
		return nil
	}
	return func(yield func(detectors.Extreme[loopedChars]) bool) {
		for _, inside := range []bool{false, true} {
			for row, p := range shortest {
				for n := 2; n*p <= c.window; n++ {
					m := loopedChars{Response: 1, Inside: inside}
					m.Copies[row] = int32(n)
					e := detectors.Extreme[loopedChars]{M: m, Size: max(n*p, c.interval), Session: func() []*transcript.Step {
						return []*transcript.Step{saying(transcript.Text, c.looped(p, n, inside))}
					}}
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// looped is a text that ends in n copies of a block of p characters and is long
// enough to be checked.
func (c *chars) looped(p, n int, inside bool) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz"
	var one strings.Builder
	for i := range p {
		one.WriteByte(alphabet[(i+i/len(alphabet))%len(alphabet)])
	}
	before := ""
	for i := 0; len(before)+n*p < c.interval; i++ {
		before += fmt.Sprintf("%d;", i*i)
	}
	if inside {
		before = "```\n" + before
	}
	return before + "." + strings.Repeat(one.String(), n)
}

func caseOfChars(m loopedChars, l charLimits) (c detectors.Case) {
	c.Name = "the characters of a block"
	if m.Inside {
		c.Name += " inside a code fence"
	}
	row := m.row(l)
	if row < 0 {
		row = max(slices.Index(m.Copies[:], m.most()), 0)
	}
	c.N = shortest[row]
	return c
}

// callStep is a step of equal calls.
func callStep(text string, n int) *transcript.Step {
	s := &transcript.Step{Kind: transcript.Response, Finish: transcript.FinishToolCalls}
	if text != "" {
		s.Parts = saying(transcript.Text, text).Parts
	}
	for i := range n {
		s.Calls = append(s.Calls, transcript.Call{ID: fmt.Sprintf("call-%d", i+1), Tool: "read", Args: `{"path":"a"}`,
			Result: transcript.Result{Status: transcript.ResultOK, Text: "1 line"}})
	}
	return s
}

// inOneStep is a session of one step with n calls.
func inOneStep(n int) func() []*transcript.Step {
	return func() []*transcript.Step { return []*transcript.Step{callStep("", n)} }
}

func (t *textLoop) reach() detectors.Extremes[sameText] {
	return counted(examples, func(n int) sameText { return sameText{n, int64(n)} }, func(n int) func() []*transcript.Step {
		return times(n, func() *transcript.Step { return callStep("Let me look again.", 1) })
	})
}

// reach is the shortest row that is cropped, and the step whose request lacks it.
func (t *thoughts) reach() detectors.Extremes[crop] {
	n := t.view.Trigger
	if n > widestTokens {
		return nil
	}
	return func(yield func(detectors.Extreme[crop]) bool) {
		if !t.enabled || n < 2 {
			return
		}
		session := times(n+1, func() *transcript.Step {
			s := saying(transcript.Thinking, "The file must be read again.")
			s.Calls, s.Finish = callStep("", 1).Calls, transcript.FinishToolCalls
			return s
		})
		live := &thoughts{enabled: true}
		live.view.Trigger, live.view.MaxSpan = n, t.view.MaxSpan
		live.begin()
		var m crop
		made := false
		for _, s := range session() {
			m, made = live.request()
			live.step(s)
		}
		if made {
			yield(detectors.Extreme[crop]{M: m, Size: n + 1, Session: session})
		}
	}
}

func (a *actions) reach() detectors.Extremes[sameAction] {
	m := sameAction{}
	if a.once {
		m.Message = 1
	}
	return counted(examples, func(n int) sameAction { m.Steps = n; return m }, func(n int) func() []*transcript.Step {
		return times(n, func() *transcript.Step { return callStep("", 1) })
	})
}

func (d *doom) reach() detectors.Extremes[sameCalls] {
	return counted(examples, func(n int) sameCalls { return sameCalls{n} }, inOneStep)
}

func (f *flood) reach() detectors.Extremes[nthCall] {
	return counted(examples, func(n int) nthCall { return nthCall{n} }, inOneStep)
}

func (e *emptiness) reach() detectors.Extremes[emptyStep] {
	return counted(1, func(n int) emptyStep { return emptyStep{n} }, func(int) func() []*transcript.Step {
		return times(1, func() *transcript.Step {
			s := callStep("", 1)
			s.Calls[0].Args = "{}"
			return s
		})
	})
}

// reach lets the loop handle a step of the class until it gives up.
func (m *classMeter) reach(is func(steps.Outcome) bool, step func() *transcript.Step) detectors.Extremes[stepOutcome] {
	return func(yield func(detectors.Extreme[stepOutcome]) bool) {
		m.classes.handler.Reset()
		for n := 1; n <= examples; n++ {
			m.classes.take(step())
			o := m.classes.outcome
			out := stepOutcome{o.N, o.Do == steps.End}
			if !is(o) {
				return
			}
			if !yield(detectors.Extreme[stepOutcome]{M: out, Size: n, Session: times(n, step)}) || out.Ends {
				return
			}
		}
	}
}

// The steps that the outcomes come from.
func callAsText() *transcript.Step {
	s := saying(transcript.Text, `<invoke name="read">`)
	s.Finish = transcript.FinishToolCalls
	return s
}

func onlyThought() *transcript.Step { return saying(transcript.Thinking, "Where was I?") }

// ended is a step of nothing, or of a text, that ended in one way.
func ended(f transcript.Finish, text string) func() *transcript.Step {
	return func() *transcript.Step {
		s := &transcript.Step{Kind: transcript.Response, Finish: f}
		if text != "" {
			s.Parts = saying(transcript.Text, text).Parts
		}
		return s
	}
}
