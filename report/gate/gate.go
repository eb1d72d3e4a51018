package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
)

// A Gate compares what a configuration does now with a baseline. Exact rules need
// neither statistics nor a threshold for noise: a replay is deterministic, so every
// flip of a session that is the same as before is a fact. Only what a rule says of
// future sessions needs bounds.
//
// Sessions whose content or label is another one are not compared but named:
// a flip there may come from either side.
type Gate struct {
	Base, Now    *Baseline
	Rules        []Rule
	Allow        []Exception // besides those of the baseline
	AsOf         string      // the day on which exceptions are judged, 2026-11-30
	Inconclusive string      // warn, fail or pass
	// Detectors of the present preset, for what an exception may name.
	Detectors []string
}

// InconclusiveWords say what follows where the data do not decide.
var InconclusiveWords = []string{"warn", "fail", "pass"}

// A Verdict of a gate.
type Verdict string

const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive" // and that was to fail
)

// A Result is all that a gate has to say. Every output is made of it.
type Result struct {
	Verdict      Verdict
	Inconclusive string // as asked
	Rulings      []Ruling
	Compared     int
	Labelled     bool     // some session of either side has a label that says something
	Flips        []Flip   // every session that does something else, findings included
	Added        []string // sessions, by how they differ from those of the baseline
	Removed      []string
	Changed      []string
	Relabelled   []string
	Settings     []SettingChange
	Numbers      []NumberChange // over the sessions compared
	Known        []Finding      // false stops that are in the baseline and still there
	Notes        []string
	Base, Now    Side
}

// A Side is what identifies one of the two.
type Side struct {
	Tool, Preset, PresetDigest, SetDigest, Corpus, Labels string
	Sessions                                              int
}

// A Flip is a session that does something else at one level.
type Flip struct {
	Session, Level, What string
	From, To             corpus.Result
	Base, Now            *Place
}

// A SettingChange is a parameter with two values; "" for one that is not there.
type SettingChange struct{ ID, Base, Now string }

// A NumberChange is a metric on both sides.
type NumberChange struct {
	Aggregate
	Base report.Cell
}

// A pair is one session that is the same on both sides.
type pair struct{ a, b *State }

// Judge compares.
func (g *Gate) Judge() *Result {
	r := &Result{Inconclusive: g.Inconclusive, Base: g.Base.side(), Now: g.Now.side()}
	pairs := g.match(r)
	r.Compared, r.Labelled = len(pairs), g.Base.labelled() || g.Now.labelled()
	r.Settings = g.settings()
	used := make([]bool, len(g.exceptions()))
	for _, rule := range g.Rules {
		r.Rulings = append(r.Rulings, g.rule(rule, pairs, r, used))
	}
	for i := range r.Rulings { // those that need to know what the others have used
		switch ru := &r.Rulings[i]; ru.Name {
		case "exception_expired":
			g.expired(ru, used)
		case "false_per_1k":
			g.budget(ru, r, pairs, growth{key: "false_per_1k"})
		case "waste":
			g.budget(ru, r, pairs, growth{key: "waste_per_loop", share: true})
		}
	}
	r.flips(pairs)
	g.numbers(r, pairs)
	g.known(r, pairs)
	r.notes(g)
	r.conclude()
	return r
}

func (b *Baseline) labelled() bool {
	return slices.ContainsFunc(b.Sessions, func(s State) bool { return s.Class != corpus.Unlabelled })
}

func (b *Baseline) side() Side {
	return Side{Tool: b.Tool, Preset: b.Preset, PresetDigest: b.PresetDigest, SetDigest: b.SetDigest(),
		Corpus: b.CorpusDigest(), Labels: b.LabelDigest(), Sessions: len(b.Sessions)}
}

// match pairs the sessions that are the same and names the others.
func (g *Gate) match(r *Result) (pairs []pair) {
	for i := range g.Base.Sessions {
		a := &g.Base.Sessions[i]
		b := g.Now.find(a.ID)
		switch {
		case b == nil:
			r.Removed = append(r.Removed, a.ID)
		case a.Content != b.Content, a.Context != b.Context:
			r.Changed = append(r.Changed, a.ID)
		case a.Label != b.Label:
			r.Relabelled = append(r.Relabelled, a.ID)
		default:
			pairs = append(pairs, pair{a, b})
		}
	}
	for i := range g.Now.Sessions {
		if id := g.Now.Sessions[i].ID; g.Base.find(id) == nil {
			r.Added = append(r.Added, id)
		}
	}
	return pairs
}

// settings are the parameters that differ.
func (g *Gate) settings() (list []SettingChange) {
	ids := slices.Collect(maps.Keys(g.Base.Set))
	ids = append(ids, slices.Collect(maps.Keys(g.Now.Set))...)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if a, b := g.Base.Set[id], g.Now.Set[id]; a != b {
			list = append(list, SettingChange{id, a, b})
		}
	}
	if g.Base.Split != g.Now.Split {
		list = append(list, SettingChange{"split", g.Base.Split, g.Now.Split})
	}
	return list
}

