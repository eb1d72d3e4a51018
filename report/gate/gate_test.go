package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/board"
	"groundhog/report/board/boardtest"
	"groundhog/report/stat"
)

// baselineOf is what the demo corpus comes to under a setting.
func baselineOf(t testing.TB, set detectors.Settings) *Baseline {
	b := boardtest.Demo(t, boardtest.KocoroAt(set), nil)
	return Take(b, 0, "token", hashed)
}

func gateOf(base, now *Baseline) *Gate {
	var ids []string
	for _, d := range boardtest.KocoroAt(nil)[0].Preset.Detectors {
		ids = append(ids, d.Name)
	}
	return &Gate{Base: base, Now: now, Rules: DefaultRules(), AsOf: "2026-11-30", Inconclusive: "warn", Detectors: ids}
}

// hashed stands for the digest of a session.
func hashed(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// typed is a baseline of sessions written out: "TP@7", "FN", "TN", "FP@3".
// The first letter of the id says what it is: l for a loop, w for work, g for a gap,
// u for nothing.
func typed(t testing.TB, states map[string]string) *Baseline {
	t.Helper()
	b := &Baseline{Tool: Version, Preset: "kocoro-4ec6772", PresetDigest: "p", Set: detectors.Settings{"kocoro/exact_duplicate.nudge": "5"}, Split: "token", Cluster: "session", Seed: 1, Confidence: stat.Level}
	for id, outcome := range states {
		s := State{ID: id, Content: hashed(id), Cluster: "session:" + id, File: id + ".jsonl"}
		s.Class = map[byte]corpus.Class{'l': corpus.Loop, 'w': corpus.Productive, 'g': corpus.KnownGap, 'u': corpus.Unlabelled}[id[0]]
		if s.Class != corpus.Unlabelled {
			s.Label = "label of " + id
		}
		for k := range s.At {
			s.At[k] = levelOf(t, s.Class, outcome)
		}
		b.Sessions = append(b.Sessions, s)
	}
	slices.SortFunc(b.Sessions, func(x, y State) int { return strings.Compare(x.ID, y.ID) })
	return b
}

func levelOf(t testing.TB, class corpus.Class, outcome string) LevelState {
	t.Helper()
	word, at, fires := strings.Cut(outcome, "@")
	l := LevelState{Result: corpus.Result(word), Calls: 20, WorkCalls: 20}
	if !corpus.IsResult(l.Result) {
		t.Fatalf("outcome %q is none", outcome)
	}
	if fires {
		call := 0
		for _, c := range at {
			call = 10*call + int(c-'0')
		}
		l.First = &Place{Call: call, Line: call + 1, Phase: detectors.AfterCall, Detector: "kocoro/exact_duplicate", Verdict: detectors.ForceStop}
	}
	if board.IsFalseHit(l.Result) {
		l.Wrong, l.FalseEpisodes = l.First, 1
	}
	if class == corpus.Loop {
		s := Loop{Onset: 2, Wasted: 10}
		if l.Result == corpus.TruePositive {
			s.Hit, s.Wasted = l.First, l.First.Call-2
		}
		l.Spans = []Loop{s}
	}
	return l
}

func judged(t testing.TB, base, now map[string]string, change func(*Gate)) *Result {
	t.Helper()
	g := gateOf(typed(t, base), typed(t, now))
	if change != nil {
		change(g)
	}
	return g.Judge()
}

// ruleAt sets a rule.
func ruleAt(name, level string, limit float64) func(*Gate) {
	return func(g *Gate) {
		for i := range g.Rules {
			if g.Rules[i].Name == name {
				g.Rules[i].Level, g.Rules[i].Limit = level, limit
			}
		}
	}
}

func TestGateRules(t *testing.T) {
	base := map[string]string{"l1": "TP@7", "l2": "FN", "w1": "TN", "w2": "FP@4", "g1": "GAP-miss", "u1": "UNK-quiet"}
	with := func(id, outcome string) map[string]string {
		m := map[string]string{}
		for k, v := range base {
			m[k] = v
		}
		if m[id] = outcome; outcome == "" {
			delete(m, id)
		}
		return m
	}
	for _, test := range []struct {
		name    string
		now     map[string]string
		rule    string
		status  Status
		session string
		verdict Verdict
		change  func(*Gate)
	}{
		{"nothing", base, "new_false_stops", Holds, "", Pass, nil},
		{"a false stop", with("w1", "FP@3"), "new_false_stops", Broken, "w1", Fail, nil},
		{"a loop that is stopped too early", with("l2", "PREM@1"), "new_false_stops", Broken, "l2", Fail, nil},
		{"a false stop where one was", with("w2", "FP@9"), "new_false_stops", Holds, "", Pass, nil},
		{"a catch lost", with("l1", "FN"), "lost_catches", Broken, "l1", Fail, nil},
		{"a catch turned into a false stop is lost", with("l1", "PREM@1"), "lost_catches", Broken, "l1", Fail, nil},
		{"… and no second finding", with("l1", "PREM@1"), "new_false_stops", Holds, "", Fail, nil},
		{"the record ends before the catch", with("l1", "CENS"), "lost_catches", CannotSay, "l1", Pass, nil},
		{"a catch three calls later", with("l1", "TP@10"), "later_by", Broken, "l1", Pass, nil},
		{"a catch two calls later", with("l1", "TP@9"), "later_by", Holds, "", Pass, nil},
		{"later, as an error", with("l1", "TP@8"), "later_by", Broken, "l1", Fail, ruleAt("later_by", "error", 0)},
		{"a gap closed", with("g1", "GAP-hit@9"), "gap_closed", Broken, "g1", Pass, nil},
		{"a labelled session gone", with("l2", ""), "corpus_shrank", Broken, "l2", Fail, nil},
		{"an unlabelled session gone", with("u1", ""), "corpus_shrank", Holds, "", Pass, nil},
		{"a session without a label more", with("u2", "UNK-quiet"), "unlabelled_growth", Broken, "", Pass, nil},
		{"a rule that is off", with("w1", "FP@3"), "new_false_stops", NotAsked, "", Pass, func(g *Gate) {
			ruleAt("new_false_stops", "off", 0)(g)
			ruleAt("new_false_nudges", "off", 0)(g)
		}},
		{"false nudges count where the stop does not", with("w1", "FP@3"), "new_false_nudges", Holds, "", Fail, nil},
		{"more false episodes", with("w1", "FP@3"), "false_per_1k", Broken, "", Fail, nil},
		{"more waste", with("l1", "TP@9"), "waste", Broken, "", Pass, nil},
		{"nothing labelled is no pass of the rule", map[string]string{"u1": "UNK-fire@3"}, "new_false_stops", CannotSay, "", Fail, nil}, // l1 … are gone
	} {
		t.Run(test.name, func(t *testing.T) {
			r := judged(t, base, test.now, test.change)
			ru := r.ruling(test.rule)
			if ru.Status != test.status {
				t.Errorf("%s: %s (%s), want %s", test.rule, ru.Status, ru.What, test.status)
			}
			if test.session != "" && (len(ru.Findings) == 0 || ru.Findings[0].Session != test.session) {
				t.Errorf("%s names %+v, want %s", test.rule, ru.Findings, test.session)
			}
			if r.Verdict != test.verdict {
				t.Errorf("verdict %s, want %s: %s", r.Verdict, test.verdict, r.Headline())
			}
		})
	}
}

func TestGateKilledSuccess(t *testing.T) {
	g := gateOf(typed(t, map[string]string{"w1": "FP@3"}), typed(t, map[string]string{"w1": "FP@2"}))
	if r := g.Judge(); r.ruling("killed_success").Status != Holds {
		t.Errorf("nothing is killed, and the rule is %s", r.ruling("killed_success").Status)
	}
	g.Now.Sessions[0].Killed = true
	if r := g.Judge(); r.Verdict != Fail || r.ruling("killed_success").Findings[0].Session != "w1" {
		t.Errorf("a success is killed, and the gate says %s", r.Headline())
	}
	g.Base.Sessions[0].Killed = true
	if r := g.Judge(); r.Verdict != Pass {
		t.Errorf("it was killed before, and the gate says %s", r.Headline())
	}
}

// Bounds have three values. 1/233 has the upper bound 2.02 %, 0/120 one
// of 2.47 %, 2/120 one of 5.15 %.
func TestGateBounds(t *testing.T) {
	corpusOf := func(stops, work int) map[string]string {
		m := map[string]string{}
		for i := range work {
			outcome := "TN"
			if i < stops {
				outcome = "FP@3"
			}
			m["w"+strings.Repeat("x", i)] = outcome
		}
		return m
	}
	for _, test := range []struct {
		stops, work  int
		limit        float64
		status       Status
		inconclusive string
		verdict      Verdict
		says         string
	}{
		{1, 233, 0.0203, Holds, "warn", Pass, "1 of 233 productive sessions, bound 2 %"},
		{0, 120, 0.01, CannotSay, "warn", Pass, "label 179 more without another error"},
		{0, 120, 0.01, CannotSay, "fail", Inconclusive, "the data do not decide"},
		{0, 120, 0.01, CannotSay, "pass", Pass, "the data do not decide"},
		{2, 120, 0.01, Broken, "warn", Fail, "bound 5.2 %"},
		{2, 120, 0.02, CannotSay, "warn", Pass, "the data do not decide"},
	} {
		m := corpusOf(test.stops, test.work)
		r := judged(t, m, m, func(g *Gate) {
			for i := range g.Rules {
				g.Rules[i].Level = "off"
			}
			ruleAt("fpr_upper95", "error", test.limit)(g)
			g.Inconclusive = test.inconclusive
		})
		ru := r.ruling("fpr_upper95")
		if ru.Status != test.status || r.Verdict != test.verdict || !strings.Contains(ru.What, test.says) {
			t.Errorf("%d of %d, limit %g, %s: %s, %s: %s", test.stops, test.work, test.limit, test.inconclusive, ru.Status, r.Verdict, ru.What)
		}
	}
	r := judged(t, map[string]string{"l1": "TP@3"}, map[string]string{"l1": "TP@3"}, ruleAt("fpr_upper95", "error", 0.5))
	if ru := r.ruling("fpr_upper95"); ru.Status != CannotSay || !strings.Contains(ru.What, "undefined") {
		t.Errorf("without work the bound is %s: %s", ru.Status, ru.What)
	}
	r = judged(t, map[string]string{"l1": "TP@3", "l2": "FN"}, map[string]string{"l1": "TP@3", "l2": "FN"}, ruleAt("recall_lower95", "error", 0.9))
	if ru := r.ruling("recall_lower95"); ru.Status != Broken || r.Verdict != Fail {
		t.Errorf("1 of 2 loops is below 90 %%, and the rule is %s: %s", ru.Status, ru.What)
	}
}

// Sessions of one cluster count once, and one false stop makes the cluster an event.
func TestGateBoundsCountClusters(t *testing.T) {
	m := map[string]string{"w1": "FP@3", "w2": "TN", "w3": "TN", "w4": "TN"}
	g := gateOf(typed(t, m), typed(t, m))
	for i := range 2 {
		g.Now.Sessions[i].Cluster = "task:one"
	}
	ruleAt("fpr_upper95", "error", 0.9)(g)
	if ru := g.Judge().ruling("fpr_upper95"); !strings.HasPrefix(ru.What, "1 of 3 productive clusters") {
		t.Errorf("two sessions of one task: %s", ru.What)
	}
}

func TestGateExceptions(t *testing.T) {
	base, now := map[string]string{"w1": "TN", "l1": "TP@4"}, map[string]string{"w1": "FP@3", "l1": "TP@4"}
	e := Exception{Session: "w1", Detector: "exact_duplicate", Level: "stop", Reason: "r", Owner: "o", Expires: "2026-11-30", From: "groundhog.yaml:3"}
	nudge := e
	nudge.Level = "nudge"
	for _, test := range []struct {
		name    string
		allow   []Exception
		asOf    string
		verdict Verdict
		says    string // of exception_expired
	}{
		{"none", nil, "2026-11-30", Fail, ""},
		{"on its last day", []Exception{e}, "2026-11-30", Pass, ""},
		{"a day later", []Exception{e}, "2026-12-01", Fail, "expired on 2026-11-30, and is still needed"},
		{"of another level", []Exception{nudge}, "2026-11-30", Fail, "is not needed"},
	} {
		r := judged(t, base, now, func(g *Gate) { g.Allow, g.AsOf = test.allow, test.asOf })
		if r.Verdict != test.verdict {
			t.Errorf("%s: %s, want %s", test.name, r.Headline(), test.verdict)
		}
		ru := r.ruling("exception_expired")
		if (test.says == "") != (len(ru.Findings) == 0) || test.says != "" && !strings.Contains(ru.Findings[0].Text, test.says) {
			t.Errorf("%s: exceptions %+v, want %q", test.name, ru.Findings, test.says)
		}
	}
	// What somebody answers for is no growth either.
	r := judged(t, base, now, func(g *Gate) { g.Allow = []Exception{e} })
	if ru := r.ruling("false_per_1k"); ru.Status == Broken {
		t.Errorf("an allowed false stop counts as growth: %s", ru.What)
	}
	// A session that is gone is allowed by the rule's name.
	gone := e
	gone.Session, gone.Detector = "l1", "corpus_shrank"
	r = judged(t, base, map[string]string{"w1": "TN"}, func(g *Gate) { g.Allow = []Exception{gone} })
	if r.Verdict != Pass || r.ruling("exception_expired").Status != Holds || r.ruling("unknown_field").Status != Holds {
		t.Errorf("a session that may go: %s", r.Headline())
	}
	r = judged(t, base, now, func(g *Gate) {
		wrong := e
		wrong.Detector = "kocoro/sleep"
		g.Allow = []Exception{wrong}
	})
	if ru := r.ruling("unknown_field"); ru.Status != Broken || !strings.Contains(ru.Findings[0].Text, "kocoro/sleep") {
		t.Errorf("an exception for a detector that is gone: %s %+v", ru.Status, ru.Findings)
	}
}

// Sessions that are not the same are named and not compared.
func TestGateCorpusChanged(t *testing.T) {
	base := map[string]string{"l1": "TP@7", "w1": "TN", "w2": "TN"}
	g := gateOf(typed(t, base), typed(t, map[string]string{"l1": "FN", "w1": "FP@3", "w2": "TN", "w3": "FP@2"}))
	g.Now.Sessions[0].Content = hashed("something else")
	g.Now.Sessions[1].Label = "another label"
	r := g.Judge()
	if !slices.Equal(r.Changed, []string{"l1"}) || !slices.Equal(r.Relabelled, []string{"w1"}) || !slices.Equal(r.Added, []string{"w3"}) || r.Compared != 1 {
		t.Errorf("changed %v, relabelled %v, added %v, compared %d", r.Changed, r.Relabelled, r.Added, r.Compared)
	}
	if len(r.Flips) != 0 || r.Verdict != Pass {
		t.Errorf("flips %v, %s", r.Flips, r.Headline())
	}
	if ru := r.ruling("corpus_changed"); ru.Status != Broken || len(ru.Findings) != 2 {
		t.Errorf("corpus_changed: %s %+v", ru.Status, ru.Findings)
	}
}

// A baseline compared with itself has no flips and breaks no rule, for every setting.
func TestGateAgainstItself(t *testing.T) {
	for _, n := range []int{3, 5} {
		b := baselineOf(t, boardtest.NudgeAt(n))
		r := gateOf(b, b).Judge()
		if len(r.Flips) != 0 || r.Verdict != Pass || r.Compared != len(b.Sessions) || r.Compared == 0 {
			t.Errorf("nudge %d: %d flips, %s", n, len(r.Flips), r.Headline())
		}
		for i := range r.Rulings {
			if ru := &r.Rulings[i]; ru.Status == Broken || ru.Status == CannotSay {
				t.Errorf("nudge %d: %s is %s: %s", n, ru.Name, ru.Status, ru.What)
			}
		}
	}
}

// The flips of a gate are those of the board, which compare prints.
func TestGateFlipsAreThoseOfCompare(t *testing.T) {
	b := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(5), boardtest.NudgeAt(3)), nil)
	r := gateOf(Take(b, 0, "token", hashed), Take(b, 1, "token", hashed)).Judge()
	var want, got []string
	for _, level := range board.Levels {
		for _, f := range b.Flips(0, 1, level) {
			want = append(want, board.LevelName(level)+" "+f.Session+" "+f.Kind())
		}
	}
	for _, f := range r.Flips {
		got = append(got, f.Level+" "+f.Session+" "+f.What)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("flips %q, compare has %q", got, want)
	}
	for _, level := range board.Levels { // and so are the numbers
		totals := b.Sample(1, level, nil).Detail()
		for _, m := range r.Numbers {
			if m.Level == level && m.Key == "recall" && m.Cell.N != int64(totals.Tally[corpus.TruePositive]) {
				t.Errorf("recall %d, board has %d", m.Cell.N, totals.Tally[corpus.TruePositive])
			}
			if m.Level == level && m.Key == "waste_per_loop" && (m.Cell.N != int64(totals.Wasted) || m.Cell.D != int64(totals.Spans)) {
				t.Errorf("waste %d/%d, board has %d/%d", m.Cell.N, m.Cell.D, totals.Wasted, totals.Spans)
			}
		}
	}
}

