package retry

import (
	"fmt"
	"strings"
	"time"

	"groundhog/replay/retry"
	"groundhog/report"
	"groundhog/report/stat"
)

// A Pair names two policies that are compared, by their place.
type Pair struct{ A, B int }

// pairs is the comparison of two policies, episode by episode: flips where both are
// firm, with the exact test, and the difference of waits and requests with its
// bootstrap over sessions.
func (r *Retry) pairs() []report.Section {
	if r.Compare == nil {
		return nil
	}
	a, b := r.Compare.A, r.Compare.B
	var gained, lost []string
	both := 0
	for _, e := range r.episodes {
		x, y := e.Outcomes[a], e.Outcomes[b]
		if !e.Episode.Recovered || !x.Firm() || !y.Firm() {
			continue
		}
		both++
		switch {
		case x.ByAttempt == y.ByAttempt:
		case y.ByAttempt == retry.Recovered:
			gained = append(gained, e.where())
		default:
			lost = append(lost, e.where())
		}
	}
	names := []string{r.policies[a].Name, r.policies[b].Name}
	s := report.Section{
		Key: "compare", Title: fmt.Sprintf("%s against %s, paired by episode", names[1], names[0]),
		Doc: fmt.Sprintf("recoveries over the %s that recovered in the record and in which both are firm; waits and "+
			"requests over all, their difference with its 95%% bootstrap over sessions.", report.Plural(both, "episode")),
		Columns: report.Cols("what", "", "base", strings.ToUpper(names[0]), "candidate", strings.ToUpper(names[1])+" ",
			"change", "CHANGE"),
	}
	ta, tb := r.tally(a), r.tally(b)
	s.Rows = append(s.Rows,
		[]report.Cell{report.Text("recovered, firm"), report.Share(ta.recovered, ta.recovered+ta.lost),
			report.Share(tb.recovered, tb.recovered+tb.lost), report.Text(policyFlips(len(gained), len(lost)))},
		[]report.Cell{report.Text("wait per episode"), wait(meanWait(ta.total.Expect, len(r.episodes))),
			wait(meanWait(tb.total.Expect, len(r.episodes))), report.Text(r.difference("retry wait", a, b,
				func(o *retry.Outcome) float64 { return o.Total.Expect.Seconds() }, " s"))},
		[]report.Cell{report.Text("requests"), report.Count(ta.requests), report.Count(tb.requests),
			report.Text(r.difference("retry requests", a, b, func(o *retry.Outcome) float64 { return float64(o.Requests) },
				" per episode"))},
		[]report.Cell{report.Text("retries after a tool call"), report.Count(ta.unsafe), report.Count(tb.unsafe),
			report.Text(moreOrLess(tb.unsafe - ta.unsafe))},
		[]report.Cell{report.Text("waits shorter than asked"), report.Count(ta.hints), report.Count(tb.hints),
			report.Text(moreOrLess(tb.hints - ta.hints))},
	)
	for _, f := range []struct {
		word string
		list []string
	}{{"gained", gained}, {"lost", lost}} {
		if len(f.list) > 0 {
			s.Lines = append(s.Lines, f.word+": "+someOf(f.list))
		}
	}
	return []report.Section{s}
}

func meanWait(d time.Duration, n int) int { return int(d.Milliseconds()) / max(n, 1) }

func moreOrLess(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprintf("%+d", n)
}

// flips is the exact test of the episodes that changed sides.
func policyFlips(gained, lost int) string {
	if gained+lost == 0 {
		return "none flipped"
	}
	p := stat.McNemar(lost, gained)
	text := fmt.Sprintf("+%d, −%d (p = %.2g)", gained, lost, p)
	if p > 1-stat.Level {
		text = "~ " + text
	}
	return text
}