// why are the changed settings of one path, or what it shares with its family.
func (g *Gate) why(detector string) string {
	if g.Base.Preset != g.Now.Preset {
		return g.Base.Preset + " → " + g.Now.Preset
	}
	family, _, _ := strings.Cut(detector, "/")
	var parts []string
	for _, s := range g.settings() {
		if strings.HasPrefix(s.ID, detector+".") || strings.HasPrefix(s.ID, family+".") {
			_, name, ok := strings.Cut(s.ID, "/")
			if !ok {
				name = s.ID
			}
			parts = append(parts, fmt.Sprintf("%s %s → %s", name, report.OrNone(s.Base), report.OrNone(s.Now)))
		}
	}
	return strings.Join(parts, ", ")
}

// flips lists every session that does something else.
func (r *Result) flips(pairs []pair) {
	for _, p := range pairs {
		for k, level := range board.Levels {
			x, y := &p.a.At[k], &p.b.At[k]
			f := board.Flip{Session: p.a.ID, From: x.Result, To: y.Result, A: x.First.hit(), B: y.First.hit()}
			if f.From == f.To && board.SameHit(f.A, f.B) {
				continue
			}
			r.Flips = append(r.Flips, Flip{Session: p.a.ID, Level: board.LevelName(level), What: f.Kind(), From: x.Result,
				To: y.Result, Base: x.First, Now: y.First})
		}
	}
}

// hit is a place as flips take it.
func (p *Place) hit() *corpus.Hit {
	if p == nil {
		return nil
	}
	return &corpus.Hit{Run: p.Run, Call: p.Call, Phase: p.Phase, Detector: p.Detector, Verdict: p.Verdict}
}

// numbers are the metrics of the sessions compared, on both sides.
func (g *Gate) numbers(r *Result, pairs []pair) {
	keep := among(pairs)
	then := g.Base.metrics(keep)
	for i, m := range g.Now.metrics(keep) {
		r.Numbers = append(r.Numbers, NumberChange{m, then[i].Cell})
	}
}

// among lets the sessions compared through, of either side.
func among(pairs []pair) (keep func(*State) bool) {
	in := make(map[string]bool, len(pairs))
	for _, p := range pairs {
		in[p.a.ID] = true
	}
	return func(s *State) bool { return in[s.ID] }
}

// known are the false stops that were accepted with the baseline: a list of
// results that left them out would close them.
func (g *Gate) known(r *Result, pairs []pair) {
	for _, p := range pairs {
		x, y := p.a.state(detectors.ForceStop), p.b.state(detectors.ForceStop)
		if board.IsFalseHit(x.Result) && board.IsFalseHit(y.Result) && y.Wrong != nil {
			r.Known = append(r.Known, Finding{Rule: "known_false_stop", Severity: "notice", Session: p.b.ID, File: p.b.File,
				Level: "stop", Detector: y.Wrong.Detector,
				Change: change(x.Result,
					y.Result), Base: x.Wrong, Now: y.Wrong, Text: fmt.Sprintf("stopped wrongly, as in the baseline: %v", y.Wrong)})
		}
	}
}

// conclude draws the verdict from the rulings.
func (r *Result) conclude() {
	r.Verdict = Pass
	open := false
	for i := range r.Rulings {
		if r.Rulings[i].Fails() {
			r.Verdict = Fail
			return
		}
		open = open || r.Rulings[i].Undecided()
	}
	if open && r.Inconclusive == "fail" {
		r.Verdict = Inconclusive
	}
}

// Undecided reports whether the rule matters and the data do not decide it.
func (r *Ruling) Undecided() bool { return r.Status == CannotSay && r.Level != "notice" }

// change is a result before and after: TP→FN.
func change(from, to corpus.Result) string {
	if from == to {
		return string(from)
	}
	return fmt.Sprintf("%s→%s", from, to)
}

// notes say what is compared, before any number.
func (r *Result) notes(g *Gate) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	add("%s compared with the baseline, of %d there and %d now", report.Plural(r.Compared, "session"),
		len(g.Base.Sessions), len(g.Now.Sessions))
	if r.Base.Preset != r.Now.Preset {
		add("preset: %s → %s", r.Base.Preset, r.Now.Preset)
	} else if r.Base.PresetDigest != r.Now.PresetDigest {
		add("preset: %s is declared differently in this version (%.12s → %.12s)", r.Now.Preset, r.Base.PresetDigest,
			r.Now.PresetDigest)
	}
	if r.Base.Tool != r.Now.Tool {
		add("program: %s → %s", r.Base.Tool, r.Now.Tool)
	}
	for _, s := range r.Settings {
		if r.Base.Preset == r.Now.Preset {
			add("setting: %s %s → %s", s.ID, report.OrNone(s.Base), report.OrNone(s.Now))
		}
	}
	classes := map[corpus.Class]int{}
	weak := 0
	for i := range g.Now.Sessions {
		classes[g.Now.Sessions[i].Class]++
		weak += report.Bit(g.Now.Sessions[i].Weak)
	}
	add("labels: %d loop, %d productive, %d known gap, %d unlabelled", classes[corpus.Loop], classes[corpus.Productive],
		classes[corpus.KnownGap], classes[corpus.Unlabelled])
	if weak > 0 {
		add("%d of them are AI-read (source: weak); what is said of those sessions holds against AI-read labels", weak)
	}
	r.Notes = append(r.Notes, board.Selected(g.Now.Selection)...)
	if !r.Labelled {
		r.Notes = append(r.Notes, board.Claims...)
	}
}
