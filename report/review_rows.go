package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A ReviewRow is one line down the side: a call, a text, a message, or a number of
// those folded into one line.
type ReviewRow struct {
	Kind   string       `json:"kind"` // call, text, user, harness, fold
	Place  ReviewPlace  `json:"place"`
	Lane   string       `json:"lane,omitzero"`
	Span   bool         `json:"in_span"`       // inside a labelled loop
	Mark   string       `json:"mark,omitzero"` // onset, ideal stop, end
	Tool   string       `json:"tool,omitzero"`
	Args   string       `json:"args,omitzero"`    // cut
	Same   int          `json:"same_as,omitzero"` // the first call of the run that it equals; 0 for none
	Result string       `json:"result,omitzero"`  // ok, error, denied, missing, unflagged
	Text   string       `json:"text,omitzero"`    // of a result or a message, cut
	Tokens *int64       `json:"tokens,omitzero"`  // of the step, on its first row
	Cells  []ReviewCell `json:"cells,omitzero"`   // by preset
	Fold   *ReviewFold  `json:"fold,omitzero"`

	weight int    // how much the row matters where space is short
	key    string // identity of the call
	prompt bool
}

// A ReviewCell is what one preset does at a row.
type ReviewCell struct {
	Fires []*ReviewFire `json:"fires,omitzero"`
	// Near is the quiet path that comes nearest there.
	Near *ReviewNear `json:"near,omitzero"`
}

// A ReviewNear is a path that does not speak, with how near it is.
type ReviewNear struct {
	Detector string      `json:"detector"`
	Count    ReviewCount `json:"count"`
	gauge    detectors.Gauge
}

// A ReviewFold is rows that are left out.
type ReviewFold struct {
	Calls int          `json:"calls"`
	Rows  int          `json:"rows"`
	Equal bool         `json:"equal"` // all are the call of the row before
	Tools []ReviewTool `json:"tools"`
	Fires []int        `json:"fires"` // by preset
}

// A ReviewTool is how often a tool was called.
type ReviewTool struct {
	Tool  string `json:"tool"`
	Calls int    `json:"calls"`
}

const (
	screenRows  = 30 // of a screen, before rows that matter less are folded
	headRows    = 4  // rows at the beginning, and the end, that go late
	tailRows    = 3
	aroundRows  = 8   // rows to each side of --around
	equalRows   = 3   // equal rows that are folded although there is room
	maxRowText  = 400 // characters of a text that stay in the value
	maxLineText = 160 // of arguments and results
)

// How much a row matters.
const (
	anyRow     = iota
	contextRow // beside one that matters
	edgeRow    // the first or the last, a message of a person
	fireRow    // the first fire of a path at a level
	markRow    // a mark of the label, a recorded reminder, the first nudge or stop of a run
	askedRow   // the user asked for it
)

