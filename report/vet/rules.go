package vet

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// A Tested is a file of rules with the results of its examples under one preset.
type Tested struct {
	Rules   *corpus.Rules
	Preset  *detectors.Preset
	Results []corpus.Checked
}

// Rules is the report of `groundhog vet --rules`.
func Rules(files []Tested) *report.Report {
	rep := &report.Report{Title: "vet --rules"}
	for i := range files {
		rep.Sections = append(rep.Sections, files[i].cells(), files[i].examples())
	}
	return rep
}

// cells counts the examples of each rule by cell.
func (t *Tested) cells() report.Section {
	s := report.Section{Key: "rules", Title: fmt.Sprintf("%s: what %s does to typed sessions", t.Rules.From,
		t.Preset.Name),
		Doc:     "as expected, of how many",
		Columns: report.Cols("line", "LINE", "rule", "RULE"),
	}
	for _, c := range corpus.Cells {
		s.Columns = append(s.Columns, report.Col(string(c), string(c)))
	}
	for i := range t.Rules.List {
		r := &t.Rules.List[i]
		row := []report.Cell{report.Count(r.Line), report.Text(t.rule(r))}
		for _, c := range corpus.Cells {
			ok, n := 0, 0
			for j := range t.Results {
				if x := &t.Results[j]; x.Rule == r && x.Example.Cell == c {
					n++
					ok += report.Bit(x.OK())
				}
			}
			cell := report.Text(fmt.Sprintf("%d of %d", ok, n))
			if n == 0 {
				cell = report.Null
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
func (t *Tested) examples() report.Section {
	s := report.Section{Key: "examples", Title: t.Rules.From + ": the sessions",
		Columns: report.Cols("result", "RESULT", "line", "LINE", "cell", "CELL", "session", "SESSION", "fire", "FIRST FIRE"),
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
			fire = fmt.Sprintf("%s %s@%s", r.Fire.Verdict, report.PathName(r.Fire.Detector), board.Position(r.Outcome, r.Fire))
			if r.Fire.Ladder {
				fire = fmt.Sprintf("ladder@%s, at a %s", board.Position(r.Outcome, r.Fire), fire)
			}
		}
		s.Add(result, r.Example.Line, string(r.Example.Cell), r.Example.Name, fire)
	}
	s.Lines = append(s.Lines, fmt.Sprintf("%s, %d failed, %d known no longer", report.Plural(len(t.Results), "session"),
		failed, news))
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
