package review

import (
	"cmp"
	"time"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Call is everything known at one call.
type Call struct {
	Place   Place     `json:"place"`
	Lane    string    `json:"lane,omitzero"`
	Line    int       `json:"line"` // in the file; 0 if it has none
	Tool    string    `json:"tool"`
	ID      string    `json:"call_id,omitzero"`
	Args    string    `json:"args"`
	Result  string    `json:"result"`
	Text    string    `json:"text"`
	Signals bool      `json:"signals"` // an instrumented agent wrote down what its detector saw
	Time    string    `json:"time,omitzero"`
	TookMs  *int64    `json:"took_ms"`
	Said    string    `json:"said"`   // what the response says or thinks
	Window  []Row     `json:"window"` // the calls before it, oldest first
	Paths   []Measure `json:"measurements"`
}

// A Measure is what one path measured at the call.
type Measure struct {
	Preset   string            `json:"preset"`
	Detector string            `json:"detector"`
	Phase    detectors.Phase   `json:"phase"`
	Verdict  string            `json:"verdict"` // of the path itself
	Count    *Count            `json:"count"`
	Text     string            `json:"text"` // what the path would say of it
	Values   []detectors.Field `json:"values"`
}

const (
	windowRows  = 20   // calls before it that are listed
	maxCallText = 4000 // characters of arguments, results and texts
)

func (r *reviewer) call(p corpus.Place, rows []Row) {
	for i := range r.trace.Steps {
		s := &r.trace.Steps[i]
		k := p.Call - int(s.Pos.Call) - 1
		if s.Kind != transcript.Response || int(s.Pos.Run) != p.Run || k < 0 || k >= len(s.Calls) {
			continue
		}
		c := &s.Calls[k]
		out := &Call{Place: Place{p.Run, int(s.Pos.Step), p.Call}, Lane: s.Lane, Line: c.Line, Tool: c.Tool, ID: c.ID,
			Args: shorten(c.Args, maxCallText), Signals: c.Signals != nil, Said: shorten(said(s.Step), maxCallText),
			Window: []Row{}, Paths: []Measure{}}
		out.Result, _ = resultText(&c.Result)
		out.Text = shorten(cmp.Or(c.Result.ErrorText, c.Result.Text), maxCallText)
		if !c.Time.IsZero() {
			out.Time = c.Time.UTC().Format(time.RFC3339)
		}
		if c.Took > 0 {
			ms := c.Took.Milliseconds()
			out.TookMs = &ms
		}
		for j := range rows {
			if row := &rows[j]; row.Kind == "call" && row.Place.Run == p.Run && row.Place.Call < p.Call &&
				row.Place.Call >= p.Call-windowRows {
				out.Window = append(out.Window, *row)
			}
		}
		r.Call = out
		r.measured(out)
		return
	}
}

// measured lists what every path measured at the call.
func (r *reviewer) measured(out *Call) {
	for _, p := range r.trace.Paths {
		for i := range p.List {
			m := &p.List[i]
			at := placeOf(m.Pos)
			stream := m.Kind == transcript.Streamed && at.Run == out.Place.Run && at.Step == out.Place.Step
			if at != out.Place && !stream {
				continue
			}
			v := p.Judge.Verdict(m.Values)
			_, text := p.Judge.Explain(m.Values, v)
			x := Measure{Preset: r.Presets[p.Config].Name, Detector: p.Detector.Name, Phase: detectors.PhaseOf(m.Kind),
				Verdict: v.String(), Text: text, Values: p.Judge.Evidence(m.Values)}
			if g, ok := p.Judge.Gauge(m.Values); ok {
				x.Count = &Count{g.Count, g.Limit(v), g.Of}
				if v == detectors.Continue {
					x.Text = ""
				}
				if g.Passes != "" {
					x.Text = "it lets this pass: " + g.Passes
				}
			}
			out.Paths = append(out.Paths, x)
		}
	}
}
