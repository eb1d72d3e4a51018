package corpus_test

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// whenTold asks for what it is told to, in each phase: by the text of a delta, by
// the arguments before a call and after it, by the id of a step at its end.
func whenTold(phase string) *detectors.Detector {
	type none struct{}
	type ask struct{ Verdict int }
	heard := func(s, prefix string) (ask, bool) {
		word, ok := strings.CutPrefix(s, prefix)
		v, err := detectors.ParseVerdict(word)
		return ask{int(v)}, ok && err == nil
	}
	r := detectors.Rule[none, none, ask]{
		Name: "toy/" + phase, Doc: "asks for what it is told to", Origin: detectors.Origin{Source: "this test"},
		New:     func(*detectors.Inputs) *none { return &none{} },
		Judge:   func(m ask, _ none) detectors.Verdict { return detectors.Verdict(m.Verdict) },
		Explain: func(ask, none, detectors.Verdict) (reason, text string) { return "", "" },
	}
	switch phase {
	case "stream":
		r.OnDelta = func(_ *none, d *transcript.Delta) (ask, bool) { return heard(d.Text, "") }
	case "pre":
		r.OnPropose = func(_ *none, c *transcript.Call) (ask, bool) { return heard(c.Args, "pre ") }
	case "post":
		r.OnCall = func(_ *none, c *transcript.Call) (ask, bool) { return heard(c.Args, "post ") }
	case "end":
		r.OnStep = func(_ *none, s *transcript.Step) (ask, bool) { return heard(s.ID, "") }
	}
	return detectors.Define(r)
}

