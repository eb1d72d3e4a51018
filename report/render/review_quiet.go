package render

import (
	"fmt"
	"strings"

	"groundhog/report/review"
)

// quiet says of each path that did not speak how near it was, and why. Paths with
// nothing to look at share a line.
func (p *reviewPrinter) quiet() {
	for from := 0; from < len(p.r.Quiet); {
		n := from
		for n < len(p.r.Quiet) && p.r.Quiet[n].Preset == p.r.Quiet[from].Preset {
			n++
		}
		p.title("why not: " + p.r.Quiet[from].Preset)
		list := p.r.Quiet[from:n]
		for i := range list {
			if q := &list[i]; q.Status != review.Off && q.Status != review.NotApplicable && q.Status != review.Nothing {
				p.beside(nearText(q), Clean(q.Why+p.change(q)))
			}
		}
		p.together("the session has nothing of this: ", list, review.Nothing)
		p.together("the recording does not hold: ", list, review.NotApplicable)
		p.together("switched off: ", list, review.Off)
		from = n
	}
}

func nearText(q *review.Quiet) string {
	out := shortName(q.Detector)
	if q.Count != nil {
		out += " " + q.Count.String()
		if q.Place != nil {
			out += " at " + q.Place.String()
		}
	}
	if q.Passes {
		out += ", passes"
	}
	return out
}

// together is one line for the paths of one status: what is missing, and for whom.
func (p *reviewPrinter) together(what string, list []review.Quiet, status review.Quietness) {
	var whys []string
	names := make(map[string][]string)
	for i := range list {
		if q := &list[i]; q.Status == status {
			if names[q.Why] == nil {
				whys = append(whys, q.Why)
			}
			names[q.Why] = append(names[q.Why], shortName(q.Detector))
		}
	}
	for i, why := range whys {
		whys[i] = fmt.Sprintf("%s (%s)", why, strings.Join(names[why], ", "))
	}
	if len(whys) > 0 {
		p.para("  "+what, "    ", Clean(strings.Join(whys, "; ")))
	}
}

// change is what another limit would do, alone.
func (p *reviewPrinter) change(q *review.Quiet) string {
	c := q.Change
	if c == nil {
		return ""
	}
	param := c.Param[strings.IndexByte(c.Param, '.')+1:]
	if !c.Usual {
		return fmt.Sprintf(" (alone it speaks only at %s %s, outside the usual range)", param, c.To)
	}
	where, first := "", "first "
	switch {
	case c.Early != nil:
		where, first = ", inside the loop, and already at "+c.Early.String(), ""
	case c.Right:
		where = ", inside the loop"
	case p.r.Label != nil && len(p.r.Label.Spans) > 0:
		where = ", outside the loop"
	}
	return fmt.Sprintf(". Alone, with %s %s for %s, it would %s%s at %s%s", param, c.To, c.From, first, verbOf(c.Verdict),
		c.Place, where)
}
