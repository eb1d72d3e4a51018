package review

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A Review is one session on one screen, for the person who has to say what went
// wrong. Text and JSON are two looks at this value. Texts of the transcript in it
// are cut and not cleaned: a renderer does that.
type Review struct {
	Session    Session  `json:"session"`
	Notes      []string `json:"notes"` // what qualifies the rest
	Label      *Label   `json:"label"` // null if nobody has labelled the session
	Presets    []Preset `json:"presets"`
	Rows       []Row    `json:"rows"`
	Recorded   []Place  `json:"recorded_reminders"` // of a loop detector that was live then; the step before each
	Stopped    bool     `json:"recorded_stop"`      // the record says that one ended the session
	Cuts       []Cut    `json:"stream_fires"`
	Quiet      []Quiet  `json:"quiet_paths"`
	Call       *Call    `json:"call,omitzero"`
	Suggestion string   `json:"suggested_label,omitzero"` // YAML
}

// Options say what the screen shows.
type Options struct {
	Full     bool          // every call
	Call     *corpus.Place // everything known at this call
	Around   *corpus.Place // the calls about this one
	Suggest  bool          // a label to start from
	Splitter string        // how text without recorded deltas was cut
}

// Session is what was recorded.
type Session struct {
	ID     string  `json:"id"`
	File   string  `json:"file"`
	Format string  `json:"format"`
	Agent  string  `json:"agent,omitzero"`
	Model  string  `json:"model,omitzero"`
	Runs   int     `json:"runs"`
	Steps  int     `json:"steps"`
	Calls  int     `json:"calls"`
	Errors int     `json:"errors"`
	NotRun int     `json:"not_run,omitzero"` // refused or cancelled before they ran
	Tokens *Tokens `json:"tokens"`
	End    string  `json:"end,omitzero"`
}

// Tokens is a sum of what was recorded.
type Tokens struct {
	N       int64 `json:"n"`
	Unknown int   `json:"steps_without"` // steps that recorded none
}

func tokensOf(t replay.Tokens, steps int) *Tokens {
	if t.Unknown >= steps {
		return nil
	}
	return &Tokens{t.N, t.Unknown}
}

// Label is what a person, or a model, said about the session.
type Label struct {
	Class    corpus.Class `json:"class"`
	Source   string       `json:"source"`
	Reviewed string       `json:"reviewed"`
	Spans    []Span       `json:"spans"`
	Tolerate []string     `json:"tolerate"` // stretches where a fire is neither right nor wrong
	DoneAt   *Place       `json:"done_at"`  // the deliverable is complete after this call
	Note     string       `json:"note,omitzero"`
}

// Span is one loop of the label.
type Span struct {
	Run       int    `json:"run"`
	Onset     int    `json:"onset"`
	IdealStop int    `json:"ideal_stop_after"`
	End       int    `json:"end"`
	Shape     string `json:"shape,omitzero"`
	Incident  string `json:"incident,omitzero"`
	KnownGap  bool   `json:"known_gap"`
}

// A Place is where something stands. Call is 0 where it is inside no call.
type Place struct {
	Run  int `json:"run"`
	Step int `json:"step"`
	Call int `json:"call"`
}

func (p Place) String() string {
	kind, n := "call", p.Call
	if n == 0 {
		kind, n = "step", p.Step
	}
	if p.Run > 0 {
		return fmt.Sprintf("%s %d:%d", kind, p.Run, n)
	}
	return fmt.Sprintf("%s %d", kind, n)
}

func placeOf(p transcript.Pos) Place { return Place{int(p.Run), int(p.Step), int(p.Call)} }

// A Fire is one verdict.
type Fire struct {
	Detector  string            `json:"detector"`
	Verdict   string            `json:"verdict"`
	Delivered string            `json:"delivered"` // what the model would have heard; "" if nothing
	Place     Place             `json:"place"`
	Phase     detectors.Phase   `json:"phase"`
	Count     *Count            `json:"count"` // null if the path does not count
	Text      string            `json:"text"`
	Tier      replay.Tier       `json:"tier"`
	Open      bool              `json:"open"`       // after the run's first delivered stop, a ladder's too
	After     bool              `json:"after_stop"` // after the run's first stop by a path itself
	Masked    []string          `json:"masked"`
	level     detectors.Verdict // for who reads Verdict as a number
}

// Level is the verdict.
func (f *Fire) Level() detectors.Verdict { return f.level }

// A Count is a measurement against its limit.
type Count struct {
	Count int64  `json:"count"`
	Limit int64  `json:"limit"` // 0: no count reaches a verdict
	Of    string `json:"of"`
}

