package labels

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// A Stratum is why a session should be labelled.
type Stratum uint8

const (
	Disagree Stratum = iota // configurations differ on it
	Stopped                 // all stop it
	Quiet                   // the rest: nobody stops it, and all or none nudge it
)

var strata = []struct{ key, name, why string }{
	{"disagree", "configurations disagree", "all: only here can a comparison be decided"},
	{"stopped", "stopped by every configuration", "all: each is a false stop or a catch"},
	{"quiet", "quiet", "a random sample: without it neither missed loops nor rates can be estimated"},
}

// A Suggestion is a session to label.
type Suggestion struct {
	Session string
	Stratum Stratum
	hash    [sha256.Size]byte
	done    bool // labelled in full, and not by a model alone
}

// A Suggest gathers outcomes and says which sessions to label next, and how
// many. It says nothing of which detector fired where: a reviewer judges the
// session and not the fire.
type Suggest struct {
	HalfWidth float64 // of the interval of the share of loops among quiet sessions
	Level     float64
	Seed      uint64

	labels      *corpus.Labels
	points      []int
	list        []Suggestion
	loops, work int // sessions labelled in full, and not by a model alone
	weak        int // sessions with a model's label alone
}

// NewSuggest is a suggestion without sessions. The configurations are those of
// the plan, each in the production view.
func NewSuggest(plan *replay.Plan, labels *corpus.Labels) *Suggest {
	s := &Suggest{HalfWidth: 0.05, Level: stat.Level, Seed: board.Seed, labels: labels}
	for i := range plan.Points {
		if plan.Points[i].View() == replay.Production {
			s.points = append(s.points, i)
		}
	}
	return s
}

// Add takes one outcome. A session that was left out is not suggested.
func (s *Suggest) Add(o *replay.Outcome) {
	if o.Err != nil {
		return
	}
	g := Suggestion{Session: o.Session.ID, Stratum: s.stratum(o), hash: sha256.Sum256(fmt.Appendf(nil, "%d\n%s", s.Seed,
		o.Session.ID))}
	if l := s.labels.Of(g.Session); l != nil {
		g.done = l.Reviewed == "full" && l.Class != corpus.Unlabelled && l.Source != "weak"
		switch {
		case l.Source == "weak":
			s.weak++
		case g.done && l.Class == corpus.Loop:
			s.loops++
		case g.done && l.Class == corpus.Productive:
			s.work++
		}
	}
	s.list = append(s.list, g)
}

// stratum: a ladder's stop counts as a stop, because it is one if the agent
// does not listen.
func (s *Suggest) stratum(o *replay.Outcome) Stratum {
	var first, ranks int
	for i, point := range s.points {
		rank := 0
		for _, run := range o.Points[point].Runs {
			switch {
			case run.FirstStop != nil || run.LadderStop != nil:
				rank = 2
			case run.FirstNudge != nil:
				rank = max(rank, 1)
			}
		}
		if i == 0 {
			first = rank
		}
		ranks |= 1 << rank
	}
	switch {
	case ranks != 1<<first:
		return Disagree
	case first == 2:
		return Stopped
	}
	return Quiet
}

// chosen are the sessions that the budget covers, labelled or not, in the order
// in which to read them: by stratum, and in each in the order of a hash of
// their id. So every beginning of a stratum is a random sample of it, whatever
// the order of files, and a corpus that grows moves nobody.
func (s *Suggest) chosen() []Suggestion {
	list := slices.Clone(s.list)
	slices.SortFunc(list, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(a.Stratum, b.Stratum), bytes.Compare(a.hash[:], b.hash[:]),
			cmp.Compare(a.Session, b.Session))
	})
	quiet := s.count(Quiet)
	return list[:len(list)-quiet+min(quiet, s.sample())]
}

func (s *Suggest) count(of Stratum) int {
	n := 0
	for _, g := range s.list {
		if g.Stratum == of {
			n++
		}
	}
	return n
}

// sample is how many quiet sessions give the half-width.
func (s *Suggest) sample() int {
	n, ok := stat.NeededForHalfWidth(0.5, s.HalfWidth, s.Level)
	if !ok {
		return 0
	}
	return n
}

