package report

import (
	"fmt"
	"strings"

	"groundhog/detectors"
)

// maxFindings is how many rows a table for people has; JSON has all.
const maxFindings = 100

// ruling is a rule by its name, or nil.
func (r *GateResult) ruling(name string) *GateRuling {
	for i := range r.Rulings {
		if r.Rulings[i].Name == name {
			return &r.Rulings[i]
		}
	}
	return nil
}

// against counts what speaks against a rule and is not allowed.
func (r *GateRuling) against() (n int) {
	for i := range r.Findings {
		n += one(r.Findings[i].Allowed == nil && !r.Findings[i].Open)
	}
	return n
}

// Headline is the verdict in one line.
func (r *GateResult) Headline() string {
	count := func(rule string) int {
		if ru := r.ruling(rule); ru != nil {
			return ru.against()
		}
		return 0
	}
	broken, warned, open := 0, 0, 0
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		broken += one(ru.Fails())
		warned += one(ru.Status == Broken && ru.Level == "warning")
		open += one(ru.Undecided())
	}
	if !r.Labelled {
		return fmt.Sprintf("%s: nothing is labelled; sessions that differ: %d of %d; %d inconclusive", strings.ToUpper(string(r.Verdict)), len(r.flipped()), r.Compared, open)
	}
	out := fmt.Sprintf("%s: %s, %s, %d later", strings.ToUpper(string(r.Verdict)), plural(count("new_false_stops"), "new false stop"), catches(count("lost_catches")), count("later_by"))
	if broken > 0 {
		out += fmt.Sprintf("; %s broken", plural(broken, "rule"))
	}
	if warned > 0 {
		out += fmt.Sprintf("; %s", plural(warned, "warning"))
	}
	if open > 0 {
		out += fmt.Sprintf("; %d inconclusive", open)
	}
	return out
}

// flipped are the sessions with a flip at either level.
func (r *GateResult) flipped() (list []string) {
	for i := range r.Flips {
		if n := len(list); n == 0 || list[n-1] != r.Flips[i].Session {
			list = append(list, r.Flips[i].Session)
		}
	}
	return list
}

func catches(n int) string {
	if n == 1 {
		return "1 lost catch"
	}
	return fmt.Sprintf("%d lost catches", n)
}

// Mark is how heavy a finding is, in a word.
func (f *Finding) Mark() string {
	switch {
	case f.Allowed != nil:
		return "allowed"
	case f.Open:
		return "?"
	case f.Severity == "error":
		return "FAIL"
	}
	return f.Severity
}

