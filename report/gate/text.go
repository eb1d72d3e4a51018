package gate

import (
	"fmt"
	"strings"

	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// maxFindings is how many rows a table for people has; JSON has all.
const maxFindings = 100

// ruling is a rule by its name, or nil.
func (r *Result) ruling(name string) *Ruling {
	for i := range r.Rulings {
		if r.Rulings[i].Name == name {
			return &r.Rulings[i]
		}
	}
	return nil
}

// against counts what speaks against a rule and is not allowed.
func (r *Ruling) against() (n int) {
	for i := range r.Findings {
		n += report.Bit(r.Findings[i].Allowed == nil && !r.Findings[i].Open)
	}
	return n
}

// Headline is the verdict in one line.
func (r *Result) Headline() string {
	count := func(rule string) int {
		if ru := r.ruling(rule); ru != nil {
			return ru.against()
		}
		return 0
	}
	broken, warned, open := 0, 0, 0
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		broken += report.Bit(ru.Fails())
		warned += report.Bit(ru.Status == Broken && ru.Level == "warning")
		open += report.Bit(ru.Undecided())
	}
	if !r.Labelled {
		return fmt.Sprintf("%s: nothing is labelled; sessions that differ: %d of %d; %d inconclusive",
			strings.ToUpper(string(r.Verdict)), len(r.flipped()), r.Compared, open)
	}
	out := fmt.Sprintf("%s: %s, %s, %d later", strings.ToUpper(string(r.Verdict)),
		report.Plural(count("new_false_stops"), "new false stop"), catches(count("lost_catches")), count("later_by"))
	if broken > 0 {
		out += fmt.Sprintf("; %s broken", report.Plural(broken, "rule"))
	}
	if warned > 0 {
		out += fmt.Sprintf("; %s", report.Plural(warned, "warning"))
	}
	if open > 0 {
		out += fmt.Sprintf("; %d inconclusive", open)
	}
	return out
}

// flipped are the sessions with a flip at either level.
func (r *Result) flipped() (list []string) {
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
func (r *Result) Findings() (list []*Finding) {
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
func (r *Result) Report() *report.Report {
	out := &report.Report{Title: "gate " + r.Headline(), Notes: r.Notes}
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

func (r *Result) found() report.Section {
	s := report.Section{Key: "findings", Title: "findings",
		Doc: "facts about these sessions; @run:call after the first run.", Columns: report.Cols("mark", "", "session",
			"SESSION", "?level", "LEVEL", "change", "WHAT", "base", "BASELINE", "now", "NOW", "path", "PATH", "rule", "RULE",
			"why", "WHY")}
	list := r.Findings()
	if len(list) == 0 {
		return report.Section{Key: s.Key, Title: s.Title, Lines: []string{"none"}}
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
			why = strings.TrimPrefix(fmt.Sprintf("%s; allowed by %s until %s: %s", why, f.Allowed.Owner, f.Allowed.Expires,
				f.Allowed.Reason), "; ")
		}
		s.Add(f.Mark(), report.OrDash(f.Session), report.OrDash(f.Level), report.OrDash(f.Change), base, now,
			report.OrDash(f.Detector), f.Rule, report.OrDash(why))
	}
	return s
}

func (r *Result) rules() report.Section {
	s := report.Section{Key: "rules", Title: "rules", Doc: "inconclusive: the data do not decide, which is " +
		inconclusiveDoc[r.Inconclusive] + ".",
		Columns: report.Cols("rule", "RULE", "level", "LEVEL", "status", "RESULT", "what", "WHAT")}
	var off []string
	unasked := 0
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		switch {
		case !r.Labelled && ru.needsLabels():
			unasked += report.Bit(ru.Status != NotAsked)
			continue
		case ru.Status == NotAsked:
			off = append(off, ru.Name)
			continue
		}
		s.Add(ru.Name, ru.Level, ru.Word(), ru.What)
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

func (r *Result) numbersTable() report.Section {
	s := report.Section{Key: "numbers", Title: "sessions compared, in numbers",
		Doc:     "exact on this corpus; the intervals are about future sessions.",
		Columns: report.Cols("level", "LEVEL", "what", "WHAT", "base", "BASELINE", "now", "NOW")}
	for i := range r.Numbers {
		m := &r.Numbers[i]
		if nothing(m.Base) && nothing(m.Cell) {
			continue
		}
		s.Add(board.LevelName(m.Level), m.Key, m.Base, m.Cell)
	}
	return s
}

func nothing(c report.Cell) bool {
	return c.Kind == report.KindNull || (c.Kind == report.KindShare || c.Kind == report.KindPerK) && c.D == 0
}

// others are the flips that no finding is about.
func (r *Result) others() report.Section {
	named := make(map[[2]string]bool)
	for _, f := range r.Findings() {
		named[[2]string{f.Session, f.Level}] = true
	}
	s := report.Section{Key: "flips", Title: "other sessions that do something else", Doc: "no rule speaks against these.",
		Columns: report.Cols("session", "SESSION", "level", "LEVEL", "what", "WHAT", "base", "BASELINE", "now", "NOW", "path",
			"PATH")}
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
		s.Add(f.Session, f.Level, f.What, placeWord(f.Base), placeWord(f.Now), path)
	}
	if more > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("… and %d more; --format json has all", more))
	}
	return s
}

