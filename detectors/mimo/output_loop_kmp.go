package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/stream"
	"groundhog/replay/transcript"
)

// OutputLoopKMP repeats a request whose output has fallen into a loop of characters.
var OutputLoopKMP = detectors.Define(detectors.Rule[chars, charLimits, loopedChars]{
	Name: "mimo/output_loop_kmp",
	Doc: "the same characters over and over at the end of one part of a response\n\n" +
		"It looks every so many characters at the end of what has streamed. Short blocks must repeat more often than " +
		"long ones, and inside a code fence only long ones count at all. It sees one character repeated, which " +
		"text_ngram_repeat does not. Off in every preset: the stored version has it switched off.",
	Origin:  detectors.Origin{Source: stored},
	Targets: []string{"text_repetition", "reasoning_repetition", "character_flood"},
	Needs:   detectors.Needs{Text: true},
	New:     func(*detectors.Inputs) *chars { return &chars{part: -1} },
	Shape:   (*chars).bind,
	Limits:  (*charLimits).bind,

	OnDelta: (*chars).feed,
	Near:    (*chars).near,
	OnStep:  (*chars).reset,
	Reach:   (*chars).reach,
	Unit:    "character",
	Case:    caseOfChars,
	Judge:   loopedChars.judge,
	Explain: loopedChars.explain,
	Gauge:   loopedChars.gauge,
	Episode: func(m loopedChars) int64 { return m.Response },
	Evidence: func(m loopedChars, _ charLimits) []detectors.Field {
		return []detectors.Field{{Name: "copies", Value: int64(m.most())}, {Name: "inside_fence", Value: flag(m.Inside)}}
	},
})

// loopedChars is what one check sees: the most copies of a block, by its length.
type loopedChars struct {
	Response int64 // a hit ends the attempt, so each is one episode
	Copies   [stream.CharRows]int32
	Inside   bool
}

func (m loopedChars) most() (n int32) {
	for _, c := range m.Copies {
		n = max(n, c)
	}
	return n
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

type charLimits struct{ percent int }

func (l *charLimits) bind(p *detectors.Params) {
	p.Int(&l.percent, "percent", 100, 50, 200, "of the original's table of copies")
}

type chars struct {
	window, interval int
	watch            *stream.Chars
	part             int
	response         int64
}

func (c *chars) bind(p *detectors.Params) {
	p.Int(&c.window, "window", 8192, 2048, 32768, "characters looked at")
	p.Int(&c.interval, "interval", 256, 64, 1024, "characters between two checks")
	c.response = 1
}

func (c *chars) feed(d *transcript.Delta) (loopedChars, bool) {
	if d.Part == transcript.ToolInput {
		return loopedChars{}, false
	}
	if c.watch == nil {
		c.watch = stream.NewChars(c.window, c.interval)
	}
	if d.Index != c.part {
		c.watch.Reset()
		c.part = d.Index
	}
	s, checked := c.watch.Feed(d.Text)
	if !checked {
		return loopedChars{}, false
	}
	m := loopedChars{Response: c.response, Inside: s.Inside}
	for i, n := range s.Copies {
		m.Copies[i] = int32(n)
	}
	return m, true
}

func (c *chars) reset(*transcript.Step) (loopedChars, bool) {
	c.part = -1
	c.response++
	return loopedChars{}, false
}

// least is how many copies of a block nudge, by its length; 0 never does.
func (l charLimits) least(inside bool) (least [stream.CharRows]int) {
	table := stream.DefaultCharTable()
	rows := table.Outside
	if inside {
		rows = table.Inside
	}
	for i, copies := range rows {
		least[i] = (l.percent*copies + 99) / 100
	}
	return least
}

func (m loopedChars) judge(l charLimits) detectors.Verdict {
	if m.row(l) >= 0 {
		return detectors.Nudge // the request is repeated
	}
	return detectors.Continue
}

// gauge is that of the length that is nearest to its limit.
func (m loopedChars) gauge(l charLimits) (g detectors.Gauge) {
	g.Of = "copies of one block of characters at the end"
	for i, least := range l.least(m.Inside) {
		row := detectors.Limits{Nudge: least}.Gauge(detectors.Count{N: int(m.Copies[i]), Of: g.Of})
		if least > 0 && row.Nearer(g) {
			g = row
		}
	}
	return g
}

func (m loopedChars) explain(charLimits, detectors.Verdict) (reason, text string) {
	return "", fmt.Sprintf("the output ends in a block of characters that stands %d times in a row", m.most())
}

// row is the shortest length whose limit is reached; -1 if none is.
func (m loopedChars) row(l charLimits) int {
	for i, least := range l.least(m.Inside) {
		if least > 0 && int(m.Copies[i]) >= least {
			return i
		}
	}
	return -1
}
