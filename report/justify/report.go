package justify

import (
	"fmt"
	"strings"

	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// Report is the dossier: the verdict and the rules it comes from, then the ten
// ten tables at each level, and in the end the verdict once more.
func (d *Dossier) Report() *report.Report {
	d.Settle()
	clear(d.named)
	var sections []report.Section
	var decisions []*Decision
	for _, level := range d.Levels {
		e := d.evidence(level, d.Rows, 0)
		decisions = append(decisions, d.decide(level, e))
		if !d.HasLabels() {
			sections = append(sections, d.frequency(level), d.moves(level))
			continue
		}
		sets := d.caughtSets(level)
		sections = append(sections, d.inNumbers(level, e), d.frequency(level), d.uniqueTable(level, e),
			d.coveredTable(level, e), d.earlierTable(level, e), d.falseTable(level, e))
		if level == detectors.ForceStop {
			sections = append(sections, d.damage())
		}
		sections = append(sections, d.overlap(level, sets), d.upset(level, sets), d.cover(level, sets), d.history(level, e))
	}
	sections = append(sections, d.exposureTable(), d.claims())
	r := &report.Report{Title: fmt.Sprintf("justify %s in %s", d.subject(), d.Proposal.Preset.Name),
		Notes: d.dossierNotes()}
	r.Sections = append([]report.Section{verdictTable(decisions), d.rulesTable(decisions)}, sections...)
	r.Sections = append(r.Sections,
		report.Section{Key: "footer", Title: "rests on", Lines: []string{d.Footer()}},
		d.inShort(decisions))
	return r
}

// moves names the sessions that do something else, where nothing is labelled: no
// table there may call a fire right or wrong.
func (d *Dossier) moves(level detectors.Verdict) report.Section {
	a, b := d.sideNames()
	s := report.Section{
		Key: board.LevelName(level) + "_flips", Title: fmt.Sprintf("%s level: sessions that flip, %s → %s",
			board.LevelName(level), a, b),
		Columns: report.Cols("kind", "WHAT", "n", "N", "sessions", "SESSIONS"),
	}
	order, by := board.FlipKinds(d.Flips(d.side[with], d.side[without], level))
	for _, k := range order {
		s.Add(k, len(by[k]), report.Names(by[k]))
	}
	return quietTable(s)
}

// dossierNotes say what is asked, of what, and by whose labels.
func (d *Dossier) dossierNotes() []string {
	var notes []string
	p := d.Proposal
	switch p.Kind {
	case Deletion:
		notes = append(notes, "with: the preset as it is. without: the preset without "+pathNames(p.Paths))
	case Addition:
		notes = append(notes, fmt.Sprintf("with: the preset and, after all others, %s. without: the preset as it is. The "+
			"verdict is about going from with to without: KEEP says that it brings a proven catch, DELETABLE that it adds "+
			"nothing",
			pathNames(p.Paths)))
	case Change:
		notes = append(notes, "now: the preset as it is. changed: "+d.subject()+
			". The verdict is about going from now to changed: KEEP says that the change would lose a proven catch, DELETABLE "+
			"that it loses nothing")
	}
	for _, det := range p.Paths {
		if p.Kind == Addition && len(det.Shared) > 0 {
			var stand []string
			for _, q := range det.Shared {
				value := q.Default
				if v, ok := p.Preset.Set.With(p.Set)[q.ID]; ok {
					value = v
				}
				if value != "" && q.Kind != detectors.Table && q.Kind != detectors.Names {
					stand = append(stand, q.ID+"="+value)
				}
			}
			notes = append(notes, fmt.Sprintf("%s shares settings with the preset, which stand as it has them: %s",
				report.PathName(det.Name), report.OrNone(strings.Join(stand, ", "))))
		}
		if det.Retired != "" {
			notes = append(notes, fmt.Sprintf("%s is retired: %s", det.Name, det.Retired))
		}
		if det.Origin.Incident != "" {
			notes = append(notes, fmt.Sprintf("%s exists because of: %s", report.PathName(det.Name), det.Origin.Incident))
		}
	}
	notes = append(notes, d.Notes()...)
	person, written, read := d.sourcesOf()
	if person+written+read > 0 {
		notes = append(notes, fmt.Sprintf("labels by a person (human, adjudicated): %d; written with the session "+
			"(synthetic): %d; AI-read (weak): %d. What speaks for a deletion needs labels by a person; "+
			"what speaks against it counts every label", person, written, read))
	}
	n := 0
	for _, r := range d.Rows {
		n += report.Bit(!d.applies(r))
	}
	if n > 0 {
		notes = append(notes, fmt.Sprintf("%s do not record what the paths in question look at: in neither R, F, exposure "+
			"nor U/n⁺", report.Plural(n, "session")))
	}
	return notes
}

func pathNames(list []*detectors.Detector) string {
	var names []string
	for _, det := range list {
		names = append(names, det.Name)
	}
	return strings.Join(names, ", ")
}

func verdictTable(list []*Decision) report.Section {
	s := report.Section{
		Key: "verdict", Title: "verdict",
		Columns: report.Cols("level", "LEVEL", "verdict", "VERDICT", "rule", "RULE", "?because", "BECAUSE", "?change",
			"WHAT WOULD CHANGE IT"),
	}
	for _, d := range list {
		r := d.First()
		s.Add(board.LevelName(d.Level), d.Word(), r.Rule, r.Why, r.Change)
		if d.Turns != "" {
			s.Lines = append(s.Lines, fmt.Sprintf("label-sensitive at %s level: %s", board.LevelName(d.Level), d.Turns))
		}
	}
	return s
}

// rulesTable shows every rule, those after the verdict as well: they say what
// comes next. Where nothing is labelled they would say something of right and wrong.
func (d *Dossier) rulesTable(list []*Decision) report.Section {
	s := report.Section{
		Key: "rules", Title: "the rules in order; the first that applies is the verdict",
		Columns: report.Cols("level", "LEVEL", "rule", "RULE", "verdict", "VERDICT", "applies", "APPLIES", "?why", "NUMBERS"),
	}
	for _, dec := range list {
		first := dec.First()
		for i := range dec.Rulings {
			r := &dec.Rulings[i]
			if r.Rule > first.Rule && !d.HasLabels() {
				break
			}
			applies := "no"
			switch {
			case r == first:
				applies = "▸ yes"
			case r.Rule == 9: // by its own words
				applies = "no"
			case r.Applies:
				applies = "would too"
			}
			s.Add(board.LevelName(dec.Level), r.Rule, string(r.Verdict), applies, r.Why)
		}
	}
	return s
}

// claims quotes what is said to cover the loops outside of any replay.
func (d *Dossier) claims() report.Section {
	s := report.Section{Key: "external_cover", Title: "external cover: claims, counted nowhere"}
	for _, det := range d.Proposal.Paths {
		for _, claim := range det.External {
			s.Lines = append(s.Lines, fmt.Sprintf("%s: %s", report.PathName(det.Name), claim))
		}
	}
	if len(s.Lines) == 0 {
		s.Lines = []string{"none"}
	}
	return s
}

func (d *Dossier) inShort(list []*Decision) report.Section {
	s := report.Section{Key: "in_short", Title: "in short"}
	for _, dec := range list {
		r := dec.First()
		s.Lines = append(s.Lines, fmt.Sprintf("%s, %s level: %s (rule %d): %s. what would change it: %s", d.subject(),
			board.LevelName(dec.Level), dec.Word(), r.Rule, r.Why, r.Change))
	}
	return s
}
