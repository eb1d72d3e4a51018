package retry

import (
	"fmt"
	"time"

	"groundhog/detectors/policy"
	"groundhog/replay"
	"groundhog/replay/retry"
	"groundhog/report"
	"groundhog/report/stat"
)

// This file holds time to recovery by kind of failure. A recorded give-up is no
// recovery that failed to come: it is censored, so the curves are Kaplan-Meier's.

// curve is time to recovery of one kind; all kinds together for "".
func (r *Retry) curve(kind policy.Failure) stat.Survival {
	var spells []stat.Spell
	for _, e := range r.episodes {
		if ep := e.Episode; ep.EndKnown && (kind == "" || ep.Kind == kind) {
			spells = append(spells, stat.Spell{Length: ep.End.Milliseconds(), Ended: ep.Recovered})
		}
	}
	return stat.KaplanMeier(spells, stat.Level)
}

// checkpoints are the times at which curves are shown: a short wait, and the
// deadlines that policies have.
var checkpoints = []time.Duration{10 * time.Second, time.Minute, 15 * time.Minute}

// kinds is the episodes by kind of the first failure.
func (r *Retry) kinds() report.Section {
	s := report.Section{
		Key: "kinds", Title: "time to recovery, by kind of failure",
		Doc: "Kaplan-Meier over episodes with times, Greenwood's interval at 95%; a recorded give-up is censored. " +
			"median: the shortest time by which half had recovered. – beyond what the record shows.",
		Columns: report.Cols("kind", "KIND", "episodes", "EPISODES", "recovered", "RECOVERED", "censored", "CENSORED",
			"?terminal", "TERMINAL", "median", "MEDIAN"),
	}
	for _, at := range checkpoints {
		s.Columns = append(s.Columns, report.Col("by_"+at.String(), "BY "+Duration(at)))
	}
	for _, k := range policy.All {
		var n, recovered, terminal int
		for _, e := range r.episodes {
			if e.Episode.Kind == k {
				n++
				recovered += report.Bit(e.Episode.Recovered)
				terminal += report.Bit(e.Episode.Terminal())
			}
		}
		if n == 0 {
			continue
		}
		c := r.curve(k)
		row := []report.Cell{report.Text(string(k)), report.Count(n), report.Count(recovered), report.Count(n - recovered),
			report.Count(terminal), median(c)}
		for _, at := range checkpoints {
			row = append(row, report.Text(recoveredBy(c, at)))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func median(c stat.Survival) report.Cell {
	for _, step := range c.Steps {
		if step.S <= 0.5 {
			return wait(int(step.At))
		}
	}
	return report.Null
}

// recoveredBy is 1 - S with its interval.
func recoveredBy(c stat.Survival, at time.Duration) string {
	v, ok := c.At(at.Milliseconds())
	if !ok {
		return "–"
	}
	lo, hi := 1.0, 1.0
	for _, step := range c.Steps {
		if step.At <= at.Milliseconds() {
			lo, hi = step.Lo, step.Hi
		}
	}
	if len(c.Steps) == 0 || c.Steps[0].At > at.Milliseconds() {
		return "0%"
	}
	return fmt.Sprintf("%.0f%% [%.0f, %.0f]", 100*(1-v), 100*(1-hi), 100*(1-lo))
}

// expected is the recoveries that each policy may expect: a firm one counts for
// itself, any other for the probability that its kind recovers while the policy
// still tries. It rests on the curves, so it is conditional.
func (r *Retry) expected() report.Section {
	s := report.Section{
		Key: "expected", Title: "recoveries expected (C)",
		Doc: "firm recoveries, and for each unknown episode the probability from the curve of its kind that it ends " +
			"while the policy still tries. It assumes that outages end by themselves, whatever is sent.",
		Columns: report.Cols("policy", "POLICY", "expected", "EXPECTED", "of", "OF", "beyond", "BEYOND THE CURVES"),
	}
	curves := make(map[policy.Failure]stat.Survival)
	for _, k := range policy.All {
		curves[k] = r.curve(k)
	}
	for i, p := range r.policies {
		sum, beyond := 0.0, 0
		for _, e := range r.episodes {
			v, ok := chance(e.Episode, e.Outcomes[i], curves[e.Episode.Kind])
			sum += v
			beyond += report.Bit(!ok)
		}
		s.Add(p.Name, report.Cell{Text: fmt.Sprintf("%.1f", sum), Tier: string(replay.Conditional)}, len(r.episodes)-beyond,
			beyond)
	}
	return s
}

// chance is the probability that a policy comes through; false where the curve
// does not reach.
func chance(e *retry.Episode, o *retry.Outcome, c stat.Survival) (float64, bool) {
	switch {
	case o.Firm() && o.ByAttempt == retry.Recovered:
		return 1, true
	case o.Firm():
		return 0, true
	case !e.EndKnown:
		return 0, false
	}
	by := o.Horizon.Milliseconds()
	if o.Endless {
		by = c.Last
	}
	if e.Recovered { // the clocks disagree: the attempts it makes are those of a fresh outage
		return c.EndsBy(by, 0)
	}
	return c.EndsBy(by, e.End.Milliseconds())
}
