package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
)

// A matching says how a plan is answered.
type matching struct {
	asked   [][]replay.Meter // by meter of the ledger: the meters of the plan that it answers for
	columns []int            // to be read
}

// stepColumns are the columns of the rows of runs, steps and measurements.
var stepColumns = func() (list []int) {
	for col := cRow; col <= cRecorded; col++ {
		if col != cDetector {
			list = append(list, col)
		}
	}
	return list
}()

// match matches a plan with what was measured. The error says what was not.
func (l *Ledger) match(plan *replay.Plan) (*matching, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plan == plan {
		return l.matched, nil
	}
	u := &matching{asked: make([][]replay.Meter, len(l.head.Meters)), columns: slices.Clone(stepColumns)}
	for _, m := range plan.Meters() {
		n, err := l.find(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.File, err)
		}
		if len(u.asked[n]) == 0 {
			u.columns = append(u.columns, l.places[n]...)
		}
		u.asked[n] = append(u.asked[n], m)
	}
	slices.Sort(u.columns)
	u.columns = slices.Compact(u.columns)
	l.plan, l.matched = plan, u
	return u, nil
}

// find is the index of the meter in the ledger that measured what m would. If none
// did, the error is about the one that came nearest.
func (l *Ledger) find(m replay.Meter) (int, error) {
	why, nearest := l.unmeasured(m.Detector), 0
	for i := range l.head.Meters {
		have := &l.head.Meters[i]
		if have.Detector != m.Detector.Name {
			continue
		}
		near, err := have.differs(m)
		if err == nil {
			return i, nil
		}
		if near > nearest {
			why, nearest = err, near
		}
	}
	return 0, why
}

func (l *Ledger) unmeasured(d *detectors.Detector) error {
	return fmt.Errorf("%s was not measured: the ledger was made of %s; "+
		"replay the transcripts with a preset that has it", d.Name, strings.Join(l.presets(), ", "))
}

// differs is an error if what was measured does not answer for a meter of a plan. The
// higher near is, the more of the meter agrees.
func (have *meter) differs(m replay.Meter) (near int, err error) {
	d := m.Detector
	if !slices.Equal(have.Measures, d.Measures) || len(have.Shape) != len(m.Shape) {
		return 1, fmt.Errorf("%s measures something else in this build: make the ledger anew from the transcripts",
			d.Name)
	}
	for _, id := range slices.Sorted(maps.Keys(m.Shape)) {
		was, ok := have.Shape[id]
		switch {
		case !ok:
			return 1, fmt.Errorf("%s depends on %s in this build, which the ledger does not know: "+
				"make it anew from the transcripts", d.Name, id)
		case was != m.Shape[id]:
			return 2, fmt.Errorf("%s was measured with %s=%s, and %[2]s=%[4]s changes what is measured: "+
				"replay the transcripts with --set %[2]s=%[4]s", d.Name, id, was, m.Shape[id])
		}
	}
	if have.Closed != m.Closed {
		return 3, fmt.Errorf("what %s sees depends on vetoes, "+
			"so a ledger answers only for the settings it was made under: replay the transcripts", d.Name)
	}
	for _, asked := range m.Limits {
		covered, err := d.Covers(have.Limits, have.Shape.With(asked))
		if err != nil {
			return 4, err
		}
		if !covered {
			return 4, fmt.Errorf("%s was measured for %s and not for %s, which needs more: "+
				"replay the transcripts with the lowest limits that will be asked about (--set …)",
				d.Name, describe(have.Limits), describe([]detectors.Settings{asked}))
		}
	}
	return 0, nil
}

// describe lists sets of limits, of many only the first few.
func describe(list []detectors.Settings) string {
	const most = 3
	var words []string
	for i, set := range list {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		var parts []string
		for _, id := range slices.Sorted(maps.Keys(set)) {
			_, name, _ := strings.Cut(id, ".")
			parts = append(parts, name+"="+set[id])
		}
		words = append(words, strings.Join(parts, " "))
	}
	return strings.Join(words, " or ")
}

// column is the name of a column.
func (l *Ledger) column(i int) string {
	if i < fixedColumns {
		return columns[i].Name
	}
	return l.names[i-fixedColumns]
}
