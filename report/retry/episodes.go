package retry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors/policy"
	"groundhog/replay/retry"
	"groundhog/report"
)

// This file shows episodes one by one, and what they cannot tell.

// A numbering is where the numbers stand that a user sees, by policy.
type numbering struct {
	run  int32
	lane string
	last []int
}

// number gives the retries of one episode their numbers: the first that is shown
// has its own loop's, each further one the next.
func (n *numbering) number(e *Episode) {
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

// listed is how many episodes are shown one by one.
const listed = 20

// list is the episodes, the ones where policies differ first.
func (r *Retry) list() report.Section {
	s := report.Section{Key: "episodes", Title: "episodes",
		Doc:     "where policies differ first; --format jsonl has every attempt",
		Columns: report.Cols("episode", "EPISODE", "failures", "FAILURES", "record", "RECORD")}
	for i, p := range r.policies {
		s.Columns = append(s.Columns, report.Column{Key: p.Name, Name: strings.ToUpper(p.Name), Keep: i < 2})
	}
	order := slices.Clone(r.episodes)
	slices.SortStableFunc(order, func(a, b *Episode) int { return cmp.Compare(b.apart(), a.apart()) })
	for i, e := range order {
		if i == listed {
			s.Lines = append(s.Lines, fmt.Sprintf("… and %d more", len(order)-listed))
			break
		}
		row := []report.Cell{report.Text(e.where()), report.Text(e.failures()), report.Text(e.record())}
		for _, o := range e.Outcomes {
			row = append(row, report.Text(verdict(o)))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// apart counts the different ends that policies come to.
func (e *Episode) apart() int {
	seen := make(map[string]bool)
	for _, o := range e.Outcomes {
		seen[o.Stop] = true
	}
	return len(seen)
}

// failures are the kinds in a row, a repeated one with its number.
func (e *Episode) failures() string {
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

func (e *Episode) record() string {
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
func verdict(o *retry.Outcome) string {
	end := o.Stop
	if o.Budget != "" {
		end = o.Stop + " of " + o.Budget
	}
	switch {
	case o.Stop == retry.StopOpen:
		end = "goes on"
	case o.Stop == retry.StopRecovered && o.ByTime == retry.Lost:
		end = "recovered (time: lost)"
	case o.ByAttempt == retry.Lost && o.ByTime == retry.Recovered:
		end += " (time: recovered)"
	}
	if o.Total.Expect > 0 {
		end += ", " + Duration(o.Total.Expect)
	}
	return end
}

// cannot is what no replay can know.
func (r *Retry) cannot() report.Section {
	s := report.Section{Key: "cannot_know", Title: "what cannot be known from a recording",
		Columns: report.Cols("what", "WHAT", "because", "BECAUSE")}
	for _, row := range [][2]string{
		{"whether an attempt that was never made would have worked", "the record has only those that were made"},
		{"how the provider reacts to more or earlier requests",
			"a policy that asks more often adds to the load it waits out"},
		{"what the user would have done while waiting", "people interrupt; the record shows it only for its own waits"},
		{"what failed attempts cost", "few recordings have the usage of a request that failed"},
		{"anything after a recorded give-up", "nobody asked again"},
		{"whether a tool call that had left was carried out", "the client drops what a broken stream had brought"},
	} {
		s.Add(row[0], row[1])
	}
	return s
}

// findings are where documents, code and configuration disagree, with the
// episodes that it concerns.
func (r *Retry) findings() []report.Section {
	s := report.Section{Key: "findings", Title: "findings: documents, code and configuration",
		Lines: slices.Clone(r.Findings)}
	for _, c := range r.Cases {
		i := slices.IndexFunc(r.policies, func(p *policy.Retrier) bool { return p.Name == c.Policy })
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
			line += fmt.Sprintf("%s: %s.", report.Plural(len(where), "episode"), someOf(where))
		}
		s.Lines = append(s.Lines, line, "  "+c.Doc)
	}
	if len(s.Lines) == 0 {
		return nil
	}
	return []report.Section{s}
}
