package board

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/stat"
)

// A Metric is one number about a point at a level, as a column or a row shows it.
type Metric struct {
	Key, Name string
	labelled  bool        // needs labels
	stop      bool        // at stop level alone
	Keep      bool        // in the table however narrow
	rate      corpus.Rate // what it is, for sessions that do not carry every rate
	cell      func(b *Board, point int, level detectors.Verdict, t *corpus.Totals) report.Cell
}

// Metrics are the numbers of E5 to E7, in the order in which they are shown.
func (b *Board) Metrics(level detectors.Verdict, prevalence []float64) []Metric {
	labelled := b.HasLabels()
	var list []Metric
	for _, m := range append(common, computed(prevalence)...) {
		if m.labelled == labelled && (!m.stop || level == detectors.ForceStop) {
			list = append(list, m)
		}
	}
	return append(list, always...)
}

var common = []Metric{
	{Key: "fired", rate: corpus.RateFrequency, Name: "SESSIONS HIT", Keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return report.Share(t.Sessions-t.Quiet, t.Sessions)
	}},
	{Key: "recall", rate: corpus.RateRecall, Name: "RECALL", labelled: true, Keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return b.Cell(b.Rate(p, level, IsLoop, IsCaught, nil), "recall")
	}},
	{Key: "fpr", rate: corpus.RateFalse, Name: "FALSE ON WORK", labelled: true, Keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return b.Cell(b.Rate(p, level, IsWork, IsFalse, nil), "fpr")
	}},
	{Key: "fpr_upper95", rate: corpus.RateFalse, Name: "UPPER95", labelled: true, Keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		r := b.Rate(p, level, IsWork, IsFalse, nil)
		return report.Portion(r.Upper(), r.D > 0)
	}},
	{Key: "false_stops", rate: corpus.RateFalse, Name: "FALSE STOPS OF ALL", labelled: true, stop: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return b.Cell(b.Rate(p, level, IsJudged, IsFalseHit, nil), "false_stops")
	}},
	{Key: "loop_over_overall", rate: corpus.RatePrecision, Name: "L/O", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return report.Number(stat.LoopOverall(b.Rate(p, level, IsLoop, IsCaught, nil).Share(), b.Rate(p, level, IsWork, IsFalse, nil).Share()))
	}},
	{Key: "waste_per_loop", rate: corpus.RateRecall, Name: "WASTE/LOOP", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		c := report.Mean(t.Wasted, t.Spans)
		c.Least = t.AtLeast > 0
		return c.WithTier("C")
	}},
	{Key: "false_per_1k", rate: corpus.RateFalse, Name: "FALSE/1K", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return report.PerK(t.FalseEp, t.WorkCalls)
	}},
	{Key: "killed_success", rate: corpus.RateDifference, Name: "KILLED", labelled: true, stop: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return report.Count(t.Killed).WithTier("C")
	}},
}

// computed are the shares of right fires at stated prevalences: precision is never
// shown without one.
func computed(prevalence []float64) (list []Metric) {
	for _, pi := range prevalence {
		list = append(list, Metric{Key: fmt.Sprintf("ppv_at_%g", pi), rate: corpus.RatePrecision, Name: fmt.Sprintf("PPV AT %g%%", 100*pi), labelled: true,
			cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
				return report.Portion(stat.PPV(b.Rate(p, level, IsLoop, IsCaught, nil).Share(), b.Rate(p, level, IsWork, IsFalse, nil).Share(), pi))
			}})
	}
	return list
}

var always = []Metric{
	{Key: "episodes_per_1k", rate: corpus.RateFrequency, Name: "FIRES/1K", cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) report.Cell {
		return report.PerK(t.Episodes, t.Calls)
	}},
}

// Prevalences are those at which shares of right fires are shown unless others
// are asked for.
var Prevalences = []float64{0.01, 0.05}

// LevelName is a level in words.
func LevelName(level detectors.Verdict) string {
	if level == detectors.ForceStop {
		return "stop"
	}
	return "nudge"
}

// Against says what rates are measured against where no person made the labels.
func (b *Board) Against() string {
	if _, weak := b.ClassCounts(); weak > 0 {
		return " against AI-read labels"
	}
	return ""
}

// Notes say what was read and what labels there are.
func (b *Board) Notes() []string {
	calls := 0
	for _, r := range b.Rows {
		calls += r.calls
	}
	notes := []string{fmt.Sprintf("%s, %s", report.Plural(len(b.Rows), "session"), report.Plural(calls, "call"))}
	notes = append(notes, Selected(b.Selection)...)
	classes, weak := b.ClassCounts()
	if b.HasLabels() {
		notes = append(notes, fmt.Sprintf("labels: %d loop, %d productive, %d known gap, %d unlabelled", classes[corpus.Loop], classes[corpus.Productive], classes[corpus.KnownGap], classes[corpus.Unlabelled]))
		if weak > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d labels are AI-read (source: weak), and every rate below is a rate against AI-read labels", weak, len(b.Rows)-classes[corpus.Unlabelled]))
		}
		notes = append(notes, Cautions(b.labels)...)
	} else {
		notes = append(notes, Claims...)
	}
	if b.Clustered {
		notes = append(notes, fmt.Sprintf("%d sessions in %d clusters (%s): bounds count clusters", len(b.Rows), len(b.ClusterNames), b.ClusterKey()))
	}
	if d := b.deltas; d.Reconstructed > 0 {
		how := "a label counts under the worst of " + strings.Join(b.Cuts, ", ")
		if len(b.Cuts) == 0 {
			how = "other ways of cutting are not compared here, as replay and compare of transcripts do"
		}
		notes = append(notes, fmt.Sprintf("deltas: %d recorded, %d reconstructed (%s) where a text might repeat; %s", d.Recorded, d.Reconstructed, b.Splitter, how))
	}
	if b.left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, named on stderr", report.Plural(b.left, "session")))
	}
	return notes
}

func (b *Board) ClusterKey() string {
	if b.Cluster == "" {
		return "session"
	}
	return b.Cluster
}

// Claims head every report without labels (E15.1).
var Claims = []string{
	"no labels. can say: where each path fires, which settings differ and in which sessions, how often paths agree, what the record holds after a fire",
	"cannot say: whether a fire was right, how many loops were missed, how often work was hit",
}

// Footer names what a table rests on (E19).
func (b *Board) Footer() string {
	return fmt.Sprintf("corpus and labels %s, %s clusters, intervals at 95 %%: Wilson, one-sided Clopper-Pearson for zeros and UPPER95, cluster bootstrap where named", b.digestOf(), b.ClusterKey())
}
