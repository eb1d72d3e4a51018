package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// This file is the view of whoever runs many agents at once (evaluation.md
// E16.4): what their retries add up to. It needs wall clocks that can be
// compared.

// window and tick are the spans in which load is looked for.
const (
	window = time.Minute
	tick   = time.Second
)

// fleet is the load that each policy makes, where at least two requests have a
// wall clock.
func (r *Retry) fleet() []Section {
	if len(r.begun) < 2 {
		return nil
	}
	begun := slices.Clone(r.begun)
	slices.SortFunc(begun, time.Time.Compare)
	s := Section{
		Key: "fleet", Title: "all sessions on one clock",
		Doc: fmt.Sprintf("%d of %d requests have a wall clock. amplification: requests sent for each that was wanted. peak minute: the sliding minute with the most retries, and how many requests are sent in it for each that begins there. "+
			"busiest second: the share of retries that fall into one second.", len(begun), r.read.logical),
		Columns: []Column{{"policy", "POLICY", true}, {"amplification", "AMPLIFICATION", true}, {"peak", "PEAK MINUTE", true}, {"second", "BUSIEST SECOND", true}},
	}
	for i, p := range r.policies {
		t := r.tally(i)
		// Every logical request is one; an episode counts what it sent.
		sent := r.read.logical - len(r.episodes) + t.requests
		retries := r.retries(i)
		peak, second := null, null
		if n, at := busiest(retries, window); n > 0 {
			wanted := between(begun, at, at.Add(window))
			peak = text(fmt.Sprintf("%d retries, %d wanted: %s", n, wanted, times(n+wanted, wanted)))
			n, _ = busiest(retries, tick)
			second = share(n, len(retries))
		}
		s.Rows = append(s.Rows, []Cell{text(p.Name), text(fmt.Sprintf("%d / %d = %s", sent, r.read.logical, times(sent, r.read.logical))), peak, second})
	}
	return []Section{s}
}

func times(n, d int) string {
	if d == 0 {
		return "no end"
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

// busiest is the most times within a span, and where it begins.
func busiest(sorted []time.Time, span time.Duration) (n int, at time.Time) {
	from := 0
	for i := range sorted {
		for sorted[i].Sub(sorted[from]) >= span {
			from++
		}
		if i-from+1 > n {
			n, at = i-from+1, sorted[from]
		}
	}
	return n, at
}

// between counts times from a up to b.
func between(sorted []time.Time, a, b time.Time) int {
	find := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(sorted, t, func(x, y time.Time) int { return cmp.Compare(x.UnixNano(), y.UnixNano()) })
		return i
	}
	return find(b) - find(a)
}
