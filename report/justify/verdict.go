package justify

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// The verdict is the first of nine rules that applies. Where a rule leaves something
// open, the cautious reading is taken: what speaks for a deletion needs labels that a
// person has made (human, adjudicated), what speaks against it may rest on any.
//
//   - Rules 2 and 3 count unique catches with labels by a person, since only they
//     prove that such a loop happens. Other unique catches do not keep a path, and do not clear it either: U = 0 is
//     not established until a person has looked, which is rule 5.
//   - Rule 4 counts loops with any label as exposure, and as real incidents those
//     that a person labelled in a recording: a reconstruction is none.
//   - Rule 5 counts loop sessions with labels by a person: loops that somebody
//     wrote are no sample, so nothing follows from their number.
//   - Rules 6, 7 and 8 speak against a deletion and count every label.

// The limits of the rules.
const (
	minExposure = 3  // loops of the right shape
	maxP90      = 5  // calls of delay that nine of ten covered loops do not exceed
	maxDelay    = 10 // calls of delay of any, and of a minimal cover
	minLO       = 0.5
)

// A Verdict is the word of a rule.
type Verdict string

const (
	NoVerdict         Verdict = "NO-VERDICT"
	TradeOff          Verdict = "TRADE-OFF"
	Keep              Verdict = "KEEP"
	NotEnoughEvidence Verdict = "NOT-ENOUGH-EVIDENCE"
	KeepTimeliness    Verdict = "KEEP (timeliness)"
	Blocked           Verdict = "BLOCKED"
	Deletable         Verdict = "DELETABLE"
)

// A Ruling is one rule, asked of one level.
type Ruling struct {
	Rule    int // 1 to 9
	Verdict Verdict
	Applies bool
	Why     string // the numbers that it goes by
	Change  string // what would change it; "" where it does not apply
}

// A Decision is all rulings of a level; the first that applies is the verdict.
type Decision struct {
	Level   detectors.Verdict
	Rulings []Ruling
	Harmful bool   // fires more on work than on loops, on whatever the verdict is
	Turns   string // how label edges change the verdict; "" if they do not
}

// First is the verdict.
func (d *Decision) First() *Ruling {
	for i := range d.Rulings {
		if d.Rulings[i].Applies {
			return &d.Rulings[i]
		}
	}
	panic("rule 9 applies where no other does")
}

// Word is the verdict as it is printed.
func (d *Decision) Word() string {
	word := string(d.First().Verdict)
	if d.Harmful {
		word += " · HARMFUL"
	}
	return word
}

// Decide asks all rules of one level.
func (d *Dossier) Decide(level detectors.Verdict) *Decision {
	d.Settle()
	return d.decide(level, d.evidence(level, d.Rows, 0))
}

func (d *Dossier) decide(level detectors.Verdict, e *evidence) *Decision {
	out := &Decision{Level: level, Rulings: d.rulings(e)}
	lo, ok := d.loopOverall(level)
	out.Harmful = ok && lo < minLO
	unstable := d.unstable(level)
	eight := Ruling{Rule: 8, Verdict: NotEnoughEvidence,
		Why: "it holds in every window with exposure and with onsets moved by up to " + report.Plural(board.MovedBy, "call")}
	if len(unstable) > 0 {
		eight.Applies = true
		eight.Why = strings.Join(unstable, "; ")
		eight.Change = "labels whose edges do not matter, and windows that agree: look at the sessions named"
	}
	nine := Ruling{Rule: 9, Verdict: Deletable, Applies: true, Why: "no other rule applies",
		Change: "one unique catch that a person has labelled → KEEP"}
	out.Rulings = append(out.Rulings, eight, nine)
	out.Turns = d.turns(level, out.First())
	return out
}

// rulings are the rules 1 to 7, of some evidence.
func (d *Dossier) rulings(e *evidence) []Ruling {
	return []Ruling{d.fidelityRule(), d.tradeOff(e), d.keep(e), d.exposureRule(e), d.sampleRule(e), d.timeliness(e),
		d.blocked(e)}
}

func (d *Dossier) fidelityRule() Ruling {
	r := Ruling{Rule: 1, Verdict: NoVerdict}
	live, matched, extra := 0, 0, 0
	var missed []string
	for _, row := range d.Rows {
		live += d.seen[row].live
		matched += d.seen[row].matched
		extra += d.seen[row].extra
		if d.seen[row].matched < d.seen[row].live {
			missed = append(missed, row.ID)
		}
	}
	if live == 0 {
		r.Why = "no recorded fires of this agent: the rule does not apply"
		return r
	}
	r.Why = fmt.Sprintf("fidelity %d of %d recorded reminders, and %d that the record does not show; the record names "+
		"no path, so all count", matched, live, extra)
	if matched < live {
		r.Applies = true
		r.Why += ": not reproduced in " + d.list(missed)
		r.Change = "repair the replay first, or name the preset that was live: " + report.Plural(live-matched, "reminder") +
			" to reproduce"
	}
	return r
}