func (r *reviewer) rows() error {
	var list []ReviewRow
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

func (r *reviewer) stepRows(list []ReviewRow, s *replay.TracedStep, at map[rowKey]int, first map[string]int) []ReviewRow {
	place := placeOf(s.Pos)
	place.Call = 0
	row := ReviewRow{Place: place, Lane: s.Lane, Cells: make([]ReviewCell, len(r.Presets))}
	switch {
	case s.Has(transcript.Context):
		return list
	case s.Kind == transcript.Prompt:
		row.Kind, row.Text, row.weight, row.prompt = "user", shorten(s.Text(transcript.Text), maxRowText), edgeRow, true
		return append(list, row)
	case s.Kind == transcript.Injection:
		row.Kind, row.Text, row.weight = "harness", shorten(s.Text(transcript.Text), maxRowText), contextRow
		if slices.ContainsFunc(r.trace.Outcome.Recorded, func(in replay.Intervention) bool { return in.Run == place.Run && in.Step == place.Step }) {
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
		row := ReviewRow{Kind: "call", Place: place, Lane: s.Lane, Tool: c.Tool, Cells: make([]ReviewCell, len(r.Presets)), Tokens: tokens}
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
func (r *reviewer) streamed(p ReviewPlace) bool {
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

func (r *reviewer) mark(row *ReviewRow) {
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
func (r *reviewer) place(list []ReviewRow, at map[rowKey]int) {
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
func (r *reviewer) rowOf(f *ReviewFire, at map[rowKey]int) rowKey {
	k := rowKey{f.Place.Run, f.Place.Step, f.Place.Call}
	if _, ok := at[k]; ok {
		return k
	}
	return rowKey{f.Place.Run, f.Place.Step, 0}
}

// near notes at each row which quiet path comes nearest.
func (r *reviewer) near(list []ReviewRow, at map[rowKey]int) {
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
				cell.Near = &ReviewNear{p.Detector.Name, ReviewCount{g.Count, g.First, g.Of}, g}
			}
		}
	}
}

// weigh says which rows matter.
func (r *reviewer) weigh(list []ReviewRow, at map[rowKey]int) {
	for config, fires := range r.fires {
		type level struct {
			run      int
			detector string
			verdict  detectors.Verdict
		}
		seen := make(map[level]bool)
		top := make(map[int]detectors.Verdict) // by run: the most severe so far
		for _, f := range fires {
			i, ok := at[r.rowOf(f, at)]
			key := level{f.Place.Run, f.Detector, f.level}
			if !ok || seen[key] || f.After {
				continue
			}
			seen[key] = true
			if f.level > top[f.Place.Run] {
				top[f.Place.Run] = f.level
				list[i].weight = max(list[i].weight, markRow)
			}
			list[i].weight = max(list[i].weight, fireRow)
		}
		if l := r.Presets[config].Ladder; l != nil {
			if i, ok := at[r.rowOf(l, at)]; ok {
				list[i].weight = max(list[i].weight, fireRow)
			}
		}
	}
	r.weighNear(list)
	for i := range list {
		if list[i].Mark != "" {
			list[i].weight = max(list[i].weight, markRow)
		}
		switch {
		case i == 0 || i == len(list)-1:
			list[i].weight = max(list[i].weight, edgeRow)
		case (i < headRows || i >= len(list)-tailRows) && (list[i].key == "" || list[i].key != list[i-1].key):
			list[i].weight = max(list[i].weight, contextRow)
		}
	}
	for i := range list {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(list) && list[j].weight >= fireRow {
				list[i].weight = max(list[i].weight, contextRow)
			}
		}
	}
}

// weighNear makes the row matter where a preset came nearest without speaking, if
// it never spoke.
func (r *reviewer) weighNear(list []ReviewRow) {
	for config := range r.Presets {
		best := -1
		for i := range list {
			if n := list[i].Cells[config].Near; n != nil && len(r.fires[config]) == 0 && (best < 0 || n.gauge.Nearer(list[best].Cells[config].Near.gauge)) {
				best = i
			}
		}
		if best >= 0 {
			list[best].weight = max(list[best].weight, fireRow)
		}
	}
}

// asked makes sure that what the user asked for is there.
func (r *reviewer) asked(list []ReviewRow) error {
	if err := r.want(list, r.options.Around, aroundRows); err != nil {
		return err
	}
	if err := r.want(list, r.options.Call, 0); err != nil {
		return err
	}
	if r.options.Call != nil {
		r.call(*r.options.Call, list)
	}
	return nil
}

// want shows a call and the rows about it.
func (r *reviewer) want(list []ReviewRow, p *corpus.Place, about int) error {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(list, func(row ReviewRow) bool {
		return row.Kind == "call" && row.Place.Run == p.Run && row.Place.Call == p.Call
	})
	if i < 0 {
		return fmt.Errorf("session %s has no %s", r.Session.ID, ReviewPlace{Run: p.Run, Call: p.Call})
	}
	for j := max(i-about, 0); j <= min(i+about, len(list)-1); j++ {
		list[j].weight = askedRow
	}
	return nil
}

// fold leaves out what matters least, until the rest fits on a screen: first rows
// that equal the one before, then more and more of the others.
func fold(list []ReviewRow, presets int) []ReviewRow {
	show := make([]bool, len(list))
	for least := anyRow; least <= markRow; least++ {
		shown, equal := 0, 0
		for i := range list {
			repeats := i > 0 && list[i].key != "" && list[i].key == list[i-1].key && list[i].weight == anyRow
			if equal++; !repeats {
				equal = 0
			}
			show[i] = list[i].weight >= max(least, contextRow) || least == anyRow && !repeats
		}
		if least == anyRow {
			unfold(list, show, equalRows)
		} else {
			unfold(list, show, 2)
		}
		for _, s := range show {
			shown += one(s)
		}
		if shown <= screenRows {
			break
		}
	}
	var out []ReviewRow
	for i := 0; i < len(list); {
		if show[i] {
			out = append(out, list[i])
			i++
			continue
		}
		n := i
		for n < len(list) && !show[n] {
			n++
		}
		out = append(out, folded(list, i, n, presets))
		i = n
	}
	return out
}

// unfold shows gaps of fewer rows: a line about them would save nothing.
func unfold(list []ReviewRow, show []bool, least int) {
	for i := 0; i < len(list); {
		n := i
		for n < len(list) && !show[n] {
			n++
		}
		if n-i < least {
			for ; i < n; i++ {
				show[i] = true
			}
		}
		i = n + 1
	}
}

// folded is one line for the rows from i to n.
func folded(list []ReviewRow, i, n, presets int) ReviewRow {
	f := &ReviewFold{Rows: n - i, Equal: i > 0 && list[i-1].key != "", Fires: make([]int, presets), Tools: []ReviewTool{}}
	row := ReviewRow{Kind: "fold", Place: list[i].Place, Fold: f}
	byTool := make(map[string]int)
	for j := i; j < n; j++ {
		f.Equal = f.Equal && list[j].key == list[i-1].key
		if list[j].Kind == "call" {
			f.Calls++
			byTool[list[j].Tool]++
		}
		row.Span = row.Span || list[j].Span
		for k, c := range list[j].Cells {
			f.Fires[k] += len(c.Fires)
		}
	}
	for tool, n := range byTool {
		f.Tools = append(f.Tools, ReviewTool{tool, n})
	}
	slices.SortFunc(f.Tools, func(a, b ReviewTool) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool)) })
	return row
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
		return "denied", text
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
