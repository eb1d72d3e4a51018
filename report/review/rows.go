package review

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A Row is one line down the side: a call, a text, a message, or a number of
// those folded into one line.
type Row struct {
	Kind   string `json:"kind"` // call, text, user, harness, fold
	Place  Place  `json:"place"`
	Lane   string `json:"lane,omitzero"`
	Span   bool   `json:"in_span"`       // inside a labelled loop
	Mark   string `json:"mark,omitzero"` // onset, ideal stop, end
	Tool   string `json:"tool,omitzero"`
	Args   string `json:"args,omitzero"`    // cut
	Same   int    `json:"same_as,omitzero"` // the first call of the run that it equals; 0 for none
	Result string `json:"result,omitzero"`  // ok, error, denied, missing, unflagged
	Text   string `json:"text,omitzero"`    // of a result or a message, cut
	Tokens *int64 `json:"tokens,omitzero"`  // of the step, on its first row
	Cells  []Cell `json:"cells,omitzero"`   // by preset
	Fold   *Fold  `json:"fold,omitzero"`

	weight int    // how much the row matters where space is short
	key    string // identity of the call
}

// A Cell is what one preset does at a row.
type Cell struct {
	Fires []*Fire `json:"fires,omitzero"`
	// Near is the quiet path that comes nearest there.
	Near *Near `json:"near,omitzero"`
}

// A Near is a path that does not speak, with how near it is.
type Near struct {
	Detector string `json:"detector"`
	Count    Count  `json:"count"`
	gauge    detectors.Gauge
}

// A Fold is rows that are left out.
type Fold struct {
	Calls int    `json:"calls"`
	Rows  int    `json:"rows"`
	Equal bool   `json:"equal"` // all are the call of the row before
	Tools []Tool `json:"tools"`
	Fires []int  `json:"fires"` // by preset
}

// A Tool is how often a tool was called.
type Tool struct {
	Tool  string `json:"tool"`
	Calls int    `json:"calls"`
}

const (
	maxRowText  = 400 // characters of a text that stay in the value
	maxLineText = 160 // of arguments and results
)

func (r *reviewer) rows() error {
	var list []Row
	at := make(map[rowKey]int)
	first := make(map[string]int) // first call of a run by what was called
	run := int32(-1)
	for i := range r.trace.Steps {
		s := &r.trace.Steps[i]
		if s.Pos.Run != run {
			clear(first)
			run = s.Pos.Run
		}
		list = r.stepRows(list, s, at, first)
	}
	r.place(list, at)
	r.near(list, at)
	r.weigh(list, at)
	if err := r.asked(list); err != nil {
		return err
	}
	r.Rows = list
	if !r.options.Full {
		r.Rows = fold(list, len(r.Presets))
	}
	return nil
}

// A rowKey is where a fire is shown: at a call, or at the text of a step.
type rowKey struct {
	run, step, call int
}

func (r *reviewer) stepRows(list []Row, s *replay.TracedStep, at map[rowKey]int, first map[string]int) []Row {
	place := placeOf(s.Pos)
	place.Call = 0
	row := Row{Place: place, Lane: s.Lane, Cells: make([]Cell, len(r.Presets))}
	switch {
	case s.Has(transcript.Context):
		return list
	case s.Kind == transcript.Prompt:
		row.Kind, row.Text, row.weight = "user", shorten(s.Text(transcript.Text), maxRowText), edgeRow
		return append(list, row)
	case s.Kind == transcript.Injection:
		row.Kind, row.Text, row.weight = "harness", shorten(s.Text(transcript.Text), maxRowText), contextRow
		if slices.ContainsFunc(r.trace.Outcome.Recorded, func(in replay.Intervention) bool {
			return in.Run == place.Run &&
				in.Step == place.Step
		}) {
			row.weight = markRow
		}
		return append(list, row)
	case s.Kind != transcript.Response:
		return list
	}
	var tokens *int64
	if s.Usage.Known {
		var t replay.Tokens
		t.Add(s.Usage)
		tokens = &t.N
	}
	if len(s.Calls) == 0 || r.streamed(place) {
		row.Kind, row.Text, row.Tokens = "text", shorten(said(s.Step), maxRowText), tokens
		at[rowKey{place.Run, place.Step, 0}] = len(list)
		list, tokens = append(list, row), nil
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		row := Row{Kind: "call", Place: place, Lane: s.Lane, Tool: c.Tool, Cells: make([]Cell, len(r.Presets)),
			Tokens: tokens}
		row.Place.Call = int(s.Pos.Call) + i + 1
		row.Args = shorten(argsText(c.Args), maxLineText)
		row.Result, row.Text = resultText(&c.Result)
		row.key = c.Tool + "\x00" + canonical(c.Args)
		if n, ok := first[row.key]; ok {
			row.Same = n
		} else {
			first[row.key] = row.Place.Call
		}
		r.mark(&row)
		at[rowKey{place.Run, place.Step, row.Place.Call}] = len(list)
		list, tokens = append(list, row), nil
	}
	return list
}

