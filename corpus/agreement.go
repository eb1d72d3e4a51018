package corpus

import "slices"

// A Pair is what two readers say of the sessions that both have labelled.
type Pair struct {
	A, B    string     // readers, the better source first
	Classes [][2]Class // the classes they gave, by session in order
	Differ  []string   // sessions to which they gave different classes
	// Onsets are the distances in calls between their onsets, sorted: one for each run in
	// which both see a loop, of the first loop.
	Onsets []int
}

// Same is the number of sessions to which both gave the same class.
func (p *Pair) Same() int { return len(p.Classes) - len(p.Differ) }

// Pairs are all pairs of readers who have sessions in common, in order of name. A label
// with several annotators has one reader. A session that a reader left unlabelled is not
// among the reader's sessions.
func (ls *Labels) Pairs() []Pair {
	var pairs []Pair
	find := func(a, b string) *Pair {
		i := slices.IndexFunc(pairs, func(p Pair) bool { return p.A == a && p.B == b })
		if i < 0 {
			i = len(pairs)
			pairs = append(pairs, Pair{A: a, B: b})
		}
		return &pairs[i]
	}
	for _, session := range ls.Sessions() {
		readings := ls.Readings(session)
		for i, a := range readings {
			for _, b := range readings[i+1:] {
				if a.Label.Class == Unlabelled || b.Label.Class == Unlabelled {
					continue
				}
				p := find(a.Label.Reader(), b.Label.Reader())
				p.Classes = append(p.Classes, [2]Class{a.Label.Class, b.Label.Class})
				if a.Label.Class != b.Label.Class {
					p.Differ = append(p.Differ, session)
				}
				p.Onsets = append(p.Onsets, onsets(a.Label, b.Label)...)
			}
		}
	}
	for i := range pairs {
		slices.Sort(pairs[i].Onsets)
	}
	slices.SortFunc(pairs, func(p, q Pair) int { return slices.Compare([]string{p.A, p.B}, []string{q.A, q.B}) })
	return pairs
}

// onsets are the distances between the onsets of two labels of one session.
func onsets(a, b *Label) []int {
	var list []int
	var runs []int
	for _, s := range a.Spans {
		if !slices.Contains(runs, s.Run) {
			runs = append(runs, s.Run)
		}
	}
	for _, run := range runs {
		for _, gaps := range []bool{false, true} {
			p, q := a.Windows(run, gaps), b.Windows(run, gaps)
			if len(p) > 0 && len(q) > 0 {
				list = append(list, max(p[0].Onset-q[0].Onset, q[0].Onset-p[0].Onset))
			}
		}
	}
	return list
}
