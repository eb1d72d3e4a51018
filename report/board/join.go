package board

import (
	"slices"

	"groundhog/corpus"
)

// Join puts two boards of one point each side by side: the sessions that both
// have, by id and number of calls. What only one of them has is counted.
func Join(a, b *Board) (joined *Board, onlyA, onlyB, changed []string) {
	joined = &Board{Plan: a.Plan, labels: a.labels, Cluster: a.Cluster, Selection: a.Selection, Seed: a.Seed,
		Points: []int{0, 1}, Class: []int{0, 1}, Classes: 2}
	rest := make(map[string]*Row, len(b.Rows))
	for _, r := range b.Rows {
		rest[r.ID] = r
	}
	for _, r := range a.Rows {
		other := rest[r.ID]
		delete(rest, r.ID)
		switch {
		case other == nil:
			onlyA = append(onlyA, r.ID)
			continue
		case other.calls != r.calls:
			changed = append(changed, r.ID)
			continue
		}
		both := *r
		both.Group = []uint32{0, 1}
		for k := range Levels {
			both.judged[k] = []*corpus.Judgement{r.judged[k][r.Group[0]], other.judged[k][other.Group[0]]}
			both.marks[k] = []Mark{r.marks[k][r.Group[0]], other.marks[k][other.Group[0]]}
		}
		joined.Rows = append(joined.Rows, &both)
	}
	for id := range rest {
		onlyB = append(onlyB, id)
	}
	for _, ids := range [][]string{onlyA, onlyB, changed} {
		slices.Sort(ids)
	}
	return joined, onlyA, onlyB, changed
}
