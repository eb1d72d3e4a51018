package report

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
)

// A Tested is a file of rules with what became of its examples under one preset.
type Tested struct {
	Rules   *corpus.Rules
	Preset  *detectors.Preset
	Results []corpus.Checked
}

// Rules is the report of `groundhog vet --rules`.
func Rules(files []Tested) *Report {
	rep := &Report{Title: "vet --rules"}
	for i := range files {
		rep.Sections = append(rep.Sections, files[i].cells(), files[i].examples())
	}
	return rep
}

// cells counts the examples of each rule by cell.
func (t *Tested) cells() Section {
	s := Section{Key: "rules", Title: fmt.Sprintf("%s: what %s does to typed sessions", t.Rules.From, t.Preset.Name),
		Doc:     "as expected, of how many",
		Columns: []Column{{"line", "LINE", true}, {"rule", "RULE", true}},
	}
	for _, c := range corpus.Cells {
		s.Columns = append(s.Columns, Column{string(c), string(c), true})
	}
	for i := range t.Rules.List {
		r := &t.Rules.List[i]
		row := []Cell{count(r.Line), text(t.rule(r))}
		for _, c := range corpus.Cells {
			ok, n := 0, 0
			for j := range t.Results {
				if x := &t.Results[j]; x.Rule == r && x.Example.Cell == c {
					n++
					ok += one(x.OK())
				}
			}
			cell := text(fmt.Sprintf("%d of %d", ok, n))
			if n == 0 {
				cell = null
			}
			row = append(row, cell)
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// rule says what a rule counts as firing.
func (t *Tested) rule(r *corpus.Rule) string {
	what, path := r.Level.String(), r.Detector[strings.LastIndex(r.Detector, "/")+1:]
	if r.Level < detectors.ForceStop {
		what += " or more"
	}
	switch {
	case r.Detector == "":
		return what + ", from anybody"
	case r.Alone:
		return what + " of " + path + ", alone"
	}
	return what + " of " + path
}

// examples names every example.
func (t *Tested) examples() Section {
	s := Section{Key: "examples", Title: t.Rules.From + ": the sessions",
		Columns: []Column{{"result", "RESULT", true}, {"line", "LINE", true}, {"cell", "CELL", true}, {"session", "SESSION", true}, {"fire", "FIRST FIRE", true}},
	}
	failed, news := 0, 0
	for i := range t.Results {
		r := &t.Results[i]
		result := "ok"
		switch {
		case r.Failed():
			result = "FAILED"
			failed++
		case r.News():
			result = "NEWS"
			news++
			s.Lines = append(s.Lines, t.news(r))
		}
		fire := "quiet"
		if r.Fire != nil {
			fire = fmt.Sprintf("%s %s@%s", r.Fire.Verdict, short(r.Fire.Detector), at(r.Outcome, r.Fire))
			if r.Fire.Ladder {
				fire = fmt.Sprintf("ladder@%s, at a %s", at(r.Outcome, r.Fire), fire)
			}
		}
		s.Rows = append(s.Rows, []Cell{text(result), count(r.Example.Line), text(string(r.Example.Cell)), text(r.Example.Name), text(fire)})
	}
	s.Lines = append(s.Lines, fmt.Sprintf("%s, %d failed, %d known no longer", plural(len(t.Results), "session"), failed, news))
	return s
}

// news says what a known fault has become.
func (t *Tested) news(r *corpus.Checked) string {
	where := fmt.Sprintf("%s:%d: %s: ", t.Rules.From, r.Example.Line, r.Example.Name)
	if r.Example.Cell == corpus.KnownMiss {
		return where + "this known miss now fires: move it to must_fire"
	}
	return where + "this known false alarm no longer fires: move it to must_not_fire"
}