// streamed reports whether some preset speaks while the step streams.
func (r *reviewer) streamed(p Place) bool {
	for _, fires := range r.fires {
		for _, f := range fires {
			if f.Place.Run == p.Run && f.Place.Step == p.Step && f.Place.Call == 0 {
				return true
			}
		}
	}
	return false
}

// said is what a step says, or else what it thinks.
func said(s *transcript.Step) string {
	if text := s.Text(transcript.Text); text != "" {
		return text
	}
	return s.Text(transcript.Thinking)
}

func (r *reviewer) mark(row *Row) {
	if r.Label == nil {
		return
	}
	var marks []string
	for _, s := range r.Label.Spans {
		if s.Run != row.Place.Run {
			continue
		}
		row.Span = row.Span || s.Onset <= row.Place.Call && row.Place.Call <= s.End
		for _, m := range []struct {
			call int
			name string
		}{{s.Onset, "onset"}, {s.IdealStop, "ideal stop"}, {s.End, "end"}} {
			if m.call == row.Place.Call {
				marks = append(marks, m.name)
			}
		}
	}
	row.Mark = strings.Join(marks, ", ")
}

// place puts every fire at its row.
func (r *reviewer) place(list []Row, at map[rowKey]int) {
	for config, fires := range r.fires {
		for _, f := range fires {
			if i, ok := at[r.rowOf(f, at)]; ok {
				cell := &list[i].Cells[config]
				cell.Fires = append(cell.Fires, f)
			}
		}
	}
}

// rowOf is where a fire is shown: at its call, or at the step's text.
func (r *reviewer) rowOf(f *Fire, at map[rowKey]int) rowKey {
	k := rowKey{f.Place.Run, f.Place.Step, f.Place.Call}
	if _, ok := at[k]; ok {
		return k
	}
	return rowKey{f.Place.Run, f.Place.Step, 0}
}

// near notes at each row which quiet path comes nearest.
func (r *reviewer) near(list []Row, at map[rowKey]int) {
	best := make(map[[2]int]detectors.Gauge) // by row and configuration
	for _, p := range r.trace.Paths {
		for i := range p.List {
			m := &p.List[i]
			g, ok := p.Judge.Gauge(m.Values)
			if !ok || g.Passes != "" || g.First == 0 || 3*g.Count < g.First || g.Count < 2 {
				continue
			}
			pos := placeOf(m.Pos)
			row, ok := at[rowKey{pos.Run, pos.Step, pos.Call}]
			if !ok {
				if row, ok = at[rowKey{pos.Run, pos.Step, 0}]; !ok {
					continue
				}
			}
			key := [2]int{row, p.Config}
			if old, ok := best[key]; ok && !g.Nearer(old) {
				continue
			}
			best[key] = g
			if cell := &list[row].Cells[p.Config]; len(cell.Fires) == 0 {
				cell.Near = &Near{p.Detector.Name, Count{g.Count, g.First, g.Of}, g}
			}
		}
	}
}

// canonical is the identity of arguments: the order of keys and white space do not
// count.
func canonical(args string) string {
	v := jsontext.Value(args)
	if v.Format(jsontext.ReorderRawObjects(true)) != nil {
		return args
	}
	return string(v)
}

// argsText is arguments as a person reads them: key=value.
func argsText(args string) string {
	if args == "{}" || args == "" {
		return ""
	}
	fields, ok := fieldsOf(args)
	if !ok {
		return args
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.name+"="+f.text)
	}
	return strings.Join(parts, " ")
}

func resultText(r *transcript.Result) (status, text string) {
	text = r.Text
	if r.ErrorText != "" {
		text = r.ErrorText
	}
	text = shorten(text, maxLineText)
	failed, _ := r.Failed()
	switch {
	case r.Status == transcript.ResultMissing:
		return "missing", ""
	case r.Status == transcript.ResultDenied:
		return "refused", text
	case r.Status == transcript.ResultCancelled:
		return "cancelled", text
	case failed:
		return "error", text
	case r.Status == transcript.ResultUnflagged:
		return "unflagged", text
	}
	return "ok", text
}

// shorten cuts a text to so many characters, in its middle.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if len(s) > 8*n { // what is cut out need not be looked at
		s = s[:4*n] + s[len(s)-4*n:]
	}
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	tail := n / 4
	return string(runes[:n-tail-1]) + "…" + string(runes[len(runes)-tail:])
}
