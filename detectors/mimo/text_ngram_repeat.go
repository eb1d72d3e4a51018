package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/stream"
	"groundhog/replay/transcript"
)

// TextNgramRepeat cuts a response off that says the same thing over and over.
var TextNgramRepeat = detectors.Define(detectors.Rule[ngrams, ngramLimits, repeats]{
	Name: "mimo/text_ngram_repeat",
	Doc: "the same words over and over inside one response\n\n" +
		"No progress means: inside the last tokens, a block of words follows itself so many times without a gap. " +
		"Reasoning and text share one buffer; arguments and results are not looked at. The verdict falls at the end of a " +
		"delta, so two recordings of one text may differ. One character repeated has too few different tokens; a block " +
		"of more tokens than " +
		fmt.Sprintf("window / threshold can never fire: %d / %d by default, so that %d tokens are the longest block it sees.",
			defaultWindow, defaultThreshold, defaultWindow/defaultThreshold),
	Origin: detectors.Origin{
		Source: article,
	},
	Targets:  []string{"text_repetition", "reasoning_repetition"},
	Needs:    detectors.Needs{Text: true},
	New:      func(*detectors.Inputs) *ngrams { return &ngrams{} },
	Shape:    (*ngrams).bind,
	Limits:   (*ngramLimits).bind,
	Floor:    (*ngrams).floor,
	OnDelta:  (*ngrams).feed,
	OnStep:   (*ngrams).reset,
	Dismiss:  (*ngrams).dismiss,
	Near:     (*ngrams).near,
	Judge:    repeats.judge,
	Explain:  repeats.explain,
	Gauge:    repeats.gauge,
	Episode:  func(m repeats) int64 { return m.Response },
	Evidence: repeats.evidence,
	Reach:    (*ngrams).reach,
	Unit:     "token",
	Case:     caseOfRepeats,
})

// The article's numbers, which bound together what can fire at all.
const (
	defaultWindow    = 500
	defaultThreshold = 20
)

// repeats is what the window holds after a delta. Copies and Period are by the
// minimum period asked for, less 1.
type repeats struct {
	Response int64 // a hit ends the response, so each is one episode
	Copies   [stream.MaxMinPeriod]int32
	Period   [stream.MaxMinPeriod]int32
	Tokens   int
	Table    bool
}

type ngramLimits struct {
	n, threshold int
	tableExempt  bool
}

func (l *ngramLimits) bind(p *detectors.Params) {
	p.Int(&l.n, "n", 4, 2, stream.MaxMinPeriod, "tokens a block must have (MIMOCODE_TEXT_NGRAM_N)")
	if l.n < 1 || l.n > stream.MaxMinPeriod {
		p.Refuse("n", fmt.Sprintf("%d tokens: 1 to %d can be told apart", l.n, stream.MaxMinPeriod))
	}
	p.Int(&l.threshold, "threshold", defaultThreshold, 3, 40,
		"copies in a row that stop the response (MIMOCODE_TEXT_REPEAT_THRESHOLD)")
	p.Bool(&l.tableExempt, "table_exempt", false, "let text pass while it is mostly a table")
}

type ngrams struct {
	shape    stream.Shape
	monitor  *stream.Monitor
	screen   stream.Screen
	lowest   stream.Limit // that anybody asks about
	response int64
}

func (g *ngrams) bind(p *detectors.Params) {
	p.Int(&g.shape.Window, "window", defaultWindow, 100, 2000, "tokens looked at (MIMOCODE_TEXT_WINDOW_TOKENS)")
	p.Int(&g.shape.MinDistinct, "min_distinct", 3, 1, 6, "different tokens a block must have")
	g.shape.Floor = 2
	g.response = 1
}

// floor is the lowest threshold anybody asks about: longer periods need not be counted.
func (g *ngrams) floor(limits []ngramLimits) {
	g.lowest = stream.Limit{Window: g.shape.Window, MinDistinct: g.shape.MinDistinct}
	for _, l := range limits {
		if l.threshold < 2 {
			continue // never fires
		}
		if g.lowest.Threshold == 0 {
			g.lowest.Period, g.lowest.Threshold = l.n, l.threshold
		}
		g.lowest.Period = min(g.lowest.Period, l.n)
		g.lowest.Threshold = min(g.lowest.Threshold, l.threshold)
	}
	g.shape.Floor = g.lowest.Threshold
}

// dismiss: a text that cannot fire however it is cut need not be cut.
func (g *ngrams) dismiss(s *transcript.Step) bool {
	text := ""
	for _, p := range s.Parts {
		if p.Kind != transcript.ToolInput {
			text += p.Text
		}
	}
	return !g.screen.MayFire(text, g.lowest)
}

func (g *ngrams) feed(d *transcript.Delta) (repeats, bool) {
	if d.Part == transcript.ToolInput || d.Text == "" {
		return repeats{}, false
	}
	if g.monitor == nil {
		g.monitor = stream.NewMonitor(g.shape)
	}
	g.monitor.Feed(d.Text)
	r := g.monitor.Repeats()
	if r.Runs[0].Copies == 0 {
		return repeats{}, false
	}
	m := repeats{Response: g.response, Tokens: r.Tokens, Table: r.TableHeavy}
	for i, run := range r.Runs {
		m.Copies[i], m.Period[i] = int32(run.Copies), int32(run.Period)
	}
	return m, true
}

// reset: a fresh monitor watches the next request.
func (g *ngrams) reset(*transcript.Step) (repeats, bool) {
	if g.monitor != nil {
		g.monitor.Reset()
	}
	g.response++
	return repeats{}, false
}

func (l ngramLimits) least() detectors.Limits {
	if l.threshold < 2 {
		return detectors.Limits{} // one copy is no repetition
	}
	return detectors.Limits{Nudge: l.threshold}
}

func (m repeats) judge(l ngramLimits) detectors.Verdict {
	if l.tableExempt && m.Table {
		return detectors.Continue
	}
	return l.least().Verdict(int(m.Copies[l.n-1]))
}

func (m repeats) gauge(l ngramLimits) detectors.Gauge {
	g := l.least().Gauge(detectors.Count{N: int(m.Copies[l.n-1]), Of: "copies of one block of words in a row"})
	if l.tableExempt && m.Table {
		g.Passes = "the text is mostly a table"
	}
	return g
}

func (m repeats) evidence(l ngramLimits) []detectors.Field {
	i := l.n - 1
	return []detectors.Field{
		{Name: "copies", Value: int64(m.Copies[i])},
		{Name: "period", Value: int64(m.Period[i])},
		{Name: "tokens", Value: int64(m.Tokens)},
	}
}

func (m repeats) explain(l ngramLimits, _ detectors.Verdict) (reason, text string) {
	i := l.n - 1
	return "", fmt.Sprintf("a block of %d tokens stands %d times in a row (cut at %d), %d tokens into the response",
		m.Period[i], m.Copies[i], l.threshold, m.Tokens)
}