// Whatever was planted, accepting everything gives a baseline the gate passes,
// by way of its file; accepting twice changes nothing.
func TestAcceptedIsPassed(t *testing.T) {
	outcomes := map[byte][]string{'l': {"TP@4", "TP@9", "FN", "PREM@1", "LATE@15", "CENS"}, 'w': {"TN", "FP@3", "UNK-fire@5"}, 'g': {"GAP-miss", "GAP-hit@4"}, 'u': {"UNK-quiet", "UNK-fire@2"}}
	rapid.Check(t, func(rt *rapid.T) {
		side := func(name string) map[string]string {
			m := map[string]string{}
			for _, id := range []string{"l1", "l2", "l3", "w1", "w2", "w3", "g1", "u1"} {
				if rapid.IntRange(0, 5).Draw(rt, name+id) > 0 {
					m[id] = rapid.SampledFrom(outcomes[id[0]]).Draw(rt, name+id+" outcome")
				}
			}
			return m
		}
		g := gateOf(typed(t, side("base")), typed(t, side("now")))
		for i := range g.Now.Sessions {
			if rapid.IntRange(0, 4).Draw(rt, "content") == 0 {
				g.Now.Sessions[i].Content = hashed("new")
			}
		}
		u, err := g.Accept(g.Judge(), Accept{All: true, Reason: "r", Owner: "o", Expires: "2027-01-01"})
		if err != nil {
			rt.Fatal(err)
		}
		raw, err := u.Baseline.Encode()
		if err != nil {
			rt.Fatal(err)
		}
		base, err := DecodeBaseline(raw)
		if err != nil {
			rt.Fatalf("%v\n%s", err, raw)
		}
		after := gateOf(base, g.Now)
		r := after.Judge()
		if r.Verdict != Pass || len(u.Left) != 0 {
			rt.Fatalf("after accepting all: %s\n%s", r.Headline(), raw)
		}
		again, err := after.Accept(r, Accept{})
		if err != nil || len(again.Left) != 0 || len(again.Taken) != 0 {
			rt.Fatalf("after accepting all there is left %+v (%v)", again.Left, err)
		}
		if second, _ := again.Baseline.Encode(); !bytes.Equal(second, raw) {
			rt.Fatalf("a second update changes the file:\n%s\n%s", raw, second)
		}
		after.AsOf = "2027-01-02" // the day after: what was tolerated fails again
		if n := len(base.Exceptions); n > 0 && after.Judge().ruling("exception_expired").Status != Broken {
			rt.Fatalf("%d exceptions are over and none is named", n)
		}
	})
}

