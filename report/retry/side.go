package retry

import (
	"fmt"
	"slices"
	"time"

	"groundhog/detectors/policy"
	"groundhog/replay/retry"
	"groundhog/report"
	"groundhog/report/stat"
)

// This file puts policies side by side: whether they recover, and what it costs.

// side is the policies side by side.
func (r *Retry) side() report.Section {
	recovered := 0
	for _, e := range r.episodes {
		recovered += report.Bit(e.Episode.Recovered)
	}
	s := report.Section{
		Key: "policies", Title: "would it have recovered?",
		Doc: fmt.Sprintf("of the %s that recovered in the record, by two clocks: as many attempts as the record needed, or "+
			"an attempt no earlier than the one that worked. "+
			"firm: both agree, and no jitter matters. tries on: of the %d in which the record gave up, those in which the "+
			"policy had not.", report.Plural(recovered, "episode"), len(r.episodes)-recovered),
		Columns: report.Cols("policy", "POLICY", "firm", "RECOVERED, FIRM", "either", "EITHER CLOCK", "lost", "LOST",
			"unclear", "CLOCKS DISAGREE", "tries_on", "TRIES ON", "?stops", "STOPS"),
	}
	for i, p := range r.policies {
		t := r.tally(i)
		s.Add(p.Name, report.Share(t.recovered, t.recovered+t.lost), t.either(), t.lost, t.unclear, t.triesOn,
			inOrder(t.stops))
	}
	return s
}

// Side is the one table for a report of something else.
func (r *Retry) Side() report.Section {
	s := r.side()
	s.Key, s.Title = "retry", fmt.Sprintf("retry policies on the %s of the corpus: would it have recovered?",
		report.Plural(len(r.episodes), "error episode"))
	return s
}

// A retryTally counts what one policy does.
type retryTally struct {
	recovered, lost, unclear        int // of episodes that recovered in the record; the first two are firm
	triesOn                         int // of those in which the record gave up
	byAttempt, byTime               int // recovered
	stops                           []report.Named
	waits                           []int // expected, in milliseconds
	total                           retry.Range
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
var stopWords = []string{retry.StopRecovered, string(policy.StopCount), string(policy.StopDeadline),
	string(policy.StopTerminal),
	string(policy.StopUnsafe), string(policy.StopSilent), retry.StopOpen}

func (r *Retry) tally(policy int) *retryTally {
	t := &retryTally{}
	stops := make(map[string]int)
	for _, e := range r.episodes {
		t.add(e.Episode, e.Outcomes[policy])
		stops[e.Outcomes[policy].Stop]++
	}
	for _, w := range stopWords {
		if stops[w] > 0 {
			t.stops = append(t.stops, report.Named{Name: w, N: int64(stops[w])})
		}
	}
	slices.Sort(t.waits)
	return t
}

func (t *retryTally) add(e *retry.Episode, o *retry.Outcome) {
	switch {
	case !e.Recovered:
		t.triesOn += report.Bit(o.Stop == retry.StopOpen)
	case o.Firm() && o.ByAttempt == retry.Recovered:
		t.recovered++
	case o.Firm():
		t.lost++
	default:
		t.unclear++
	}
	t.byAttempt += report.Bit(o.ByAttempt == retry.Recovered)
	t.byTime += report.Bit(o.ByTime == retry.Recovered || o.ByTime == retry.Unasked && o.ByAttempt == retry.Recovered)
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
		t.hinted += report.Bit(e.Failures[i].Asked >= 0)
	}
	t.terminal += o.Terminal
	t.unsafe += o.Unsafe
	t.fallbacks += o.Fallbacks
}

func inOrder(list []report.Named) report.Cell {
	if len(list) == 0 {
		return report.Null
	}
	return report.Cell{Kind: report.KindCounts, List: list}
}

// cost is what recovering costs.
func (r *Retry) cost() report.Section {
	s := report.Section{
		Key: "cost", Title: "what it costs",
		Doc: "waits within the record, at the middle of the jitter; the sum also at its ends. worst: requests of one " +
			"episode if its last failure went on, and the episodes that it would never give up. " +
			"early: waits shorter than the server asked for. terminal: retries of an error that waiting does not mend, and " +
			"the record gave up on. unsafe: retries after a tool call had left.",
		Columns: report.Cols("policy", "POLICY", "median_ms", "WAIT MEDIAN", "p90_ms", "P90", "sum", "SUM", "requests",
			"REQUESTS", "worst", "WORST", "hints", "EARLY", "terminal", "TERMINAL", "unsafe", "UNSAFE"),
	}
	for i, p := range r.policies {
		t := r.tally(i)
		worst := report.Text(fmt.Sprint(t.worst))
		if t.endless > 0 {
			worst = report.Text(fmt.Sprintf("%d, no end in %d", t.worst, t.endless))
		}
		s.Add(p.Name, wait(stat.Median(t.waits)), wait(t.waits[(len(t.waits)*9+9)/10-1]), waited(t.total), t.requests, worst,
			shareOf(t.hints, t.hinted), t.terminal, t.unsafe)
	}
	return s
}

// of is a count of a total that is no rate: a policy may meet fewer of them.
func shareOf(n, d int) report.Cell {
	if d == 0 {
		return report.Null
	}
	return report.Text(fmt.Sprintf("%d of %d", n, d))
}

// wait is a time in milliseconds.
func wait(ms int) report.Cell { return report.Cell{Kind: report.KindWait, N: int64(ms)} }

// waited is a sum of waits, with its ends where they differ.
func waited(x retry.Range) string {
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
