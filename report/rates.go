package report

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// A measure is one number about a point at a level, as a column or a row shows it.
type measure struct {
	key, name string
	labelled  bool        // needs labels
	stop      bool        // at stop level alone
	keep      bool        // in the table however narrow
	rate      corpus.Rate // what it is, for sessions that do not carry every rate
	cell      func(b *Board, point int, level detectors.Verdict, t *corpus.Totals) Cell
}

// measures are the numbers of E5 to E7, in the order in which they are shown.
func (b *Board) measures(level detectors.Verdict, prevalence []float64) []measure {
	labelled := b.judgedAny()
	var list []measure
	for _, m := range append(common, computed(prevalence)...) {
		if m.labelled == labelled && (!m.stop || level == detectors.ForceStop) {
			list = append(list, m)
		}
	}
	return append(list, always...)
}

var common = []measure{
	{key: "fired", rate: corpus.RateFrequency, name: "SESSIONS HIT", keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return share(t.Sessions-t.Quiet, t.Sessions)
	}},
	{key: "recall", rate: corpus.RateRecall, name: "RECALL", labelled: true, keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return b.cell(b.rate(p, level, isLoop, isCaught, nil), "recall")
	}},
	{key: "fpr", rate: corpus.RateFalse, name: "FALSE ON WORK", labelled: true, keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return b.cell(b.rate(p, level, isWork, isFalse, nil), "fpr")
	}},
	{key: "fpr_upper95", rate: corpus.RateFalse, name: "UPPER95", labelled: true, keep: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		r := b.rate(p, level, isWork, isFalse, nil)
		return portion(r.upper(), r.d > 0)
	}},
	{key: "false_stops", rate: corpus.RateFalse, name: "FALSE STOPS OF ALL", labelled: true, stop: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return b.cell(b.rate(p, level, isJudged, isFalseHit, nil), "false_stops")
	}},
	{key: "loop_over_overall", rate: corpus.RatePrecision, name: "L/O", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return number(stat.LoopOverall(b.rate(p, level, isLoop, isCaught, nil).share(), b.rate(p, level, isWork, isFalse, nil).share()))
	}},
	{key: "waste_per_loop", rate: corpus.RateRecall, name: "WASTE/LOOP", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		c := mean(t.Wasted, t.Spans)
		c.Least = t.AtLeast > 0
		return c.tier("C")
	}},
	{key: "false_per_1k", rate: corpus.RateFalse, name: "FALSE/1K", labelled: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return perK(t.FalseEp, t.WorkCalls)
	}},
	{key: "killed_success", rate: corpus.RateDifference, name: "KILLED", labelled: true, stop: true, cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return count(t.Killed).tier("C")
	}},
}

// computed are the shares of right fires at stated prevalences: precision is never
// shown without one.
func computed(prevalence []float64) (list []measure) {
	for _, pi := range prevalence {
		list = append(list, measure{key: fmt.Sprintf("ppv_at_%g", pi), rate: corpus.RatePrecision, name: fmt.Sprintf("PPV AT %g%%", 100*pi), labelled: true,
			cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
				return portion(stat.PPV(b.rate(p, level, isLoop, isCaught, nil).share(), b.rate(p, level, isWork, isFalse, nil).share(), pi))
			}})
	}
	return list
}

var always = []measure{
	{key: "episodes_per_1k", rate: corpus.RateFrequency, name: "FIRES/1K", cell: func(b *Board, p int, level detectors.Verdict, t *corpus.Totals) Cell {
		return perK(t.Episodes, t.Calls)
	}},
}

// Prevalences are those at which shares of right fires are shown unless others
// are asked for.
var Prevalences = []float64{0.01, 0.05}

// levelName is a level in words.
func levelName(level detectors.Verdict) string {
	if level == detectors.ForceStop {
		return "stop"
	}
	return "nudge"
}

// against says what rates are measured against where no person made the labels.
func (b *Board) against() string {
	if _, weak := b.labelled(); weak > 0 {
		return " against AI-read labels"
	}
	return ""
}

// notes say what was read and what labels there are.
func (b *Board) notes() []string {
	calls := 0
	for _, r := range b.rows {
		calls += r.calls
	}
	notes := []string{fmt.Sprintf("%s, %s", plural(len(b.rows), "session"), plural(calls, "call"))}
	notes = append(notes, selected(b.Selection)...)
	classes, weak := b.labelled()
	if b.judgedAny() {
		notes = append(notes, fmt.Sprintf("labels: %d loop, %d productive, %d known gap, %d unlabelled", classes[corpus.Loop], classes[corpus.Productive], classes[corpus.KnownGap], classes[corpus.Unlabelled]))
		if weak > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d labels are AI-read (source: weak), and every rate below is a rate against AI-read labels", weak, len(b.rows)-classes[corpus.Unlabelled]))
		}
		notes = append(notes, Cautions(b.labels)...)
	} else {
		notes = append(notes, claims...)
	}
	if b.clustered {
		notes = append(notes, fmt.Sprintf("%d sessions in %d clusters (%s): bounds count clusters", len(b.rows), len(b.names), b.clusterKey()))
	}
	if d := b.deltas; d.Reconstructed > 0 {
		how := "a label counts under the worst of " + strings.Join(b.Cuts, ", ")
		if len(b.Cuts) == 0 {
			how = "other ways of cutting are not compared here, as replay and compare of transcripts do"
		}
		notes = append(notes, fmt.Sprintf("deltas: %d recorded, %d reconstructed (%s) where a text might repeat; %s", d.Recorded, d.Reconstructed, b.Splitter, how))
	}
	if b.left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, named on stderr", plural(b.left, "session")))
	}
	return notes
}

func (b *Board) clusterKey() string {
	if b.cluster == "" {
		return "session"
	}
	return b.cluster
}

// claims head every report without labels (E15.1).
var claims = []string{
	"no labels. can say: where each path fires, which settings differ and in which sessions, how often paths agree, what the record holds after a fire",
	"cannot say: whether a fire was right, how many loops were missed, how often work was hit",
}

// footer names what a table rests on (E19).
func (b *Board) footer() string {
	return fmt.Sprintf("corpus and labels %s, %s clusters, intervals at 95 %%: Wilson, one-sided Clopper-Pearson for zeros and UPPER95, cluster bootstrap where named", b.digestOf(), b.clusterKey())
}

// pct is a level or a bound in words.
func pct(p float64) string {
	s := fmt.Sprintf("%.1f", 100*p)
	return strings.TrimSuffix(s, ".0") + " %"
}
