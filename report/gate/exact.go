package gate

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// rule looks at one rule. What the budgets and the exceptions come to waits for
// the others.
func (g *Gate) rule(rule Rule, pairs []pair, r *Result, used []bool) Ruling {
	out := Ruling{Rule: rule}
	if rule.Level == "off" {
		out.settle(true)
		return out
	}
	looked := true
	switch rule.Name {
	case "new_false_stops":
		looked = g.newFalse(&out, pairs, detectors.ForceStop)
	case "new_false_nudges":
		looked = g.newFalse(&out, pairs, detectors.Nudge)
	case "lost_catches":
		looked = g.lost(&out, pairs)
	case "later_by":
		looked = g.later(&out, pairs)
	case "killed_success":
		looked = g.killed(&out, pairs)
	case "gap_closed":
		g.gaps(&out, pairs)
	case "fpr_upper95", "recall_lower95":
		g.bound(&out)
		return out
	case "unknown_field":
		g.unknown(&out)
	case "unlabelled_growth":
		g.unlabelled(&out)
	case "corpus_shrank":
		g.shrank(&out, r)
	case "corpus_changed":
		g.changed(&out, r)
	case "fidelity":
		g.fidelity(&out)
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Rule, f.Severity = rule.Name, rule.Level
		f.Allowed = g.allowed(f, used)
	}
	out.settle(looked)
	if n := allowedOf(out.Findings); n > 0 {
		out.What += fmt.Sprintf(" (%d of them allowed)", n)
	}
	return out
}

func allowedOf(list []Finding) (n int) {
	for i := range list {
		n += report.Bit(list[i].Allowed != nil)
	}
	return n
}

// finding is a fact about one session at a level.
func (g *Gate) finding(p pair, level detectors.Verdict, base, now *Place, text string) Finding {
	x, y := p.a.state(level), p.b.state(level)
	f := Finding{Session: p.b.ID, File: p.b.File, Level: board.LevelName(level), Change: change(x.Result, y.Result),
		Base: base, Now: now, Text: text}
	if at := f.At(); at != nil {
		f.Detector = at.Detector
		f.Why = g.why(at.Detector)
	}
	return f
}

func quietOrPlace(p *Place) string {
	if p == nil {
		return "quiet"
	}
	return p.String()
}

// newFalse finds what is hit wrongly now. A loop that was caught and is hit too
// early is a lost catch; a session that is stopped wrongly is no nudge as well.
func (g *Gate) newFalse(out *Ruling, pairs []pair, level detectors.Verdict) (looked bool) {
	work, judged := 0, 0
	is := func(p pair, level detectors.Verdict) bool {
		x, y := p.a.state(level).Result, p.b.state(level).Result
		return board.IsFalseHit(y) && !board.IsFalseHit(x) && x != corpus.TruePositive
	}
	for _, p := range pairs {
		if p.b.Class != corpus.Productive && p.b.Class != corpus.Loop {
			continue
		}
		judged++
		work += report.Bit(p.b.Class == corpus.Productive)
		out.Cases = append(out.Cases, p.b.ID)
		if !is(p, level) || level < detectors.ForceStop && is(p, detectors.ForceStop) {
			continue
		}
		x, y := p.a.state(level), p.b.state(level)
		now := y.Wrong
		if now == nil {
			now = y.First
		}
		word := "nudged"
		if level == detectors.ForceStop {
			word = "stopped"
		}
		out.Findings = append(out.Findings, g.finding(p, level, x.First, now,
			fmt.Sprintf("%s session is %s wrongly: %s; was %s", p.b.Class, word, quietOrPlace(now), quietOrPlace(x.First))))
	}
	out.What = fmt.Sprintf("%d of %s judged, %d of them work", len(out.Findings), report.Plural(judged, "session"), work)
	if work == 0 {
		out.What = "no productive session is compared: label some, or nothing can be wrong"
	}
	return work > 0
}

