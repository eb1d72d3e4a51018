package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report/stat"
)

// A Retry gathers episodes of failed requests and walks them through policies,
// for the report of `groundhog retry`.
type Retry struct {
	Compare  *Pair    // two policies to compare; nil: none
	Axes     *Sweep   // nil: no sweep
	Findings []string // about the configuration
	Cases    []RetryCase

	policies []*detectors.Retrier
	found    *formats.Found
	read     retryRead
	left     []formats.Skip
	episodes []*RetryEpisode
	begun    []time.Time // of all requests whose time is recorded
}

// retryRead is what was read.
type retryRead struct {
	sessions, logical, failures, undescribed int
}

// A RetryEpisode is one episode and what each policy makes of it.
type RetryEpisode struct {
	Session  string
	Number   int // in its session, from 1
	Episode  *replay.Episode
	Policies []string
	Outcomes []*replay.RetryOutcome // as Policies
	// Shown is, for each policy and step, the number of the retry that the user
	// sees; 0 if none is shown. It counts through a run, over phases and steps.
	Shown [][]int
}

// A numbering is where the numbers stand that a user sees, by policy.
type numbering struct {
	run  int32
	lane string
	last []int
}

// number gives the retries of one episode their numbers: the first that is shown
// has its own loop's, each further one the next.
func (n *numbering) number(e *RetryEpisode) {
	if n.last == nil || n.run != e.Episode.Pos.Run || n.lane != e.Episode.Lane {
		*n = numbering{e.Episode.Pos.Run, e.Episode.Lane, make([]int, len(e.Outcomes))}
	}
	for i, o := range e.Outcomes {
		list := make([]int, len(o.Steps))
		for k := range o.Steps {
			s := &o.Steps[k]
			if !s.Shown || s.Stop != "" || s.Silent || s.Fallback {
				continue
			}
			if n.last[i] == 0 {
				n.last[i] = s.Retry - 1
			}
			n.last[i]++
			list[k] = n.last[i]
		}
		e.Shown = append(e.Shown, list)
	}
}

// NewRetry returns a report without sessions.
func NewRetry(policies []*detectors.Retrier, found *formats.Found) *Retry {
	return &Retry{policies: policies, found: found, left: slices.Clone(found.Skipped)}
}

