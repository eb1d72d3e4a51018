package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Several people may label one session. Each of their labels is complete, names its
// annotators, and may be in any file. (One label with a block for each annotator was
// considered: two people could then not work in files of their own, and a merge would
// decide what neither of them said.)
//
// A reader is a source with its annotators. Of one reader the label with the highest
// labels_version counts. Of several readers the one with the best source counts:
// adjudicated, then human, synthetic, weak. Where readers of that source differ on the
// class the session is unlabelled until somebody adjudicates, because otherwise the
// rates would be those of one of them. Where they agree on the class the first in order
// of name counts. A label that leaves the class open does not contradict the others.
// Positions that people answered belong to the session, and are kept whichever label
// counts.
//
// So a person can check labels written by a model by labelling a sample of the sessions
// again: the person's label counts, and the two together measure the model.

// A Reading is a label with where it is.
type Reading struct {
	Label *Label
	From  string // a file, with the line if it is known
}

// Reader is the source and the names of the annotators.
func (l *Label) Reader() string {
	names := slices.Sorted(slices.Values(l.Annotators))
	return strings.TrimSpace(l.Source + " " + strings.Join(names, ", "))
}

// An entry is what was said of one session.
type entry struct {
	readings []Reading // the newest of each reader, in order of rank and name
	counts   *Label
}

// add adds a label, unless the same reader said something else in the same version.
func (e *entry) add(r Reading) error {
	i := slices.IndexFunc(e.readings, func(have Reading) bool { return have.Label.Reader() == r.Label.Reader() })
	switch {
	case i < 0:
		e.readings = append(e.readings, r)
	case r.Label.Version > e.readings[i].Label.Version:
		e.readings[i] = r
	case r.Label.Version == e.readings[i].Label.Version && !reflect.DeepEqual(r.Label, e.readings[i].Label):
		return &LabelError{r.From, fmt.Sprintf("session %s is labelled differently in %s by the same reader (%s): "+
			"a correction has a higher labels_version, a second opinion other annotators",
			r.Label.Session, e.readings[i].From, r.Label.Reader())}
	}
	slices.SortFunc(e.readings, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(rank(a.Label), rank(b.Label)), cmp.Compare(a.Label.Reader(), b.Label.Reader()))
	})
	e.counts = e.counting()
	return nil
}

// rank orders the labels of a session by their source. Those that leave the class open
// come last: they may still hold positions.
func rank(l *Label) int {
	n := slices.Index(sources, l.Source)
	if l.Class == Unlabelled {
		n += len(sources)
	}
	return n
}

// counting is the label that counts, with the positions that people answered in others.
func (e *entry) counting() *Label {
	first := e.readings[0].Label
	l := *first
	if e.unsettled() {
		l = Label{
			Session: l.Session, Class: Unlabelled, Reviewed: "none", Source: l.Source, Cluster: l.Cluster,
			Note: "readers differ on the class", Positions: l.Positions,
		}
	}
	for _, r := range e.readings[1:] {
		if r.Label.Source != "adjudicated" && r.Label.Source != "human" {
			continue
		}
		for _, p := range r.Label.Positions {
			if !slices.ContainsFunc(l.Positions, func(q Position) bool { return q.Run == p.Run && q.Call == p.Call }) {
				l.Positions = append(slices.Clip(l.Positions), p)
			}
		}
	}
	return &l
}

// unsettled reports whether the readers of the best source differ on the class.
func (e *entry) unsettled() bool {
	first := e.readings[0].Label
	for _, r := range e.readings {
		if l := r.Label; l.Source == first.Source && l.Class != first.Class && l.Class != Unlabelled {
			return true
		}
	}
	return false
}

// Sessions are the labelled sessions, sorted.
func (ls *Labels) Sessions() []string { return slices.Sorted(maps.Keys(ls.by)) }

// Readings are the labels of a session that count for their reader, the best source
// first.
func (ls *Labels) Readings(session string) []Reading {
	if e := ls.by[session]; e != nil {
		return e.readings
	}
	return nil
}

// Unsettled are the sessions whose readers differ on the class, sorted. They
// count as unlabelled.
func (ls *Labels) Unsettled() []string {
	return slices.DeleteFunc(ls.Sessions(), func(session string) bool { return !ls.by[session].unsettled() })
}

// All are all readings of all sessions, sorted by session.
func (ls *Labels) All() []*Label {
	var list []*Label
	for _, session := range ls.Sessions() {
		for _, r := range ls.by[session].readings {
			list = append(list, r.Label)
		}
	}
	return list
}

// Says reports whether two labels say the same, whatever their versions.
func (l *Label) Says(other *Label) bool {
	a, b := *l, *other
	a.Version, b.Version = 0, 0
	return reflect.DeepEqual(a, b)
}
