package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats/native"
	"groundhog/replay"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// Version is that of this program, as files and reports name it.
const Version = "0.1.0"

// A Baseline is what one configuration did to every session of a corpus, as it was
// accepted. What a configuration does now is one too: a gate compares two of them, and
// neither knows which file it came from.
//
// Sessions are in order of id.
type Baseline struct {
	Tool         string // version of the program
	Preset       string
	PresetDigest string
	Set          detectors.Settings // every parameter, as it applied
	Split        string             // how text without recorded deltas was cut
	Cluster      string
	Seed         uint64
	Selection    corpus.Selection // how the sessions were chosen
	Confidence   float64
	Sessions     []State
	Exceptions   []Exception
	Accepted     []Acceptance
}

// A State is one session under one configuration.
type State struct {
	ID      string
	Class   corpus.Class
	Content string // SHA-256 of what the session holds, in hexadecimal
	Context int    // steps of it that belong to another session, and count for that
	Label   string // digest of its label; "" for none
	Weak    bool   // the label was made by no person
	Cluster string
	Killed  bool // a false stop would have prevented a recorded success
	// Reminders are those of a live detector that the record shows; Reproduced
	// are those that the configuration gives after the same step.
	Reminders, Reproduced int
	At                    [len(board.Levels)]LevelState
	File                  string // where it was read from; no part of a file
}

// A LevelState is a session at one level.
type LevelState struct {
	Result        corpus.Result
	First, Wrong  *Place // the first fire that counts, the first false one; nil if none
	Spans         []Loop // ordinary ones
	FalseEpisodes int
	Calls         int // evaluated
	WorkCalls     int // of those, outside spans and tolerated stretches
}

// A Place is where which path fired.
type Place struct {
	Run, Call, Line int
	Phase           detectors.Phase
	Detector        string
	Verdict         detectors.Verdict
}

// A Loop is a labelled span and where it was caught.
type Loop struct {
	Run, Onset int
	Hit        *Place // nil if it was missed
	Wasted     int
	AtLeast    bool // the record stops inside it
	Censored   bool // and nothing fired before
}

// An Exception is a finding that somebody answers for until a day.
// Detector is the path that fires, or fired, or the rule where none does.
type Exception struct {
	Session, Detector, Level string
	Reason, Owner, Expires   string
	From                     string // where it stands; no part of a file
}

// An Acceptance is a change that somebody accepted, and why.
type Acceptance struct{ Session, Change, Reason string }

// Take is what the board saw under one point. content gives the digest of a
// session, split the name of the splitter.
func Take(b *board.Board, point int, split string, content func(session string) string) *Baseline {
	b.Settle()
	cfg := b.Plan.Configs[b.Plan.Points[point].Config]
	out := &Baseline{
		Tool: Version, Preset: cfg.Preset.Name, PresetDigest: presetDigest(cfg.Preset), Set: effective(cfg), Split: split,
		Cluster: b.ClusterKey(), Seed: b.Seed, Selection: b.Selection, Confidence: stat.Level,
	}
	for _, r := range b.Rows {
		s := State{
			ID: strings.ToValidUTF8(r.ID,
				"\ufffd"), Class: corpus.Unlabelled, Content: content(r.ID), Context: r.Context, Label: r.Label.Digest(),
			Cluster: r.Cluster, File: r.File,
			Reminders: r.Reminders, Reproduced: r.Reproduced[r.Group[point]],
		}
		if r.Label != nil {
			s.Class, s.Weak = r.Label.Class, r.Label.Source == "weak"
		}
		for k, level := range board.Levels {
			j := r.Under(point, level)
			s.At[k] = stateOf(j)
			for i := range j.Damage {
				s.Killed = s.Killed || j.Damage[i].Killed
			}
		}
		out.Sessions = append(out.Sessions, s)
	}
	return out
}

func stateOf(j *corpus.Judgement) LevelState {
	s := LevelState{Result: j.Result, First: firedAt(j.First), Wrong: firedAt(j.Wrong), FalseEpisodes: j.FalseEpisodes,
		Calls: j.Calls, WorkCalls: j.WorkCalls}
	for i := range j.Spans {
		c := &j.Spans[i]
		s.Spans = append(s.Spans, Loop{Run: c.Span.Run, Onset: c.Span.Onset, Hit: firedAt(c.Hit), Wasted: c.Wasted,
			AtLeast: c.AtLeast, Censored: c.Censored})
	}
	return s
}

func firedAt(h *corpus.Hit) *Place {
	if h == nil {
		return nil
	}
	return &Place{Run: h.Run, Call: h.Call, Line: h.Line, Phase: h.Phase, Detector: h.Detector, Verdict: h.Verdict}
}

// String is the place as it is written everywhere: its call, after the run where
// that is not the first.
func (p *Place) String() string {
	call := fmt.Sprint(p.Call)
	if p.Run > 0 {
		call = fmt.Sprintf("%d:%d", p.Run, p.Call)
	}
	return fmt.Sprintf("%s @%s by %s", p.Verdict, call, p.Detector)
}

// effective are all parameters of a configuration with the values that apply.
func effective(c replay.Config) detectors.Settings {
	set := c.Preset.Set.With(c.Set)
	for _, q := range c.Preset.Params() {
		if _, ok := set[q.ID]; !ok {
			set[q.ID] = q.Default
		}
	}
	return set
}

// presetDigest is that of a preset as it is declared: detectors, precedence,
// parameters and what each begins with. What the code of a detector does is no
// part of it; the outcomes of sessions are there for that.
func presetDigest(p *detectors.Preset) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %v %v %q\n", p.Name, p.Date, p.Every, p.BatchVeto, p.Withhold)
	for _, d := range p.Detectors {
		fmt.Fprintf(sum, "detector %q\n", d.Name)
	}
	for _, l := range p.Ladders {
		fmt.Fprintf(sum, "ladder %q\n", l.Name)
	}
	for _, y := range p.Yields {
		fmt.Fprintf(sum, "yield %q %q\n", y.Detector.Name, y.To.Name)
	}
	for _, q := range p.Params() {
		fmt.Fprintf(sum, "param %q %q\n", q.ID, q.Default)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Set)) {
		fmt.Fprintf(sum, "set %q %q\n", id, p.Set[id])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SetDigest is that of the configuration.
func (b *Baseline) SetDigest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", b.Preset, b.Split)
	for _, id := range slices.Sorted(maps.Keys(b.Set)) {
		fmt.Fprintf(sum, "%q %q\n", id, b.Set[id])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// CorpusDigest is that of all sessions, the same as in a ledger of them.
func (b *Baseline) CorpusDigest() string {
	list := make([]native.Sum, len(b.Sessions))
	for i := range b.Sessions {
		list[i].Session = b.Sessions[i].ID
		hex.Decode(list[i].Content[:], []byte(b.Sessions[i].Content)) // checked when it was read
	}
	return native.CorpusDigest(list)
}

// LabelDigest is that of all labels.
func (b *Baseline) LabelDigest() string {
	list := make([]corpus.LabelSum, len(b.Sessions))
	for i := range b.Sessions {
		list[i] = corpus.LabelSum{Session: b.Sessions[i].ID, Label: b.Sessions[i].Label}
	}
	return corpus.LabelDigest(list)
}

// find is the session with an id, or nil.
func (b *Baseline) find(id string) *State {
	i, ok := slices.BinarySearchFunc(b.Sessions, id, func(s State, id string) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return nil
	}
	return &b.Sessions[i]
}

// state is the session at a level.
func (s *State) state(level detectors.Verdict) *LevelState { return &s.At[board.LevelIndex(level)] }