// lost finds the loops that are not stopped any more.
func (g *Gate) lost(out *Ruling, pairs []pair) (looked bool) {
	for _, p := range pairs {
		x, y := p.a.state(detectors.ForceStop), p.b.state(detectors.ForceStop)
		if x.Result != corpus.TruePositive {
			continue
		}
		out.Cases = append(out.Cases, p.b.ID)
		if y.Result == corpus.TruePositive {
			continue
		}
		base := x.caught()
		f := g.finding(p, detectors.ForceStop, base, y.First,
			fmt.Sprintf("loop is not stopped in time any more: was %s; now %s", quietOrPlace(base), quietOrPlace(y.First)))
		if base != nil { // the path that is missed, whatever fires now
			f.Detector, f.Why = base.Detector, g.why(base.Detector)
		}
		if !board.IsLoop(y.Result) {
			f.Open = true
			f.Text += ", where the record ends or nobody has judged"
		}
		out.Findings = append(out.Findings, f)
	}
	out.What = fmt.Sprintf("%d of %s", len(out.Findings), report.Plural(len(out.Cases), "loop session")+
		" that were stopped")
	if len(out.Cases) == 0 {
		out.What = "no loop is stopped in the baseline: there is nothing to lose"
	}
	return len(out.Cases) > 0
}

// caught is the first right fire; where it is of no ordinary loop, the first of all.
func (x *LevelState) caught() *Place {
	if h := x.hit(); h != nil {
		return h
	}
	return x.First
}

// hit is the first right fire, or nil.
func (x *LevelState) hit() *Place {
	for i := range x.Spans {
		if h := x.Spans[i].Hit; h != nil {
			return h
		}
	}
	return nil
}

// later finds the loops that are caught later by more than the limit, or of
// several in a session one that is not caught at all.
func (g *Gate) later(out *Ruling, pairs []pair) (looked bool) {
	spans := 0
	for _, level := range board.Levels {
		for _, p := range pairs {
			x, y := p.a.state(level), p.b.state(level)
			if level == detectors.ForceStop && x.Result == corpus.TruePositive && y.Result != corpus.TruePositive {
				continue // a lost catch
			}
			for i := range x.Spans {
				a := x.Spans[i].Hit
				if a == nil || i >= len(y.Spans) {
					continue
				}
				spans++
				if !slices.Contains(out.Cases, p.b.ID) {
					out.Cases = append(out.Cases, p.b.ID)
				}
				b := y.Spans[i].Hit
				switch {
				case b == nil:
					f := g.finding(p, level, a, nil, fmt.Sprintf("a loop from call %d is not caught any more: was %v",
						x.Spans[i].Onset, a))
					f.Open = y.Spans[i].Censored
					out.Findings = append(out.Findings, f)
				case float64(b.Call-a.Call) > out.Limit:
					out.Findings = append(out.Findings, g.finding(p, level, a, b,
						fmt.Sprintf("loop is caught %s later: was %v; now %v", report.Plural(b.Call-a.Call, "call"), a, b)))
				}
			}
		}
	}
	slices.Sort(out.Cases)
	out.What = fmt.Sprintf("%d of %s caught, at either level, by more than %g calls", len(out.Findings),
		report.Plural(spans, "loop"), out.Limit)
	if spans == 0 {
		out.What = "no loop is caught in the baseline: none can be later"
	}
	return spans > 0
}

// killed finds recorded successes that a false stop would prevent now.
func (g *Gate) killed(out *Ruling, pairs []pair) (looked bool) {
	for _, p := range pairs {
		if p.b.Class == corpus.Unlabelled {
			continue
		}
		out.Cases = append(out.Cases, p.b.ID)
		if !p.b.Killed || p.a.Killed {
			continue
		}
		x, y := p.a.state(detectors.ForceStop), p.b.state(detectors.ForceStop)
		out.Findings = append(out.Findings, g.finding(p, detectors.ForceStop, x.First, y.Wrong,
			fmt.Sprintf("recorded success would be stopped before it: %s", quietOrPlace(y.Wrong))))
	}
	out.What = fmt.Sprintf("%d of %s", len(out.Findings), report.Plural(len(out.Cases), "labelled session"))
	if len(out.Cases) == 0 {
		out.What = "no labelled session is compared"
	}
	return len(out.Cases) > 0
}

// gaps finds known gaps that are caught now.
func (g *Gate) gaps(out *Ruling, pairs []pair) {
	for _, p := range pairs {
		if p.b.Class != corpus.KnownGap {
			continue
		}
		out.Cases = append(out.Cases, p.b.ID)
		for k := len(board.Levels) - 1; k >= 0; k-- {
			x, y := &p.a.At[k], &p.b.At[k]
			if x.Result == corpus.GapMiss && y.Result == corpus.GapHit {
				out.Findings = append(out.Findings, g.finding(p, board.Levels[k], nil, y.First,
					fmt.Sprintf("known gap closed: promote the label; %s", quietOrPlace(y.First))))
				break
			}
		}
	}
	out.What = fmt.Sprintf("%d of %s", len(out.Findings), report.Plural(len(out.Cases), "known gap"))
}
