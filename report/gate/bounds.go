package gate

import (
	"fmt"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// bound judges what is claimed of future sessions. The rule holds if the exact
// one-sided bound does. It is broken if the rate that was seen is beyond the limit
// itself. In between the data do not decide, and the ruling says how many sessions
// would.
func (g *Gate) bound(out *Ruling) {
	s := g.Now.sample(detectors.ForceStop, nil)
	upper := out.Name == "fpr_upper95"
	r, at, what := s.Recall(), 0.0, "loop"
	if upper {
		r, what = s.FalseRate(), "productive"
		at = r.Upper()
	} else {
		at = r.Lower()
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
	if r.Clusters != nil { // bounds count clusters
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
	out.What = fmt.Sprintf("%d of %s, bound %s, asked %s %s", n, report.Plural(d, what), report.FinePercent(at), sign,
		report.FinePercent(out.Limit))
	switch {
	case holds:
		out.Status = Holds
	case beyond:
		out.Status = Broken
		out.Findings = []Finding{{Rule: out.Name, Severity: out.Level, Level: "stop",
			Text: fmt.Sprintf("%d of %s is %s the limit of %s by itself", n, report.Plural(d, what), side,
				report.FinePercent(out.Limit))}}
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

// A growth is how much a metric grew: by itself, or as a share of what it was.
type growth struct {
	key   string
	share bool
}

// beyondAll is growth from nothing to something, which is beyond every limit.
const beyondAll = 1e9

// of compares the metric of two samples; ok is false where one has none.
func (x growth) of(a, b *board.Sample) (was, is, by float64, ok bool) {
	m := board.Pick(board.Catalogue(a.Level, nil), x.key)[0]
	was, ok1 := m.Value(a)
	is, ok2 := m.Value(b)
	switch {
	case !ok1 || !ok2:
		return 0, 0, 0, false
	case !x.share:
		return was, is, is - was, true
	case was == is:
		return was, is, 0, true
	case was == 0:
		return was, is, beyondAll, true
	}
	return was, is, (is - was) / was, true
}

// budget judges growth over the sessions compared, at both levels. Sessions with
// a finding that is allowed are left out on both sides: somebody answers for them.
func (g *Gate) budget(out *Ruling, r *Result, pairs []pair, x growth) {
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
	keep := among(kept)
	looked := false
	for _, level := range board.Levels {
		was, is, by, ok := x.of(g.Base.sample(level, keep), g.Now.sample(level, keep))
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
			out.Findings = append(out.Findings, Finding{Rule: out.Name, Severity: out.Level, Level: board.LevelName(level),
				Text: g.grew(out, level, was, is)})
		}
	}
	if !looked {
		out.What = "undefined: no loop, or no reviewed work, is compared"
	}
	out.settle(looked)
}

func (g *Gate) grew(out *Ruling, level detectors.Verdict, was, is float64) string {
	if out.Name == "waste" {
		return fmt.Sprintf("calls wasted on a loop at %s level: %.2f → %.2f, which is more than %s growth",
			board.LevelName(level), was, is, report.Percent(out.Limit))
	}
	return fmt.Sprintf("false episodes in 1,000 calls of work at %s level: %.2f → %.2f, which is more than %g growth",
		board.LevelName(level), was, is, out.Limit)
}
