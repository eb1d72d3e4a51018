package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/report"
)

// An Accept is what somebody takes over into the baseline, and answers for.
type Accept struct {
	All                    bool
	Sessions               []string
	Reason, Owner, Expires string
}

// An Update is a baseline after that, with what was taken and what is left.
type Update struct {
	Baseline *Baseline
	Taken    []Difference
	Left     []Difference
	Dropped  []Exception // that nothing needs any more
}

// A Difference is one session that is not as the baseline has it.
type Difference struct {
	Session string
	Change  string
	// Answer are the findings that need a reason, an owner and a day: the session
	// stays in the baseline as it was, and an exception holds until then.
	Answer []Finding
	Gone   bool // it is labelled and no more compared as it was: needs a reason
}

// Accept takes sessions over. A change for the better, a moved fire, an added or
// a removed session becomes the baseline's. What a rule speaks against becomes
// an exception instead: the baseline goes on saying what is right, and the gate
// fails again after the day named.
//
// The configuration of the baseline is the present one once nothing is left.
func (g *Gate) Accept(r *Result, acc Accept) (*Update, error) {
	all := g.differences(r)
	for _, id := range acc.Sessions {
		if !slices.ContainsFunc(all, func(d Difference) bool { return d.Session == id }) {
			return nil, fmt.Errorf("%s is as the baseline has it, or in neither: there is nothing to accept", id)
		}
	}
	u := &Update{}
	for _, d := range all {
		if !acc.All && !slices.Contains(acc.Sessions, d.Session) {
			u.Left = append(u.Left, d)
			continue
		}
		if missing := acc.missing(&d); len(missing) > 0 {
			return nil, fmt.Errorf("%s: %s; give %s", d.Session, d.Change, strings.Join(missing, ", "))
		}
		u.Taken = append(u.Taken, d)
	}
	u.Baseline = g.merge(u, acc)
	u.Baseline.Exceptions, u.Dropped = g.keep(r, u, acc)
	for _, a := range g.Base.Accepted {
		if !slices.ContainsFunc(u.Taken, func(d Difference) bool { return d.Session == a.Session }) {
			u.Baseline.Accepted = append(u.Baseline.Accepted, a)
		}
	}
	for _, d := range u.Taken {
		if acc.Reason != "" {
			u.Baseline.Accepted = append(u.Baseline.Accepted, Acceptance{d.Session, d.Change, acc.Reason})
		}
	}
	slices.SortStableFunc(u.Baseline.Accepted, func(a, b Acceptance) int { return cmp.Compare(a.Session, b.Session) })
	return u, nil
}

// missing names the flags without which nobody answers for a difference.
func (acc *Accept) missing(d *Difference) (list []string) {
	if acc.Reason == "" && (len(d.Answer) > 0 || d.Gone || acc.All) {
		list = append(list, "--reason")
	}
	if len(d.Answer) > 0 {
		if acc.Owner == "" {
			list = append(list, "--owner")
		}
		if acc.Expires == "" {
			list = append(list, "--expires")
		}
	}
	return list
}

// differences are the sessions that are not as in the baseline, in order of id.
// Those of which every finding is allowed already are settled.
func (g *Gate) differences(r *Result) (list []Difference) {
	by := make(map[string]*Difference)
	at := func(id string) *Difference {
		if by[id] == nil {
			by[id] = &Difference{Session: id}
		}
		return by[id]
	}
	say := func(id, what string) {
		d := at(id)
		if d.Change != "" {
			d.Change += "; "
		}
		d.Change += what
	}
	settled := make(map[string]bool)
	for i := range r.Rulings {
		for _, f := range r.Rulings[i].Findings {
			if f.Session == "" || f.Severity == "notice" || f.Rule == "exception_expired" || f.Rule == "fidelity" {
				continue
			}
			if f.Allowed != nil {
				settled[f.Session] = true
				continue
			}
			say(f.Session, f.Text)
			switch f.Rule {
			case "corpus_shrank", "corpus_changed":
				at(f.Session).Gone = true
			default:
				at(f.Session).Answer = append(at(f.Session).Answer, f)
			}
		}
	}
	for _, f := range r.Flips {
		if by[f.Session] == nil && !settled[f.Session] ||
			by[f.Session] != nil && len(by[f.Session].Answer) == 0 && !by[f.Session].Gone {
			say(f.Session, fmt.Sprintf("%s level: %s, was %s, is %s", f.Level, f.What, quietOrPlace(f.Base),
				quietOrPlace(f.Now)))
		}
	}
	for _, ids := range []struct {
		list []string
		what string
	}{{r.Added, "added"}, {r.Removed, "removed"}, {r.Changed, "its content changed"}, {r.Relabelled,
		"its label changed"}} {
		for _, id := range ids.list {
			if by[id] == nil {
				say(id, ids.what)
			}
		}
	}
	for i := range g.Base.Sessions { // numbers without a flip, such as waste
		a := &g.Base.Sessions[i]
		if b := g.Now.find(a.ID); b != nil && by[a.ID] == nil && !settled[a.ID] && !sameState(a, b) {
			say(a.ID, "the same outcome by other numbers")
		}
	}
	for _, d := range by {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Difference) int { return cmp.Compare(a.Session, b.Session) })
	return list
}