// difference is the paired bootstrap over sessions of a mean per episode.
func (r *Retry) difference(metric string, a, b int, value func(*retry.Outcome) float64, unit string) string {
	var x, y []stat.Part
	last := ""
	for _, e := range r.episodes {
		if len(x) == 0 || e.Session != last {
			x, y, last = append(x, stat.Part{}), append(y, stat.Part{}), e.Session
		}
		i := len(x) - 1
		x[i].N += value(e.Outcomes[a])
		y[i].N += value(e.Outcomes[b])
		x[i].D++
		y[i].D++
	}
	d := stat.BootstrapDifference(x, y, stat.Level, stat.NewRand(seed, r.digest(), metric))
	switch {
	case !d.Defined:
		return "–"
	case !d.OK:
		return fmt.Sprintf("%+.2f%s (fewer than %d sessions: no interval)", d.Value, unit, stat.NoInterval)
	case d.Lo <= 0 && d.Hi >= 0:
		return fmt.Sprintf("~ %+.2f%s [%+.2f, %+.2f]", d.Value, unit, d.Lo, d.Hi)
	}
	return fmt.Sprintf("%+.2f%s [%+.2f, %+.2f]", d.Value, unit, d.Lo, d.Hi)
}

// seed is that of every bootstrap here; the metric and the corpus make it differ.
const seed = 1

// digest names the corpus for the generator: the episodes in order.
func (r *Retry) digest() string {
	var b strings.Builder
	for _, e := range r.episodes {
		b.WriteString(e.where() + "\n")
	}
	return b.String()
}

// someOf lists names up to a number that is still read.
func someOf(list []string) string {
	const most = 20
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], " "), len(list)-most)
	}
	return strings.Join(list, " ")
}

// A Sweep is one or more policies at many points of some axes.
type Sweep struct {
	Axes   []string
	Points []Point // as the policies
	Base   []int   // where the policies stand as they are
}

// A Point is one policy at one combination of values; without values it is
// the policy as it is.
type Point struct {
	Policy string
	Values []string
}

// sweep is one row a point, with the flips against the row before.
func (r *Retry) sweep() []report.Section {
	var list []report.Section
	for n, base := range r.Axes.Base {
		end := len(r.policies)
		if n+1 < len(r.Axes.Base) {
			end = r.Axes.Base[n+1]
		}
		s := report.Section{
			Key: "sweep", Title: fmt.Sprintf("%s over %s", r.policies[base].Name, strings.Join(r.Axes.Axes, ", ")),
			Doc: "one pass over the recordings; the recorded failures are taken as given at every point. flips: episodes that " +
				"are firm on both sides of a step.",
		}
		for _, id := range r.Axes.Axes {
			_, short, _ := strings.Cut(id, "/retry.")
			s.Columns = append(s.Columns, report.Col(id, strings.ToUpper(short)))
		}
		s.Columns = append(s.Columns, report.Col("firm", "RECOVERED, FIRM"), report.Col("either", "EITHER CLOCK"),
			report.Col("lost", "LOST"), report.Col("unclear", "CLOCKS DISAGREE"), report.Col("tries_on", "TRIES ON"),
			report.Col("sum", "WAITS"), report.Col("requests", "REQUESTS"), report.Col("?stops", "STOPS"), report.Col("flips",
				"FLIPS"))
		for i := base; i < end; i++ {
			t := r.tally(i)
			values := r.Axes.Points[i].Values
			row := make([]report.Cell, 0, len(s.Columns))
			for k := range r.Axes.Axes {
				if values == nil {
					row = append(row, report.Text("as it is"))
				} else {
					row = append(row, report.Text(values[k]))
				}
			}
			change := report.Null
			if i > base {
				change = r.stepped(i-1, i)
			}
			s.Rows = append(s.Rows, append(row, report.Share(t.recovered, t.recovered+t.lost), report.Text(t.either()),
				report.Count(t.lost), report.Count(t.unclear), report.Count(t.triesOn), report.Text(waited(t.total)),
				report.Count(t.requests), inOrder(t.stops), change))
		}
		list = append(list, s)
	}
	return list
}

// stepped names what changes from one point to the next.
func (r *Retry) stepped(a, b int) report.Cell {
	var parts []string
	for _, e := range r.episodes {
		x, y := e.Outcomes[a], e.Outcomes[b]
		switch {
		case !x.Firm() || !y.Firm() || x.ByAttempt == y.ByAttempt:
		case y.ByAttempt == retry.Recovered:
			parts = append(parts, "+"+e.where())
		default:
			parts = append(parts, "−"+e.where())
		}
	}
	if len(parts) == 0 {
		return report.Null
	}
	return report.Text(someOf(parts))
}
