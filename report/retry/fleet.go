package retry

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"groundhog/report"
)

// This file is the view of whoever runs many agents at once: what their retries add up
// to. It needs wall clocks that can be compared.

// minute and tick are the spans in which load is looked for.
const (
	minute = time.Minute
	tick   = time.Second
)

// fleet is the load that each policy makes, where at least two requests have a
// wall clock.
func (r *Retry) fleet() []report.Section {
	if len(r.begun) < 2 {
		return nil
	}
	begun := slices.Clone(r.begun)
	slices.SortFunc(begun, time.Time.Compare)
	s := report.Section{
		Key: "fleet", Title: "all sessions on one clock",
		Doc: fmt.Sprintf("%d of %d requests have a wall clock. amplification: requests sent for each that was wanted. peak "+
			"minute: of the sliding minutes that begin with a wanted request, the one with the most requests for each that "+
			"was wanted. "+
			"busiest second: the share of retries that fall into one second.", len(begun), r.read.logical),
		Columns: report.Cols("policy", "POLICY", "amplification", "AMPLIFICATION", "peak", "PEAK MINUTE", "second",
			"BUSIEST SECOND"),
	}
	for i, p := range r.policies {
		t := r.tally(i)
		// Every logical request is one; an episode counts what it sent.
		sent := r.read.logical - len(r.episodes) + t.requests
		retries := r.retries(i)
		peak, second := report.Null, report.Null
		if n, wanted := peakMinute(begun, retries); n > 0 {
			peak = report.Text(fmt.Sprintf("%d retries, %d wanted: %s", n, wanted, times(n+wanted, wanted)))
		}
		if len(retries) > 0 {
			second = report.Share(busiest(retries, tick), len(retries))
		}
		s.Add(p.Name, fmt.Sprintf("%d / %d = %s", sent, r.read.logical, times(sent, r.read.logical)), peak, second)
	}
	return []report.Section{s}
}

func times(n, d int) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f×", float64(n)/float64(d))
}

// retries are the wall times at which a policy would have sent its retries.
func (r *Retry) retries(policy int) (list []time.Time) {
	for _, e := range r.episodes {
		if e.Episode.Start.IsZero() {
			continue
		}
		for _, d := range e.Outcomes[policy].Sent {
			list = append(list, e.Episode.Start.Add(d))
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return list
}

// peakMinute is the retries and the wanted requests of the minute in which the
// ones are most for each of the others; the earliest of equals.
func peakMinute(begun, retries []time.Time) (n, wanted int) {
	for _, from := range begun {
		to := from.Add(minute)
		r, w := between(retries, from, to), between(begun, from, to)
		if wanted == 0 || r*wanted > n*w {
			n, wanted = r, w
		}
	}
	return n, wanted
}

// busiest is the most times within a span.
func busiest(sorted []time.Time, span time.Duration) (n int) {
	from := 0
	for i := range sorted {
		for sorted[i].Sub(sorted[from]) >= span {
			from++
		}
		n = max(n, i-from+1)
	}
	return n
}

// between counts times from a up to b.
func between(sorted []time.Time, a, b time.Time) int {
	find := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(sorted, t, func(x, y time.Time) int {
			return cmp.Compare(x.UnixNano(),
				y.UnixNano())
		})
		return i
	}
	return find(b) - find(a)
}