// ownLO is L/O in words.
func (d *Dossier) ownLO(level detectors.Verdict) (text string, harmful bool) {
	lo, ok := d.loopOverall(level)
	if !ok {
		return "L/O –", false
	}
	return fmt.Sprintf("L/O %.2f", lo), lo < minLO
}

func (d *Dossier) tradeOff(e *evidence) Ruling {
	proven, _ := e.proven()
	lo, harmful := d.ownLO(e.level)
	r := Ruling{Rule: 2, Verdict: TradeOff, Why: fmt.Sprintf("U = %d labelled by a person, %s", len(proven), lo)}
	dear := false
	if c := d.Losses; c != nil {
		hits, each := float64(len(e.removed)), c.FalseStop
		if e.level < detectors.ForceStop {
			each = c.Nudge
		}
		saved, lost := hits*each, float64(len(proven))*c.MissedLoop
		dear = saved > lost
		r.Why += fmt.Sprintf(", false hits removed cost %g and unique catches %g", saved, lost)
	} else {
		r.Why += ", no costs given"
	}
	if len(proven) > 0 && (harmful || dear) {
		r.Applies = true
		r.Why += fmt.Sprintf(": lost %s; spared %s", d.list(rowsOf(proven)), report.OrNone(d.list(rowsOfHits(e.removed))))
		r.Change = "a person decides between the two lists; without the unique catches the rules from 4 on decide, and " +
			"without the false hits it is KEEP"
	}
	return r
}

func (d *Dossier) keep(e *evidence) Ruling {
	proven, open := e.proven()
	r := Ruling{Rule: 3, Verdict: Keep, Why: fmt.Sprintf("U = %d labelled by a person", len(proven))}
	if len(open) > 0 {
		r.Why += fmt.Sprintf(" (%d more with labels that no person has made)", len(open))
	}
	if len(proven) > 0 {
		r.Applies = true
		r.Why += ": " + d.list(rowsOf(proven))
		r.Change = "another path that catches them, or a label that says they are no loops"
	}
	return r
}

func (d *Dossier) exposureRule(e *evidence) Ruling {
	real := incidents(e.exposure)
	shapes := d.targets()
	r := Ruling{Rule: 4, Verdict: NotEnoughEvidence,
		Why: fmt.Sprintf("exposure %s, %s", report.Plural(len(e.exposure), "loop"),
			report.Plural(len(real), "real incident"))}
	if len(shapes) == 0 {
		r.Applies = true
		r.Why += "; no shape of loops is declared for it"
		r.Change = "declare which shapes it is for"
		return r
	}
	var lacks []string
	if n := minExposure - len(e.exposure); n > 0 {
		lacks = append(lacks, fmt.Sprintf("%s more of shape %s", report.Plural(n, "loop"), strings.Join(shapes, ", ")))
	}
	if len(real) == 0 {
		lacks = append(lacks, "1 real incident among them, recorded and labelled by a person")
	}
	if len(lacks) > 0 {
		r.Applies = true
		r.Change = strings.Join(lacks, ", ")
	}
	return r
}

func (d *Dossier) sampleRule(e *evidence) Ruling {
	_, open := e.proven()
	u := d.uniqueShare(e, true)
	bound := u.Upper()
	r := Ruling{Rule: 5, Verdict: NotEnoughEvidence,
		Why: fmt.Sprintf("U = %d; in %d of %s labelled by a person: the share of loops that only it catches is at most %s "+
			"(limit %s)",
			len(e.unique), u.N, report.Plural(u.Units(), d.unit()), report.Percent(bound), report.Percent(d.MaxUnique))}
	need, ok := stat.NeededForUpper(u.N, d.MaxUnique, stat.Level)
	var lacks []string
	if len(open) > 0 {
		lacks = append(lacks, fmt.Sprintf("a person who looks at %s: if they are loops it is KEEP", d.list(rowsOf(open))))
	}
	if bound > d.MaxUnique && ok {
		lacks = append(lacks, fmt.Sprintf("%s more labelled by a person, without another unique catch",
			report.Plural(need-u.Units(), d.unit())))
	}
	if ok, why := d.Selection.Allows(corpus.RateRecall, ""); !ok {
		r.Why += "; " + why + ", so nothing follows from their number"
		lacks = append(lacks, "sessions that were recorded whatever fired")
	}
	if len(lacks) > 0 {
		r.Applies = true
		if len(open) > 0 {
			r.Why += fmt.Sprintf("; %s with labels that no person has made, so U = 0 is not established",
				report.Plural(len(open), "unique catch"))
		}
		r.Change = strings.Join(lacks, "; ")
	}
	return r
}

