package justify_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/justify"
)

// toldBy asks for what the arguments of a call tell it: "x:nudge y:force_stop".
func toldBy(name string) *detectors.Detector {
	type none struct{}
	type ask struct{ Verdict int }
	return detectors.Define(detectors.Rule[none, none, ask]{
		Name: "toy/" + name, Doc: "asks for what it is told to", Origin: detectors.Origin{Source: "this test"}, Targets: []string{"stuck"},
		New: func(*detectors.Inputs) *none { return &none{} },
		OnCall: func(_ *none, c *transcript.Call) (ask, bool) {
			for word := range strings.FieldsSeq(c.Args) {
				if who, what, _ := strings.Cut(word, ":"); who == name {
					v, err := detectors.ParseVerdict(what)
					return ask{int(v)}, err == nil
				}
			}
			return ask{}, false
		},
		Judge:   func(m ask, _ none) detectors.Verdict { return detectors.Verdict(m.Verdict) },
		Explain: func(ask, none, detectors.Verdict) (reason, text string) { return "", "" },
	})
}

// x is the path in question, y is another one after it.
var (
	x    = toldBy("x")
	y    = toldBy("y")
	toys = &detectors.Preset{Name: "toy-1", Set: detectors.Settings{}, Detectors: []*detectors.Detector{x, y}}
)

// A tale is a session of twenty calls, one a step; told says what some of them
// tell the toys. A reminder is text that the record says came after a call.
type tale struct {
	id, label string
	told      map[int]string
	reminder  int
	month     int // of 2026; 0 is undated
}

