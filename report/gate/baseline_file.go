package gate

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/report"
	"groundhog/report/stat"
)

// The file of a baseline is JSON that reads well as a difference: keys are
// sorted, decimals are fixed, and each session is one line, so that a change of
// a session is a change of one line. It names no time, host or absolute path.

// baselineSchema is the version of the file.
const baselineSchema = 1

// The members below are in order of their names, which is that of the file.

type placeJSON struct {
	Call     int    `json:"call"`
	Detector string `json:"detector"`
	Line     int    `json:"line,omitzero"`
	Phase    string `json:"phase"`
	Run      int    `json:"run"`
	Verdict  string `json:"verdict"`
}

type loopJSON struct {
	AtLeast  bool       `json:"at_least,omitzero"`
	Censored bool       `json:"censored,omitzero"`
	Hit      *placeJSON `json:"hit"`
	Onset    int        `json:"onset"`
	Run      int        `json:"run"`
	Wasted   int        `json:"wasted"`
}

type levelJSON struct {
	Calls         int        `json:"calls"`
	FalseEpisodes int        `json:"false_episodes"`
	First         *placeJSON `json:"first"`
	Outcome       string     `json:"outcome"`
	Spans         []loopJSON `json:"spans,omitempty"`
	WorkCalls     int        `json:"work_calls"`
	Wrong         *placeJSON `json:"wrong,omitzero"`
}

type stateJSON struct {
	Class      string    `json:"class"`
	Cluster    string    `json:"cluster"`
	Content    string    `json:"content"`
	Context    int       `json:"context,omitzero"`
	ID         string    `json:"id"`
	Killed     bool      `json:"killed_success,omitzero"`
	Label      string    `json:"label"`
	Nudge      levelJSON `json:"nudge"`
	Reminders  int       `json:"reminders,omitzero"`
	Reproduced int       `json:"reproduced,omitzero"`
	Stop       levelJSON `json:"stop"`
	Weak       bool      `json:"weak,omitzero"`
}

type exceptionJSON struct {
	Detector string `json:"detector"`
	Expires  string `json:"expires"`
	Level    string `json:"level"`
	Owner    string `json:"owner"`
	Reason   string `json:"reason"`
	Session  string `json:"session"`
}

type acceptedJSON struct {
	Change  string `json:"change"`
	Reason  string `json:"reason"`
	Session string `json:"session"`
}

type metricJSON struct {
	D      int64       `json:"d,omitzero"`
	Flag   string      `json:"flag,omitzero"`
	Hi     *fixedFloat `json:"hi,omitzero"`
	Level  float64     `json:"level,omitzero"`
	Lo     *fixedFloat `json:"lo,omitzero"`
	Method string      `json:"method,omitzero"`
	N      int64       `json:"n"`
	Tier   string      `json:"tier,omitzero"`
	Value  *fixedFloat `json:"value"` // null where it is undefined
}

type presetJSON struct {
	Digest string `json:"digest"`
	ID     string `json:"id"`
}

type configurationJSON struct {
	Digest string            `json:"digest"`
	Set    map[string]string `json:"set"`
	Split  string            `json:"split"`
}

type baselineJSON struct {
	Accepted      []acceptedJSON        `json:"accepted"`
	Aggregates    map[string]metricJSON `json:"aggregates"`
	Cluster       string                `json:"cluster"`
	Confidence    float64               `json:"confidence"`
	Configuration configurationJSON     `json:"configuration"`
	CorpusDigest  string                `json:"corpus_digest"`
	Exceptions    []exceptionJSON       `json:"exceptions"`
	LabelDigest   string                `json:"label_digest"`
	Preset        presetJSON            `json:"preset"`
	Schema        int                   `json:"schema"`
	Seed          uint64                `json:"seed"`
	Selection     string                `json:"selection"`
	Sessions      []stateJSON           `json:"sessions"`
	Tool          string                `json:"tool"`
}

// A fixed number is written with six decimals.
type fixedFloat float64

func (f fixedFloat) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(f), 'f', 6, 64), nil
}

