package gate

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// A gate whose rules can never match passes for ever. A self-test plants
// regressions in what the baseline says and looks whether the gate fails on each,
// and names the session.

// A Trial is one planted regression.
type Trial struct {
	Name    string
	Rule    string
	Session string  // where it was planted; "" if nowhere
	Verdict Verdict // of the gate
	Named   string  // what the gate said of the session
	Note    string  // how the rule was raised, or why there is no trial
	OK      bool
}

// A SelfTest is all trials.
type SelfTest struct {
	Trials []Trial
	OK     bool
}

// SelfTest runs the trials with the rules of the gate. g.Now is not looked at.
func (g *Gate) SelfTest() (*SelfTest, error) {
	out := &SelfTest{OK: true}
	null, err := g.against(g.Base, g.Rules)
	if err != nil {
		return nil, err
	}
	same := Trial{Name: "nothing planted", Verdict: null.Verdict, OK: len(null.Flips) == 0 &&
		null.Compared == len(g.Base.Sessions), Named: fmt.Sprintf("%d flips", len(null.Flips))}
	for i := range null.Rulings {
		if ru := &null.Rulings[i]; slices.Contains(planted, ru.Name) && ru.Status == Broken {
			same.OK = false
		}
	}
	out.Trials = append(out.Trials, same)
	for _, plant := range []func(*Baseline, []Rule) (Trial, []Rule){g.plantLoss, g.plantStop, g.plantDelay} {
		worse, err := g.Base.copied()
		if err != nil {
			return nil, err
		}
		t, rules := plant(worse, slices.Clone(g.Rules))
		if t.Session != "" {
			r, err := g.against(worse, rules)
			if err != nil {
				return nil, err
			}
			t.judge(r)
		}
		out.Trials = append(out.Trials, t)
	}
	for i := range out.Trials {
		out.OK = out.OK && out.Trials[i].OK
	}
	return out, nil
}

var planted = []string{"new_false_stops", "lost_catches", "later_by"}

// against judges another present, by way of the file that a baseline is.
func (g *Gate) against(now *Baseline, rules []Rule) (*Result, error) {
	base, err := g.Base.copied()
	if err != nil {
		return nil, err
	}
	t := *g
	t.Base, t.Now, t.Rules = base, now, rules
	return t.Judge(), nil
}

func (b *Baseline) copied() (*Baseline, error) {
	raw, err := b.Encode()
	if err != nil {
		return nil, err
	}
	return DecodeBaseline(raw)
}

// judge looks for the session in what the gate found.
func (t *Trial) judge(r *Result) {
	t.Verdict = r.Verdict
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		if ru.Name != t.Rule {
			continue
		}
		for _, f := range ru.Findings {
			if f.Session == t.Session && f.Allowed == nil {
				t.Named = f.Text
			}
		}
		t.OK = ru.Fails() && t.Named != "" && r.Verdict == Fail
		if !t.OK && t.Note == "" {
			t.Note = fmt.Sprintf("%s is at level %q: the gate does not fail on it", t.Rule, ru.Level)
		}
	}
}

// excepted reports whether somebody answers for a session already.
func (g *Gate) excepted(id string) bool {
	return slices.ContainsFunc(g.exceptions(), func(e Exception) bool { return e.Session == id })
}

// plantLoss loses the first catch.
func (g *Gate) plantLoss(b *Baseline, rules []Rule) (Trial, []Rule) {
	t := Trial{Name: "one catch lost", Rule: "lost_catches",
		Note: "no loop is stopped in the baseline: nothing can be lost"}
	for i := range b.Sessions {
		s := &b.Sessions[i]
		l := s.state(detectors.ForceStop)
		if l.Result != corpus.TruePositive || g.excepted(s.ID) {
			continue
		}
		l.Result, l.First = corpus.FalseNegative, nil
		for k := range l.Spans {
			l.Spans[k].Hit = nil
		}
		t.Session, t.Note = s.ID, ""
		break
	}
	return t, rules
}

// plantStop stops the first work that was not.
func (g *Gate) plantStop(b *Baseline, rules []Rule) (Trial, []Rule) {
	t := Trial{Name: "one false stop added", Rule: "new_false_stops",
		Note: "no productive session is left alone in the baseline: none can be stopped wrongly"}
	for i := range b.Sessions {
		s := &b.Sessions[i]
		l := s.state(detectors.ForceStop)
		if l.Result != corpus.TrueNegative || g.excepted(s.ID) {
			continue
		}
		at := &Place{Call: 1, Line: 1, Phase: detectors.AfterCall, Detector: "groundhog/planted",
			Verdict: detectors.ForceStop}
		if len(g.Detectors) > 0 {
			at.Detector = g.Detectors[0]
		}
		l.Result, l.First, l.Wrong = corpus.FalsePositive, at, at
		l.FalseEpisodes++
		t.Session, t.Note = s.ID, ""
		break
	}
	return t, rules
}

// plantDelay moves the first catch by a call. The rule is raised to an error
// from the first call on where it is weaker, and the trial says so.
func (g *Gate) plantDelay(b *Baseline, rules []Rule) (Trial, []Rule) {
	t := Trial{Name: "one catch a call later", Rule: "later_by",
		Note: "no loop is caught in the baseline: none can be later"}
	for k := len(board.Levels) - 1; k >= 0 && t.Session == ""; k-- {
		for i := range b.Sessions {
			s := &b.Sessions[i]
			hit := s.At[k].hit()
			if hit == nil || g.excepted(s.ID) {
				continue
			}
			hit.Call++
			t.Session, t.Note = s.ID, ""
			break
		}
	}
	for i := range rules {
		r := &rules[i]
		if r.Name != t.Rule || r.Level == "error" && r.Limit < 1 {
			continue
		}
		if t.Session != "" {
			t.Note = fmt.Sprintf("judged with {max: 0, level: error} instead of {max: %g, level: %s}", r.Limit, r.Level)
		}
		r.Level, r.Limit = "error", 0
	}
	return t, rules
}

// Report is the self-test for people.
func (t *SelfTest) Report() *report.Report {
	r := &report.Report{Title: "gate self-test: the gate can fail"}
	if !t.OK {
		r.Title = "gate self-test: THE GATE CANNOT FAIL where it should"
	}
	s := report.Section{Key: "trials", Title: "regressions planted in the baseline",
		Columns: report.Cols("ok", "", "planted", "PLANTED", "session", "SESSION", "rule", "RULE", "verdict", "VERDICT",
			"said", "SAID", "?note", "NOTE")}
	for _, x := range t.Trials {
		ok := "ok"
		if !x.OK {
			ok = "NO"
		}
		s.Add(ok, x.Name, report.OrDash(x.Session), report.OrDash(x.Rule), report.OrDash(string(x.Verdict)),
			report.OrDash(x.Named), x.Note)
	}
	r.Sections = append(r.Sections, s)
	return r
}
