package review

import (
	"cmp"
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
)

// Preset is what one configuration would have done.
type Preset struct {
	Name    string   `json:"preset"`
	Date    string   `json:"date,omitzero"`
	Changed []string `json:"settings"` // ID=VALUE, where they differ from the preset
	Fires   int      `json:"fires"`    // up to the first stop of each run
	Nudge   *Fire    `json:"first_nudge"`
	Stop    *Fire    `json:"first_stop"`
	Stops   int      `json:"runs_stopped"`
	Ladder  *Fire    `json:"ladder_stop"` // tier H: if every nudge is ignored
	// After is what follows the first stop in its run (tier C); null without one.
	After *After `json:"after_first_stop"`
	// Changes counts the distinct calls that may have changed something and had run
	// when the agent would first have heard of it: all of all runs, if it never would.
	Changes    int    `json:"changes_before_first_verdict"`
	ChangesRun int    `json:"changes"`    // of that run, or of all
	Diverges   *Place `json:"divergence"` // where the record stops being exact
	Because    string `json:"divergence_because,omitzero"`
}

// After is a stretch of the recording.
type After struct {
	Calls  int     `json:"calls"`
	Tokens *Tokens `json:"tokens"`
	TimeMs *int64  `json:"time_ms"` // null if it was not recorded; idle time is left out
}

// preset adds what one configuration did.
func (r *reviewer) preset(config int) {
	c := r.trace.Plan.Configs[config]
	out, _ := r.trace.Of(config, "")
	p := Preset{Name: c.Preset.Name, Date: c.Preset.Date, Changed: []string{}}
	for id, value := range c.Set {
		p.Changed = append(p.Changed, id+"="+value)
	}
	slices.Sort(p.Changed)
	var fires []*Fire
	for _, f := range out.Fires {
		fires = append(fires, r.fire(config, f))
		if !f.After {
			p.Fires++
		}
	}
	r.fires = append(r.fires, fires)
	var heard *replay.Fire
	for i := range out.Runs {
		run := &out.Runs[i]
		if p.Nudge == nil && run.FirstNudge != nil {
			p.Nudge = r.fire(config, run.FirstNudge)
			heard = run.FirstNudge
		}
		if p.Ladder == nil && run.LadderStop != nil {
			p.Ladder = r.fire(config, run.LadderStop)
		}
		if run.FirstStop == nil {
			continue
		}
		if p.Stops++; p.Stop == nil {
			p.Stop = r.fire(config, run.FirstStop)
			p.After = after(&r.trace.Outcome.Runs[i], run.FirstStop)
		}
	}
	for i := range r.trace.Outcome.Runs {
		switch run := &r.trace.Outcome.Runs[i]; {
		case heard == nil:
			p.Changes += len(run.Changes)
			p.ChangesRun += len(run.Changes)
		case run.Number == int(heard.Pos.Run):
			p.Changes, p.ChangesRun = run.Before(heard), len(run.Changes)
		}
	}
	p.Diverges, p.Because = r.divergence(out)
	r.Presets = append(r.Presets, p)
}

func after(run *replay.Run, f *replay.Fire) *After {
	a := corpus.After(run, f)
	out := &After{Calls: a.Calls, Tokens: &Tokens{a.Tokens.N, a.Tokens.Unknown}}
	if run.Tokens.Unknown >= run.Steps {
		out.Tokens = nil
	}
	if a.Timed {
		ms := a.Time.Milliseconds()
		out.TimeMs = &ms
	}
	return out
}

// divergence is the first place where what the configuration delivers is not what
// the record shows: a verdict that the agent did not hear then, or a
// recorded reminder that the configuration would not have given.
func (r *reviewer) divergence(out *replay.PointOutcome) (*Place, string) {
	recorded := r.trace.Outcome.Recorded
	at := func(run, step int) bool {
		return slices.ContainsFunc(recorded, func(in replay.Intervention) bool { return in.Run == run && in.Step == step })
	}
	delivered := make(map[[2]int]bool)
	var first *Place
	why := ""
	earlier := func(p Place, because string) {
		if first == nil || cmp.Or(cmp.Compare(p.Run, first.Run), cmp.Compare(p.Step, first.Step)) < 0 {
			first, why = &p, because
		}
	}
	for _, f := range out.Fires {
		if f.Delivered == detectors.Continue {
			continue
		}
		p := placeOf(f.Pos)
		delivered[[2]int{p.Run, p.Step}] = true
		if !at(p.Run, p.Step) {
			earlier(p, fmt.Sprintf("%s delivers a %s that the record does not show", report.PathName(f.Detector), f.Delivered))
		}
	}
	for _, in := range recorded {
		if !delivered[[2]int{in.Run, in.Step}] {
			earlier(Place{Run: in.Run, Step: in.Step},
				"the record shows a reminder after this step that the preset would not have given")
		}
	}
	return first, why
}

// fire is a fire with the count that it was reached at.
func (r *reviewer) fire(config int, f *replay.Fire) *Fire {
	out := &Fire{
		Detector: f.Detector, Verdict: f.Verdict.String(), Place: placeOf(f.Pos), Phase: f.Phase, Text: f.Text, Tier: f.Tier,
		Open: f.Open, After: f.After, Masked: append([]string{}, f.Masked...), level: f.Verdict,
	}
	if f.Delivered > detectors.Continue {
		out.Delivered = f.Delivered.String()
	}
	if f.Phase == detectors.InStream || f.Phase == detectors.BeforeCall && f.Pos.Call == 0 {
		out.Place.Call = 0
	}
	if p := r.path(config, f.Detector); p != nil {
		if m := p.At(f.Phase, f.Pos); m != nil {
			if g, ok := p.Judge.Gauge(m.Values); ok {
				out.Count = &Count{g.Count, g.Limit(f.Verdict), g.Of}
			}
		}
	}
	return out
}

func (r *reviewer) path(config int, detector string) *replay.Path {
	for _, p := range r.trace.Paths {
		if p.Config == config && p.Detector.Name == detector {
			return p
		}
	}
	return nil
}
