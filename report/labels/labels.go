package labels

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// Labels is the report of `groundhog label stats`: what is labelled, by whom,
// and how far readers agree.
func Labels(labels *corpus.Labels) *report.Report {
	rep := &report.Report{Title: "label stats"}
	all := labels.All()
	rep.Notes = append(rep.Notes, fmt.Sprintf("%d sessions, %d labels", labels.Len(), len(all)))
	rep.Notes = append(rep.Notes, board.Cautions(labels)...)
	rep.Sections = append(rep.Sections, counted(labels), bySource(all))
	if pairs := labels.Pairs(); len(pairs) > 0 {
		rep.Sections = append(rep.Sections, readersAgree(pairs))
	}
	if list := labels.Unsettled(); len(list) > 0 {
		rep.Sections = append(rep.Sections, report.Section{Key: "unsettled", Title: "readers differ on the class",
			Doc: "these count as unlabelled until somebody decides: label add SESSION --source adjudicated", Lines: list})
	}
	return rep
}

var classes = []corpus.Class{corpus.Loop, corpus.Productive, corpus.KnownGap, corpus.Unlabelled}

// counted is what enters rates: one label for each session.
func counted(labels *corpus.Labels) report.Section {
	s := report.Section{Key: "classes", Title: "sessions, by the label that counts",
		Doc: "adjudicated before human, human before synthetic, synthetic before weak; only what was reviewed in full " +
			"enters a rate",
		Columns: report.Cols("class", "CLASS", "sessions", "SESSIONS", "full", "IN FULL", "partial", "IN PART", "spans",
			"SPANS", "positions", "ANSWERS")}
	for _, class := range classes {
		var n, full, partial, spans, positions int
		for _, session := range labels.Sessions() {
			l := labels.Of(session)
			if l.Class != class {
				continue
			}
			n++
			full += report.Bit(l.Reviewed == "full")
			partial += report.Bit(l.Reviewed == "partial")
			spans += len(l.Spans)
			positions += len(l.Positions)
		}
		s.Add(string(class), n, full, partial, spans, positions)
	}
	return s
}

// bySource is a row for each reader.
func bySource(all []*corpus.Label) report.Section {
	s := report.Section{Key: "readers", Title: "labels, by reader", Columns: report.Cols("reader", "READER")}
	for _, class := range classes {
		s.Columns = append(s.Columns, report.Col(string(class), strings.ToUpper(strings.ReplaceAll(string(class), "_", " "))))
	}
	var readers []string
	for _, l := range all {
		readers = append(readers, l.Reader())
	}
	slices.Sort(readers)
	for _, reader := range slices.Compact(readers) {
		row := []report.Cell{report.Text(reader)}
		for _, class := range classes {
			n := 0
			for _, l := range all {
				n += report.Bit(l.Reader() == reader && l.Class == class)
			}
			row = append(row, report.Count(n))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func readersAgree(pairs []corpus.Pair) report.Section {
	s := report.Section{Key: "agreement", Title: "readers of the same sessions",
		Doc: "same: sessions given the same class. kappa: Cohen's, of the class; – where both use one class only. " +
			"onset: median distance of onsets in calls, where both see a loop.",
		Columns: report.Cols("a", "READER", "b", "AND", "same", "SAME", "kappa", "KAPPA", "onset", "ONSET", "onsets", "OF",
			"?differ", "DIFFER ON")}
	for i := range pairs {
		p := &pairs[i]
		kappa := report.Null
		if k, ok := board.KappaOf(p); ok {
			kappa = report.Text(fmt.Sprintf("%.2f", k))
		}
		onset := report.Null
		if len(p.Onsets) > 0 {
			onset = report.Count(stat.Median(p.Onsets))
		}
		s.Add(p.A, p.B, report.Share(p.Same(), len(p.Classes)), kappa, onset, len(p.Onsets), sessionNames(p.Differ))
	}
	return s
}

// mostNamed is how many sessions a line names.
const mostNamed = 20

func sessionNames(sessions []string) string {
	if n := len(sessions); n > mostNamed {
		return fmt.Sprintf("%s … and %d more", strings.Join(sessions[:mostNamed], ", "), n-mostNamed)
	}
	return strings.Join(sessions, ", ")
}
