package justify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// A window is a stretch of the corpus in time.
type window struct {
	name string
	rows []*board.Row
}

// windows are the last three quarters if the dated sessions reach over so many,
// else thirds of them by date. Sessions without a date are a window of
// their own; where none has one, thirds in order of ids, which say nothing about
// time and something about chance.
func (d *Dossier) windows() (list []window) {
	var dated, rest []*board.Row
	for _, r := range d.Rows {
		if r.Started.IsZero() {
			rest = append(rest, r)
		} else {
			dated = append(dated, r)
		}
	}
	slices.SortStableFunc(dated, func(a, b *board.Row) int { return a.Started.Compare(b.Started) })
	switch {
	case len(dated) == 0:
		return thirds(rest, func(part []*board.Row) string {
			return "undated, " + part[0].ID + " to " +
				part[len(part)-1].ID
		})
	case quarter(dated[len(dated)-1].Started)-quarter(dated[0].Started) >= 2:
		last := quarter(dated[len(dated)-1].Started)
		for q := last - 2; q <= last; q++ {
			w := window{name: fmt.Sprintf("%d Q%d", q/4, q%4+1)}
			for _, r := range dated {
				if quarter(r.Started) == q {
					w.rows = append(w.rows, r)
				}
			}
			list = append(list, w)
		}
	default:
		list = thirds(dated, func(part []*board.Row) string {
			return day(part[0].Started) + " to " + day(part[len(part)-1].Started)
		})
	}
	if len(rest) > 0 {
		list = append(list, window{"undated", rest})
	}
	return list
}

// quarter counts quarters of years.
func quarter(t time.Time) int { return 4*t.UTC().Year() + (int(t.UTC().Month())-1)/3 }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func thirds(rows []*board.Row, name func([]*board.Row) string) (list []window) {
	for i := range 3 {
		if part := rows[i*len(rows)/3 : (i+1)*len(rows)/3]; len(part) > 0 {
			list = append(list, window{name(part), part})
		}
	}
	return list
}

// history is table 9: frequency, unique catches and false hits by window.
func (d *Dossier) history(level detectors.Verdict, e *evidence) report.Section {
	s := report.Section{
		Key: board.LevelName(level) + "_history", Title: board.LevelName(level) + " level: 9. history",
		Doc: "the last three quarters, or thirds of the dated sessions. a window without exposure says nothing about " +
			"the paths in question.",
		Columns: report.Cols("window", "WINDOW", "sessions", "SESSIONS", "loops", "LOOPS", "fires", "FIRES", "loops_hit",
			"LOOPS HIT ALONE", "work_hit", "WORK HIT ALONE", "loop_over_overall", "L/O", "unique", "UNIQUE", "removed",
			"FALSE: "+strings.ToUpper(d.hitWord(gone)), "new", strings.ToUpper(d.hitWord(come)), "exposure", "EXPOSURE",
			"against", "SPEAKS AGAINST"),
	}
	for _, w := range d.windows() {
		in := make(map[*board.Row]bool)
		fires, loops := 0, 0
		for _, r := range w.rows {
			in[r] = true
			loops += report.Bit(board.IsLoop(r.Under(d.side[with], level).Result))
			for i, det := range d.paths[with] {
				if d.inQuestion(det.Name) {
					fires += d.seen[r].paths[with][i].fires[board.LevelIndex(level)]
				}
			}
		}
		keep := func(r *board.Row) bool { return in[r] && d.applies(r) }
		own := d.Sample(d.own, level, keep)
		we := d.evidence(level, w.rows, 0)
		against := "–"
		if len(we.exposure) > 0 {
			against = report.OrNone(strings.Join(d.speaksAgainst(we), "; "))
		}
		s.Add(w.name, len(w.rows), loops, fires, d.allow(corpus.RateRecall, report.Share(own.Caught, own.Loops())),
			d.allow(corpus.RateFalse, report.Share(own.FalseHit,
				own.Work())), d.both(loopOverOverall.Cell(own)), len(we.unique), len(we.removed), len(we.fresh), len(we.exposure),
			against)
	}
	last := slices.MaxFunc(append(e.unique, catch{row: &board.Row{}}), func(a, b catch) int {
		return cmp.Or(a.row.Started.Compare(b.row.Started), cmp.Compare(b.row.ID, a.row.ID))
	})
	switch {
	case len(e.unique) == 0:
		s.Lines = append(s.Lines, "last unique catch: none")
	case last.row.Started.IsZero():
		s.Lines = append(s.Lines, "last unique catch: undated")
	default:
		s.Lines = append(s.Lines, fmt.Sprintf("last unique catch: %s, %s", day(last.row.Started), last.row.ID))
	}
	return s
}

