package board

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/stat"
)

// A Flip is what one session does differently under a second point: a fact about
// this corpus, to which no p-value applies.
type Flip struct {
	Session  string
	Cluster  int
	From, To corpus.Result
	A, B     *corpus.Hit // the first fires that count, of either point
}

// Flips compares two points, session by session.
func (b *Board) Flips(from, to int, level detectors.Verdict) (list []Flip) {
	for _, r := range b.Rows {
		x, y := r.Under(from, level), r.Under(to, level)
		if x == y || x.Result == y.Result && SameHit(x.First, y.First) {
			continue
		}
		list = append(list, Flip{r.ID, r.ClusterAt, x.Result, y.Result, x.First, y.First})
	}
	return list
}

// SameHit reports whether two first fires are the same; nil is no fire.
func SameHit(a, b *corpus.Hit) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Kind is the flip in a word: FP→TN, or what moved while the result stayed.
func (f *Flip) Kind() string {
	if f.From != f.To {
		return fmt.Sprintf("%s→%s", f.From, f.To)
	}
	switch {
	case f.A == nil:
		return "fires now"
	case f.B == nil:
		return "quiet now"
	case f.A.Run != f.B.Run:
		return "another run"
	case f.B.Call > f.A.Call:
		return "later"
	case f.B.Call < f.A.Call:
		return "earlier"
	case f.A.Detector != f.B.Detector:
		return "another path"
	case f.A.Verdict != f.B.Verdict:
		return "another verdict"
	}
	return "moved within the call"
}

// name is the session with how far the fire moved.
func (f *Flip) name() string {
	if f.From == f.To && f.A != nil && f.B != nil && f.A.Run == f.B.Run {
		switch {
		case f.A.Call != f.B.Call:
			return fmt.Sprintf("%s (%+d)", f.Session, f.B.Call-f.A.Call)
		case f.A.Detector != f.B.Detector:
			return fmt.Sprintf("%s (%s)", f.Session, report.PathName(f.B.Detector))
		}
	}
	return f.Session
}

// Gained reports whether the second point is right where the first was wrong: on a
// loop, or on work.
func (f *Flip) Gained() bool {
	return f.To == corpus.TruePositive && IsLoop(f.From) && f.From != f.To ||
		f.From == corpus.FalsePositive && f.To == corpus.TrueNegative
}

// Lost reports whether the second point is wrong where the first was right.
func (f *Flip) Lost() bool {
	return f.From == corpus.TruePositive && IsLoop(f.To) && f.From != f.To ||
		f.From == corpus.TrueNegative && f.To == corpus.FalsePositive
}

// FlipKinds groups flips by what happened, results first, in order of first mention.
func FlipKinds(list []Flip) (order []string, by map[string][]string) {
	by = make(map[string][]string)
	for _, pass := range []bool{true, false} {
		for i := range list {
			f := &list[i]
			if (f.From != f.To) != pass {
				continue
			}
			k := f.Kind()
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], f.name())
		}
	}
	return order, by
}

// FlipText is all flips on one line, by name.
func FlipText(list []Flip) string {
	order, by := FlipKinds(list)
	var parts []string
	for _, k := range order {
		parts = append(parts, k+" "+report.Names(by[k]))
	}
	return strings.Join(parts, "; ")
}

// FlipCounts is the same with numbers alone.
func FlipCounts(list []Flip) string {
	order, by := FlipKinds(list)
	var parts []string
	for _, k := range order {
		parts = append(parts, fmt.Sprintf("%d %s", len(by[k]), k))
	}
	return strings.Join(parts, ", ")
}

// Paired are the pairs of McNemar's test: on loops, or on work. Where sessions
// come in clusters each cluster counts by its sign.
func (b *Board) Paired(list []Flip, in func(corpus.Result) bool) (worse, better int) {
	lost, gained := make([]int, len(b.ClusterNames)), make([]int, len(b.ClusterNames))
	for i := range list {
		f := &list[i]
		if !in(f.From) || !in(f.To) {
			continue
		}
		switch {
		case f.Gained():
			better++
			gained[f.Cluster]++
		case f.Lost():
			worse++
			lost[f.Cluster]++
		}
	}
	if !b.Clustered {
		return worse, better
	}
	return signs(lost, gained)
}

func signs(lost, gained []int) (worse, better int) {
	better, worse = stat.ClusterSigns(gained, lost)
	return worse, better
}

// ClassName is a label's class in a table.
func ClassName(l *corpus.Label) string {
	if l == nil {
		return "–"
	}
	return string(l.Class)
}

// OutcomeWord is a result in a table; an unlabelled session is quiet or fires.
func OutcomeWord(j *corpus.Judgement) string {
	switch j.Result {
	case corpus.UnknownFire:
		return "fires"
	case corpus.UnknownQuiet:
		return "quiet"
	}
	return string(j.Result)
}
