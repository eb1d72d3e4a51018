package report

import (
	"fmt"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/stat"
)

// A flip is what one session does differently under a second point: a fact about
// this corpus, to which no p-value applies (evaluation.md E10.1).
type flip struct {
	session  string
	cluster  int
	from, to corpus.Result
	a, b     *corpus.Hit // the first fires that count, of either point
}

// flips compares two points, session by session.
func (b *Board) flips(from, to int, level detectors.Verdict) (list []flip) {
	for _, r := range b.rows {
		x, y := r.under(from, level), r.under(to, level)
		if x == y || x.Result == y.Result && same(x.First, y.First) {
			continue
		}
		list = append(list, flip{r.id, r.at, x.Result, y.Result, x.First, y.First})
	}
	return list
}

func same(a, b *corpus.Hit) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// kind is the flip in a word: FP→TN, or what moved while the result stayed.
func (f *flip) kind() string {
	if f.from != f.to {
		return fmt.Sprintf("%s→%s", f.from, f.to)
	}
	switch {
	case f.a == nil:
		return "fires now"
	case f.b == nil:
		return "quiet now"
	case f.a.Run != f.b.Run:
		return "another run"
	case f.b.Call > f.a.Call:
		return "later"
	case f.b.Call < f.a.Call:
		return "earlier"
	case f.a.Detector != f.b.Detector:
		return "another path"
	case f.a.Verdict != f.b.Verdict:
		return "another verdict"
	}
	return "moved within the call"
}

// name is the session with how far the fire moved.
func (f *flip) name() string {
	if f.from == f.to && f.a != nil && f.b != nil && f.a.Run == f.b.Run {
		switch {
		case f.a.Call != f.b.Call:
			return fmt.Sprintf("%s (%+d)", f.session, f.b.Call-f.a.Call)
		case f.a.Detector != f.b.Detector:
			return fmt.Sprintf("%s (%s)", f.session, short(f.b.Detector))
		}
	}
	return f.session
}

// gained reports whether the second point is right where the first was wrong, and
// lost the reverse: loops and work apart, as McNemar's test takes them.
func (f *flip) gained() bool {
	return f.to == corpus.TruePositive && isLoop(f.from) && f.from != f.to || f.from == corpus.FalsePositive && f.to == corpus.TrueNegative
}
func (f *flip) lost() bool {
	return f.from == corpus.TruePositive && isLoop(f.to) && f.from != f.to || f.from == corpus.TrueNegative && f.to == corpus.FalsePositive
}

// kinds groups flips by what happened, results first, in order of first mention.
func kinds(list []flip) (order []string, by map[string][]string) {
	by = make(map[string][]string)
	for _, pass := range []bool{true, false} {
		for i := range list {
			f := &list[i]
			if (f.from != f.to) != pass {
				continue
			}
			k := f.kind()
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], f.name())
		}
	}
	return order, by
}

// flipText is all flips on one line, by name.
func flipText(list []flip) string {
	order, by := kinds(list)
	var parts []string
	for _, k := range order {
		parts = append(parts, k+" "+nameList(by[k]))
	}
	return strings.Join(parts, "; ")
}

// flipCounts is the same with numbers alone.
func flipCounts(list []flip) string {
	order, by := kinds(list)
	var parts []string
	for _, k := range order {
		parts = append(parts, fmt.Sprintf("%d %s", len(by[k]), k))
	}
	return strings.Join(parts, ", ")
}

// paired are the pairs of McNemar's test: on loops, or on work. Where sessions
// come in clusters each cluster counts by its sign (E10.2).
func (b *Board) paired(list []flip, in func(corpus.Result) bool) (worse, better int) {
	lost, gained := make([]int, len(b.names)), make([]int, len(b.names))
	for i := range list {
		f := &list[i]
		if !in(f.from) || !in(f.to) {
			continue
		}
		switch {
		case f.gained():
			better++
			gained[f.cluster]++
		case f.lost():
			worse++
			lost[f.cluster]++
		}
	}
	if !b.clustered {
		return worse, better
	}
	return signs(lost, gained)
}

func signs(lost, gained []int) (worse, better int) {
	better, worse = stat.ClusterSigns(gained, lost)
	return worse, better
}

// changes lists, along one line of points, the sessions whose result changes,
// the smallest value at which it does (the flip threshold of E12.7) and all the
// stretches between.
func (b *Board) changes(points []int, values []string, level detectors.Verdict) (rows [][]Cell) {
	for _, r := range b.rows {
		var begins []int // indexes at which a stretch begins
		for i, p := range points {
			if i == 0 || outcomeWord(r.under(p, level)) != outcomeWord(r.under(points[i-1], level)) {
				begins = append(begins, i)
			}
		}
		if len(begins) < 2 {
			continue
		}
		var parts []string
		for k, from := range begins {
			to := len(values) - 1
			if k+1 < len(begins) {
				to = begins[k+1] - 1
			}
			parts = append(parts, span(values[from], values[to])+" "+outcomeWord(r.under(points[from], level)))
		}
		rows = append(rows, []Cell{text(r.id), text(className(r.label)), text(values[begins[1]]), text(strings.Join(parts, ", "))})
	}
	return rows
}

// className is a label's class in a table.
func className(l *corpus.Label) string {
	if l == nil {
		return "–"
	}
	return string(l.Class)
}

// outcomeWord is a result in a table; an unlabelled session is quiet or fires.
func outcomeWord(j *corpus.Judgement) string {
	switch j.Result {
	case corpus.UnknownFire:
		return "fires"
	case corpus.UnknownQuiet:
		return "quiet"
	}
	return string(j.Result)
}

func span(from, to string) string {
	if from == to {
		return from
	}
	return from + "–" + to
}
