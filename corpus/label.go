// Package corpus holds what people say about sessions, and compares it with what
// detectors say. It also carries the demo corpus.
//
// A Label says where in a session the loops are. Judge compares one configuration's
// fires in the session with it, and Totals adds up many sessions. groundhog help labels
// describes the files, groundhog help numbers what is computed.
package corpus

// A Class is a judgement of one session, derived from its spans.
type Class string

const (
	Unlabelled Class = "unlabelled"
	Productive Class = "productive" // repetition here is work; any delivery is a false positive
	Loop       Class = "loop"       // stuck; no stop is a miss
	KnownGap   Class = "known_gap"  // stuck in a shape nobody is meant to catch; not counted as a miss
)

// A Label is what people said about one session.
type Label struct {
	Session  string    `yaml:"session" json:"session"`
	Class    Class     `yaml:"class" json:"class"`
	Reviewed string    `yaml:"reviewed" json:"reviewed"` // one of reviews; only full enters a rate
	Source   string    `yaml:"source" json:"source"`     // one of sources
	Version  int       `yaml:"labels_version" json:"labels_version"`
	Spans    []Span    `yaml:"spans" json:"spans"`
	Tolerate []Stretch `yaml:"tolerate" json:"tolerate"`
	// Positions are what reviewers answered about single calls, whichever path fires
	// there.
	Positions []Position `yaml:"positions" json:"positions"`
	DoneAt    *Place     `yaml:"done_at" json:"done_at"` // first call after which the deliverable is complete
	// Cluster names the sessions that are not independent of each other; "" is the
	// session alone.
	Cluster    string   `yaml:"cluster" json:"cluster"`
	Annotators []string `yaml:"annotators" json:"annotators"`
	Note       string   `yaml:"note" json:"note"`
	Confidence float64  `yaml:"confidence" json:"confidence"`
}

// A Place is a call within a run: runs count from 0 in the session, calls from 1 in
// their run.
type Place struct {
	Run  int `yaml:"run" json:"run"`
	Call int `yaml:"call" json:"call"`
}

// A Span is one loop: calls of one run. A loop in the text of a response is at the first
// call of that response, or at the call before it if it has none (CallOf), so that no
// span can lie before the first call of a run.
type Span struct {
	ID    string `yaml:"id" json:"id"`
	Run   int    `yaml:"run" json:"run"`
	Onset int    `yaml:"onset" json:"onset"` // first redundant call
	// IdealStop is the last call that a perfect observer would allow; nil means Onset.
	IdealStop *int   `yaml:"ideal_stop_after" json:"ideal_stop_after"`
	End       int    `yaml:"end" json:"end"`             // last call of the loop
	Censored  bool   `yaml:"censored" json:"censored"`   // the record ends inside the loop
	Escaped   bool   `yaml:"escaped" json:"escaped"`     // the agent left the loop by itself
	KnownGap  bool   `yaml:"known_gap" json:"known_gap"` // nobody is meant to catch it
	Shape     string `yaml:"shape" json:"shape"`
	Incident  string `yaml:"incident" json:"incident"`
	Why       string `yaml:"why" json:"why"`
}

// A Stretch is calls From to To of one run, where a fire is neither right nor wrong.
type Stretch struct {
	Run  int    `yaml:"run" json:"run"`
	From int    `yaml:"from" json:"from"`
	To   int    `yaml:"to" json:"to"`
	Why  string `yaml:"why" json:"why"`
}

// An Answer is what a reviewer says about a fire at one call; "" if nobody asked.
type Answer string

const (
	Yes    Answer = "yes"
	No     Answer = "no"
	Unsure Answer = "unsure"
)

// A Position is a reviewer's answers about one call.
type Position struct {
	Run     int    `yaml:"run" json:"run"`
	Call    int    `yaml:"call" json:"call"`
	NudgeOK Answer `yaml:"nudge_ok" json:"nudge_ok"`
	StopOK  Answer `yaml:"stop_ok" json:"stop_ok"`
	By      string `yaml:"by" json:"by"`
}