func (c *Count) String() string {
	if c == nil {
		return ""
	}
	if c.Limit == 0 {
		return fmt.Sprint(c.Count)
	}
	return fmt.Sprintf("%d/%d", c.Count, c.Limit)
}

// New lays a traced session out.
func New(tr *replay.Trace, label *corpus.Label, o Options) (*Review, error) {
	r := &reviewer{trace: tr, label: label, options: o, Review: &Review{Notes: []string{}, Recorded: []Place{},
		Cuts: []Cut{}, Quiet: []Quiet{}}}
	r.session()
	r.labelled()
	for i := range tr.Plan.Configs {
		r.preset(i)
	}
	for _, in := range tr.Outcome.Recorded {
		r.Recorded = append(r.Recorded, Place{Run: in.Run, Step: in.Step})
	}
	r.Stopped = tr.Outcome.Intervened
	if err := r.rows(); err != nil {
		return nil, err
	}
	r.cuts()
	if err := r.quiet(); err != nil {
		return nil, err
	}
	if o.Suggest {
		r.Suggestion = suggestLabel(tr)
	}
	return r.Review, nil
}

// A reviewer makes a Review.
type reviewer struct {
	*Review
	trace   *replay.Trace
	label   *corpus.Label
	options Options
	fires   [][]*Fire // by configuration, in order
	parted  bool      // experiments saw a part of the session, and a note says so
}

func (r *reviewer) session() {
	o := r.trace.Outcome
	s := o.Session
	r.Session = Session{
		ID: s.ID, File: s.Origin.File, Format: s.Origin.Format, Agent: strings.TrimSpace(s.Agent + " " +
			s.AgentVersion), Model: s.Model,
		Runs: len(o.Runs), Steps: o.Steps, Calls: o.Calls, Errors: o.Errors, NotRun: o.NotRun, Tokens: tokensOf(o.Tokens,
			o.Steps), End: string(s.End),
	}
	if s.Recorded.ExitStatus != "" {
		r.Session.End += " (" + s.Recorded.ExitStatus + ")"
	}
	if o.Inferred > 0 {
		r.note("%d of %d errors are inferred from exit statuses or error marks: the recording has no flag there", o.Inferred,
			o.Errors)
	}
	if o.Missing > 0 {
		r.note("%d calls have no recorded result", o.Missing)
	}
	if o.BadRecords > 0 {
		r.note("%d records could not be read", o.BadRecords)
	}
	if o.Context > 0 {
		r.note("%d steps belong to another session: they feed the detectors and are not counted", o.Context)
	}
	for i := range o.Runs {
		if o.Runs[i].ChangesCut {
			r.note("run %d: calls that may have changed something are counted up to %d", o.Runs[i].Number,
				len(o.Runs[i].Changes))
		}
	}
	for i, e := range o.Empty {
		if i == maxEmptyNotes {
			r.note("… and %d more arguments that came empty", o.EmptyCount-i)
			break
		}
		how := "an empty"
		if e.Empty.Missing {
			how = "no"
		}
		r.note("%s: %s succeeded with %s %s, which it must have: a contract of the tool would have refused it",
			placeOf(e.Pos), e.Tool, how, e.Empty.Argument)
	}
	if r.trace.Cut {
		r.note("the session is too large to be held whole: long texts are cut, and what keeps a path quiet was not tried out")
	}
	for _, p := range r.trace.Paths {
		if p.Clipped {
			r.note("%s: only its first %d measurements are looked at", p.Detector.Name, len(p.List))
		}
	}
}

// maxEmptyNotes is how many calls without an argument they must have are named.
const maxEmptyNotes = 3

func (r *reviewer) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *reviewer) labelled() {
	l := r.label
	if l == nil {
		return
	}
	r.Label = &Label{Class: l.Class, Source: l.Source, Reviewed: l.Reviewed, Note: l.Note, Spans: []Span{},
		Tolerate: []string{}}
	for _, t := range l.Tolerate {
		r.Label.Tolerate = append(r.Label.Tolerate, fmt.Sprintf("%s to %d", Place{Run: t.Run, Call: t.From}, t.To))
	}
	if d := l.DoneAt; d != nil {
		r.Label.DoneAt = &Place{Run: d.Run, Call: d.Call}
	}
	for _, s := range l.Spans {
		r.Label.Spans = append(r.Label.Spans, Span{Run: s.Run, Onset: s.Onset, IdealStop: s.Ideal(), End: s.End,
			Shape: s.Shape, Incident: s.Incident, KnownGap: s.KnownGap})
	}
	if l.Source == "weak" {
		r.note("the label was read by a model and checked by nobody")
	}
}
