package kocoro

// This file holds what the rules of August 2026 read off the tail of the
// window: rows of calls whose outcomes stay the same.

// asks reports whether a proposed call is looked at before it runs: those that
// only read are.
func (w *window) asks() bool {
	return w.rev.outcomes && w.next.readOnly && !w.next.tool.exempt && len(w.records) > 0
}

// stableAction is the row of calls at the tail that are this one, only read, and
// all came back the same.
func (w *window) stableAction(next *record) (n int) {
	for i := len(w.records) - 1; i >= 0; i-- {
		r := &w.records[i]
		if !r.repeats(next) || !r.readOnly || r.failed || r.outcome == 0 || r.outcome != w.records[len(w.records)-1].outcome {
			break
		}
		n++
	}
	return n
}

// stableWeb is the row of web reads at the tail that all gave the same URLs.
func (w *window) stableWeb() (n int) {
	for i := len(w.records) - 1; i >= 0; i-- {
		r := &w.records[i]
		if r.tool.family != web || !r.readOnly || r.failed || r.result == 0 ||
			r.result != w.records[len(w.records)-1].result {
			break
		}
		n++
	}
	return n
}

// pingPong is the length of the alternation of two calls at the tail, 0 if it is
// under four or odd. An error in it, or a read whose outcome changes on its
// side, makes it progress; outcomes of calls that do more than read are not
// compared.
func (w *window) pingPong() int {
	last := len(w.records) - 1
	if last < 3 || w.records[last].repeats(&w.records[last-1]) {
		return 0
	}
	var side [2]uint64 // first outcome seen of each
	n := 0
	for ; n <= last; n++ {
		r := &w.records[last-n]
		if !r.repeats(&w.records[last-n%2]) {
			break
		}
		if r.failed || r.readOnly && r.outcome == 0 {
			return 0
		}
		if !r.readOnly {
			continue
		}
		if side[n%2] == 0 {
			side[n%2] = r.outcome
		} else if side[n%2] != r.outcome {
			return 0
		}
	}
	if n < 4 || n%2 == 1 {
		return 0
	}
	return n
}
