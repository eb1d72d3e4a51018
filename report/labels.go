package report

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/report/stat"
)

// Labels is the report of `groundhog label stats`: what is labelled, by whom,
// and how far readers agree.
func Labels(labels *corpus.Labels) *Report {
	rep := &Report{Title: "label stats"}
	all := labels.All()
	rep.Notes = append(rep.Notes, fmt.Sprintf("%d sessions, %d labels", labels.Len(), len(all)))
	rep.Notes = append(rep.Notes, Cautions(labels)...)
	rep.Sections = append(rep.Sections, counted(labels), bySource(all))
	if pairs := labels.Pairs(); len(pairs) > 0 {
		rep.Sections = append(rep.Sections, readersAgree(pairs))
	}
	if list := labels.Unsettled(); len(list) > 0 {
		rep.Sections = append(rep.Sections, Section{Key: "unsettled", Title: "readers differ on the class",
			Doc: "these count as unlabelled until somebody decides: label add SESSION --source adjudicated", Lines: list})
	}
	return rep
}

var classes = []corpus.Class{corpus.Loop, corpus.Productive, corpus.KnownGap, corpus.Unlabelled}

// counted is what enters rates: one label for each session.
func counted(labels *corpus.Labels) Section {
	s := Section{Key: "classes", Title: "sessions, by the label that counts",
		Doc:     "adjudicated before human, human before synthetic, synthetic before weak; only what was reviewed in full enters a rate",
		Columns: []Column{{"class", "CLASS", true}, {"sessions", "SESSIONS", true}, {"full", "IN FULL", true}, {"partial", "IN PART", true}, {"spans", "SPANS", true}, {"positions", "ANSWERS", true}}}
	for _, class := range classes {
		var n, full, partial, spans, positions int
		for _, session := range labels.Sessions() {
			l := labels.Of(session)
			if l.Class != class {
				continue
			}
			n++
			full += one(l.Reviewed == "full")
			partial += one(l.Reviewed == "partial")
			spans += len(l.Spans)
			positions += len(l.Positions)
		}
		s.Rows = append(s.Rows, []Cell{text(string(class)), count(n), count(full), count(partial), count(spans), count(positions)})
	}
	return s
}

// bySource is a row for each reader.
func bySource(all []*corpus.Label) Section {
	s := Section{Key: "readers", Title: "labels, by reader", Columns: []Column{{"reader", "READER", true}}}
	for _, class := range classes {
		s.Columns = append(s.Columns, Column{string(class), strings.ToUpper(strings.ReplaceAll(string(class), "_", " ")), true})
	}
	var readers []string
	for _, l := range all {
		readers = append(readers, l.Reader())
	}
	slices.Sort(readers)
	for _, reader := range slices.Compact(readers) {
		row := []Cell{text(reader)}
		for _, class := range classes {
			n := 0
			for _, l := range all {
				n += one(l.Reader() == reader && l.Class == class)
			}
			row = append(row, count(n))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func readersAgree(pairs []corpus.Pair) Section {
	s := Section{Key: "agreement", Title: "readers of the same sessions",
		Doc:     "same: sessions given the same class. kappa: Cohen's, of the class; – where both use one class only. onset: median distance of onsets in calls, where both see a loop.",
		Columns: []Column{{"a", "READER", true}, {"b", "AND", true}, {"same", "SAME", true}, {"kappa", "KAPPA", true}, {"onset", "ONSET", true}, {"onsets", "OF", true}, {"differ", "DIFFER ON", false}}}
	for i := range pairs {
		p := &pairs[i]
		kappa := null
		if k, ok := kappaOf(p); ok {
			kappa = text(fmt.Sprintf("%.2f", k))
		}
		onset := null
		if len(p.Onsets) > 0 {
			onset = count(stat.Median(p.Onsets))
		}
		s.Rows = append(s.Rows, []Cell{text(p.A), text(p.B), share(p.Same(), len(p.Classes)), kappa, onset, count(len(p.Onsets)), text(named(p.Differ))})
	}
	return s
}

func kappaOf(p *corpus.Pair) (float64, bool) {
	var a, b []string
	for _, c := range p.Classes {
		a, b = append(a, string(c[0])), append(b, string(c[1]))
	}
	return stat.Kappa(a, b)
}

// mostNamed is how many sessions a line names.
const mostNamed = 20

func named(sessions []string) string {
	if n := len(sessions); n > mostNamed {
		return fmt.Sprintf("%s … and %d more", strings.Join(sessions[:mostNamed], ", "), n-mostNamed)
	}
	return strings.Join(sessions, ", ")
}

// Cautions are what has to be said beside every rate that uses the labels: a
// model's labels and how often a person agreed with them (E15.4), readers who
// hardly agree (E3.4), and sessions that are not settled.
func Cautions(labels *corpus.Labels) []string {
	var notes []string
	var weak, checked, same int
	for _, session := range labels.Sessions() {
		readings := labels.Readings(session)
		last := readings[len(readings)-1].Label // a model's, if there is one: weak is the last source
		counts := labels.Of(session)
		switch {
		case last.Source != "weak":
		case counts.Source == "weak":
			weak++
		case counts.Source != "synthetic" && counts.Class != corpus.Unlabelled:
			checked++
			same += one(counts.Class == last.Class)
		}
	}
	for _, p := range labels.Pairs() {
		if k, ok := kappaOf(&p); ok && k < stat.Caution {
			notes = append(notes, fmt.Sprintf("caution: %s and %s agree with kappa %.2f on the class of %d sessions (below %v): every rate from these labels is that uncertain too", p.A, p.B, k, len(p.Classes), stat.Caution))
		}
	}
	switch {
	case checked > 0:
		lo, hi := stat.Wilson(same, checked)
		notes = append(notes, fmt.Sprintf("of a model's labels people read %d again and gave %d the same class: %.0f%% [%.0f, %.0f]; %d sessions have a model's label alone", checked, same,
			100*float64(same)/float64(checked), 100*lo, 100*hi, weak))
	case weak > 0:
		notes = append(notes, fmt.Sprintf("%d sessions have a model's label alone (source: weak), and no person has checked them", weak))
	}
	if n := len(labels.Unsettled()); n > 0 {
		notes = append(notes, fmt.Sprintf("readers differ on the class of %d sessions, which count as unlabelled", n))
	}
	return notes
}

// mixed reports whether some sessions have a model's label alone and others a
// person's: then rates are given for all, and for those of people (E15.4).
func (b *Board) mixed() bool {
	weak, people := false, false
	for _, r := range b.rows {
		if r.label != nil && r.label.Class != corpus.Unlabelled {
			weak = weak || !byPeople(r)
			people = people || byPeople(r)
		}
	}
	return weak && people
}

func byPeople(r *row) bool { return r.label != nil && r.label.Source != "weak" }
