package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// A window is a stretch of the corpus in time.
type window struct {
	name string
	rows []*row
}

// windows are the last three quarters if the dated sessions reach over so many,
// else thirds of them by date (E13.2). Sessions without a date are a window of
// their own; where none has one, thirds in order of ids, which say nothing about
// time and something about chance.
func (d *Dossier) windows() (list []window) {
	var dated, rest []*row
	for _, r := range d.rows {
		if r.started.IsZero() {
			rest = append(rest, r)
		} else {
			dated = append(dated, r)
		}
	}
	slices.SortStableFunc(dated, func(a, b *row) int { return a.started.Compare(b.started) })
	switch {
	case len(dated) == 0:
		return thirds(rest, func(part []*row) string { return "undated, " + part[0].id + " to " + part[len(part)-1].id })
	case quarter(dated[len(dated)-1].started)-quarter(dated[0].started) >= 2:
		last := quarter(dated[len(dated)-1].started)
		for q := last - 2; q <= last; q++ {
			w := window{name: fmt.Sprintf("%d Q%d", q/4, q%4+1)}
			for _, r := range dated {
				if quarter(r.started) == q {
					w.rows = append(w.rows, r)
				}
			}
			list = append(list, w)
		}
	default:
		list = thirds(dated, func(part []*row) string {
			return day(part[0].started) + " to " + day(part[len(part)-1].started)
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

func thirds(rows []*row, name func([]*row) string) (list []window) {
	for i := range 3 {
		if part := rows[i*len(rows)/3 : (i+1)*len(rows)/3]; len(part) > 0 {
			list = append(list, window{name(part), part})
		}
	}
	return list
}

// history is table 9: frequency, unique catches and false hits by window.
func (d *Dossier) history(level detectors.Verdict, e *evidence) Section {
	s := Section{
		Key: levelName(level) + "_history", Title: levelName(level) + " level: 9. history",
		Doc: "the last three quarters, or thirds of the dated sessions. a window without exposure says nothing about the paths in question.",
		Columns: []Column{{"window", "WINDOW", true}, {"sessions", "SESSIONS", true}, {"loops", "LOOPS", true}, {"fires", "FIRES", true},
			{"loops_hit", "LOOPS HIT ALONE", true}, {"work_hit", "WORK HIT ALONE", true}, {"loop_over_overall", "L/O", true},
			{"unique", "UNIQUE", true}, {"removed", "FALSE: " + strings.ToUpper(d.hitWord(gone)), true}, {"new", strings.ToUpper(d.hitWord(come)), true}, {"exposure", "EXPOSURE", true},
			{"against", "SPEAKS AGAINST", true}},
	}
	for _, w := range d.windows() {
		in := make(map[*row]bool)
		fires, loops := 0, 0
		for _, r := range w.rows {
			in[r] = true
			loops += one(isLoop(r.under(d.side[with], level).Result))
			for i, det := range d.paths[with] {
				if d.inQuestion(det.Name) {
					fires += r.seen.paths[with][i].fires[levelIndex(level)]
				}
			}
		}
		keep := func(r *row) bool { return in[r] && d.applies(r) }
		recall, fpr := d.rate(d.own, level, isLoop, isCaught, keep), d.rate(d.own, level, isWork, isFalse, keep)
		we := d.evidence(level, w.rows, 0)
		against := "–"
		if len(we.exposure) > 0 {
			against = orNone(strings.Join(d.speaksAgainst(we), "; "))
		}
		s.Rows = append(s.Rows, []Cell{text(w.name), count(len(w.rows)), count(loops), count(fires), d.allow(corpus.RateRecall, share(recall.n, recall.d)), d.allow(corpus.RateFalse, share(fpr.n, fpr.d)),
			d.both(number(stat.LoopOverall(recall.share(), fpr.share()))), count(len(we.unique)), count(len(we.removed)), count(len(we.fresh)),
			count(len(we.exposure)), text(against)})
	}
	last := slices.MaxFunc(append(e.unique, catch{row: &row{}}), func(a, b catch) int {
		return cmp.Or(a.row.started.Compare(b.row.started), cmp.Compare(b.row.id, a.row.id))
	})
	switch {
	case len(e.unique) == 0:
		s.Lines = append(s.Lines, "last unique catch: none")
	case last.row.started.IsZero():
		s.Lines = append(s.Lines, "last unique catch: undated")
	default:
		s.Lines = append(s.Lines, fmt.Sprintf("last unique catch: %s, %s", day(last.row.started), last.row.id))
	}
	return s
}

// exposureTable is table 10, and names every loop of the right shape with what
// either side makes of it; known gaps too, which are no exposure.
func (d *Dossier) exposureTable() Section {
	shapes := d.targets()
	a, b := d.sideNames()
	s := Section{
		Key: "exposure", Title: "10. exposure: loops of the shapes that it is for",
		Doc: fmt.Sprintf("shapes: %s. no exposure, no verdict. a known gap is one that nobody is meant to catch, and counts in no rule.", orNone(strings.Join(shapes, ", "))),
		Columns: []Column{{"session", "SESSION", true}, {"shape", "SHAPE", true}, {"class", "CLASS", true}, {"label", "LABEL BY", true}, {"incident", "INCIDENT", true},
			{"with", strings.ToUpper(a), true}, {"without", strings.ToUpper(b), true}},
	}
	others := make(map[string]int) // loops of other shapes that they hit alone
	n, real := 0, []exposed(nil)
	var ids []string
	for _, r := range d.rows {
		if r.label == nil {
			continue
		}
		for _, c := range r.under(d.own, detectors.Nudge).Spans {
			if c.Hit != nil && !slices.Contains(shapes, c.Span.Shape) {
				others[cmp.Or(c.Span.Shape, "without a word for it")]++
			}
		}
		for i, span := range r.label.Spans {
			if !slices.Contains(shapes, span.Shape) {
				continue
			}
			ids = append(ids, r.id)
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
			s.Rows = append(s.Rows, []Cell{text(r.id), text(span.Shape), text(class), text(r.label.Source), text(span.Incident),
				text(d.fate(r, i, with)), text(d.fate(r, i, without))})
		}
	}
	d.list(ids)
	s.Lines = append(s.Lines, fmt.Sprintf("exposure: %s, %s%s", plural(n, "loop"), plural(len(incidents(real)), "real incident"), among(incidents(real))))
	if len(others) > 0 {
		var parts []string
		for _, shape := range slices.Sorted(maps.Keys(others)) {
			parts = append(parts, fmt.Sprintf("%s %d", shape, others[shape]))
		}
		s.Lines = append(s.Lines, "loops of other shapes that it hits alone, which are no exposure: "+strings.Join(parts, ", ")+"; --targets SHAPE,… counts them")
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
func (d *Dossier) fate(r *row, span, side int) string {
	var parts []string
	for k, h := range r.seen.inSpan[side][span] {
		switch {
		case h == nil:
		case Levels[k] == detectors.ForceStop:
			parts = append(parts, fmt.Sprintf("STOP %s@%d", short(h.Detector), h.Call))
		case h.Verdict < detectors.ForceStop:
			parts = append(parts, fmt.Sprintf("%s %s@%d", h.Verdict, short(h.Detector), h.Call))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