// exposureTable is table 10, and names every loop of the right shape with what
// either side makes of it; known gaps too, which are no exposure.
func (d *Dossier) exposureTable() report.Section {
	shapes := d.targets()
	a, b := d.sideNames()
	s := report.Section{
		Key: "exposure", Title: "10. exposure: loops of the shapes that it is for",
		Doc: fmt.Sprintf("shapes: %s. no exposure, no verdict. a known gap is one that nobody is meant to catch, and "+
			"counts in no rule.", report.OrNone(strings.Join(shapes, ", "))),
		Columns: report.Cols("session", "SESSION", "shape", "SHAPE", "class", "CLASS", "label", "LABEL BY", "incident",
			"INCIDENT", "with", strings.ToUpper(a), "without", strings.ToUpper(b)),
	}
	others := make(map[string]int) // loops of other shapes that they hit alone
	n, real := 0, []exposed(nil)
	var ids []string
	for _, r := range d.Rows {
		if r.Label == nil {
			continue
		}
		for _, c := range r.Under(d.own, detectors.Nudge).Spans {
			if c.Hit != nil && !slices.Contains(shapes, c.Span.Shape) {
				others[cmp.Or(c.Span.Shape, "without a word for it")]++
			}
		}
		for i, span := range r.Label.Spans {
			if !slices.Contains(shapes, span.Shape) {
				continue
			}
			ids = append(ids, r.ID)
			class, counts := "loop", d.applies(r)
			switch {
			case span.KnownGap:
				class = "known gap"
			case !counts:
				class = "loop, not recorded what it looks at"
			default:
				n++
				real = append(real, exposed{r, span})
			}
			s.Add(r.ID, span.Shape, class, r.Label.Source, span.Incident, d.fate(r, i, with), d.fate(r, i, without))
		}
	}
	d.list(ids)
	s.Lines = append(s.Lines, fmt.Sprintf("exposure: %s, %s%s", report.Plural(n, "loop"),
		report.Plural(len(incidents(real)), "real incident"), among(incidents(real))))
	if len(others) > 0 {
		var parts []string
		for _, shape := range slices.Sorted(maps.Keys(others)) {
			parts = append(parts, fmt.Sprintf("%s %d", shape, others[shape]))
		}
		s.Lines = append(s.Lines, "loops of other shapes that it hits alone, which are no exposure: "+
			strings.Join(parts, ", ")+"; --targets SHAPE,… counts them")
	}
	return s
}

func among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// fate is what one side does inside a span of the label, known gap or not: its
// first nudge or veto, and its stop.
func (d *Dossier) fate(r *board.Row, span, side int) string {
	var parts []string
	for k, h := range d.seen[r].inSpan[side][span] {
		switch {
		case h == nil:
		case board.Levels[k] == detectors.ForceStop:
			parts = append(parts, fmt.Sprintf("STOP %s@%d", report.PathName(h.Detector), h.Call))
		case h.Verdict < detectors.ForceStop:
			parts = append(parts, fmt.Sprintf("%s %s@%d", h.Verdict, report.PathName(h.Detector), h.Call))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