// judged replays steps, each written as words: a call is its arguments after "c",
// "~x" is streamed text x, "$x" the id of the step, "@5m" its time since the
// first. A step takes 100 tokens.
func judged(t testing.TB, veto bool, steps ...string) *replay.Outcome {
	t.Helper()
	list := []*transcript.Step{{Kind: transcript.Prompt}}
	for _, words := range steps {
		s := &transcript.Step{Usage: transcript.Usage{Known: true, Input: 20, CacheRead: 70, Output: 10}}
		for word := range strings.SplitSeq(words, "; ") {
			switch {
			case strings.HasPrefix(word, "~"):
				s.Parts = append(s.Parts, transcript.Part{Text: word[1:], Cuts: []transcript.Cut{{End: len(word) - 1}}})
			case strings.HasPrefix(word, "$"):
				s.ID = word[1:]
			case strings.HasPrefix(word, "@"):
				d, err := time.ParseDuration(word[1:])
				if err != nil {
					t.Fatal(err)
				}
				s.Time = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
			case strings.HasPrefix(word, "c"):
				s.Calls = append(s.Calls, transcript.Call{Tool: "t", Args: strings.TrimPrefix(word[1:], " ")})
			case strings.HasPrefix(word, "remind"):
				s = &transcript.Step{Kind: transcript.Injection, Flags: transcript.Synthetic, Parts: []transcript.Part{{Text: "You seem to be stuck in a loop."}}}
			}
		}
		list = append(list, s)
	}
	preset := &detectors.Preset{Name: "toys", BatchVeto: veto, Set: detectors.Settings{},
		Detectors: []*detectors.Detector{whenTold("stream"), whenTold("pre"), whenTold("post"), whenTold("end")}}
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: preset}}})
	if err != nil {
		t.Fatal(err)
	}
	u := &formats.Unit{Session: &transcript.Session{ID: "s"}, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
	var out *replay.Outcome
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
		out = o
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A loop of calls 3 to 9 in a run of 10, one call a step, allowed up to call 4.
const loopLabel = `{reviewed: full, spans: [{onset: 3, ideal_stop_after: 4, end: 9}]}`

// stepsWith is n steps, of which the one of a call has other words.
func stepsWith(n, call int, words string) []string {
	var steps []string
	for i := 1; i <= n; i++ {
		if i == call {
			steps = append(steps, words)
		} else {
			steps = append(steps, "c")
		}
	}
	return steps
}

// Latency and waste for a fire in each phase, against values worked out by
// hand: executed is what runs if the stop is obeyed, proposed what the model wrote.
func TestLatencyAndWaste(t *testing.T) {
	type numbers struct {
		Latency, Wasted, Proposed int
		LatencyTokens, Tokens     int64
	}
	for _, test := range []struct {
		name  string
		veto  bool
		steps []string
		want  numbers
	}{
		{"after call 6", false, stepsWith(10, 6, "c post force_stop"), numbers{3, 2, 2, 400, 200}},
		{"at the end of the step of call 6", false, stepsWith(10, 6, "c; $force_stop"), numbers{3, 2, 2, 400, 200}},
		{"before call 6", false, stepsWith(10, 6, "c pre force_stop"), numbers{3, 1, 2, 400, 200}},
		{"before call 6, and the batch is vetoed", true, stepsWith(10, 6, "c pre force_stop"), numbers{3, 1, 2, 400, 200}},
		{"in the stream of the step of call 6", false, stepsWith(10, 6, "~force_stop; c"), numbers{3, 1, 1, 400, 200}},
		{"at the onset", false, stepsWith(10, 3, "c post force_stop"), numbers{0, 0, 0, 100, 0}},
		{"before the ideal stop nothing is wasted", false, stepsWith(10, 4, "c post force_stop"), numbers{1, 0, 0, 200, 0}},
		{"in the middle of a batch of calls 6 to 8", false, append(stepsWith(5, 0, ""), "c; c post force_stop; c", "c", "c"), numbers{4, 4, 4, 400, 200}},
		{"before call 7 of that batch", false, append(stepsWith(5, 0, ""), "c; c pre force_stop; c", "c", "c"), numbers{4, 2, 4, 400, 200}},
		{"the same, and the batch is vetoed", true, append(stepsWith(5, 0, ""), "c; c pre force_stop; c", "c", "c"), numbers{4, 1, 4, 400, 200}},
	} {
		j := corpus.Judge(carried(t, loopLabel), judged(t, test.veto, test.steps...), judged(t, test.veto, test.steps...).Points[0], detectors.ForceStop)
		if len(j.Spans) != 1 || j.Spans[0].Hit == nil || j.Result != corpus.TruePositive {
			t.Errorf("%s: %s, %+v", test.name, j.Result, j.Spans)
			continue
		}
		c := j.Spans[0]
		got := numbers{c.Latency, c.Wasted, c.Proposed, c.LatencyTokens.N, c.WastedTokens.N}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func judge(t testing.TB, label string, level detectors.Verdict, steps ...string) *corpus.Judgement {
	t.Helper()
	o := judged(t, false, steps...)
	var l *corpus.Label
	if label != "" {
		l = carried(t, label)
	}
	return corpus.Judge(l, o, o.Points[0], level)
}

// A missed loop is charged to its end, or a detector that never fires would have
// no waste.
func TestAMissedLoopIsChargedToItsEnd(t *testing.T) {
	j := judge(t, loopLabel, detectors.ForceStop, stepsWith(10, 0, "")...)
	c := j.Spans[0]
	if c.Hit != nil || c.Wasted != 5 || c.WastedTokens.N != 500 || c.AtLeast || j.Result != corpus.FalseNegative {
		t.Errorf("%s %+v", j.Result, c)
	}
	j = judge(t, `{reviewed: full, spans: [{onset: 3, end: 10, censored: true}]}`, detectors.ForceStop, stepsWith(10, 0, "")...)
	if c := j.Spans[0]; c.Wasted != 7 || !c.AtLeast {
		t.Errorf("censored: %+v", c)
	}
}

// What an obeyed stop saves and destroys, with times.
func TestSavingsAndDamage(t *testing.T) {
	steps := []string{"c; @0s", "c; @1m", "c; @2m", "c; @3m", "c post force_stop; @4m", "c; @5m", "c; @6m", "c; @20m", "c; @21m", "c; @22m"}
	j := judge(t, `{reviewed: full, spans: [{onset: 3, end: 7, escaped: true}]}`, detectors.ForceStop, steps...)
	want := &corpus.Obeyed{
		Saved:    corpus.Amount{Calls: 2, Tokens: replay.Tokens{N: 200}, Time: 2 * time.Minute, Timed: true},
		Foregone: corpus.Amount{Calls: 3, Tokens: replay.Tokens{N: 300}, Time: 2 * time.Minute, Timed: true}, // 14 idle minutes left out
		Overhead: 90 + corpus.SummaryTokens,
	}
	if d := cmp.Diff(want, j.Stop); d != "" || len(j.Damage) != 0 {
		t.Errorf("(-want +got):\n%s%v", d, j.Damage)
	}
	j = judge(t, `{reviewed: full}`, detectors.ForceStop, steps...)
	if len(j.Damage) != 1 || j.Stop != nil {
		t.Fatalf("%+v", j)
	}
	d := j.Damage[0]
	if d.Cut != (corpus.Amount{Calls: 5, Tokens: replay.Tokens{N: 500}, Time: 4 * time.Minute, Timed: true}) || d.Sunk.N != 500 || d.Killed {
		t.Errorf("%+v", d)
	}
	for label, want := range map[string]bool{`{reviewed: full}`: true, `{reviewed: full, done_at: {run: 0, call: 6}}`: true, `{reviewed: full, done_at: {run: 0, call: 5}}`: false} {
		o := judged(t, false, steps...)
		success := true
		o.Session.Recorded.Success = &success
		if j := corpus.Judge(carried(t, label), o, o.Points[0], detectors.ForceStop); j.Damage[0].Killed != want {
			t.Errorf("%s: killed %v, want %v", label, j.Damage[0].Killed, want)
		}
	}
}

// Episodes measure annoyance: fires one call apart are one, whoever else fires.
func TestEpisodes(t *testing.T) {
	steps := []string{"c post nudge", "c post nudge", "c", "c post nudge", "c pre nudge", "c post nudge; $nudge"}
	j := judge(t, `{reviewed: full}`, detectors.Nudge, steps...)
	// post at 1 and 2; post at 4; pre at 5; post at 6 (two calls after 4) and the end of step 6.
	if j.Fires != 6 || j.Episodes != 5 || j.FalseFires != 6 || j.FalseEpisodes != 5 || j.Calls != 6 || j.WorkCalls != 6 {
		t.Errorf("%+v", j)
	}
	j = judge(t, `{reviewed: full, tolerate: [{from: 1, to: 1}], spans: [{onset: 4, end: 6}]}`, detectors.Nudge, steps...)
	// 1 is not judged; 2 is false; 4 is right, and what follows in its window repeats.
	if j.Unjudged != 1 || j.FalseFires != 1 || j.FalseEpisodes != 1 || j.RightFires != 1 || j.Repeat != 3 || j.WorkCalls != 2 {
		t.Errorf("%+v", j)
	}
	j = judge(t, `{reviewed: partial}`, detectors.Nudge, steps...)
	if j.Result != corpus.UnknownFire || j.WorkCalls != 0 || j.FalseFires != 0 || j.Unjudged != 6 {
		t.Errorf("partly reviewed: %+v", j)
	}
	if j = judge(t, "", detectors.Nudge, steps...); j.Result != corpus.UnknownFire || j.Fires != 6 || j.Calls != 6 || j.WorkCalls != 0 {
		t.Errorf("unlabelled: %+v", j)
	}
}

// A stop ends the run: what follows is no exposure.
func TestExposureEndsWithTheStop(t *testing.T) {
	j := judge(t, `{reviewed: full}`, detectors.Nudge, stepsWith(10, 4, "c post force_stop")...)
	if j.Calls != 4 || j.WorkCalls != 4 {
		t.Errorf("%d calls, %d of work", j.Calls, j.WorkCalls)
	}
}

// A record that a live detector cut short says nothing about what a looser one
// would have caught.
func TestInterventionsCensor(t *testing.T) {
	o := judged(t, false, stepsWith(10, 0, "")...)
	l := carried(t, `{reviewed: full, spans: [{onset: 3, end: 10, censored: true}]}`)
	if j := corpus.Judge(l, o, o.Points[0], detectors.ForceStop); j.Result != corpus.FalseNegative {
		t.Errorf("without: %s", j.Result)
	}
	o.Intervened = true
	j := corpus.Judge(l, o, o.Points[0], detectors.ForceStop)
	var totals corpus.Totals
	totals.Add(j)
	if j.Result != corpus.Censored || !j.Spans[0].Censored || totals.Spans != 0 || totals.Censored != 1 {
		t.Errorf("with: %s %+v %+v", j.Result, j.Spans, totals)
	}
	if caught, of, left := totals.Curve(7); caught != 0 || of != 1 || left != 0 {
		t.Errorf("D(7) = %d of %d, %d left out", caught, of, left)
	}
	if _, of, left := totals.Curve(8); of != 0 || left != 1 {
		t.Errorf("D(8) of %d, %d left out: the record ends 7 calls after the onset", of, left)
	}
}

// A nudge that the record shows is no divergence for who would have given it, and
// is one for a configuration that would not.
func TestRecordedNudges(t *testing.T) {
	tiers := func(steps ...string) (list string) {
		o := judged(t, false, steps...)
		for _, f := range o.Points[0].Fires {
			list += string(f.Tier)
		}
		return list
	}
	if got := tiers("c post nudge", "c", "c post nudge"); got != "EC" {
		t.Errorf("nothing recorded: %s", got)
	}
	if got := tiers("c post nudge", "remind", "c", "c post nudge"); got != "EE" {
		t.Errorf("the same recorded: %s", got)
	}
	if got := tiers("c", "remind", "c", "c post nudge"); got != "C" {
		t.Errorf("another recorded: %s", got)
	}
	if got := tiers("c post nudge", "c", "remind", "c post nudge"); got != "EC" {
		t.Errorf("recorded too late: %s", got)
	}
}

// D(k) never falls, waste and latency are never negative, and every fire is
// right, repeated, false, in a gap or unjudged.
func TestJudgementsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SampledFrom([]string{"c", "c", "c", "c; c", "c post nudge", "c pre nudge", "c post force_stop", "~nudge; c", "~force_stop", "c; $nudge", "c; c post nudge; c"})
		steps := rapid.SliceOfN(words, 1, 12).Draw(rt, "steps")
		onset := rapid.IntRange(1, 6).Draw(rt, "onset")
		end := onset + rapid.IntRange(0, 5).Draw(rt, "length")
		label := carried(t, rapid.SampledFrom([]string{
			`{reviewed: full}`, `{reviewed: partial}`, `{reviewed: full, tolerate: [{from: 2, to: 3}]}`,
			`{reviewed: full, spans: [{onset: ` + itoa(onset) + `, end: ` + itoa(end) + `}]}`,
			`{reviewed: full, spans: [{onset: ` + itoa(onset) + `, end: ` + itoa(end) + `}, {onset: ` + itoa(end+2) + `, end: ` + itoa(end+3) + `}]}`,
			`{reviewed: full, spans: [{onset: ` + itoa(onset) + `, end: ` + itoa(end) + `, known_gap: true}]}`,
		}).Draw(rt, "label"))
		o := judged(t, rapid.Bool().Draw(rt, "veto"), steps...)
		for _, level := range []detectors.Verdict{detectors.Nudge, detectors.ForceStop} {
			j := corpus.Judge(label, o, o.Points[0], level)
			if got := corpus.Score(label, o, 0, level); got != j.Result {
				rt.Errorf("Score %s, Judge %s", got, j.Result)
			}
			var totals corpus.Totals
			totals.Add(j)
			if sum := j.RightFires + j.Repeat + j.FalseFires + j.Unjudged; sum > j.Fires || label.Class != corpus.KnownGap && sum != j.Fires {
				rt.Errorf("%d of %d fires counted", sum, j.Fires)
			}
			if j.FalseEpisodes > j.FalseFires || j.Episodes > j.Fires || j.Calls > o.Calls || j.WorkCalls > j.Calls {
				rt.Errorf("%+v", j)
			}
			for _, c := range j.Spans {
				if c.Latency < 0 || c.Wasted < 0 || c.Proposed < c.Wasted || c.WastedTokens.N < 0 {
					rt.Errorf("%+v", c)
				}
			}
			before := -1
			for _, k := range corpus.CurveAt {
				caught, of, _ := totals.Curve(k)
				if caught < before || caught > of {
					rt.Errorf("D(%d) = %d of %d after %d", k, caught, of, before)
				}
				before = caught
			}
		}
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