// Add walks the episodes of one session through the policies and hands each to
// sink.
func (r *Retry) Add(o *replay.Outcome, sink func(*RetryEpisode) error) error {
	if o.Err != nil {
		r.left = append(r.left, formats.Skip{Path: o.Session.Origin.File, Asked: true, Why: fmt.Sprintf("session %s: %v", o.Session.ID, o.Err)})
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
		e := &RetryEpisode{Session: o.Session.ID, Number: i + 1, Episode: &o.Requests.Episodes[i], Policies: names}
		if e.Episode.Undescribed() {
			r.read.undescribed++
			continue
		}
		r.read.failures += len(e.Episode.Failures)
		for _, p := range r.policies {
			e.Outcomes = append(e.Outcomes, replay.Retry(p, e.Episode))
		}
		numbers.number(e)
		if err := sink(e); err != nil {
			return err
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
func (r *Retry) Report() *Report {
	rep := &Report{Title: "retry", Notes: r.notes()}
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
func (e *RetryEpisode) where() string { return fmt.Sprintf("%s#%d", e.Session, e.Number) }

func (r *Retry) notes() []string {
	kinds, recovered, clockless := make(map[string]int), 0, 0
	for _, e := range r.episodes {
		kinds[string(e.Episode.Kind)]++
		recovered += one(e.Episode.Recovered)
		clockless += one(!e.Episode.EndKnown)
	}
	n := len(r.episodes)
	var undescribed []string
	if r.read.undescribed > 0 {
		undescribed = []string{fmt.Sprintf("%s left out: the record says that a request failed and not how, so that no policy can be asked", plural(r.read.undescribed, "episode"))}
	}
	notes := []string{fmt.Sprintf("%s, %s, %s of %s", plural(r.read.sessions, "session"), plural(r.read.logical, "request"), plural(n, "error episode"), plural(r.read.failures, "failure"))}
	if n == 0 {
		return append(append(notes, undescribed...), "no failed request was recorded that a policy can be asked about: many recordings keep only what worked (groundhog list formats)")
	}
	var parts []string
	for _, k := range detectors.Failures {
		if kinds[string(k)] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, kinds[string(k)]))
		}
	}
	notes = append(notes, "by the first failure: "+strings.Join(parts, ", "),
		fmt.Sprintf("in the record %d recovered; %d gave up, and what comes after is unknown (censored)", recovered, n-recovered))
	notes = append(notes, undescribed...)
	if clockless > 0 {
		notes = append(notes, fmt.Sprintf("%s without times or waits: only the number of attempts can be compared (no_clock)", plural(clockless, "episode")))
	}
	return notes
}

// side is the policies side by side.
func (r *Retry) side() Section {
	recovered := 0
	for _, e := range r.episodes {
		recovered += one(e.Episode.Recovered)
	}
	s := Section{
		Key: "policies", Title: "would it have recovered?",
		Doc: fmt.Sprintf("of the %s that recovered in the record, by two clocks: as many attempts as the record needed, or an attempt no earlier than the one that worked. "+
			"firm: both agree, and no jitter matters. tries on: of the %d in which the record gave up, those in which the policy had not.", plural(recovered, "episode"), len(r.episodes)-recovered),
		Columns: []Column{{"policy", "POLICY", true}, {"firm", "RECOVERED, FIRM", true}, {"either", "EITHER CLOCK", true}, {"lost", "LOST", true}, {"unclear", "CLOCKS DISAGREE", true},
			{"tries_on", "TRIES ON", true}, {"stops", "STOPS", false}},
	}
	for i, p := range r.policies {
		t := r.tally(i)
		s.Rows = append(s.Rows, []Cell{text(p.Name), share(t.recovered, t.recovered+t.lost), text(t.either()), count(t.lost), count(t.unclear), count(t.triesOn), named(t.stops)})
	}
	return s
}

// Side is the one table for a report of something else.
func (r *Retry) Side() Section {
	s := r.side()
	s.Key, s.Title = "retry", fmt.Sprintf("retry policies on the %s of the corpus: would it have recovered?", plural(len(r.episodes), "error episode"))
	return s
}

// A retryTally counts what one policy does.
type retryTally struct {
	recovered, lost, unclear        int // of episodes that recovered in the record; the first two are firm
	triesOn                         int // of those in which the record gave up
	byAttempt, byTime               int // recovered
	stops                           []Named
	waits                           []int // expected, in milliseconds
	total                           replay.Range
	requests, worst                 int
	endless                         int
	hints, hinted, terminal, unsafe int
	fallbacks                       int
}

func (t *retryTally) either() string {
	lo, hi := min(t.byAttempt, t.byTime), max(t.byAttempt, t.byTime)
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d–%d", lo, hi)
}

// stopWords is the order in which stops are shown.
var stopWords = []string{replay.StopRecovered, string(detectors.StopCount), string(detectors.StopDeadline), string(detectors.StopTerminal),
	string(detectors.StopUnsafe), string(detectors.StopSilent), replay.StopOpen}

func (r *Retry) tally(policy int) *retryTally {
	t := &retryTally{}
	stops := make(map[string]int)
	for _, e := range r.episodes {
		t.add(e.Episode, e.Outcomes[policy])
		stops[e.Outcomes[policy].Stop]++
	}
	for _, w := range stopWords {
		if stops[w] > 0 {
			t.stops = append(t.stops, Named{w, int64(stops[w])})
		}
	}
	slices.Sort(t.waits)
	return t
}

func (t *retryTally) add(e *replay.Episode, o *replay.RetryOutcome) {
	switch {
	case !e.Recovered:
		t.triesOn += one(o.Stop == replay.StopOpen)
	case o.Firm() && o.ByAttempt == replay.Recovered:
		t.recovered++
	case o.Firm():
		t.lost++
	default:
		t.unclear++
	}
	t.byAttempt += one(o.ByAttempt == replay.Recovered)
	t.byTime += one(o.ByTime == replay.Recovered || o.ByTime == replay.Unasked && o.ByAttempt == replay.Recovered)
	t.waits = append(t.waits, int(o.Total.Expect/time.Millisecond))
	t.total.Least += o.Total.Least
	t.total.Expect += o.Total.Expect
	t.total.Most += o.Total.Most
	t.requests += o.Requests
	if o.Endless {
		t.endless++
	} else {
		t.worst = max(t.worst, o.Worst)
	}
	t.hints += o.Hints
	for i := range e.Failures {
		t.hinted += one(e.Failures[i].Asked >= 0)
	}
	t.terminal += o.Terminal
	t.unsafe += o.Unsafe
	t.fallbacks += o.Fallbacks
}

func named(list []Named) Cell {
	if len(list) == 0 {
		return null
	}
	return Cell{Kind: Counts, List: list}
}

// cost is what recovering costs.
func (r *Retry) cost() Section {
	s := Section{
		Key: "cost", Title: "what it costs",
		Doc: "waits within the record, at the middle of the jitter; the sum also at its ends. worst: requests of one episode if its last failure went on, and the episodes that it would never give up. " +
			"early: waits shorter than the server asked for. terminal: retries of an error that waiting does not mend, and the record gave up on. unsafe: retries after a tool call had left.",
		Columns: []Column{{"policy", "POLICY", true}, {"median_ms", "WAIT MEDIAN", true}, {"p90_ms", "P90", true}, {"sum", "SUM", true}, {"requests", "REQUESTS", true},
			{"worst", "WORST", true}, {"hints", "EARLY", true}, {"terminal", "TERMINAL", true}, {"unsafe", "UNSAFE", true}},
	}
	for i, p := range r.policies {
		t := r.tally(i)
		worst := text(fmt.Sprint(t.worst))
		if t.endless > 0 {
			worst = text(fmt.Sprintf("%d, no end in %d", t.worst, t.endless))
		}
		s.Rows = append(s.Rows, []Cell{text(p.Name), wait(stat.Median(t.waits)), wait(t.waits[(len(t.waits)*9+9)/10-1]), text(spread(t.total)),
			count(t.requests), worst, of(t.hints, t.hinted), count(t.terminal), count(t.unsafe)})
	}
	return s
}

// of is a count of a total that is no rate: a policy may meet fewer of them.
func of(n, d int) Cell {
	if d == 0 {
		return null
	}
	return text(fmt.Sprintf("%d of %d", n, d))
}

// wait is a time in milliseconds.
func wait(ms int) Cell { return Cell{Kind: Wait, N: int64(ms)} }

// spread is a sum of waits, with its ends where they differ.
func spread(x replay.Range) string {
	if x.Least == x.Most {
		return Duration(x.Expect)
	}
	return fmt.Sprintf("%s [%s, %s]", Duration(x.Expect), Duration(x.Least), Duration(x.Most))
}

// Duration is a time as people say it, to two units.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	unit := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	for i, u := range unit {
		if d < u.of {
			continue
		}
		out := fmt.Sprintf("%d %s", d/u.of, u.name)
		if i+1 < len(unit) {
			if rest := d % u.of / unit[i+1].of; rest > 0 {
				out += fmt.Sprintf(" %d %s", rest, unit[i+1].name)
			}
		}
		return out
	}
	return "0 ms"
}