func TestAcceptNeedsSomebody(t *testing.T) {
	base, now := map[string]string{"w1": "TN", "l1": "TP@4", "l2": "FN"}, map[string]string{"w1": "FP@3", "l1": "TP@4", "l2": "TP@6"}
	g := gateOf(typed(t, base), typed(t, now))
	r := g.Judge()
	for _, acc := range []Accept{
		{Sessions: []string{"w1"}},
		{Sessions: []string{"w1"}, Reason: "r", Owner: "o"},
		{All: true, Reason: "r"},
		{All: true, Owner: "o", Expires: "2027-01-01"},
		{Sessions: []string{"l1"}, Reason: "r"}, // has not changed
	} {
		if _, err := g.Accept(r, acc); err == nil {
			t.Errorf("%+v is accepted", acc)
		}
	}
	u, err := g.Accept(r, Accept{Sessions: []string{"l2"}})
	if err != nil {
		t.Fatalf("a gain needs nobody to answer for it: %v", err)
	}
	if len(u.Left) != 1 || u.Left[0].Session != "w1" || u.Baseline.find("l2").At[1].Result != corpus.TruePositive || u.Baseline.find("w1").At[1].Result != corpus.TrueNegative {
		t.Errorf("left %+v, baseline %+v", u.Left, u.Baseline.Sessions)
	}
	u, err = g.Accept(r, Accept{Sessions: []string{"w1"}, Reason: "r", Owner: "o", Expires: "2027-01-01"})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Baseline.Exceptions) != 1 || u.Baseline.Exceptions[0].Detector != "kocoro/exact_duplicate" || u.Baseline.find("w1").At[1].Result != corpus.TrueNegative {
		t.Errorf("a false stop is accepted as %+v", u.Baseline.Exceptions)
	}
}

func TestSelfTest(t *testing.T) {
	g := gateOf(baselineOf(t, nil), nil)
	st, err := g.SelfTest()
	if err != nil {
		t.Fatal(err)
	}
	if !st.OK || len(st.Trials) != 4 {
		t.Fatalf("%+v", st)
	}
	for _, x := range st.Trials[1:] {
		if x.Verdict != Fail || x.Session == "" || x.Named == "" {
			t.Errorf("%+v", x)
		}
	}
	// A gate that could not fail is found out.
	for _, change := range []func(*Gate){
		ruleAt("lost_catches", "off", 0),
		ruleAt("new_false_stops", "warning", 0),
		func(g *Gate) { g.Base = typed(t, map[string]string{"u1": "UNK-quiet"}) },
		func(g *Gate) { g.Base = typed(t, map[string]string{"w1": "TN"}) },
	} {
		g := gateOf(baselineOf(t, nil), nil)
		change(g)
		if st, err := g.SelfTest(); err != nil || st.OK {
			t.Errorf("a gate that cannot fail passes its test: %+v %v", st, err)
		}
	}
}