// Findings are all of them, those that fail first, in order of the rules.
func (r *GateResult) Findings() (list []*Finding) {
	for _, mark := range []string{"FAIL", "?", "warning", "notice", "allowed"} {
		for i := range r.Rulings {
			for j := range r.Rulings[i].Findings {
				if f := &r.Rulings[i].Findings[j]; f.Mark() == mark {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// Report is the result for people: verdict, flips, table, intervals.
func (r *GateResult) Report() *Report {
	out := &Report{Title: "gate " + r.Headline(), Notes: r.Notes}
	out.Sections = append(out.Sections, r.found(), r.rules(), r.numbersTable())
	if s := r.others(); len(s.Rows) > 0 {
		out.Sections = append(out.Sections, s)
	}
	if s := r.corpusSection(); len(s.Rows) > 0 {
		out.Sections = append(out.Sections, s)
	}
	if s := r.next(); len(s.Lines) > 0 {
		out.Sections = append(out.Sections, s)
	}
	out.Sections = append(out.Sections, r.footer())
	return out
}

// word is a place in a table.
func placeWord(p *Place) string {
	if p == nil {
		return "quiet"
	}
	what := p.Verdict.String()
	if p.Verdict == detectors.ForceStop {
		what = "STOP"
	}
	at := fmt.Sprint(p.Call)
	if p.Run > 0 {
		at = fmt.Sprintf("%d:%d", p.Run, p.Call)
	}
	return what + " @" + at
}

func (r *GateResult) found() Section {
	s := Section{Key: "findings", Title: "findings", Doc: "facts about these sessions; @run:call after the first run.", Columns: []Column{
		{"mark", "", true}, {"session", "SESSION", true}, {"level", "LEVEL", false}, {"change", "WHAT", true}, {"base", "BASELINE", true}, {"now", "NOW", true}, {"path", "PATH", true}, {"rule", "RULE", true}, {"why", "WHY", true}}}
	list := r.Findings()
	if len(list) == 0 {
		return Section{Key: s.Key, Title: s.Title, Lines: []string{"none"}}
	}
	for i, f := range list {
		if i == maxFindings {
			s.Lines = append(s.Lines, fmt.Sprintf("… and %d more; --format json has all", len(list)-maxFindings))
			break
		}
		base, now, why := "–", "–", f.Why
		if f.Base != nil || f.Now != nil {
			base, now = placeWord(f.Base), placeWord(f.Now)
		} else if why == "" {
			why = f.Text
		}
		if f.Allowed != nil {
			why = strings.TrimPrefix(fmt.Sprintf("%s; allowed by %s until %s: %s", why, f.Allowed.Owner, f.Allowed.Expires, f.Allowed.Reason), "; ")
		}
		s.Rows = append(s.Rows, []Cell{text(f.Mark()), text(orDash(f.Session)), text(orDash(f.Level)), text(orDash(f.Change)), text(base), text(now), text(orDash(f.Detector)), text(f.Rule), text(orDash(why))})
	}
	return s
}

func (r *GateResult) rules() Section {
	s := Section{Key: "rules", Title: "rules", Doc: "inconclusive: the data do not decide, which is " + inconclusiveDoc[r.Inconclusive] + ".",
		Columns: []Column{{"rule", "RULE", true}, {"level", "LEVEL", true}, {"status", "RESULT", true}, {"what", "WHAT", true}}}
	var off []string
	unasked := 0
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		switch {
		case !r.Labelled && ru.needsLabels():
			unasked += one(ru.Status != NotAsked)
			continue
		case ru.Status == NotAsked:
			off = append(off, ru.Name)
			continue
		}
		s.Rows = append(s.Rows, []Cell{text(ru.Name), text(ru.Level), text(ru.Word()), text(ru.What)})
	}
	if unasked > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%d rules need labels: inconclusive", unasked))
	}
	if len(off) > 0 {
		s.Lines = append(s.Lines, "off: "+strings.Join(off, ", "))
	}
	return s
}

var inconclusiveDoc = map[string]string{"warn": "a warning", "fail": "exit status 4", "pass": "let pass"}

func (r *GateResult) numbersTable() Section {
	s := Section{Key: "numbers", Title: "sessions compared, in numbers", Doc: "exact on this corpus; the intervals are about future sessions.",
		Columns: []Column{{"level", "LEVEL", true}, {"what", "WHAT", true}, {"base", "BASELINE", true}, {"now", "NOW", true}}}
	for i := range r.Numbers {
		m := &r.Numbers[i]
		if nothing(m.Base) && nothing(m.Cell) {
			continue
		}
		s.Rows = append(s.Rows, []Cell{text(levelName(m.Level)), text(m.Key), m.Base, m.Cell})
	}
	return s
}

func nothing(c Cell) bool { return c.Kind == Null || (c.Kind == Share || c.Kind == PerK) && c.D == 0 }

// others are the flips that no finding is about.
func (r *GateResult) others() Section {
	named := make(map[[2]string]bool)
	for _, f := range r.Findings() {
		named[[2]string{f.Session, f.Level}] = true
	}
	s := Section{Key: "flips", Title: "other sessions that do something else", Doc: "no rule speaks against these.", Columns: []Column{
		{"session", "SESSION", true}, {"level", "LEVEL", true}, {"what", "WHAT", true}, {"base", "BASELINE", true}, {"now", "NOW", true}, {"path", "PATH", true}}}
	more := 0
	for i := range r.Flips {
		f := &r.Flips[i]
		if named[[2]string{f.Session, f.Level}] {
			continue
		}
		if len(s.Rows) == maxFindings {
			more++
			continue
		}
		path := "–"
		if at := (&Finding{Base: f.Base, Now: f.Now}).At(); at != nil {
			path = at.Detector
		}
		s.Rows = append(s.Rows, []Cell{text(f.Session), text(f.Level), text(f.What), text(placeWord(f.Base)), text(placeWord(f.Now)), text(path)})
	}
	if more > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("… and %d more; --format json has all", more))
	}
	return s
}

func (r *GateResult) corpusSection() Section {
	s := Section{Key: "corpus", Title: "sessions that are not compared", Columns: []Column{{"what", "WHAT", true}, {"n", "N", true}, {"sessions", "SESSIONS", true}}}
	for _, x := range []struct {
		what string
		ids  []string
	}{{"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}, {"labelled differently", r.Relabelled}} {
		if len(x.ids) > 0 {
			s.Rows = append(s.Rows, []Cell{text(x.what), count(len(x.ids)), text(nameList(x.ids))})
		}
	}
	return s
}

// next says how a finding is accepted.
func (r *GateResult) next() Section {
	s := Section{Key: "next", Title: "next"}
	for _, f := range r.Findings() {
		if f.Mark() == "FAIL" && f.Session != "" {
			s.Lines = append(s.Lines, "repair it, or accept it for a while: groundhog gate update --accept "+f.Session+" --reason … --owner … --expires YYYY-MM-DD")
			break
		}
	}
	return s
}

func (r *GateResult) footer() Section {
	side := func(what string, s *Side) string {
		return fmt.Sprintf("%s: %s, configuration %.12s, corpus %.12s, labels %.12s", what, s.Preset, s.SetDigest, s.Corpus, s.Labels)
	}
	return Section{Key: "footer", Title: "rests on", Lines: []string{side("baseline", &r.Base), side("now", &r.Now),
		"production view; intervals at 95 %: Wilson, one-sided Clopper-Pearson for zeros and bounds, cluster bootstrap where named; waste and killed_success are relative to the recorded continuation (C)"}}
}

// Show is a baseline for people.
func (b *Baseline) Show(path string) *Report {
	r := &Report{Title: "baseline " + path}
	r.Notes = []string{
		fmt.Sprintf("%s, written by version %s", b.Preset, b.Tool),
		fmt.Sprintf("%s, cluster %s, seed %d, confidence %g, text cut by %s", plural(len(b.Sessions), "session"), b.Cluster, b.Seed, b.Confidence, b.Split),
	}
	numbers := Section{Key: "numbers", Title: "aggregates", Columns: []Column{{"level", "LEVEL", true}, {"what", "WHAT", true}, {"value", "VALUE", true}}}
	for _, m := range b.Metrics() {
		if !nothing(m.Cell) {
			numbers.Rows = append(numbers.Rows, []Cell{text(levelName(m.Level)), text(m.Key), m.Cell})
		}
	}
	list := Section{Key: "sessions", Title: "sessions", Columns: []Column{{"session", "SESSION", true}, {"class", "LABEL", true}, {"nudge", "NUDGE LEVEL", true}, {"nudge_at", "", true}, {"stop", "STOP LEVEL", true}, {"stop_at", "", true}}}
	for i := range b.Sessions {
		s := &b.Sessions[i]
		list.Rows = append(list.Rows, []Cell{text(s.ID), text(string(s.Class)), text(string(s.At[0].Result)), text(quietOrPlace(s.At[0].First)), text(string(s.At[1].Result)), text(quietOrPlace(s.At[1].First))})
	}
	r.Sections = append(r.Sections, numbers, list)
	if len(b.Exceptions) > 0 {
		s := Section{Key: "exceptions", Title: "exceptions", Columns: []Column{{"session", "SESSION", true}, {"detector", "DETECTOR", true}, {"level", "LEVEL", true}, {"expires", "UNTIL", true}, {"owner", "OWNER", true}, {"reason", "REASON", true}}}
		for _, e := range b.Exceptions {
			s.Rows = append(s.Rows, []Cell{text(e.Session), text(e.Detector), text(e.Level), text(e.Expires), text(e.Owner), text(e.Reason)})
		}
		r.Sections = append(r.Sections, s)
	}
	if len(b.Accepted) > 0 {
		s := Section{Key: "accepted", Title: "accepted changes", Columns: []Column{{"session", "SESSION", true}, {"change", "WHAT", true}, {"reason", "REASON", true}}}
		for _, a := range b.Accepted {
			s.Rows = append(s.Rows, []Cell{text(a.Session), text(a.Change), text(a.Reason)})
		}
		r.Sections = append(r.Sections, s)
	}
	d := b.side()
	r.Sections = append(r.Sections, Section{Key: "footer", Title: "digests", Lines: []string{"preset " + d.PresetDigest, "configuration " + d.SetDigest, "corpus " + d.Corpus, "labels " + d.Labels}})
	return r
}
