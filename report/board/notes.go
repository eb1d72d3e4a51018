package board

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/stat"
)

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
		notes = append(notes, fmt.Sprintf("labels: %d loop, %d productive, %d known gap, %d unlabelled", classes[corpus.Loop],
			classes[corpus.Productive], classes[corpus.KnownGap], classes[corpus.Unlabelled]))
		if weak > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d labels are AI-read (source: weak), and every rate below is a rate "+
				"against AI-read labels", weak, len(b.Rows)-classes[corpus.Unlabelled]))
		}
		notes = append(notes, Cautions(b.labels)...)
	} else {
		notes = append(notes, Claims...)
	}
	if b.Clustered {
		notes = append(notes, fmt.Sprintf("%d sessions in %d clusters (%s): bounds count clusters", len(b.Rows),
			len(b.ClusterNames), b.ClusterKey()))
	}
	if d := b.deltas; d.Reconstructed > 0 {
		how := "a label counts under the worst of " + strings.Join(b.Cuts, ", ")
		if len(b.Cuts) == 0 {
			how = "other ways of cutting are not compared here, as replay and compare of transcripts do"
		}
		notes = append(notes, fmt.Sprintf("deltas: %d recorded, %d reconstructed (%s) where a text might repeat; %s",
			d.Recorded, d.Reconstructed, b.Splitter, how))
	}
	if b.left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, named on stderr", report.Plural(b.left, "session")))
	}
	return notes
}

// ClusterKey is what makes sessions one cluster; "session" if nothing does.
func (b *Board) ClusterKey() string {
	if b.Cluster == "" {
		return "session"
	}
	return b.Cluster
}

// Claims head every report without labels.
var Claims = []string{
	"no labels. can say: where each path fires, which settings differ and in which sessions, how often paths agree, " +
		"what the record holds after a fire",
	"cannot say: whether a fire was right, how many loops were missed, how often work was hit",
}

// Footer names what a table rests on.
func (b *Board) Footer() string {
	return fmt.Sprintf("corpus and labels %s, %s clusters, intervals at 95 %%: Wilson, one-sided Clopper-Pearson for "+
		"zeros and UPPER95, cluster bootstrap where named", b.digestOf(), b.ClusterKey())
}

// Cautions are what has to be said beside every rate that uses the labels: a
// model's labels and how often a person agreed with them, readers who
// hardly agree, and sessions that are not settled.
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
			same += report.Bit(counts.Class == last.Class)
		}
	}
	for _, p := range labels.Pairs() {
		if k, ok := KappaOf(&p); ok && k < stat.Caution {
			notes = append(notes, fmt.Sprintf("caution: %s and %s agree with kappa %.2f on the class of %d sessions (below "+
				"%v): every rate from these labels is that uncertain too", p.A, p.B, k, len(p.Classes), stat.Caution))
		}
	}
	switch {
	case checked > 0:
		lo, hi := stat.Wilson(same, checked)
		notes = append(notes, fmt.Sprintf("of a model's labels people read %d again and gave %d the same class: %.0f%% "+
			"[%.0f, %.0f]; %d sessions have a model's label alone", checked, same,
			100*float64(same)/float64(checked), 100*lo, 100*hi, weak))
	case weak > 0:
		notes = append(notes, fmt.Sprintf("%d sessions have a model's label alone (source: weak), and no person has "+
			"checked them", weak))
	}
	if n := len(labels.Unsettled()); n > 0 {
		notes = append(notes, fmt.Sprintf("readers differ on the class of %d sessions, which count as unlabelled", n))
	}
	return notes
}

// Mixed reports whether some sessions have a model's label alone and others a
// person's: then rates are given for all, and for those of people.
func (b *Board) Mixed() bool {
	weak, people := false, false
	for _, r := range b.Rows {
		if r.Label != nil && r.Label.Class != corpus.Unlabelled {
			weak = weak || !ByPeople(r)
			people = people || ByPeople(r)
		}
	}
	return weak && people
}

// ByPeople reports whether a person, or whoever wrote the session, made its label.
func ByPeople(r *Row) bool { return r.Label != nil && r.Label.Source != "weak" }

// KappaOf is Cohen's kappa of two readers on the class of the sessions that both labelled.
func KappaOf(p *corpus.Pair) (float64, bool) {
	var a, b []string
	for _, c := range p.Classes {
		a, b = append(a, string(c[0])), append(b, string(c[1]))
	}
	return stat.Kappa(a, b)
}

// ClassCounts counts the sessions by class, and the labels no person has made.
func (b *Board) ClassCounts() (classes map[corpus.Class]int, weak int) {
	classes = make(map[corpus.Class]int)
	for _, r := range b.Rows {
		class := corpus.Unlabelled
		if r.Label != nil {
			class = r.Label.Class
			if r.Label.Source == "weak" && class != corpus.Unlabelled {
				weak++
			}
		}
		classes[class]++
	}
	return classes, weak
}

// HasLabels reports whether some session has a label that says something.
func (b *Board) HasLabels() bool {
	classes, _ := b.ClassCounts()
	return classes[corpus.Loop]+classes[corpus.Productive]+classes[corpus.KnownGap] > 0
}
