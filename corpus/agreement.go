package corpus

import "slices"

// A Pair is what two readers say of the sessions that both have labelled (E3.4).
type Pair struct {
	A, B string // readers, the better source first
	// Classes are what they said of each session, in order of session.
	Classes [][2]Class
	// Differ are the sessions of which they said something else.
	Differ []string
	// Onsets are the distances of their onsets in calls, sorted: of the first
	// window of each run in which both see a loop.
	Onsets []int
}

// Same is how often two readers said the same.
func (p *Pair) Same() int { return len(p.Classes) - len(p.Differ) }

// Pairs are all pairs of readers who have sessions in common, in order of name.
// A label that was read by several together has one reader. A session that a
// reader left unlabelled is not among the reader's sessions.
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

// onsets are the distances of the onsets of two labels of one session.
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
