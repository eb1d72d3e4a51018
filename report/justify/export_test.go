package justify

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/board"
)

// CaughtLoops are the loops that the preset catches, by level, from the board alone.
func (d *Dossier) CaughtLoops() map[detectors.Verdict][]string {
	out := make(map[detectors.Verdict][]string)
	for _, level := range board.Levels {
		var list []string
		for _, r := range d.Rows {
			for i, c := range r.Under(d.side[with], level).Spans {
				if c.Hit != nil {
					list = append(list, fmt.Sprintf("%s %d", r.ID, i))
				}
			}
		}
		slices.Sort(list)
		out[level] = list
	}
	return out
}

// Split is the evidence of a level: what is caught on one side, and on both.
func (d *Dossier) Split(level detectors.Verdict) (unique, covered []string) {
	d.Settle()
	e := d.evidence(level, d.Rows, 0)
	name := func(list []catch) (out []string) {
		for _, c := range list {
			at := slices.IndexFunc(c.row.Under(d.side[with], level).Spans, func(s corpus.Caught) bool { return s.Span.Onset == c.span().Onset && s.Span.Run == c.span().Run })
			out = append(out, fmt.Sprintf("%s %d", c.row.ID, at))
		}
		slices.Sort(out)
		return out
	}
	return name(e.unique), name(e.covered)
}

// Uncovered are the loops that a listed smallest set does not keep although some
// path does.
func (d *Dossier) Uncovered(level detectors.Verdict) (list []string) {
	sets := d.caughtSets(level)
	_, covers := d.covers(sets)
	for _, c := range sets {
		for _, cover := range covers.Sets {
			if c.prod && c.keep != 0 && c.keep&cover == 0 {
				list = append(list, c.row.ID)
			}
		}
	}
	return list
}