// Encode is the file of a baseline.
func (b *Baseline) Encode() ([]byte, error) {
	w := &baselineWriter{}
	w.buf.WriteString("{")
	lines(w, "accepted", b.Accepted, func(a *Acceptance) any { return acceptedJSON{a.Change, a.Reason, a.Session} })
	metrics := b.Metrics()
	slices.SortFunc(metrics, func(x, y Aggregate) int { return cmp.Compare(x.Name(), y.Name()) })
	w.block("aggregates", "{", "}", len(metrics), func(i int) {
		w.text(metrics[i].Name())
		w.buf.WriteString(": ")
		w.value(metricOf(metrics[i].Cell))
	})
	w.member("cluster", b.Cluster)
	w.member("confidence", b.Confidence)
	w.member("configuration", configurationJSON{b.SetDigest(), b.Set, b.Split})
	w.member("corpus_digest", b.CorpusDigest())
	lines(w, "exceptions", b.Exceptions, func(e *Exception) any {
		return exceptionJSON{e.Detector, e.Expires, e.Level, e.Owner, e.Reason, e.Session}
	})
	w.member("label_digest", b.LabelDigest())
	w.member("preset", presetJSON{b.PresetDigest, b.Preset})
	w.member("schema", baselineSchema)
	w.member("seed", b.Seed)
	w.member("selection", b.Selection.String())
	lines(w, "sessions", b.Sessions, func(s *State) any { return s.json() })
	w.member("tool", b.Tool)
	w.buf.WriteString("\n}\n")
	return w.buf.Bytes(), w.err
}

type baselineWriter struct {
	buf   bytes.Buffer
	begun bool
	err   error
}

func (w *baselineWriter) value(v any) {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Write(raw)
}

func (w *baselineWriter) text(s string) { w.value(s) }

func (w *baselineWriter) key(name string) {
	if w.begun {
		w.buf.WriteByte(',')
	}
	w.begun = true
	w.buf.WriteString("\n  ")
	w.text(name)
	w.buf.WriteString(": ")
}

func (w *baselineWriter) member(name string, v any) {
	w.key(name)
	w.value(v)
}

// block is a list or an object with an item a line.
func (w *baselineWriter) block(name, open, end string, n int, item func(i int)) {
	w.key(name)
	w.buf.WriteString(open)
	for i := range n {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.WriteString("\n    ")
		item(i)
	}
	if n > 0 {
		w.buf.WriteString("\n  ")
	}
	w.buf.WriteString(end)
}

func lines[T any](w *baselineWriter, name string, list []T, of func(*T) any) {
	w.block(name, "[", "]", len(list), func(i int) { w.value(of(&list[i])) })
}

func (s *State) json() stateJSON {
	return stateJSON{Class: string(s.Class), Cluster: s.Cluster, Content: s.Content, Context: s.Context, ID: s.ID,
		Killed: s.Killed, Label: s.Label,
		Nudge: s.At[0].json(), Reminders: s.Reminders, Reproduced: s.Reproduced, Stop: s.At[1].json(), Weak: s.Weak}
}

func (l *LevelState) json() levelJSON {
	out := levelJSON{Calls: l.Calls, FalseEpisodes: l.FalseEpisodes, First: l.First.json(), Outcome: string(l.Result),
		WorkCalls: l.WorkCalls, Wrong: l.Wrong.json()}
	for i := range l.Spans {
		s := &l.Spans[i]
		out.Spans = append(out.Spans, loopJSON{s.AtLeast, s.Censored, s.Hit.json(), s.Onset, s.Run, s.Wasted})
	}
	return out
}

func (p *Place) json() *placeJSON {
	if p == nil {
		return nil
	}
	return &placeJSON{p.Call, p.Detector, p.Line, string(p.Phase), p.Run, p.Verdict.String()}
}

// metricOf is a cell as a file holds it.
func metricOf(c report.Cell) metricJSON {
	m := metricJSON{N: c.N, D: c.D, Tier: c.Tier}
	num := func(v float64) *fixedFloat { f := fixedFloat(v); return &f }
	bounds := func(lo, hi float64, method, flag string) {
		m.Lo, m.Hi, m.Method, m.Flag, m.Level = num(lo), num(hi), method, flag, stat.Level
	}
	switch {
	case c.Kind == report.KindCount:
		m.Value = num(float64(c.N))
	case c.Kind == report.KindText: // "3 of 7": counts that are no rate of anything
		m.Flag = c.Text
	case c.Kind == report.KindNull || c.D == 0:
	default:
		v := float64(c.N) / float64(c.D)
		if c.Kind == report.KindPerK {
			v *= 1000
		}
		m.Value = num(v)
		switch {
		case c.Range != nil:
			bounds(c.Range.Lo, c.Range.Hi, c.Range.Method, c.Range.Flag)
		case c.Kind == report.KindShare && c.N == 0:
			_, hi := c.Interval()
			bounds(0, hi, "clopper-pearson one-sided", "")
		case c.Kind == report.KindShare:
			lo, hi := c.Interval()
			bounds(lo, hi, "wilson", "")
		case c.Kind == report.KindPerK && c.N == 0:
			bounds(0, c.Bound(), "garwood one-sided, calls taken as independent", "")
		}
	}
	return m
}
