package review

import (
	"cmp"
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
)

// A session of five hundred calls has to fit on a screen. Rows are weighed, and
// those that matter least are folded, until the rest fits.

const (
	screenRows = 30 // of a screen, before rows that matter less are folded
	headRows   = 4  // rows at the beginning, and the end, that go late
	tailRows   = 3
	aroundRows = 8 // rows to each side of --around
	equalRows  = 3 // equal rows that are folded although there is room
)

// How much a row matters.
const (
	anyRow     = iota
	contextRow // beside one that matters
	edgeRow    // the first or the last, a message of a person
	fireRow    // the first fire of a path at a level
	markRow    // a mark of the label, a recorded reminder, the first nudge or stop of a run
	askedRow   // the user asked for it
)

// weigh says which rows matter.
func (r *reviewer) weigh(list []Row, at map[rowKey]int) {
	for config, fires := range r.fires {
		type level struct {
			run      int
			detector string
			verdict  detectors.Verdict
		}
		seen := make(map[level]bool)
		top := make(map[int]detectors.Verdict) // by run: the most severe so far
		for _, f := range fires {
			i, ok := at[r.rowOf(f, at)]
			key := level{f.Place.Run, f.Detector, f.level}
			if !ok || seen[key] || f.After {
				continue
			}
			seen[key] = true
			if f.level > top[f.Place.Run] {
				top[f.Place.Run] = f.level
				list[i].weight = max(list[i].weight, markRow)
			}
			list[i].weight = max(list[i].weight, fireRow)
		}
		if l := r.Presets[config].Ladder; l != nil {
			if i, ok := at[r.rowOf(l, at)]; ok {
				list[i].weight = max(list[i].weight, fireRow)
			}
		}
	}
	r.weighNear(list)
	for i := range list {
		if list[i].Mark != "" {
			list[i].weight = max(list[i].weight, markRow)
		}
		switch {
		case i == 0 || i == len(list)-1:
			list[i].weight = max(list[i].weight, edgeRow)
		case (i < headRows || i >= len(list)-tailRows) && (list[i].key == "" || list[i].key != list[i-1].key):
			list[i].weight = max(list[i].weight, contextRow)
		}
	}
	for i := range list {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(list) && list[j].weight >= fireRow {
				list[i].weight = max(list[i].weight, contextRow)
			}
		}
	}
}

// weighNear makes the row matter where a preset came nearest without speaking, if
// it never spoke.
func (r *reviewer) weighNear(list []Row) {
	for config := range r.Presets {
		best := -1
		for i := range list {
			if n := list[i].Cells[config].Near; n != nil && len(r.fires[config]) == 0 &&
				(best < 0 || n.gauge.Nearer(list[best].Cells[config].Near.gauge)) {
				best = i
			}
		}
		if best >= 0 {
			list[best].weight = max(list[best].weight, fireRow)
		}
	}
}

// asked makes sure that what the user asked for is there.
func (r *reviewer) asked(list []Row) error {
	if err := r.want(list, r.options.Around, aroundRows); err != nil {
		return err
	}
	if err := r.want(list, r.options.Call, 0); err != nil {
		return err
	}
	if r.options.Call != nil {
		r.call(*r.options.Call, list)
	}
	return nil
}

// want shows a call and the rows about it.
func (r *reviewer) want(list []Row, p *corpus.Place, about int) error {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(list, func(row Row) bool {
		return row.Kind == "call" && row.Place.Run == p.Run && row.Place.Call == p.Call
	})
	if i < 0 {
		return fmt.Errorf("session %s has no %s", r.Session.ID, Place{Run: p.Run, Call: p.Call})
	}
	for j := max(i-about, 0); j <= min(i+about, len(list)-1); j++ {
		list[j].weight = askedRow
	}
	return nil
}

// fold leaves out what matters least, until the rest fits on a screen: first rows
// that equal the one before, then more and more of the others.
func fold(list []Row, presets int) []Row {
	show := make([]bool, len(list))
	for least := anyRow; least <= markRow; least++ {
		shown := 0
		for i := range list {
			repeats := i > 0 && list[i].key != "" && list[i].key == list[i-1].key && list[i].weight == anyRow
			show[i] = list[i].weight >= max(least, contextRow) || least == anyRow && !repeats
		}
		if least == anyRow {
			unfold(list, show, equalRows)
		} else {
			unfold(list, show, 2)
		}
		for _, s := range show {
			shown += report.Bit(s)
		}
		if shown <= screenRows {
			break
		}
	}
	var out []Row
	for i := 0; i < len(list); {
		if show[i] {
			out = append(out, list[i])
			i++
			continue
		}
		n := i
		for n < len(list) && !show[n] {
			n++
		}
		out = append(out, folded(list, i, n, presets))
		i = n
	}
	return out
}

// unfold shows gaps of fewer rows: a line about them would save nothing.
func unfold(list []Row, show []bool, least int) {
	for i := 0; i < len(list); {
		n := i
		for n < len(list) && !show[n] {
			n++
		}
		if n-i < least {
			for ; i < n; i++ {
				show[i] = true
			}
		}
		i = n + 1
	}
}

// folded is one line for the rows from i to n.
func folded(list []Row, i, n, presets int) Row {
	f := &Fold{Rows: n - i, Equal: i > 0 && list[i-1].key != "", Fires: make([]int, presets), Tools: []Tool{}}
	row := Row{Kind: "fold", Place: list[i].Place, Fold: f}
	byTool := make(map[string]int)
	for j := i; j < n; j++ {
		f.Equal = f.Equal && list[j].key == list[i-1].key
		if list[j].Kind == "call" {
			f.Calls++
			byTool[list[j].Tool]++
		}
		row.Span = row.Span || list[j].Span
		for k, c := range list[j].Cells {
			f.Fires[k] += len(c.Fires)
		}
	}
	for tool, n := range byTool {
		f.Tools = append(f.Tools, Tool{tool, n})
	}
	slices.SortFunc(f.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls),
			cmp.Compare(a.Tool, b.Tool))
	})
	return row
}
