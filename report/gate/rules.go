package gate

// A Rule is one thing that a gate looks at, and what follows where it does not
// hold.
type Rule struct {
	Name  string
	Bound string  // max or min, for rules with a limit; else ""
	Limit float64 // of a rule that is not off
	Level string  // error, warning, notice, off
	Doc   string
}

// RuleLevels are what may follow where a rule is broken.
var RuleLevels = []string{"error", "warning", "notice", "off"}

// DefaultRules are the rules without a configuration. A bound on a rate is off
// until somebody sets it. Rules that compare are about what changed: a baseline
// compared with itself breaks none of them.
func DefaultRules() []Rule {
	return []Rule{
		{Name: "new_false_stops", Level: "error", Doc: "sessions that are stopped wrongly now and were not"},
		{Name: "lost_catches", Level: "error", Doc: "loops that were stopped and are not"},
		{Name: "new_false_nudges", Level: "warning", Doc: "sessions that are nudged wrongly now and were not"},
		{Name: "later_by", Bound: "max", Limit: 2, Level: "warning", Doc: "calls by which a loop is caught later"},
		{Name: "killed_success", Level: "error", Doc: "sessions that succeeded and would be stopped before that now"},
		{Name: "gap_closed", Level: "notice", Doc: "known gaps that are caught now: promote the label"},
		{Name: "fpr_upper95", Bound: "max", Level: "off", Doc: "upper bound of the rate of false stops"},
		{Name: "recall_lower95", Bound: "min", Level: "off", Doc: "lower bound of the share of loops stopped"},
		{Name: "false_per_1k", Bound: "max", Limit: 0.5, Level: "warning",
			Doc: "growth of false episodes in 1,000 calls of work"},
		{Name: "waste", Bound: "max", Limit: 0.05, Level: "warning", Doc: "growth of the calls wasted on a loop, as a share"},
		{Name: "unknown_field", Level: "warning", Doc: "a detector or parameter that the preset does not have"},
		{Name: "unlabelled_growth", Level: "warning", Doc: "more sessions without a label than before"},
		{Name: "corpus_shrank", Level: "error", Doc: "labelled sessions that are gone, or their labels"},
		{Name: "corpus_changed", Level: "warning",
			Doc: "labelled sessions that say something else, or are labelled differently: not compared"},
		{Name: "exception_expired", Level: "warning", Doc: "an exception past its date, or that nothing needs"},
		{Name: "fidelity", Level: "warning", Doc: "recorded reminders that the replay does not reproduce"},
	}
}

// A Status is what came of a rule.
type Status string

const (
	Holds     Status = "pass"
	Broken    Status = "broken"
	CannotSay Status = "inconclusive" // the data do not decide
	NotAsked  Status = "off"
)

// A Ruling is one rule with what came of it.
type Ruling struct {
	Rule
	Status   Status
	What     string // counts, in words
	Findings []Finding
	Cases    []string // the sessions that were looked at, in order; none where the rule is about numbers
}

// Word is the status for people: what is broken has the weight of its level.
func (r *Ruling) Word() string {
	switch {
	case r.Status != Broken:
		return string(r.Status)
	case r.Level == "error":
		return "FAIL"
	}
	return r.Level
}

// needsLabels reports whether the rule asks what was right, which nobody can say
// where nothing is labelled.
func (r *Ruling) needsLabels() bool {
	switch r.Name {
	case "unknown_field", "unlabelled_growth", "corpus_shrank", "corpus_changed", "exception_expired", "fidelity":
		return false
	}
	return true
}

// Fails reports whether the rule makes the gate fail.
func (r *Ruling) Fails() bool { return r.Status == Broken && r.Level == "error" }

// A Finding is one fact that speaks against a rule.
type Finding struct {
	Rule     string
	Severity string // that of the rule
	Session  string // "" where it is about numbers
	File     string // of the session, as the user gave it; "" if it was not read
	Level    string // nudge or stop; "" where neither
	Detector string // the path that fires, or that fired; "" if none
	Change   string // TP→FN
	Base     *Place // then and now; nil for quiet
	Now      *Place
	Text     string // a sentence with the place
	Why      string // the settings of the path that changed
	Allowed  *Exception
	Open     bool // whether it is against the rule, the data do not say
}

// At is the fire to look at: that of now, or the one that is gone.
func (f *Finding) At() *Place {
	if f.Now == nil || f.Gone() {
		return f.Base
	}
	return f.Now
}

// Gone reports whether the finding is about a fire of the baseline that is not
// there any more, whatever fires instead.
func (f *Finding) Gone() bool { return f.Base != nil && (f.Now == nil || f.Rule == "lost_catches") }

// settle says what the findings come to, where there was something to look at.
func (r *Ruling) settle(looked bool) {
	switch {
	case r.Level == "off":
		r.Status, r.Findings = NotAsked, nil
		return
	case looked:
		r.Status = Holds
	default:
		r.Status = CannotSay
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Allowed != nil:
		case !f.Open:
			r.Status = Broken
			return
		default:
			r.Status = CannotSay
		}
	}
}
