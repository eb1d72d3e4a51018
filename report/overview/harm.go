package overview

import (
	"cmp"
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// harmTally counts what had been done before one preset first spoke, by level.
type harmTally [len(harmLevels)]harmLevel

type harmLevel struct {
	before []int // by run with such a fire: distinct changes
	most   int
	where  string // session and position of the most
	cut    bool   // more changes than are told apart
	tier   replay.Tier
}

// harmLevels are the verdicts that are asked about.
var harmLevels = [...]struct {
	name string
	fire func(*replay.RunOutcome) *replay.Fire
}{
	{"nudge, veto or stop of a path", func(r *replay.RunOutcome) *replay.Fire { return r.FirstNudge }},
	{"stop of a path", func(r *replay.RunOutcome) *replay.Fire { return r.FirstStop }},
	{"stop, ladders included", func(r *replay.RunOutcome) *replay.Fire { return cmp.Or(r.LadderStop, r.FirstStop) }},
}

func (h *harmTally) add(o *replay.Outcome, p *replay.PointOutcome) {
	for i := range p.Runs {
		for k, level := range harmLevels {
			f := level.fire(&p.Runs[i])
			if f == nil {
				continue
			}
			l, n := &h[k], o.Runs[i].Before(f)
			if len(l.before) == 0 || n > l.most {
				l.most, l.where = n, fmt.Sprintf("%s@%s", o.Session.ID, board.Position(o, f))
			}
			l.before = append(l.before, n)
			l.tier = weaker(l.tier, f.Tier)
			l.cut = l.cut || o.Runs[i].ChangesCut
		}
	}
}

// weaker is the tier that rests on more: H, then C, then E.
func weaker(a, b replay.Tier) replay.Tier {
	order := []replay.Tier{"", replay.Exact, replay.Conditional, replay.Hypothetical}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// harm is the table of what had been done before anybody spoke.
func (r *Replay) harm() []report.Section {
	s := report.Section{
		Key: "harm", Title: "harm before detection: what had been done before a preset first spoke",
		Doc: "distinct calls of the run that are not known to only read, and had run before the agent would have heard the " +
			"verdict. " +
			"A tool of another agent that nothing is known of counts as one that may change something.",
		Columns: report.Cols("preset", "PRESET", "verdict", "FIRST", "runs", "RUNS", "with_changes", "OF THEM AFTER A CHANGE",
			"median", "MEDIAN", "most", "MOST", "most_in", "IN", "?tier", "TIER"),
	}
	cut := false
	for i := range r.configs {
		for k := range harmLevels {
			l := &r.configs[i].harm[k]
			if len(l.before) == 0 {
				continue
			}
			slices.Sort(l.before)
			changed := 0
			for _, n := range l.before {
				changed += report.Bit(n > 0)
			}
			cut = cut || l.cut
			s.Add(r.preset(&r.configs[i]).Name, harmLevels[k].name, len(l.before),
				board.Allowed(r.board.Selection, corpus.RateFrequency, "", report.Share(changed,
					len(l.before))), stat.Median(l.before), l.most, l.where, string(l.tier))
		}
	}
	if cut {
		s.Lines = append(s.Lines, "some run made more distinct changes than are told apart: its number is a lower bound")
	}
	if len(s.Rows) == 0 || r.plan.Calls.Changes == nil {
		return nil
	}
	return []report.Section{s}
}

// An emptyRow is a call of the contract check.
type emptyRow struct {
	session string
	call    replay.EmptyArgument
}

// maxEmptyRows is how many calls are named.
const maxEmptyRows = 20

func (r *Replay) addEmpty(o *replay.Outcome) {
	r.emptyCount += o.EmptyCount
	for _, e := range o.Empty {
		if len(r.empty) < maxEmptyRows {
			r.empty = append(r.empty, emptyRow{o.Session.ID, e})
		}
	}
}

// contracts names calls that succeeded without an argument they must have.
func (r *Replay) contracts() []report.Section {
	if r.emptyCount == 0 {
		return nil
	}
	s := report.Section{
		Key: "empty_required_argument", Title: contract.EmptyArgument + ": " + report.Plural(r.emptyCount, "argument") +
			" that came empty, and the call succeeded",
		Doc: "no detector's business: nothing has repeated yet. The fix belongs in the tool's contract, which must refuse " +
			"such a call " +
			"with a typed error. Some are meant: an empty file is written on purpose now and then.",
		Columns: report.Cols("session", "SESSION", "call", "CALL", "tool", "TOOL", "argument", "ARGUMENT", "how", "HOW",
			"result", "RESULT"),
	}
	for _, row := range r.empty {
		e := row.call
		how, result := "empty", "ok"
		if e.Empty.Missing {
			how = "missing"
		}
		if e.Status == transcript.ResultUnflagged {
			result = "no error flag"
		}
		where := fmt.Sprint(e.Pos.Call)
		if e.Pos.Run > 0 {
			where = fmt.Sprintf("%d:%d", e.Pos.Run, e.Pos.Call)
		}
		s.Add(row.session, where, e.Tool, e.Empty.Argument, how, result)
	}
	if more := r.emptyCount - len(s.Rows); more > 0 {
		s.Lines = []string{fmt.Sprintf("… and %d more", more)}
	}
	return []report.Section{s}
}
