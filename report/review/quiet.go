package review

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
)

// A Quiet is a path that did not speak, and why.
type Quiet struct {
	Preset   string    `json:"preset"`
	Detector string    `json:"detector"`
	Count    *Count    `json:"nearest"` // null if nothing was measured, or the path does not count
	Place    *Place    `json:"at"`      // where that was
	Passes   bool      `json:"passes"`  // at its nearest the path lets pass whatever the count is
	Status   Quietness `json:"status"`
	// Why is a sentence for a person; of Off, NotApplicable and Nothing only what is
	// not there, or set.
	Why     string `json:"why"`
	Instead *Fire  `json:"instead"`  // of a path that is masked: what spoke in its place
	Change  *Limit `json:"smallest"` // null if no single limit makes it speak, or it needs none
}

// Quietness is the kind of reason for which a path is quiet.
type Quietness string

const (
	Off           Quietness = "off"             // the path is switched off, which is not quiet
	NotApplicable Quietness = "not_applicable"  // the recording does not hold what it looks at
	Masked        Quietness = "masked"          // it wanted to speak, and an earlier path had
	AfterStop     Quietness = "after_stop"      // it would speak after the run's first stop
	Alone         Quietness = "alone"           // it would speak if it were the only path
	Ends          Quietness = "record_ends"     // the recording ends before
	Varies        Quietness = "argument_varies" // an argument that differs
	Between       Quietness = "calls_between"   // other calls in between
	Outcomes      Quietness = "outcome_changes" // what came back differs
	Errors        Quietness = "errors"          // which calls failed
	Exempt        Quietness = "exempt"          // the tool is
	Passes        Quietness = "passes"          // the path lets this pass at any count
	Short         Quietness = "too_few"         // too few of what it counts
	Nothing       Quietness = "nothing_to_see"  // nothing of the kind it looks at
)

// A Limit is the smallest change of one limit that makes a path speak. It is
// the answer of the path alone: another may speak first.
type Limit struct {
	Param   string `json:"param"`
	From    string `json:"from"`
	To      string `json:"to"`
	Usual   bool   `json:"in_usual_range"`
	Verdict string `json:"verdict"`
	Place   Place  `json:"at"`         // where it would first speak then, if Right inside the loop
	Right   bool   `json:"in_span"`    // that is inside a labelled loop
	Early   *Place `json:"already_at"` // where it would speak before that, outside the loop; null if nowhere
}

func (r *reviewer) quiet() error {
	for config := range r.trace.Plan.Configs {
		var list []*quietPath
		for _, p := range r.trace.Paths {
			if p.Config == config && !r.spoke(p) {
				list = append(list, r.quietPath(p))
			}
		}
		if err := r.reasons(list); err != nil {
			return err
		}
		for _, q := range list {
			r.Quiet = append(r.Quiet, q.Quiet)
		}
	}
	return nil
}

// spoke reports whether the path has won somewhere before the run's first stop.
func (r *reviewer) spoke(p *replay.Path) bool {
	return slices.ContainsFunc(r.fires[p.Config], func(f *Fire) bool { return f.Detector == p.Detector.Name && !f.After })
}

// A quietPath is one on the way to being explained.
type quietPath struct {
	Quiet
	path *replay.Path
	near *detectors.Measurement
	g    detectors.Gauge
	// proved: an experiment has shown why
	proved bool
}

// quietPath settles what needs no second look at the session.
func (r *reviewer) quietPath(p *replay.Path) *quietPath {
	q := &quietPath{path: p, Quiet: Quiet{Preset: r.Presets[p.Config].Name, Detector: p.Detector.Name}}
	q.nearest()
	switch out, alone := r.trace.Of(p.Config, p.Detector.Name); {
	case p.Detector.Off(p.Set):
		q.Status, q.Why = Off, p.Detector.Switch+"=true switches it on"
	case r.trace.Outcome.Lacks(p.Detector):
		q.Status, q.Why = NotApplicable, lacking(p.Detector.Needs, r.trace.Outcome.Inputs)
	case r.masked(q, out):
	case r.late(q, alone):
	default:
		q.Change = r.smallest(p)
	}
	return q
}

// nearest finds the measurement that came nearest to a verdict, the first on a tie.
func (q *quietPath) nearest() {
	for i := range q.path.List {
		m := &q.path.List[i]
		g, ok := q.path.Judge.Gauge(m.Values)
		if ok && (q.near == nil || g.Nearer(q.g)) {
			q.near, q.g = m, g
		}
	}
	if q.near != nil {
		place := placeOf(q.near.Pos)
		q.Count, q.Place, q.Passes = &Count{q.g.Count, q.g.First, q.g.Of}, &place, q.g.Passes != ""
	}
}

