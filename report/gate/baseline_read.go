package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A FormatError is a file that is no baseline, or whose parts contradict each
// other: it cannot be compared with anything.
type FormatError struct{ Msg string }

func (e *FormatError) Error() string { return e.Msg }

func baselinef(format string, args ...any) error { return &FormatError{fmt.Sprintf(format, args...)} }

// DecodeBaseline reads what Encode has written. Digests have to fit what they
// are of.
func DecodeBaseline(src []byte) (*Baseline, error) {
	var schema struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(src, &schema); err != nil {
		return nil, baselinef("no baseline: %v; make one with groundhog gate init", err)
	}
	if schema.Schema != baselineSchema {
		return nil, baselinef("schema %d: this program reads %d; make the baseline again with groundhog gate init",
			schema.Schema, baselineSchema)
	}
	var in baselineJSON
	if err := json.Unmarshal(src, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, baselinef("no baseline: %v", err)
	}
	b := &Baseline{Tool: in.Tool, Preset: in.Preset.ID, PresetDigest: in.Preset.Digest, Set: in.Configuration.Set,
		Split:   in.Configuration.Split,
		Cluster: in.Cluster, Seed: in.Seed, Confidence: in.Confidence}
	if in.Selection != "" {
		var err error
		if b.Selection, err = corpus.ParseSelection(in.Selection); err != nil {
			return nil, baselinef("%v", err)
		}
	}
	if b.Set == nil {
		b.Set = detectors.Settings{}
	}
	if b.Confidence != stat.Level {
		return nil, baselinef("confidence %v: this program gates at %v", b.Confidence, stat.Level)
	}
	for i := range in.Sessions {
		s, err := in.Sessions[i].state()
		if err != nil {
			return nil, baselinef("session %q: %v", in.Sessions[i].ID, err)
		}
		if i > 0 && s.ID <= b.Sessions[i-1].ID {
			return nil, baselinef("session %q: out of order, or there twice", s.ID)
		}
		b.Sessions = append(b.Sessions, s)
	}
	for _, e := range in.Exceptions {
		x := Exception{Session: e.Session, Detector: e.Detector, Level: e.Level, Reason: e.Reason, Owner: e.Owner,
			Expires: e.Expires, From: "the baseline"}
		if err := x.Check(); err != nil {
			return nil, baselinef("exception for %q: %v", e.Session, err)
		}
		b.Exceptions = append(b.Exceptions, x)
	}
	for _, a := range in.Accepted {
		b.Accepted = append(b.Accepted, Acceptance{a.Session, a.Change, a.Reason})
	}
	for _, d := range []struct{ what, states, is string }{
		{"corpus_digest", in.CorpusDigest, b.CorpusDigest()}, {"label_digest", in.LabelDigest,
			b.LabelDigest()}, {"configuration digest", in.Configuration.Digest, b.SetDigest()},
	} {
		if d.states != d.is {
			return nil, baselinef("%s is %.12s…, but what stands in the file has %.12s…: it was edited or merged by hand; "+
				"make it again with groundhog gate init", d.what, d.states, d.is)
		}
	}
	return b, nil
}

func (in *stateJSON) state() (State, error) {
	s := State{ID: in.ID, Class: corpus.Class(in.Class), Content: in.Content, Context: in.Context, Label: in.Label,
		Weak: in.Weak, Cluster: in.Cluster, Killed: in.Killed,
		Reminders: in.Reminders, Reproduced: in.Reproduced}
	if s.ID == "" {
		return s, fmt.Errorf("no id")
	}
	if sum, err := hex.DecodeString(s.Content); err != nil || len(sum) != sha256.Size {
		return s, fmt.Errorf("content %q is no SHA-256", s.Content)
	}
	if !slices.Contains([]corpus.Class{corpus.Loop, corpus.Productive, corpus.KnownGap, corpus.Unlabelled}, s.Class) {
		return s, fmt.Errorf("class %q is none", s.Class)
	}
	if !inRange(s.Reminders, s.Reproduced, s.Context) {
		return s, errRange
	}
	for k, l := range []*levelJSON{&in.Nudge, &in.Stop} {
		var err error
		if s.At[k], err = l.state(); err != nil {
			return s, fmt.Errorf("%s: %w", board.LevelName(board.Levels[k]), err)
		}
	}
	return s, nil
}

var errRange = fmt.Errorf("a count is below 0, or too large to be one")

// inRange keeps sums over all sessions from overflowing.
func inRange(counts ...int) bool {
	for _, n := range counts {
		if n < 0 || n > math.MaxInt32 {
			return false
		}
	}
	return true
}

func (in *levelJSON) state() (LevelState, error) {
	l := LevelState{Result: corpus.Result(in.Outcome), FalseEpisodes: in.FalseEpisodes, Calls: in.Calls,
		WorkCalls: in.WorkCalls}
	if !corpus.IsResult(l.Result) {
		return l, fmt.Errorf("outcome %q is none", in.Outcome)
	}
	if !inRange(l.FalseEpisodes, l.Calls, l.WorkCalls) {
		return l, errRange
	}
	var err error
	if l.First, err = in.First.place(); err != nil {
		return l, err
	}
	if l.Wrong, err = in.Wrong.place(); err != nil {
		return l, err
	}
	for i := range in.Spans {
		s := &in.Spans[i]
		hit, err := s.Hit.place()
		switch {
		case err != nil:
			return l, err
		case !inRange(s.Run, s.Onset, s.Wasted):
			return l, errRange
		}
		l.Spans = append(l.Spans, Loop{Run: s.Run, Onset: s.Onset, Hit: hit, Wasted: s.Wasted, AtLeast: s.AtLeast,
			Censored: s.Censored})
	}
	return l, nil
}

func (in *placeJSON) place() (*Place, error) {
	if in == nil {
		return nil, nil
	}
	v, err := detectors.ParseVerdict(in.Verdict)
	if err != nil {
		return nil, err
	}
	if !inRange(in.Run, in.Call, in.Line) {
		return nil, errRange
	}
	return &Place{Run: in.Run, Call: in.Call, Line: in.Line, Phase: detectors.Phase(in.Phase), Detector: in.Detector,
		Verdict: v}, nil
}

// Check reports what an exception lacks: nothing in it may be left out, and it
// is about one session.
func (e *Exception) Check() error {
	var missing []string
	for _, f := range []struct{ name, value string }{
		{"session", e.Session}, {"detector", e.Detector}, {"level", e.Level}, {"reason", e.Reason}, {"owner",
			e.Owner}, {"expires", e.Expires},
	} {
		if strings.TrimSpace(f.value) == "" {
			missing = append(missing, f.name)
		}
	}
	switch _, err := time.Parse(time.DateOnly, e.Expires); {
	case len(missing) > 0:
		return fmt.Errorf("%s missing: an exception names session, detector, level, reason, owner and expires",
			strings.Join(missing, ", "))
	case e.Level != "nudge" && e.Level != "stop":
		return fmt.Errorf("level: expected nudge or stop, got %q", e.Level)
	case err != nil:
		return fmt.Errorf("expires: expected a date like 2027-03-01, got %q", e.Expires)
	}
	return nil
}