func (r *Result) corpusSection() report.Section {
	s := report.Section{Key: "corpus", Title: "sessions that are not compared",
		Columns: report.Cols("what", "WHAT", "n", "N", "sessions", "SESSIONS")}
	for _, x := range []struct {
		what string
		ids  []string
	}{{"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}, {"labelled differently", r.Relabelled}} {
		if len(x.ids) > 0 {
			s.Add(x.what, len(x.ids), report.Names(x.ids))
		}
	}
	return s
}

// next says how a finding is accepted.
func (r *Result) next() report.Section {
	s := report.Section{Key: "next", Title: "next"}
	for _, f := range r.Findings() {
		if f.Mark() == "FAIL" && f.Session != "" {
			s.Lines = append(s.Lines, "repair it, or accept it for a while: groundhog gate update --accept "+f.Session+
				" --reason … --owner … --expires YYYY-MM-DD")
			break
		}
	}
	return s
}

func (r *Result) footer() report.Section {
	side := func(what string, s *Side) string {
		return fmt.Sprintf("%s: %s, configuration %.12s, corpus %.12s, labels %.12s", what, s.Preset, s.SetDigest, s.Corpus,
			s.Labels)
	}
	return report.Section{Key: "footer", Title: "rests on", Lines: []string{side("baseline", &r.Base), side("now", &r.Now),
		"production view; intervals at 95 %: Wilson, one-sided Clopper-Pearson for zeros and bounds, cluster bootstrap " +
			"where named; waste and killed_success are relative to the recorded continuation (C)"}}
}

// Show is a baseline for people.
func (b *Baseline) Show(path string) *report.Report {
	r := &report.Report{Title: "baseline " + path}
	r.Notes = []string{
		fmt.Sprintf("%s, written by version %s", b.Preset, b.Tool),
		fmt.Sprintf("%s, cluster %s, seed %d, confidence %g, text cut by %s", report.Plural(len(b.Sessions), "session"),
			b.Cluster, b.Seed, b.Confidence, b.Split),
	}
	numbers := report.Section{Key: "numbers", Title: "aggregates", Columns: report.Cols("level", "LEVEL", "what", "WHAT",
		"value", "VALUE")}
	for _, m := range b.Metrics() {
		if !nothing(m.Cell) {
			numbers.Add(board.LevelName(m.Level), m.Key, m.Cell)
		}
	}
	list := report.Section{Key: "sessions", Title: "sessions", Columns: report.Cols("session", "SESSION", "class", "LABEL",
		"nudge", "NUDGE LEVEL", "nudge_at", "", "stop", "STOP LEVEL", "stop_at", "")}
	for i := range b.Sessions {
		s := &b.Sessions[i]
		list.Add(s.ID, string(s.Class), string(s.At[0].Result), quietOrPlace(s.At[0].First), string(s.At[1].Result),
			quietOrPlace(s.At[1].First))
	}
	r.Sections = append(r.Sections, numbers, list)
	if len(b.Exceptions) > 0 {
		s := report.Section{Key: "exceptions", Title: "exceptions", Columns: report.Cols("session", "SESSION", "detector",
			"DETECTOR", "level", "LEVEL", "expires", "UNTIL", "owner", "OWNER", "reason", "REASON")}
		for _, e := range b.Exceptions {
			s.Add(e.Session, e.Detector, e.Level, e.Expires, e.Owner, e.Reason)
		}
		r.Sections = append(r.Sections, s)
	}
	if len(b.Accepted) > 0 {
		s := report.Section{Key: "accepted", Title: "accepted changes", Columns: report.Cols("session", "SESSION", "change",
			"WHAT", "reason", "REASON")}
		for _, a := range b.Accepted {
			s.Add(a.Session, a.Change, a.Reason)
		}
		r.Sections = append(r.Sections, s)
	}
	d := b.side()
	r.Sections = append(r.Sections, report.Section{Key: "footer", Title: "digests",
		Lines: []string{"preset " + d.PresetDigest, "configuration " + d.SetDigest, "corpus " + d.Corpus, "labels " +
			d.Labels}})
	return r
}
