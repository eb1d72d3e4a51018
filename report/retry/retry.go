package retry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"groundhog/detectors/policy"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/retry"
	"groundhog/report"
)

// A Retry gathers episodes of failed requests and walks them through policies,
// for the report of `groundhog retry`.
type Retry struct {
	Compare  *Pair    // two policies to compare; nil: none
	Axes     *Sweep   // nil: no sweep
	Findings []string // about the configuration
	Cases    []policy.Case

	policies []*policy.Retrier
	read     retryRead
	left     []formats.Skip
	episodes []*Episode
	begun    []time.Time // of all requests whose time is recorded
}

// retryRead is what was read.
type retryRead struct {
	sessions, logical, failures, undescribed int
}

// An Episode is one episode and what each policy makes of it.
type Episode struct {
	Session  string
	Number   int // in its session, from 1
	Episode  *retry.Episode
	Policies []string
	Outcomes []*retry.Outcome // as Policies
	// Shown is, for each policy and step, the number of the retry that the user
	// sees; 0 if none is shown. It counts through a run, over phases and steps.
	Shown [][]int
}

// New returns a report without sessions.
func New(policies []*policy.Retrier, found *formats.Found) *Retry {
	return &Retry{policies: policies, left: slices.Clone(found.Skipped)}
}

// Add walks the episodes of one session through the policies and hands each to
// sink.
func (r *Retry) Add(o *replay.Outcome, sink func(*Episode) error) error {
	if o.Err != nil {
		r.left = append(r.left, formats.Skip{Path: o.Session.Origin.File, Asked: true,
			Why: fmt.Sprintf("session %s: %v", o.Session.ID, o.Err)})
		return nil
	}
	r.read.sessions++
	r.read.logical += o.Requests.Logical
	r.begun = append(r.begun, o.Requests.Begun...)
	names := make([]string, len(r.policies))
	for i, p := range r.policies {
		names[i] = p.Name
	}
	var numbers numbering
	for i := range o.Requests.Episodes {
		e := &Episode{Session: o.Session.ID, Number: i + 1, Episode: &o.Requests.Episodes[i], Policies: names}
		for _, p := range r.policies {
			e.Outcomes = append(e.Outcomes, retry.Run(p, e.Episode))
		}
		numbers.number(e)
		if err := sink(e); err != nil {
			return err
		}
		if e.Episode.Undescribed() { // a line says so, but no table may count what a policy made of nothing
			r.read.undescribed++
			continue
		}
		r.read.failures += len(e.Episode.Failures)
		if r.Axes != nil { // many points, and the tables need only their ends
			for _, o := range e.Outcomes {
				o.Steps, o.Sent = nil, nil
			}
		}
		r.episodes = append(r.episodes, e)
	}
	return nil
}

// Left lists what the user asked for and could not be read.
func (r *Retry) Left() []formats.Skip {
	return slices.DeleteFunc(slices.Clone(r.left), func(s formats.Skip) bool { return !s.Asked })
}

// Report is what was gathered.
func (r *Retry) Report() *report.Report {
	rep := &report.Report{Title: "retry", Notes: r.notes()}
	if len(r.episodes) == 0 {
		return rep
	}
	if r.Axes != nil {
		rep.Sections = append(rep.Sections, r.sweep()...)
		rep.Sections = append(rep.Sections, r.cannot())
		return rep
	}
	rep.Sections = append(rep.Sections, r.pairs()...)
	rep.Sections = append(rep.Sections, r.side(), r.cost(), r.kinds(), r.expected())
	rep.Sections = append(rep.Sections, r.fleet()...)
	rep.Sections = append(rep.Sections, r.list())
	rep.Sections = append(rep.Sections, r.findings()...)
	rep.Sections = append(rep.Sections, r.cannot())
	return rep
}

// where is an episode's name in a list.
func (e *Episode) where() string { return fmt.Sprintf("%s#%d", e.Session, e.Number) }

func (r *Retry) notes() []string {
	kinds, recovered, clockless := make(map[string]int), 0, 0
	for _, e := range r.episodes {
		kinds[string(e.Episode.Kind)]++
		recovered += report.Bit(e.Episode.Recovered)
		clockless += report.Bit(!e.Episode.EndKnown)
	}
	n := len(r.episodes)
	var undescribed []string
	if r.read.undescribed > 0 {
		undescribed = []string{fmt.Sprintf("%s left out: the record says that a request failed and not how, so that no "+
			"policy can be asked", report.Plural(r.read.undescribed, "episode"))}
	}
	notes := []string{fmt.Sprintf("%s, %s, %s of %s", report.Plural(r.read.sessions, "session"),
		report.Plural(r.read.logical, "request"), report.Plural(n, "error episode"), report.Plural(r.read.failures,
			"failure"))}
	if n == 0 {
		return append(append(notes, undescribed...),
			"no failed request was recorded that a policy can be asked about: many recordings keep only what worked "+
				"(groundhog list formats)")
	}
	var parts []string
	for _, k := range policy.All {
		if kinds[string(k)] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, kinds[string(k)]))
		}
	}
	notes = append(notes, "by the first failure: "+strings.Join(parts, ", "),
		fmt.Sprintf("in the record %d recovered; %d gave up, and what comes after is unknown (censored)", recovered,
			n-recovered))
	notes = append(notes, undescribed...)
	if clockless > 0 {
		notes = append(notes, fmt.Sprintf("%s without times or waits: only the number of attempts can be compared (no_clock)",
			report.Plural(clockless, "episode")))
	}
	return notes
}
