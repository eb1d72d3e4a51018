package gate

import (
	"fmt"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// bound judges what is claimed of future sessions (E14.2, E14.4). The rule holds
// if the exact one-sided bound does. It is broken if the rate that was seen is
// beyond the limit itself. In between the data do not decide, and the ruling
// says how many sessions would.
func (g *Gate) bound(out *Ruling) {
	s := g.Now.sample(nil)
	upper := out.Name == "fpr_upper95"
	var r board.Rate
	var at float64
	what := "productive"
	if upper {
		r = s.rate(detectors.ForceStop, board.IsWork, board.IsFalse)
		at = r.Upper()
	} else {
		r = s.rate(detectors.ForceStop, board.IsLoop, board.IsCaught)
		at, what = r.Lower(), "loop"
	}
	out.Status = CannotSay
	of := corpus.RateRecall
	if upper {
		of = corpus.RateFalse
	}
	if ok, why := g.Now.Selection.Allows(of, ""); !ok {
		out.What = why
		return
	}
	if r.D == 0 {
		out.What = fmt.Sprintf("no %s session is judged: the rate is undefined", what)
		return
	}
	n, d := r.N, r.D
	if r.Clusters != nil { // bounds count clusters (E9.2)
		c := stat.AllEvents(r.Clusters)
		if upper {
			c = stat.AnyEvent(r.Clusters)
		}
		n, d = c.N, c.D
		what += " cluster"
	} else {
		what += " session"
	}
	seen := float64(n) / float64(d)
	holds, beyond := at >= out.Limit, seen < out.Limit
	sign, misses, side := "≥", d-n, "below"
	if upper {
		holds, beyond = at <= out.Limit, seen > out.Limit
		sign, misses, side = "≤", n, "above"
	}
	out.What = fmt.Sprintf("%d of %s, bound %s, asked %s %s", n, report.Plural(d, what), report.FinePercent(at), sign, report.FinePercent(out.Limit))
	switch {
	case holds:
		out.Status = Holds
	case beyond:
		out.Status = Broken
		out.Findings = []Finding{{Rule: out.Name, Severity: out.Level, Level: "stop", Text: fmt.Sprintf("%d of %s is %s the limit of %s by itself", n, report.Plural(d, what), side, report.FinePercent(out.Limit))}}
	default:
		need, ok := stat.NeededForLower(misses, out.Limit, stat.Level)
		if upper {
			need, ok = stat.NeededForUpper(misses, out.Limit, stat.Level)
		}
		if ok && need > d {
			out.What += fmt.Sprintf("; the data do not decide: label %d more without another error", need-d)
		} else {
			out.What += "; the data do not decide"
		}
	}
}

// A growth is how much a ratio of sums grew; ok is false where one is undefined.
type growth func(a, b tallied) (was, is, by float64, ok bool)

func falsePer1k(a, b tallied) (was, is, by float64, ok bool) {
	if a.work == 0 || b.work == 0 {
		return 0, 0, 0, false
	}
	was, is = 1000*float64(a.falseEp)/float64(a.work), 1000*float64(b.falseEp)/float64(b.work)
	return was, is, is - was, true
}

// wasteGrowth is a share of what was wasted before. From nothing to something is
// beyond every limit.
func wasteGrowth(a, b tallied) (was, is, by float64, ok bool) {
	if a.loops == 0 || b.loops == 0 {
		return 0, 0, 0, false
	}
	was, is = float64(a.wasted)/float64(a.loops), float64(b.wasted)/float64(b.loops)
	switch {
	case was == is:
		return was, is, 0, true
	case was == 0:
		return was, is, 1e9, true
	}
	return was, is, (is - was) / was, true
}

// budget judges growth over the sessions compared, at both levels. Sessions with
// a finding that is allowed are left out on both sides: somebody answers for them.
func (g *Gate) budget(out *Ruling, r *Result, pairs []pair, of growth) {
	if out.Level == "off" {
		return
	}
	allowed := make(map[string]bool)
	for i := range r.Rulings {
		for j := range r.Rulings[i].Findings {
			if f := &r.Rulings[i].Findings[j]; f.Allowed != nil {
				allowed[f.Session] = true
			}
		}
	}
	var kept []pair
	for _, p := range pairs {
		if !allowed[p.b.ID] {
			kept = append(kept, p)
		}
	}
	a, b := g.samples(kept)
	looked := false
	for _, level := range board.Levels {
		was, is, by, ok := of(a.counts(level), b.counts(level))
		if !ok {
			continue
		}
		looked = true
		if out.What != "" {
			out.What += "; "
		}
		out.What += fmt.Sprintf("%s level %.2f → %.2f", board.LevelName(level), was, is)
		const rounding = 1e-9
		if by > out.Limit+rounding {
			out.Findings = append(out.Findings, Finding{Rule: out.Name, Severity: out.Level, Level: board.LevelName(level), Text: g.grew(out, level, was, is)})
		}
	}
	if !looked {
		out.What = "undefined: no loop, or no reviewed work, is compared"
	}
	out.settle(looked)
}

func (g *Gate) grew(out *Ruling, level detectors.Verdict, was, is float64) string {
	if out.Name == "waste" {
		return fmt.Sprintf("calls wasted on a loop at %s level: %.2f → %.2f, which is more than %s growth", board.LevelName(level), was, is, report.Percent(out.Limit))
	}
	return fmt.Sprintf("false episodes in 1,000 calls of work at %s level: %.2f → %.2f, which is more than %g growth", board.LevelName(level), was, is, out.Limit)
}
