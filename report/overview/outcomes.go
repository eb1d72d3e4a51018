package overview

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/report"
	"groundhog/report/board"
)

// judgedAt is the table of what labels say at one level: a row for each metric, a
// column for each configuration.
func judgedAt(b *board.Board, level detectors.Verdict, names, tiers []string) report.Section {
	s := report.Section{
		Key:   "outcomes_" + board.LevelName(level),
		Title: fmt.Sprintf("%s level%s: recall, false alarms, time, waste", board.LevelName(level), b.Against()),
		Doc: "waste, savings and damage are relative to the recorded continuation (C); a missed loop is charged to its " +
			"end. " +
			"precision holds for the share of loops in this corpus alone.",
		Columns: report.Cols("what", ""),
	}
	line := []report.Cell{report.Text("tier of the rates below")}
	var samples, people []*board.Sample
	for k, p := range b.Points {
		s.Columns = append(s.Columns, report.Col(names[k], names[k]))
		line = append(line, report.Text(tiers[k]))
		samples = append(samples, b.Sample(p, level, nil))
		people = append(people, b.Sample(p, level, board.ByPeople))
	}
	s.Rows = append(s.Rows, line)
	add := func(title string, m *board.Metric, list []*board.Sample) {
		cells, some := []report.Cell{report.Text(title)}, false
		for _, sample := range list {
			c := report.Null
			if !m.Seen || m.D(&sample.Sums) > 0 {
				c = m.Allowed(b.Selection, sample)
			}
			if m.Key == "waste_per_loop" {
				c = m.WithInterval(sample, c, board.LevelName(level)+" waste")
			}
			some = some || c.Kind != report.KindNull
			cells = append(cells, c)
		}
		if some {
			s.Rows = append(s.Rows, cells)
		}
	}
	mixed := b.Mixed()
	for _, m := range board.Pick(board.Catalogue(level, board.Prevalences), judgedRows...) {
		title := m.Title
		if m.Key == "precision" {
			title = fmt.Sprintf(title, prevalence(b))
		}
		add(title, &m, samples)
		if mixed && (m.Key == "recall" || m.Key == "fpr") {
			add("… by people's labels alone", &m, people)
		}
	}
	movedOnsets(b, &s, level)
	return s
}

// judgedRows are the metrics of the table, in order.
var judgedRows = []string{
	"recall", "fpr", "fpr_upper95", "false_stops", "precision", "ppv_at_*", "loop_over_overall", "f",
	"false_per_1k", "episodes_per_1k", "quiet", "spans_caught", "right_fires", "caught_within_*", "latency_median",
	"waste_per_loop", "proposals_per_loop", "loops_not_caught", "gap_hits", "not_judged", "censored_loops",
	"unjudged_fires", "saved_*", "foregone_calls", "cut_calls", "killed_success",
}

// prevalence is the share of loops among the judged sessions.
func prevalence(b *board.Board) string {
	classes, _ := b.ClassCounts()
	n, d := classes[corpus.Loop], classes[corpus.Loop]+classes[corpus.Productive]
	if d == 0 {
		return "no"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(d))
}

// moved adds how recall and false alarms change where every onset is a little
// earlier or later: a figure that turns on it is label-sensitive.
func movedOnsets(b *board.Board, s *report.Section, level detectors.Verdict) {
	if len(b.Rows) == 0 || len(b.Rows[0].Edges[0]) == 0 {
		return
	}
	cells := []report.Cell{report.Text(fmt.Sprintf("loops caught, onsets moved by up to %d calls", board.MovedBy))}
	for _, p := range b.Points {
		lo, hi, d := -1, 0, 0
		for shift := range 2*board.MovedBy + 1 {
			n, of := 0, 0
			for _, r := range b.Rows {
				res := r.Edges[board.LevelIndex(level)][shift][r.Group[p]]
				of += report.Bit(board.IsLoop(res))
				n += report.Bit(res == corpus.TruePositive)
			}
			if lo < 0 || n < lo {
				lo = n
			}
			if n > hi {
				hi = n
			}
			d = max(d, of)
		}
		if d == 0 {
			return
		}
		cells = append(cells, report.Text(fmt.Sprintf("%s of %d", report.FromTo(fmt.Sprint(lo), fmt.Sprint(hi)), d)))
	}
	s.Rows = append(s.Rows, cells)
}

// compat is the summary of an agent's own tests, for comparison: a missed loop may cost
// it nothing, so no gate uses it.
func compat(b *board.Board, f *family.Family, names []string) report.Section {
	c := f.Compat
	s := report.Section{Key: "compat_" + f.Name, Title: c.Title + b.Against(), Doc: c.Doc, Columns: report.Cols("preset", "PRESET")}
	for _, n := range c.Numbers {
		s.Columns = append(s.Columns, report.Col(string(n), strings.ToUpper(strings.ReplaceAll(string(n), "_", " "))))
	}
	for k, p := range b.Points {
		row := []any{names[k]}
		for _, n := range c.Numbers {
			row = append(row, compatNumber(b, p, n))
		}
		s.Add(row...)
	}
	return s
}

// compatNumber is one number of such a summary.
func compatNumber(b *board.Board, point int, what family.Number) (n int) {
	for _, r := range b.Rows {
		if r.Label == nil {
			continue
		}
		stop := r.Under(point, detectors.ForceStop)
		switch {
		case what == family.FalseSignals && r.Label.Class == corpus.Productive:
			n += report.Bit(r.Under(point, detectors.Nudge).First != nil)
		case what == family.MissedLoops && r.Label.Class == corpus.Loop:
			n += report.Bit(stop.First == nil)
		case what == family.WastedCalls && r.Label.Class == corpus.Loop:
			for i := range stop.Spans {
				if h := stop.Spans[i].Hit; h != nil {
					n += max(0, h.Call-stop.Spans[i].Span.Ideal())
				}
			}
		}
	}
	return n
}