// merge is the baseline with the sessions that were taken.
func (g *Gate) merge(u *Update, acc Accept) *Baseline {
	out := *g.Now
	if len(u.Left) > 0 { // what is left was measured under the former configuration
		out = *g.Base
	}
	out.Sessions, out.Exceptions, out.Accepted = nil, nil, nil
	take := make(map[string]bool)
	for _, d := range u.Taken {
		take[d.Session] = len(d.Answer) == 0
	}
	for i := range g.Base.Sessions {
		a := &g.Base.Sessions[i]
		switch b := g.Now.find(a.ID); {
		case !take[a.ID]:
			out.Sessions = append(out.Sessions, *a)
		case b != nil:
			out.Sessions = append(out.Sessions, *b)
		}
	}
	for i := range g.Now.Sessions {
		if b := &g.Now.Sessions[i]; take[b.ID] && g.Base.find(b.ID) == nil {
			out.Sessions = append(out.Sessions, *b)
		}
	}
	slices.SortFunc(out.Sessions, func(a, b State) int { return cmp.Compare(a.ID, b.ID) })
	return &out
}

// keep are the exceptions that stay, and the new ones.
func (g *Gate) keep(r *Result, u *Update, acc Accept) (kept, dropped []Exception) {
	key := func(e *Exception) [3]string { return [3]string{e.Session, e.Detector, e.Level} }
	fresh := make(map[[3]string]bool)
	for _, d := range u.Taken {
		for _, f := range d.Answer {
			e := Exception{Session: f.Session, Detector: f.Detector, Level: f.Level, Reason: acc.Reason, Owner: acc.Owner,
				Expires: acc.Expires, From: "the baseline"}
			if e.Detector == "" {
				e.Detector = f.Rule
			}
			if !fresh[key(&e)] {
				fresh[key(&e)] = true
				kept = append(kept, e)
			}
		}
	}
	used := make([]bool, len(g.exceptions()))
	for i := range r.Rulings {
		for j := range r.Rulings[i].Findings {
			if f := &r.Rulings[i].Findings[j]; f.Rule != "exception_expired" {
				g.allowed(f, used)
			}
		}
	}
	for i := range g.Base.Exceptions {
		switch e := &g.Base.Exceptions[i]; {
		case fresh[key(e)]:
		case used[i]:
			kept = append(kept, *e)
		default:
			dropped = append(dropped, *e)
		}
	}
	slices.SortFunc(kept, func(a, b Exception) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Level, b.Level))
	})
	return kept, dropped
}

// sameState reports whether two states are one line of a file.
func sameState(a, b *State) bool {
	x, y := &baselineWriter{}, &baselineWriter{}
	x.value(a.json())
	y.value(b.json())
	return x.buf.String() == y.buf.String()
}

// Report lists an update.
func (u *Update) Report(path string, written bool) *report.Report {
	r := &report.Report{Title: "gate update: " + fmt.Sprintf("%d taken, %d left", len(u.Taken), len(u.Left))}
	if len(u.Left) > 0 && written {
		r.Notes = append(r.Notes, "the baseline keeps its configuration until nothing is left")
	}
	list := func(key, title string, differences []Difference) {
		if len(differences) == 0 {
			return
		}
		s := report.Section{Key: key, Title: title, Columns: report.Cols("session", "SESSION", "change", "WHAT", "as",
			"TAKEN AS")}
		for i, d := range differences {
			if i == maxFindings {
				s.Lines = append(s.Lines, fmt.Sprintf("… and %d more; --format json has all", len(differences)-maxFindings))
				break
			}
			as := "the session's line"
			if len(d.Answer) > 0 {
				as = "an exception"
			}
			s.Add(d.Session, d.Change, as)
		}
		r.Sections = append(r.Sections, s)
	}
	list("taken", "accepted", u.Taken)
	list("left", "not accepted", u.Left)
	if len(u.Dropped) > 0 {
		s := report.Section{Key: "dropped", Title: "exceptions that nothing needs any more"}
		for _, e := range u.Dropped {
			s.Lines = append(s.Lines, fmt.Sprintf("%s %s %s (%s)", e.Session, e.Detector, e.Level, e.Owner))
		}
		r.Sections = append(r.Sections, s)
	}
	state := "not written"
	if written {
		state = "written"
	}
	r.Sections = append(r.Sections, report.Section{Key: "file", Title: "baseline", Lines: []string{path + ": " + state}})
	return r
}
