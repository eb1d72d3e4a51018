package gate

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
)

// allowed is the exception for a finding, if there is one in force. Every one
// that fits is used, in force or not.
func (g *Gate) allowed(f *Finding, used []bool) *Exception {
	var in *Exception
	for i, e := range g.exceptions() {
		if e.Session != f.Session || f.Session == "" || e.Level != f.Level && f.Level != "" || !e.about(f) {
			continue
		}
		used[i] = true
		if in == nil && !g.past(&e) {
			in = &e
		}
	}
	return in
}

// about reports whether an exception names the path of a finding, or its rule.
func (e *Exception) about(f *Finding) bool {
	return e.Detector == f.Rule || f.Detector != "" && (e.Detector == f.Detector ||
		e.Detector == report.PathName(f.Detector))
}

func (g *Gate) past(e *Exception) bool { return e.Expires < g.AsOf }

func (g *Gate) exceptions() []Exception { return slices.Concat(g.Base.Exceptions, g.Allow) }

// expired reports exceptions past their day, and those that nothing needs.
func (g *Gate) expired(out *Ruling, used []bool) {
	if out.Level == "off" {
		return
	}
	all := g.exceptions()
	for i := range all {
		e := &all[i]
		text := ""
		switch {
		case g.past(e) && used[i]:
			text = fmt.Sprintf("exception of %s for %s expired on %s, and is still needed", e.Owner, e.Detector, e.Expires)
		case g.past(e):
			text = fmt.Sprintf("exception of %s for %s expired on %s; nothing needs it", e.Owner, e.Detector, e.Expires)
		case !used[i]:
			text = fmt.Sprintf("exception of %s for %s until %s is not needed: take it out", e.Owner, e.Detector, e.Expires)
		default:
			continue
		}
		f := Finding{Rule: out.Name, Severity: out.Level, Session: e.Session, Level: e.Level, Detector: e.Detector,
			Text: text + " (" + e.From + ")"}
		if s := g.Now.find(e.Session); s != nil {
			f.File = s.File
		}
		out.Findings = append(out.Findings, f)
	}
	out.What = fmt.Sprintf("%d of %s", len(out.Findings), report.Plural(len(all), "exception"))
	out.settle(true)
}

// unknown finds names that the preset does not have.
func (g *Gate) unknown(out *Ruling) {
	for _, e := range g.exceptions() {
		known := slices.ContainsFunc(g.Detectors, func(d string) bool {
			return d == e.Detector ||
				report.PathName(d) == e.Detector
		}) ||
			slices.ContainsFunc(g.Rules, func(r Rule) bool { return r.Name == e.Detector })
		if !known {
			out.Findings = append(out.Findings,
				Finding{Text: fmt.Sprintf("exception for %s names detector %q, which %s does not have (%s)", e.Session, e.Detector,
					g.Now.Preset, e.From)})
		}
	}
	if g.Base.Preset == g.Now.Preset {
		for _, s := range g.settings() {
			_, then := g.Base.Set[s.ID]
			_, now := g.Now.Set[s.ID]
			if s.ID != "split" && then != now {
				where := "the baseline has it, this version does not"
				if now {
					where = "this version has it, the baseline does not"
				}
				out.Findings = append(out.Findings, Finding{Text: fmt.Sprintf("parameter %s of %s: %s", s.ID, g.Now.Preset, where)})
			}
		}
	}
	out.What = fmt.Sprintf("%d", len(out.Findings))
}

func (g *Gate) unlabelled(out *Ruling) {
	count := func(b *Baseline) (n int) {
		for i := range b.Sessions {
			n += report.Bit(b.Sessions[i].Class == corpus.Unlabelled)
		}
		return n
	}
	was, is := count(g.Base), count(g.Now)
	if is > was {
		out.Findings = append(out.Findings,
			Finding{Text: fmt.Sprintf("%d sessions without a label, were %d: groundhog label suggest says which to label first",
				is, was)})
	}
	out.What = fmt.Sprintf("%d → %d", was, is)
}

// shrank finds labelled sessions that are gone, or that lost their label.
func (g *Gate) shrank(out *Ruling, r *Result) {
	labelled := 0
	for i := range g.Base.Sessions {
		a := &g.Base.Sessions[i]
		if a.Class == corpus.Unlabelled {
			continue
		}
		labelled++
		out.Cases = append(out.Cases, a.ID)
		f := Finding{Session: a.ID}
		switch b := g.Now.find(a.ID); {
		case b == nil:
			f.Text = fmt.Sprintf("%s session is gone from the corpus", a.Class)
		case b.Class == corpus.Unlabelled:
			f.File, f.Text = b.File, fmt.Sprintf("%s session has lost its label", a.Class)
		default:
			continue
		}
		out.Findings = append(out.Findings, f)
	}
	out.What = fmt.Sprintf("%d of %s", len(out.Findings), report.Plural(labelled, "labelled session"))
}

// changed finds labelled sessions that are not compared because they, or their
// labels, are not those of the baseline.
func (g *Gate) changed(out *Ruling, r *Result) {
	add := func(ids []string, what string) {
		for _, id := range ids {
			a, b := g.Base.find(id), g.Now.find(id)
			if a.Class == corpus.Unlabelled || b.Class == corpus.Unlabelled {
				continue
			}
			x, y := a.state(detectors.ForceStop), b.state(detectors.ForceStop)
			out.Findings = append(out.Findings, Finding{Session: id, File: b.File, Base: x.First, Now: y.First,
				Change: change(x.Result, y.Result),
				Text:   fmt.Sprintf("%s, so it is not compared: was %s, is %s", what, describe(a, x), describe(b, y))})
		}
	}
	add(r.Changed, "session holds something else")
	add(r.Relabelled, "session has another label")
	slices.SortStableFunc(out.Findings, func(a, b Finding) int { return strings.Compare(a.Session, b.Session) })
	out.What = fmt.Sprintf("%d", len(out.Findings))
}

func describe(s *State, l *LevelState) string {
	return fmt.Sprintf("%s %s (%s)", s.Class, l.Result, quietOrPlace(l.First))
}

// fidelity compares what live detectors said with what the replay says.
func (g *Gate) fidelity(out *Ruling) {
	shown, hits := 0, 0
	for i := range g.Now.Sessions {
		s := &g.Now.Sessions[i]
		shown, hits = shown+s.Reminders, hits+s.Reproduced
		if s.Reproduced < s.Reminders {
			out.Findings = append(out.Findings, Finding{Session: s.ID, File: s.File,
				Text: fmt.Sprintf("%d of %s in the record reproduced", s.Reproduced, report.Plural(s.Reminders, "reminder"))})
		}
	}
	out.What = "no reminders are recorded: the rule does not apply"
	if shown > 0 {
		out.What = fmt.Sprintf("%d of %s reproduced", hits, report.Plural(shown, "recorded reminder"))
	}
}