// listed is how many episodes are shown one by one.
const listed = 20

// list is the episodes, the ones where policies differ first.
func (r *Retry) list() Section {
	s := Section{Key: "episodes", Title: "episodes", Doc: "where policies differ first; --format jsonl has every attempt",
		Columns: []Column{{"episode", "EPISODE", true}, {"failures", "FAILURES", true}, {"record", "RECORD", true}}}
	for i, p := range r.policies {
		s.Columns = append(s.Columns, Column{p.Name, strings.ToUpper(p.Name), i < 2})
	}
	order := slices.Clone(r.episodes)
	slices.SortStableFunc(order, func(a, b *RetryEpisode) int { return cmp.Compare(b.apart(), a.apart()) })
	for i, e := range order {
		if i == listed {
			s.Lines = append(s.Lines, fmt.Sprintf("… and %d more", len(order)-listed))
			break
		}
		row := []Cell{text(e.where()), text(e.failures()), text(e.record())}
		for _, o := range e.Outcomes {
			row = append(row, text(verdict(o)))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// apart counts the different ends that policies come to.
func (e *RetryEpisode) apart() int {
	seen := make(map[string]bool)
	for _, o := range e.Outcomes {
		seen[o.Stop] = true
	}
	return len(seen)
}

// failures are the kinds in a row, a repeated one with its number.
func (e *RetryEpisode) failures() string {
	var parts []string
	for i := 0; i < len(e.Episode.Failures); {
		f := &e.Episode.Failures[i]
		n := 1
		for i+n < len(e.Episode.Failures) && e.Episode.Failures[i+n].Kind == f.Kind {
			n++
		}
		word := string(f.Kind)
		if n > 1 {
			word = fmt.Sprintf("%d× %s", n, f.Kind)
		}
		parts = append(parts, word)
		i += n
	}
	return strings.Join(parts, ", ")
}

func (e *RetryEpisode) record() string {
	word := "gave up"
	if e.Episode.Recovered {
		word = "recovered"
	}
	switch ep := e.Episode; {
	case len(ep.Failures) == 1 && !ep.Recovered:
		word += " at once"
	case ep.EndKnown:
		word += " after " + Duration(ep.End)
	}
	return word
}

// verdict is how one policy ends, in a few words.
func verdict(o *replay.RetryOutcome) string {
	end := o.Stop
	if o.Budget != "" {
		end = o.Stop + " of " + o.Budget
	}
	switch {
	case o.Stop == replay.StopOpen:
		end = "goes on"
	case o.Stop == replay.StopRecovered && o.ByTime == replay.Lost:
		end = "recovered (time: lost)"
	case o.ByAttempt == replay.Lost && o.ByTime == replay.Recovered:
		end += " (time: recovered)"
	}
	if o.Total.Expect > 0 {
		end += ", " + Duration(o.Total.Expect)
	}
	return end
}

// cannot is what no replay can know (evaluation.md E16.6).
func (r *Retry) cannot() Section {
	s := Section{Key: "cannot_know", Title: "what cannot be known from a recording",
		Columns: []Column{{"what", "WHAT", true}, {"because", "BECAUSE", true}}}
	for _, row := range [][2]string{
		{"whether an attempt that was never made would have worked", "the record has only those that were made"},
		{"how the provider reacts to more or earlier requests", "a policy that asks more often adds to the load it waits out"},
		{"what the user would have done while waiting", "people interrupt; the record shows it only for its own waits"},
		{"what failed attempts cost", "few recordings have the usage of a request that failed"},
		{"anything after a recorded give-up", "nobody asked again"},
		{"whether a tool call that had left was carried out", "the client drops what a broken stream had brought"},
	} {
		s.Rows = append(s.Rows, []Cell{text(row[0]), text(row[1])})
	}
	return s
}

// A RetryCase is a place where the documents of a policy and its code disagree.
type RetryCase struct {
	Policy, Title, Doc string
	Concerns           func(*transcript.Attempt, *detectors.Answer) bool
}

// findings are where documents, code and configuration disagree, with the
// episodes that it concerns.
func (r *Retry) findings() []Section {
	s := Section{Key: "findings", Title: "where documents, code and configuration disagree", Lines: slices.Clone(r.Findings)}
	for _, c := range r.Cases {
		i := slices.IndexFunc(r.policies, func(p *detectors.Retrier) bool { return p.Name == c.Policy })
		if i < 0 {
			continue
		}
		var where []string
		for _, e := range r.episodes {
			for k := range e.Outcomes[i].Steps {
				if c.Concerns(e.Episode.Failures[k].Attempt, &e.Outcomes[i].Steps[k].Answer) {
					where = append(where, e.where())
					break
				}
			}
		}
		line := fmt.Sprintf("%s: %s. ", c.Policy, c.Title)
		if len(where) == 0 {
			line += "No episode here."
		} else {
			line += fmt.Sprintf("%s: %s.", plural(len(where), "episode"), someOf(where))
		}
		s.Lines = append(s.Lines, line, "  "+c.Doc)
	}
	if len(s.Lines) == 0 {
		return nil
	}
	return []Section{s}
}