// Next are the sessions to label, in order.
func (s *Suggest) Next() []Suggestion {
	return slices.DeleteFunc(s.chosen(), func(g Suggestion) bool { return g.done })
}

// Report lists at most top of the sessions to label; 0 means all.
func (s *Suggest) Report(top int) *report.Report {
	rep := &report.Report{Title: "label suggest", Notes: []string{
		fmt.Sprintf("%d sessions, %d configurations; %d loops and %d productive sessions are labelled in full", len(s.list),
			len(s.points), s.loops, s.work)}}
	if s.weak > 0 {
		rep.Notes = append(rep.Notes,
			fmt.Sprintf("%d sessions have a model's label alone and count as not labelled: label a sample of them too, and "+
				"label stats says how often the model is right", s.weak))
	}
	rep.Sections = append(rep.Sections, s.strata(), s.needed(), s.next(top))
	return rep
}

func (s *Suggest) strata() report.Section {
	sec := report.Section{Key: "strata", Title: "what to label",
		Doc: fmt.Sprintf("a stop by a ladder counts as a stop. The sample gives the share of loops among quiet sessions "+
			"within ±%s at %s: n = z²·p(1−p)/w² with p = 0.5, in order of a hash of seed and id. A labelled session of "+
			"it counts; weights are SESSIONS over WANTED.",
			percentPoints(s.HalfWidth), percentPoints(s.Level)),
		Columns: report.Cols("stratum", "SESSIONS THAT ARE", "sessions", "SESSIONS", "wanted", "WANTED", "labelled",
			"LABELLED", "next", "TO LABEL", "?why", "WHY")}
	chosen := s.chosen()
	for i, st := range strata {
		wanted, done := 0, 0
		for _, g := range chosen {
			if g.Stratum == Stratum(i) {
				wanted++
				done += report.Bit(g.done)
			}
		}
		sec.Add(st.name, s.count(Stratum(i)), wanted, done, wanted-done, st.why)
	}
	if quiet, n := s.count(Quiet), s.sample(); quiet < n {
		sec.Lines = append(sec.Lines, fmt.Sprintf("±%s needs %d quiet sessions, and there are %d: label all of them",
			percentPoints(s.HalfWidth), n, quiet))
	}
	return sec
}

// needed says how many labels a claim takes if nothing speaks against it.
func (s *Suggest) needed() report.Section {
	sec := report.Section{Key: "needed", Title: "what a claim takes",
		Doc: fmt.Sprintf("one-sided at %s, if nothing speaks against it; each event that does takes more. Sessions are "+
			"taken as independent.", percentPoints(s.Level)),
		Columns: report.Cols("claim", "CLAIM", "sessions", "SESSIONS", "labelled", "LABELLED", "missing", "MISSING")}
	row := func(claim, of string, need, have int) {
		sec.Add(claim, fmt.Sprintf("%d %s", need, of), have, max(0, need-have))
	}
	for _, u := range []float64{0.05, 0.02, 0.01} {
		if n, ok := stat.NeededForUpper(0, u, s.Level); ok {
			row(fmt.Sprintf("at most %s of work is stopped, 0 seen", percentPoints(u)), "productive", n, s.work)
		}
	}
	for _, l := range []float64{0.8, 0.9} {
		if n, ok := stat.NeededForLower(0, l, s.Level); ok {
			row(fmt.Sprintf("at least %s of loops are stopped, 0 missed", percentPoints(l)), "loops", n, s.loops)
		}
	}
	return sec
}

// points is a share in percent.
func percentPoints(x float64) string { return fmt.Sprintf("%.4g%%", 100*x) }

func (s *Suggest) next(top int) report.Section {
	sec := report.Section{Key: "next", Title: "label next",
		Doc:     "in this order; any beginning of a stratum is a random sample of it",
		Columns: report.Cols("session", "SESSION", "stratum", "BECAUSE")}
	list := s.Next()
	for i, g := range list {
		if top > 0 && i == top {
			sec.Lines = append(sec.Lines, fmt.Sprintf("… and %d more (--top 0 lists all)", len(list)-top))
			break
		}
		sec.Add(g.Session, strata[g.Stratum].name)
	}
	if len(list) == 0 {
		sec.Lines = append(sec.Lines, "nothing: every session that the budget covers is labelled")
	}
	return sec
}