// unit is what independent loops are counted in.
func (d *Dossier) unit() string {
	if d.Clustered {
		return "cluster of loop session"
	}
	return "loop session"
}

func (d *Dossier) timeliness(e *evidence) Ruling {
	r := Ruling{Rule: 6, Verdict: KeepTimeliness}
	list := delays(e.covered)
	if len(list) == 0 {
		r.Why = "no loop is caught on both sides"
		return r
	}
	nine, most := p90(list), list[len(list)-1]
	r.Why = fmt.Sprintf("delay p90 %d, max %d calls over %s caught on both sides; %d drop from stop to nudge", nine, most,
		report.Plural(len(list), "loop"), len(e.dropped))
	if nine > maxP90 || most > maxDelay || len(e.dropped) > 0 {
		r.Applies = true
		var late []string
		for i := range e.covered {
			if e.covered[i].delay() > maxP90 {
				late = append(late, e.covered[i].row.ID)
			}
		}
		late = append(late, rowsOf(e.dropped)...)
		r.Change = fmt.Sprintf("another path that acts as hard within %d calls (%d at most) in %s", maxP90, maxDelay,
			d.list(late))
	}
	return r
}

func (d *Dossier) blocked(e *evidence) Ruling {
	r := Ruling{Rule: 7, Verdict: Blocked, Why: fmt.Sprintf("%s new or harsher", report.Plural(len(e.fresh), "false hit"))}
	if len(e.fresh) > 0 {
		var by []string
		for _, f := range e.fresh {
			if f.B != nil && !slices.Contains(by, report.PathName(f.B.Detector)) {
				by = append(by, report.PathName(f.B.Detector))
			}
		}
		r.Applies = true
		r.Why += ": " + d.list(rowsOfHits(e.fresh))
		r.Change = "fix what is unmasked first: " + strings.Join(by, ", ")
	}
	return r
}

// speaksAgainst are the rules that the facts of some sessions trigger by
// themselves, whatever their number: what must hold in every window and with
// every edge.
func (d *Dossier) speaksAgainst(e *evidence) (list []string) {
	if len(e.unique) > 0 {
		list = append(list, fmt.Sprintf("%s (%s)", report.Plural(len(e.unique), "unique catch"), d.list(rowsOf(e.unique))))
	}
	for _, r := range []Ruling{d.timeliness(e), d.blocked(e)} {
		if r.Applies {
			list = append(list, fmt.Sprintf("%s, %s", r.Verdict, r.Why))
		}
	}
	return list
}

// unstable says where the result does not hold: in which windows that have
// exposure, and with onsets moved by how much.
func (d *Dossier) unstable(level detectors.Verdict) (list []string) {
	var order []string
	windows, shifts := make(map[string][]string), make(map[string][]string)
	note := func(in map[string][]string, place string, e *evidence) {
		for _, what := range d.speaksAgainst(e) {
			if windows[what] == nil && shifts[what] == nil {
				order = append(order, what)
			}
			in[what] = append(in[what], place)
		}
	}
	for _, w := range d.windows() {
		if e := d.evidence(level, w.rows, 0); len(e.exposure) > 0 {
			note(windows, w.name, e)
		}
	}
	for shift := -board.MovedBy; shift <= board.MovedBy; shift++ {
		if shift != 0 {
			note(shifts, fmt.Sprintf("%+d", shift), d.evidence(level, d.Rows, shift))
		}
	}
	for _, what := range order {
		where := windows[what]
		if moved := shifts[what]; len(moved) > 0 {
			where = append(where, "onsets moved by "+strings.Join(moved, ", "))
		}
		list = append(list, strings.Join(where, ", ")+": "+what)
	}
	return list
}

// turns says how the verdict changes where onsets are moved.
func (d *Dossier) turns(level detectors.Verdict, first *Ruling) string {
	var parts []string
	for shift := -board.MovedBy; shift <= board.MovedBy; shift++ {
		if shift == 0 {
			continue
		}
		moved := Decision{Rulings: append(d.rulings(d.evidence(level, d.Rows, shift)),
			Ruling{Rule: 9, Verdict: Deletable, Applies: true})}
		if r := moved.First(); r.Verdict != first.Verdict && first.Rule != 8 {
			parts = append(parts, fmt.Sprintf("%s (rule %d) with onsets moved by %+d", r.Verdict, r.Rule, shift))
		}
	}
	return strings.Join(parts, ", ")
}

// sourcesOf counts judged labels by who made them.
func (d *Dossier) sourcesOf() (byPerson, written, read int) {
	for _, r := range d.Rows {
		switch {
		case r.Label == nil || r.Label.Class == corpus.Unlabelled:
		case checked(r.Label):
			byPerson++
		case r.Label.Source == "synthetic":
			written++
		default:
			read++
		}
	}
	return byPerson, written, read
}
