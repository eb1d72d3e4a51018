package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Several people may label one session. The plainest form is the one used: each
// label is complete, names its annotators, and stands by itself, in any file.
// (One label with a block per annotator was considered: two people could then
// not work in files of their own, and a merge would decide what neither said.)
//
// A reader is a source with its annotators. Of one reader the highest
// labels_version counts. Of several the best source does: adjudicated, else
// human, else synthetic, else weak. Readers of that source who differ on the
// class leave the session unlabelled until somebody adjudicates: whichever of
// them is taken, the rate would be that reader's. Where they agree on the class
// the first in order of name counts, and their onsets say how sure an edge is.
// A label that leaves the class open says nothing against the others. Answers
// for places belong to the session: those that people gave are kept, whichever
// label counts.
//
// So a person checks a model's labels by labelling a sample of the sessions
// anew: the human label counts, and both together measure the model (E15.4).

// A Reading is a label with the place where it stands.
type Reading struct {
	Label *Label
	From  string
}

// Reader is who says this: the source and the names of the annotators.
func (l *Label) Reader() string {
	names := slices.Sorted(slices.Values(l.Annotators))
	return strings.TrimSpace(l.Source + " " + strings.Join(names, ", "))
}

// standing orders sources: what counts comes first.
var standing = []string{"adjudicated", "human", "synthetic", "weak"}

// entry is what was said of one session.
type entry struct {
	readings []Reading // of each reader the newest, in order of standing and name
	counts   *Label
}

func (e *entry) add(r Reading) error {
	i := slices.IndexFunc(e.readings, func(have Reading) bool { return have.Label.Reader() == r.Label.Reader() })
	switch {
	case i < 0:
		e.readings = append(e.readings, r)
	case r.Label.Version > e.readings[i].Label.Version:
		e.readings[i] = r
	case r.Label.Version == e.readings[i].Label.Version && !reflect.DeepEqual(r.Label, e.readings[i].Label):
		return &LabelError{r.From, fmt.Sprintf("session %s is labelled differently in %s by the same reader (%s): a correction has a higher labels_version, a second opinion other annotators",
			r.Label.Session, e.readings[i].From, r.Label.Reader())}
	}
	slices.SortFunc(e.readings, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(standingOf(a.Label), standingOf(b.Label)), cmp.Compare(a.Label.Reader(), b.Label.Reader()))
	})
	e.counts = e.counting()
	return nil
}

// standingOf is the standing of a label among those of its session. One that says
// nothing of the class comes last: it may hold answers for places all the same.
func standingOf(l *Label) int {
	n := slices.Index(standing, l.Source)
	if l.Class == Unlabelled {
		n += len(standing)
	}
	return n
}

// counting is the label that counts, with the answers for places that people
// gave in others: those are the session's, whoever labelled it.
func (e *entry) counting() *Label {
	first := e.readings[0].Label
	l := *first
	if e.unsettled() {
		l = Label{Session: l.Session, Class: Unlabelled, Reviewed: "none", Source: l.Source, Cluster: l.Cluster, Note: "readers differ on the class", Positions: l.Positions}
	}
	for _, r := range e.readings[1:] {
		if !one(r.Label.Source, "adjudicated", "human") {
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

// Readings are all labels of a session that count for their reader, the best
// source first.
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

// trim leaves out empty lists, so that saying nothing is the same as an empty list.
func (l *Label) trim() {
	if len(l.Spans) == 0 {
		l.Spans = nil
	}
	if len(l.Tolerate) == 0 {
		l.Tolerate = nil
	}
	if len(l.Positions) == 0 {
		l.Positions = nil
	}
	if len(l.Annotators) == 0 {
		l.Annotators = nil
	}
}

// Says reports whether two labels say the same, whatever their versions.
func (l *Label) Says(other *Label) bool {
	a, b := *l, *other
	a.Version, b.Version = 0, 0
	return reflect.DeepEqual(a, b)
}