func (s *tale) unit() *formats.Unit {
	list := []*transcript.Step{{Kind: transcript.Prompt}}
	for call := 1; call <= 20; call++ {
		list = append(list, &transcript.Step{Calls: []transcript.Call{{Tool: "t", Args: s.told[call]}}, Usage: transcript.Usage{Known: true, Output: 10}})
		if call == s.reminder {
			list = append(list, &transcript.Step{Kind: transcript.Injection, Parts: []transcript.Part{{Text: "You seem to be stuck in a loop."}}})
		}
	}
	session := &transcript.Session{ID: s.id, Agent: "toy"}
	if s.month > 0 {
		session.Started = time.Date(2026, time.Month(s.month), 1, 0, 0, 0, 0, time.UTC)
	}
	return &formats.Unit{Session: session, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
}

// loop is a session that is stuck from call 5 to its end, in a real incident.
func loop(id string, told map[int]string) tale {
	return tale{id: id, told: told, label: `{reviewed: full, source: human, spans: [{onset: 5, end: 20, shape: stuck, incident: INC-` + id + `}]}`}
}

func work(id string, told map[int]string) tale {
	return tale{id: id, told: told, label: `{class: productive, reviewed: full, source: human}`}
}

func with(source string, s tale) tale {
	s.label = strings.Replace(s.label, "human", source, 1)
	return s
}

// loops are n of them, which both paths see at the same call.
func loops(n int) (list []tale) {
	for i := range n {
		list = append(list, loop(fmt.Sprintf("both-%02d", i), map[int]string{6: "x:force_stop y:force_stop"}))
	}
	return list
}

// dossier replays tales for a proposal.
func dossier(t testing.TB, p *justify.Proposal, list []tale) *justify.Dossier {
	t.Helper()
	labels := &corpus.Labels{}
	var units []*formats.Unit
	for i := range list {
		if err := labels.AddCarried([]byte(list[i].label), list[i].id, "tale"); list[i].label != "" && err != nil {
			t.Fatal(err)
		}
		units = append(units, list[i].unit())
	}
	return over(t, p, units, labels)
}

func over(t testing.TB, p *justify.Proposal, units []*formats.Unit, labels *corpus.Labels) *justify.Dossier {
	t.Helper()
	plan, err := replay.NewPlan(p.Question())
	if err != nil {
		t.Fatal(err)
	}
	d := justify.New(p, plan, labels, "session")
	err = (&replay.Engine{Plan: plan, Split: transcript.Words}).Run(context.Background(), units, func(o *replay.Outcome) error {
		d.Add(o)
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func deleting(list ...*detectors.Detector) *justify.Proposal {
	return &justify.Proposal{Kind: justify.Deletion, Preset: toys, Set: detectors.Settings{}, Paths: list}
}

// Every rule of the verdict is reached on a small corpus, and left by one label or one
// session more or less. Both levels are asked where they differ.
func TestVerdicts(t *testing.T) {
	only := func(call int) map[int]string { return map[int]string{call: "x:force_stop"} }
	late := func(by int) map[int]string { return map[int]string{6: "x:force_stop", 6 + by: "y:force_stop"} }
	falseHits := func(n int) (list []tale) {
		for i := range n {
			list = append(list, work(fmt.Sprintf("work-%d", i), only(9)))
		}
		return list
	}
	without := func(list []tale, change func(*tale)) []tale {
		for i := range list {
			change(&list[i])
		}
		return list
	}
	months := func(list []tale, ms ...int) []tale {
		for i := range list {
			list[i].month = ms[i%len(ms)]
		}
		return list
	}
	reminded := func(told map[int]string, at int) tale {
		s := work("reminded", told)
		s.reminder = at
		return s
	}
	edge := tale{id: "edge", told: only(4), label: `{reviewed: full, source: human, spans: [{onset: 5, end: 20, shape: stuck, incident: INC-E}]}`}
	for _, test := range []struct {
		name    string
		tales   []tale
		losses  *justify.Losses
		nudge   int // rule; 0 is not asked
		stop    int
		why     string // of the stop level, or of the nudge level where that is 0
		change  string
		harmful bool
	}{
		{name: "1: the replay misses a reminder", tales: append(loops(59), reminded(nil, 7)), nudge: 1, stop: 1, why: "fidelity 0 of 1", change: "repair the replay first"},
		{name: "1: a reminder is reproduced", tales: append(loops(59), reminded(map[int]string{7: "y:nudge"}, 7)), nudge: 9, stop: 9},
		{name: "1: a session that somebody wrote records nothing", tales: append(loops(59), with("synthetic", reminded(nil, 7))), nudge: 9, stop: 9},

		{name: "2: a unique catch, and more work hit than loops", tales: append(append(loops(9), loop("mine", only(6))), work("hit", only(6))), stop: 2,
			why: "L/O 0.", change: "a person decides", harmful: false, losses: &justify.Losses{FalseStop: 5, MissedLoop: 4, Nudge: 1}},
		{name: "2: L/O below a half", tales: append([]tale{loop("mine", only(6)), loop("other", nil), loop("third", nil)}, falseHits(2)...), nudge: 2, stop: 2,
			why: "lost mine; spared work-0, work-1", harmful: true},
		{name: "3: costs that do not outweigh it", tales: append(append(loops(9), loop("mine", only(6))), work("hit", only(6)), work("calm", nil)), nudge: 3, stop: 3,
			losses: &justify.Losses{FalseStop: 5, MissedLoop: 5, Nudge: 1}, why: "U = 1 labelled by a person: mine"},
		{name: "3: one unique catch", tales: []tale{loop("mine", only(6))}, nudge: 3, stop: 3, why: "mine", change: "another path"},
		{name: "3: an adjudicated one", tales: []tale{with("adjudicated", loop("mine", only(6)))}, nudge: 3, stop: 3},

		{name: "4: a synthetic unique catch proves nothing", tales: []tale{with("synthetic", loop("mine", only(6)))}, nudge: 4, stop: 4,
			why: "exposure 1 loop, 0 real incidents", change: "2 loops more of shape stuck, 1 real incident"},
		{name: "4: an AI-read one neither", tales: []tale{with("weak", loop("mine", only(6)))}, nudge: 4, stop: 4},
		{name: "4: too little exposure", tales: loops(2), nudge: 4, stop: 4, change: "1 loop more of shape stuck"},
		{name: "4: no real incident", tales: without(loops(59), func(s *tale) { s.label = strings.Replace(s.label, "incident:", "why:", 1) }), nudge: 4, stop: 4,
			why: "exposure 59 loops, 0 real incidents"},
		{name: "4: a known gap is no exposure", tales: append(loops(2), tale{id: "gap", told: only(6), label: `{reviewed: full, spans: [{onset: 5, end: 20, shape: stuck, incident: I, known_gap: true}]}`}), nudge: 4, stop: 4},

		{name: "5: too few loops", tales: loops(58), nudge: 5, stop: 5, why: "in 0 of 58 loop sessions", change: "1 loop session more"},
		{name: "5: many too few", tales: loops(18), nudge: 5, stop: 5, change: "41 loop sessions more"},
		{name: "5: loops that nobody labelled", tales: append(loops(3), without(loops(59), func(s *tale) { *s = with("weak", *s); s.id += "w" })...), nudge: 5, stop: 5,
			why: "in 0 of 3 loop sessions", change: "56 loop sessions more"},
		{name: "5: a unique catch that no person has looked at", tales: append(loops(59), with("weak", loop("mine", only(6)))), nudge: 5, stop: 5,
			why: "so U = 0 is not established", change: "a person who looks at mine"},

		{name: "6: one that is eleven calls late", tales: append(loops(59), loop("slow", late(11))), nudge: 6, stop: 6, why: "max 11 calls", change: "slow"},
		{name: "6: ten calls are not too late", tales: append(loops(59), loop("slow", late(10))), nudge: 9, stop: 9},
		{name: "6: many that are six calls late", tales: append(loops(59), without(loops(7), func(s *tale) { s.told = late(6); s.id += "s" })...), nudge: 6, stop: 6, why: "p90 6"},
		{name: "6: five calls are not too late", tales: append(loops(59), without(loops(7), func(s *tale) { s.told = late(5); s.id += "s" })...), nudge: 9, stop: 9},
		{name: "6: a stop becomes a nudge", tales: append(loops(59), loop("softer", map[int]string{6: "x:force_stop y:nudge"})), nudge: 6, stop: 3, why: "U = 1"},

		{name: "7: removal unmasks a stop", tales: append(loops(59), work("masked", map[int]string{9: "x:nudge y:force_stop"})), nudge: 7, stop: 7, why: "masked", change: "unmasked first: y"},
		{name: "7: a false stop that stays is not new", tales: append(loops(59), work("both", map[int]string{9: "x:force_stop y:force_stop"})), nudge: 9, stop: 9},

		{name: "8: late in one window of three", tales: append(months(loops(60), 1, 4, 7), months([]tale{loop("q1", late(6)), loop("q1b", late(6)), loop("q1c", late(6))}, 1)...), nudge: 8, stop: 8,
			why: "2026 Q1: KEEP (timeliness)"},
		{name: "8: the same, spread", tales: append(months(loops(60), 1, 4, 7), months([]tale{loop("q1", late(6)), loop("q2", late(6)), loop("q3", late(6))}, 1, 4, 7)...), nudge: 9, stop: 9},
		{name: "8: an edge decides", tales: append(loops(59), edge), nudge: 8, stop: 8, why: "onsets moved by -2, -1: 1 unique catch (edge)"},

		{name: "9: fifty-nine loops and nothing lost", tales: loops(59), nudge: 9, stop: 9, change: "one unique catch that a person has labelled"},
		{name: "9: a bad path may go", tales: append(append(loops(59), falseHits(3)...), work("calm", nil)), nudge: 9, stop: 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := dossier(t, deleting(x), test.tales)
			d.Losses = test.losses
			nudge, stop := d.Decide(detectors.Nudge), d.Decide(detectors.ForceStop)
			if got := nudge.First().Rule; test.nudge != 0 && got != test.nudge {
				t.Errorf("nudge level: rule %d, want %d: %+v", got, test.nudge, nudge.Rulings)
			}
			got := stop.First()
			if got.Rule != test.stop {
				t.Errorf("stop level: rule %d, want %d: %+v", got.Rule, test.stop, stop.Rulings)
			}
			if !strings.Contains(got.Why, test.why) {
				t.Errorf("why: %q does not say %q", got.Why, test.why)
			}
			if !strings.Contains(got.Change, test.change) || got.Change == "" {
				t.Errorf("what would change it: %q does not say %q", got.Change, test.change)
			}
			if test.harmful && !stop.Harmful {
				t.Errorf("not HARMFUL: %s", stop.Word())
			}
		})
	}
}

// HARMFUL is a flag on whatever the verdict is, and the word of the rule stays.
func TestHarmful(t *testing.T) {
	hit := map[int]string{9: "x:force_stop"}
	d := dossier(t, deleting(x), append(loops(59), work("a", hit), work("b", nil)))
	if got := d.Decide(detectors.ForceStop); got.Harmful || got.Word() != "DELETABLE" {
		t.Errorf("all loops and half the work: %s", got.Word())
	}
	few := []tale{loop("a", hit), loop("b", nil), loop("c", nil), work("d", hit)}
	if got := dossier(t, deleting(x), few).Decide(detectors.ForceStop); got.Word() != "TRADE-OFF · HARMFUL" {
		t.Errorf("a third of the loops and all work: %s", got.Word())
	}
}

// Loops of one cluster are one: three tries at a task are no more than one.
func TestClustersCountOnce(t *testing.T) {
	list := loops(60)
	for i := range list {
		list[i].label = strings.Replace(list[i].label, "{reviewed", fmt.Sprintf("{cluster: task-%d, reviewed", i/3), 1)
	}
	r := dossier(t, deleting(x), list).Decide(detectors.ForceStop).First()
	if r.Rule != 5 || !strings.Contains(r.Change, "39 cluster") {
		t.Errorf("rule %d, %q", r.Rule, r.Change)
	}
}

// What a report says of a session is there by name, and a set is asked about as a whole.
func TestSets(t *testing.T) {
	list := append(loops(3), loop("mine", map[int]string{6: "x:force_stop"}), loop("yours", map[int]string{6: "y:force_stop"}))
	both := cells(t, dossier(t, deleting(x, y), list).Report(), "stop_unique", "session")
	if want := []string{"both-00", "both-01", "both-02", "mine", "yours"}; !slices.Equal(both, want) {
		t.Errorf("without both: unique catches %q, want %q", both, want)
	}
	one := cells(t, dossier(t, deleting(y), list).Report(), "stop_unique", "session")
	if !slices.Equal(one, []string{"yours"}) {
		t.Errorf("without y: unique catches %q", one)
	}
}

// Adding a path is the deletion dossier read backwards: of the preset with it.
func TestAdditionMirrorsDeletion(t *testing.T) {
	list := append(loops(9), loop("mine", map[int]string{6: "y:force_stop"}), work("hit", map[int]string{9: "y:nudge"}))
	alone := &detectors.Preset{Name: "toy-0", Set: detectors.Settings{}, Detectors: []*detectors.Detector{x}}
	add := dossier(t, &justify.Proposal{Kind: justify.Addition, Preset: alone, Set: detectors.Settings{}, Paths: []*detectors.Detector{y}}, list)
	del := dossier(t, deleting(y), list)
	for _, level := range board.Levels {
		if a, b := add.Decide(level), del.Decide(level); a.Word() != b.Word() || a.First().Why != b.First().Why {
			t.Errorf("adding: %s, %+v; deleting: %s, %+v", a.Word(), a.First(), b.Word(), b.First())
		}
	}
	if got := cells(t, add.Report(), "stop_unique", "session"); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("it brings %q", got)
	}
}

func section(t testing.TB, r *report.Report, key string) *report.Section {
	t.Helper()
	for i := range r.Sections {
		if r.Sections[i].Key == key {
			return &r.Sections[i]
		}
	}
	t.Fatalf("no section %q", key)
	return nil
}

// cells is a column of a section, as text.
func cells(t testing.TB, r *report.Report, key, column string) (list []string) {
	t.Helper()
	s := section(t, r, key)
	at := slices.IndexFunc(s.Columns, func(c report.Column) bool { return c.Key == column })
	for _, row := range s.Rows {
		list = append(list, row[at].Text)
	}
	return list
}

// demoDossier is one over the embedded corpus, with some labels made again.
func demoDossier(t testing.TB, p *justify.Proposal, relabel func(*corpus.Label)) *justify.Dossier {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	carried, labels := &corpus.Labels{}, &corpus.Labels{}
	for _, u := range found.Units {
		if err := carried.AddCarried(u.Session.Label, u.Session.ID, "demo"); err != nil {
			t.Fatal(err)
		}
		l := *carried.Of(u.Session.ID)
		if relabel != nil {
			relabel(&l)
		}
		if err := labels.Add(&l, "demo"); err != nil {
			t.Fatal(err)
		}
	}
	return over(t, p, found.Units, labels)
}

func sleepProposal() *justify.Proposal {
	preset := catalog.Find("kocoro-pre-sleep-removal", catalog.Presets)
	return &justify.Proposal{Kind: justify.Deletion, Preset: preset, Set: detectors.Settings{}, Paths: preset.Detectors[len(preset.Detectors)-1:]}
}

// One label changes the verdict on the sleep path as it should: the loop that
// only it catches, once a person has labelled it, is a proof to weigh against the
// work that it hits; relabelled as work it is one more false hit.
func TestOneLabelChangesTheVerdict(t *testing.T) {
	const mine = "sleep-chain-for-nothing"
	for _, test := range []struct {
		name    string
		relabel func(*corpus.Label)
		rule    int
		word    string
	}{
		{"as it is", nil, 4, "NOT-ENOUGH-EVIDENCE · HARMFUL"},
		{"labelled by a person", func(l *corpus.Label) {
			if l.Session == mine {
				l.Source = "human"
			}
		}, 2, "TRADE-OFF · HARMFUL"},
		{"work after all", func(l *corpus.Label) {
			if l.Session == mine {
				l.Source, l.Class, l.Spans = "human", corpus.Productive, nil
			}
		}, 4, "NOT-ENOUGH-EVIDENCE · HARMFUL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := demoDossier(t, sleepProposal(), test.relabel)
			for _, level := range board.Levels {
				got := d.Decide(level)
				if got.First().Rule != test.rule || got.Word() != test.word {
					t.Errorf("%s level: rule %d, %s", level, got.First().Rule, got.Word())
				}
			}
			named := d.Report()
			if test.rule == 2 && !strings.Contains(section(t, named, "verdict").Rows[1][3].Text, "lost "+mine) {
				t.Errorf("the lost loop is not named: %+v", section(t, named, "verdict").Rows)
			}
		})
	}
}

// What is caught only with a path, and what is caught on both sides, is what the
// preset catches; the path is in none of what is left; a cover of the catches is
// there. For every path of three presets, over the embedded corpus.
func TestDossierInvariants(t *testing.T) {
	if testing.Short() {
		t.Skip("replays the corpus once for each path")
	}
	for _, name := range []string{"kocoro-pre-sleep-removal", "kocoro-head", "mimo-head"} {
		preset := catalog.Find(name, catalog.Presets)
		for i, det := range preset.Detectors {
			t.Run(preset.Name+" without "+det.Name, func(t *testing.T) {
				p := &justify.Proposal{Kind: justify.Deletion, Preset: preset, Set: detectors.Settings{}, Paths: preset.Detectors[i : i+1]}
				checkDossier(t, p, demoDossier(t, p, nil))
			})
		}
	}
}

func checkDossier(t testing.TB, p *justify.Proposal, d *justify.Dossier) {
	t.Helper()
	if got := p.Question().Configs[1].Preset.Detectors; slices.ContainsFunc(got, func(det *detectors.Detector) bool { return slices.Contains(p.Paths, det) }) {
		t.Errorf("what is removed is still there: %v", got)
	}
	caught := d.CaughtLoops()
	for _, level := range board.Levels {
		unique, covered := d.Split(level)
		all := slices.Concat(unique, covered)
		slices.Sort(all)
		if !slices.Equal(all, caught[level]) {
			t.Errorf("%s level: %q and %q are not %q", level, unique, covered, caught[level])
		}
		for _, loop := range d.Uncovered(level) {
			t.Errorf("%s level: no path of the smallest set keeps %s", level, loop)
		}
	}
	for _, dec := range []*justify.Decision{d.Decide(detectors.Nudge), d.Decide(detectors.ForceStop)} {
		if len(dec.Rulings) != 9 {
			t.Errorf("%d rulings", len(dec.Rulings))
		}
		for i, r := range dec.Rulings {
			if r.Rule != i+1 || r.Why == "" || r.Applies != (r.Change != "") {
				t.Errorf("rule %d: %+v", i+1, r)
			}
		}
	}
}

// The same for random tales, in which paths mask, come early and come late.
func TestDossierInvariantsOfTales(t *testing.T) {
	asks := rapid.SampledFrom([]string{"", "", "", "x:nudge", "x:force_stop", "y:nudge", "y:force_stop", "x:nudge y:force_stop", "x:force_stop y:nudge", "x:block y:block"})
	labels := rapid.SampledFrom([]string{
		"", `{class: productive, reviewed: full}`, `{reviewed: full, spans: [{onset: 5, end: 9, shape: stuck}, {onset: 12, end: 20, shape: stuck, incident: I}]}`,
		`{reviewed: full, source: weak, spans: [{onset: 3, end: 20, shape: stuck}]}`, `{reviewed: full, spans: [{onset: 6, end: 18, shape: stuck, known_gap: true}]}`,
		`{reviewed: partial, spans: [{onset: 2, end: 6}], tolerate: [{from: 8, to: 10}]}`,
	})
	rapid.Check(t, func(rt *rapid.T) {
		var list []tale
		for i := range rapid.IntRange(0, 6).Draw(rt, "tales") {
			s := tale{id: fmt.Sprintf("t%d", i), label: labels.Draw(rt, "label"), told: map[int]string{}, month: rapid.IntRange(0, 12).Draw(rt, "month")}
			for call := 1; call <= 20; call++ {
				s.told[call] = asks.Draw(rt, "ask")
			}
			list = append(list, s)
		}
		p := deleting(rapid.SampledFrom([][]*detectors.Detector{{x}, {y}, {x, y}}).Draw(rt, "paths")...)
		d := dossier(t, p, list)
		checkDossier(t, p, d)
		if a, b := d.Report(), dossier(t, p, shuffled(rt, list)).Report(); fmt.Sprint(a) != fmt.Sprint(b) {
			rt.Errorf("the order of sessions matters:\n%v\n%v", a, b)
		}
	})
}

func shuffled(rt *rapid.T, list []tale) []tale {
	return rapid.Permutation(list).Draw(rt, "order")
}

// The preset without one path is the ablated view.
func TestWithoutIsTheAblatedView(t *testing.T) {
	p := sleepProposal()
	d := demoDossier(t, p, nil)
	var ablated []string
	plan, err := replay.NewPlan(replay.Question{DropOne: true, Configs: []replay.Config{{Preset: p.Preset}}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	labels := &corpus.Labels{}
	for _, u := range found.Units {
		if err := labels.AddCarried(u.Session.Label, u.Session.ID, "demo"); err != nil {
			t.Fatal(err)
		}
	}
	err = (&replay.Engine{Plan: plan, Split: transcript.Words}).Run(context.Background(), found.Units, func(o *replay.Outcome) error {
		for i := range plan.Points {
			if plan.Points[i].Without != p.Paths[0].Name {
				continue
			}
			for s, c := range corpus.Judge(labels.Of(o.Session.ID), o, o.Points[i], detectors.ForceStop).Spans {
				if c.Hit != nil {
					ablated = append(ablated, fmt.Sprintf("%s %d", o.Session.ID, s))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, covered := d.Split(detectors.ForceStop)
	slices.Sort(ablated)
	if !slices.Equal(ablated, covered) {
		t.Errorf("the ablated point catches %q, the dossier says %q", ablated, covered)
	}
}