// masked: the path wanted to speak and an earlier one had won.
func (r *reviewer) masked(q *quietPath, out *replay.PointOutcome) bool {
	for _, f := range out.Fires {
		if f.After || !slices.Contains(f.Masked, q.Detector) {
			continue
		}
		q.Status, q.Instead = Masked, r.fire(q.path.Config, f)
		q.Why = fmt.Sprintf("it wanted to speak at %s, where %s spoke first", placeOf(f.Pos), report.PathName(f.Detector))
		return true
	}
	return false
}

// late: alone the path speaks, but only after the first stop of the run.
func (r *reviewer) late(q *quietPath, alone *replay.PointOutcome) bool {
	if alone == nil || len(alone.Fires) == 0 {
		return false
	}
	f := alone.Fires[0]
	q.Status = Alone
	q.Why = fmt.Sprintf("alone it would first %s at %s", verb(f.Verdict), placeOf(f.Pos))
	if g, ok := r.gaugeAt(q.path, f); ok {
		q.Count, q.Passes = &Count{g.Count, g.Limit(f.Verdict), g.Of}, false
		place := placeOf(f.Pos)
		q.Place = &place
	}
	out, _ := r.trace.Of(q.path.Config, "")
	for i := range out.Runs {
		if stop := out.Runs[i].FirstStop; stop != nil && stop.Pos.Run == f.Pos.Run &&
			r.trace.Outcome.Runs[i].Number == int(f.Pos.Run) {
			q.Status, q.Instead = AfterStop, r.fire(q.path.Config, stop)
			q.Why += fmt.Sprintf(", after the stop by %s at %s", report.PathName(stop.Detector), placeOf(stop.Pos))
		}
	}
	return true
}

func (r *reviewer) gaugeAt(p *replay.Path, f *replay.Fire) (detectors.Gauge, bool) {
	if m := p.At(f.Phase, f.Pos); m != nil {
		return p.Judge.Gauge(m.Values)
	}
	return detectors.Gauge{}, false
}

func verb(v detectors.Verdict) string {
	switch v {
	case detectors.ForceStop:
		return "stop"
	case detectors.Block:
		return "veto"
	case detectors.Annotate:
		return "remark"
	}
	return "nudge"
}

// lacking names the inputs a detector needs and a recording does not hold.
func lacking(n detectors.Needs, have replay.Inputs) string {
	var list []string
	for _, need := range []struct {
		needs bool
		input replay.Inputs
		name  string
	}{
		{n.Errors, replay.ErrorFlags, "whether calls failed"}, {n.Results, replay.Results, "what calls gave back"},
		{n.Text, replay.Texts, "what the model wrote"}, {n.Finish, replay.Finishes, "why responses ended"},
		{n.Timed, replay.Times, "when the pieces of a response came"},
	} {
		if need.needs && have&need.input == 0 {
			list = append(list, need.name)
		}
	}
	return strings.Join(list, " nor ")
}

// counted is the first half of a reason: how near it was.
func (q *quietPath) counted() string {
	if q.near == nil {
		return ""
	}
	if q.g.First == 0 {
		return fmt.Sprintf("%d %s; no count makes it speak under these limits", q.g.Count, q.g.Of)
	}
	out := fmt.Sprintf("%d of %d %s", q.g.Count, q.g.First, q.g.Of)
	if q.g.Passes != "" {
		out += "; it lets them pass: " + q.g.Passes
	}
	return out
}

// short is what is left to say where nothing else explains the silence.
func (q *quietPath) short() {
	switch {
	case q.path.Clipped && q.near == nil:
		q.Status, q.Why = Short, "nothing was seen before it was no longer looked at"
	case q.near == nil:
		q.Status, q.Why = Nothing, q.path.Detector.Title()
	case q.g.Passes != "":
		q.Status, q.Why = Passes, q.counted()
	default:
		q.Status, q.Why = Short, q.counted()
	}
}

// right reports whether a fire at a place would be inside a labelled loop.
func (r *reviewer) right(p Place) bool {
	if r.label == nil {
		return false
	}
	truth := r.label.Truth(detectors.Nudge, p.Run, r.callOf(p))
	return truth == corpus.Right || truth == corpus.InGap
}

// callOf is the call that a place is about: outside a call, the first of its step.
func (r *reviewer) callOf(p Place) int {
	if p.Call > 0 {
		return p.Call
	}
	for i := range r.trace.Steps {
		s := &r.trace.Steps[i]
		if int(s.Pos.Run) == p.Run && int(s.Pos.Step) == p.Step && len(s.Calls) > 0 {
			return int(s.Pos.Call) + 1
		}
	}
	return p.Call
}
