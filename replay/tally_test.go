package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// ask is how the toys of this file ask for a verdict: by its name, where they
// listen for it.
type ask struct{ Verdict int }

func heard(text string) (ask, bool) {
	v, err := detectors.ParseVerdict(text)
	return ask{int(v)}, err == nil
}

// toy asks for the verdict that an event names: deltas by their text, calls by
// their arguments, steps by their id.
func toy(phase string) *detectors.Detector {
	type none struct{}
	r := detectors.Rule[none, none, ask]{
		Name:    "toy/" + phase,
		Doc:     "asks for what it is told to",
		Origin:  detectors.Origin{Source: "this test"},
		New:     func(*detectors.Inputs) *none { return &none{} },
		Judge:   func(m ask, _ none) detectors.Verdict { return detectors.Verdict(m.Verdict) },
		Explain: func(ask, none, detectors.Verdict) (reason, text string) { return "", "told to" },
	}
	switch phase {
	case "request":
		r.OnRequest = func(*none) (ask, bool) { return heard("annotate") }
	case "stream":
		r.OnDelta = func(_ *none, d *transcript.Delta) (ask, bool) { return heard(d.Text) }
	case "pre":
		r.OnPropose = func(_ *none, c *transcript.Call) (ask, bool) {
			word, _, _ := strings.Cut(c.Args, " ")
			return heard(word)
		}
	case "post":
		r.OnCall = func(_ *none, c *transcript.Call) (ask, bool) {
			_, word, _ := strings.Cut(c.Args, " ")
			return heard(word)
		}
	case "end":
		r.OnStep = func(_ *none, s *transcript.Step) (ask, bool) { return heard(s.ID) }
	}
	return detectors.Define(r)
}

// toys has one for each phase, and a ladder of three nudges.
func toys() replay.Question {
	return replay.Question{Configs: []replay.Config{{Preset: &detectors.Preset{
		Name:      "toys",
		Detectors: []*detectors.Detector{toy("stream"), toy("pre"), toy("post"), toy("end")},
		Ladders:   []*detectors.Ladder{{Name: "toy/ladder", Counts: detectors.Nudge, Count: 3, Within: 10}},
		Set:       detectors.Settings{},
	}}}}
}

func prompt() *transcript.Step { return &transcript.Step{Kind: transcript.Prompt} }

// step is a response of 100 tokens. Its calls are "PRE POST": what is asked for
// before and after them.
func step(calls ...string) *transcript.Step {
	s := &transcript.Step{Usage: transcript.Usage{Known: true, Output: 100}}
	for _, args := range calls {
		s.Calls = append(s.Calls, transcript.Call{Tool: "t", Args: args})
	}
	return s
}

// says adds a delta, and ends makes the end of the step ask for something.
func says(s *transcript.Step, text string) *transcript.Step {
	s.Parts = append(s.Parts, transcript.Part{Text: text, Cuts: []transcript.Cut{{End: len(text)}}})
	return s
}
func ends(s *transcript.Step, verdict string) *transcript.Step { s.ID = verdict; return s }
func flag(s *transcript.Step, f transcript.Flags) *transcript.Step {
	s.Flags |= f
	return s
}

// fires is a line for each fire of a point: place, phase, verdict, what was
// delivered, tier, and what it comes after.
func fires(o *replay.Outcome, point int) (list []string) {
	for _, f := range o.Points[point].Fires {
		out := fmt.Sprintf("%d/%d/%d %s %v %s", f.Pos.Run, f.Pos.Step, f.Pos.Call, f.Phase, f.Verdict, f.Tier)
		if f.Delivered > detectors.Continue {
			out += " -> " + f.Delivered.String()
		}
		if f.Ladder {
			out += " by ladder"
		}
		if f.Open {
			out += " open"
		}
		if f.After {
			out += " after"
		}
		list = append(list, out)
	}
	return list
}

func TestFires(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []*transcript.Step
		want  []string
	}{
		{"nothing is delivered twice", []*transcript.Step{step("nudge nudge", "x block")}, []string{
			"0/1/1 pre nudge E -> nudge", "0/1/1 post nudge C", "0/1/2 post block C -> block"}},
		{"a verdict before a call keeps its delivery when one after it is delivered", []*transcript.Step{step("annotate nudge")}, []string{
			"0/1/1 pre annotate E -> annotate", "0/1/1 post nudge C -> nudge"}},
		{"the end of the step is part of it", []*transcript.Step{ends(step("x annotate"), "nudge"), ends(step("x block"), "nudge"), ends(step(), "nudge")}, []string{
			"0/1/1 post annotate E", "0/1/1 step_end nudge E -> nudge",
			"0/2/2 post block C -> block", "0/2/2 step_end nudge C",
			"0/3/2 step_end nudge H -> force_stop by ladder"}},
		{"all of a step is exact until something of it is delivered", []*transcript.Step{step("x nudge", "x nudge"), step("x nudge")}, []string{
			"0/1/1 post nudge E -> nudge", "0/1/2 post nudge E", "0/2/3 post nudge C -> nudge"}},
		{"a stream is delivered at once", []*transcript.Step{says(says(step("x nudge"), "nudge"), "nudge")}, []string{
			"0/1/0 stream nudge E -> nudge", "0/1/0 stream nudge C -> nudge", "0/1/1 post nudge C -> nudge"}},
		{"a ladder depends on how the agent reacts", []*transcript.Step{step("x nudge"), step("x nudge"), step("x nudge"), step("x force_stop"), step("x nudge")}, []string{
			"0/1/1 post nudge E -> nudge", "0/2/2 post nudge C -> nudge", "0/3/3 post nudge H -> force_stop by ladder",
			"0/4/4 post force_stop C -> force_stop open", "0/5/5 post nudge H -> force_stop by ladder open after"}},
		{"what comes after a stop in its own step is neither open nor after", []*transcript.Step{step("x force_stop", "x force_stop", "x nudge"), step("x nudge")}, []string{
			"0/1/1 post force_stop E -> force_stop", "0/1/2 post force_stop E", "0/1/3 post nudge E", "0/2/4 post nudge C -> nudge open after"}},
		{"a stop at once makes the rest of the step come after it", []*transcript.Step{step("force_stop nudge")}, []string{
			"0/1/1 pre force_stop E -> force_stop", "0/1/1 post nudge C -> nudge open after"}},
		{"a run begins exact", []*transcript.Step{step("x force_stop"), prompt(), step("x nudge")}, []string{
			"0/1/1 post force_stop E -> force_stop", "1/1/1 post nudge E -> nudge"}},
		{"annotations diverge, too", []*transcript.Step{step("x annotate"), step("x nudge")}, []string{
			"0/1/1 post annotate E -> annotate", "0/2/2 post nudge C -> nudge"}},
		{"lanes diverge for themselves", []*transcript.Step{step("x nudge"), inLane(step("x nudge")), step("x nudge")}, []string{
			"0/1/1 post nudge E -> nudge", "1/1/1 post nudge E -> nudge", "0/2/2 post nudge C -> nudge"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := replayOne(t, toys(), made("s", test.steps...))
			if diff := cmp.Diff(test.want, fires(o, 0)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is changed before a request comes before all of its response.
func TestRequestsDiverge(t *testing.T) {
	q := toys()
	q.Configs[0].Preset.Detectors = append(q.Configs[0].Preset.Detectors, toy("request"))
	got := fires(replayOne(t, q, made("s", says(step("x nudge"), "nudge"))), 0)
	want := []string{"0/1/0 pre annotate E -> annotate", "0/1/0 stream nudge C -> nudge", "0/1/1 post nudge C -> nudge"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func inLane(s *transcript.Step) *transcript.Step { s.Lane = "sub"; return s }

// ran is what a point would have done in a run.
func ran(r replay.RunOutcome) string {
	at := func(f *replay.Fire) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%d/%d/%d", f.Pos.Run, f.Pos.Step, f.Pos.Call)
	}
	return fmt.Sprintf("nudge %s stop %s ladder %s left %d calls %d tokens %d unknown",
		at(r.FirstNudge), at(r.FirstStop), at(r.LadderStop), r.CallsLeft, r.TokensLeft.N, r.TokensLeft.Unknown)
}

func TestRunOutcomes(t *testing.T) {
	unknown := step("x x")
	unknown.Usage = transcript.Usage{}
	for _, test := range []struct {
		name  string
		steps []*transcript.Step
		want  []string
	}{
		{"quiet", []*transcript.Step{prompt(), step("x x")}, []string{"nudge - stop - ladder - left 0 calls 0 tokens 0 unknown"}},
		{"annotations are no nudge", []*transcript.Step{step("x annotate")}, []string{"nudge - stop - ladder - left 0 calls 0 tokens 0 unknown"}},
		{"nudges, then a stop, then more", []*transcript.Step{step("x x"), step("x nudge"), step("x x", "x force_stop", "x x"), step("x force_stop", "x nudge"), unknown, step()},
			[]string{"nudge 0/2/2 stop 0/3/4 ladder - left 3 calls 200 tokens 1 unknown"}},
		{"a stop is a nudge", []*transcript.Step{step("x force_stop")}, []string{"nudge 0/1/1 stop 0/1/1 ladder - left 0 calls 0 tokens 0 unknown"}},
		{"a ladder's stop does not end the run", []*transcript.Step{step("x nudge"), step("x nudge"), step("x nudge"), step("x x"), step("x force_stop"), step("x x")},
			[]string{"nudge 0/1/1 stop 0/5/5 ladder 0/3/3 left 1 calls 100 tokens 0 unknown"}},
		{"a ladder's stop after a stop is nothing", []*transcript.Step{step("x force_stop"), step("x nudge"), step("x nudge"), step("x nudge")},
			[]string{"nudge 0/1/1 stop 0/1/1 ladder - left 3 calls 300 tokens 0 unknown"}},
		{"runs are apart", []*transcript.Step{step("x force_stop"), step("x x"), prompt(), step("x nudge"), inLane(step("x force_stop")), step("x x"), inLane(step("x x", "x x"))},
			[]string{"nudge 0/1/1 stop 0/1/1 ladder - left 1 calls 100 tokens 0 unknown", "nudge 1/1/1 stop - ladder - left 0 calls 0 tokens 0 unknown",
				"nudge 2/1/1 stop 2/1/1 ladder - left 2 calls 100 tokens 0 unknown"}},
		{"a block is no stop", []*transcript.Step{step("block x"), step("x x")}, []string{"nudge 0/1/1 stop - ladder - left 0 calls 0 tokens 0 unknown"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := replayOne(t, toys(), made("s", test.steps...))
			var got []string
			for _, r := range o.Points[0].Runs {
				got = append(got, ran(r))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Steps of another session are felt and not counted.
func TestContext(t *testing.T) {
	call := func() *transcript.Step {
		s := step("make")
		s.Calls[0].Result = transcript.Result{Status: transcript.ResultOK}
		s.Attempts = []transcript.Attempt{{Status: 500}}
		return s
	}
	context := func(s *transcript.Step) *transcript.Step { return flag(s, transcript.Context) }
	q := replay.Question{Configs: []replay.Config{{Preset: kocoro.Presets[2]}}}
	o := replayOne(t, q, made("s", context(prompt()), context(call()), context(call()), context(call()), call(), prompt(), call()))
	if o.Context != 3 || o.Steps != 2 || o.Calls != 2 || o.Attempts != 2 || o.Tokens.N != 200 || len(o.Tools) != 1 || o.Tools[0].Calls != 2 {
		t.Errorf("context %d, steps %d, calls %d, attempts %d, %v, %v", o.Context, o.Steps, o.Calls, o.Attempts, o.Tokens, o.Tools)
	}
	spent := transcript.Usage{Known: true, Output: 100}
	want := []replay.Run{
		{Number: 0, Steps: 1, Calls: 1, Tokens: replay.Tokens{N: 100}, Trail: []replay.Mark{{Step: 4, Call: 4, Calls: 1, Usage: spent}}},
		{Number: 1, Steps: 1, Calls: 1, Tokens: replay.Tokens{N: 100}, Trail: []replay.Mark{{Step: 1, Call: 1, Calls: 1, Usage: spent}}},
	}
	if diff := cmp.Diff(want, o.Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	// The fourth call of the run stops; the nudge at the third belongs elsewhere.
	if diff := cmp.Diff([]string{"0/4/4 post force_stop E -> force_stop"}, fires(o, 0)); diff != "" {
		t.Errorf("fires (-want +got):\n%s", diff)
	}

	// A session that begins with the steps of another one, and whose first own
	// step speaks before it is complete.
	for _, verdict := range []string{"nudge", "force_stop"} {
		o = replayOne(t, toys(), made("s", context(prompt()), context(step()), says(step(), verdict)))
		if diff := cmp.Diff([]string{"0/2/0 stream " + verdict + " E -> " + verdict}, fires(o, 0)); diff != "" {
			t.Errorf("fires (-want +got):\n%s", diff)
		}
		if len(o.Runs) != 1 || o.Points[0].Runs[0].FirstNudge == nil {
			t.Errorf("runs %v, %v", o.Runs, o.Points[0].Runs)
		}
	}
}

// What is counted besides fires.
func TestCounts(t *testing.T) {
	o := replayOne(t, toys(), written(t, `
user "x"
step
  attempt 529 overloaded_error
  attempt 500
  delta text "a"
  delta text "b"
  call Read {"path":"a"} -> ok "a"
  call Read {"path":"b"} -> "b" exit=1
  call bash {} -> error "no" signals={"read_only":true}
  call Write {} -> denied
  call Write {} -> cancelled "not this one either"
  call Glob {}
  usage in=10 out=5 cache-read=100 cache-write=3 reasoning=4
step
  text "done"
step
  attempt 503
  synthetic
lane sub
say "not in the first run"
`)[0])
	got := []any{o.Steps, o.Calls, o.Errors, o.Inferred, o.Missing, o.NotRun, o.Attempts, o.Deltas, o.Context, o.Tokens, o.Inputs}
	want := []any{3, 6, 2, 1, 1, 2, 3, replay.DeltaCount{Recorded: 2}, 0, replay.Tokens{N: 118, Unknown: 2}, replay.ErrorFlags | replay.Results | replay.Texts | replay.Finishes}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tools := []replay.Tool{{Name: "Glob", Calls: 1}, {Name: "Read", Calls: 2}, {Name: "Write", Calls: 2}, {Name: "bash", Calls: 1, Native: true}}
	if diff := cmp.Diff(tools, o.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	spent := transcript.Usage{Known: true, Input: 10, Output: 5, CacheRead: 100, CacheWrite: 3, Reasoning: 4}
	runs := []replay.Run{
		{Number: 0, Steps: 2, Calls: 6, Tokens: replay.Tokens{N: 118, Unknown: 1}, Trail: []replay.Mark{{Step: 1, Call: 6, Calls: 6, Usage: spent}, {Step: 2, Call: 6}}},
		{Number: 1, Lane: "sub", Steps: 1, Tokens: replay.Tokens{Unknown: 1}, Trail: []replay.Mark{{Step: 1}}},
	}
	if diff := cmp.Diff(runs, o.Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// A recording may name a tool a call: the names are bounded, the calls are not lost.
func TestToolsAreBounded(t *testing.T) {
	s := step()
	for i := range 5000 {
		s.Calls = append(s.Calls, transcript.Call{Tool: fmt.Sprint("tool", i)})
	}
	o := replayOne(t, toys(), made("s", s))
	calls := 0
	for _, tool := range o.Tools {
		calls += tool.Calls
	}
	if calls != 5000 || len(o.Tools) > 4097 {
		t.Errorf("%d calls of %d tools", calls, len(o.Tools))
	}
}

// A detector is not judged on a recording that lacks what it looks at.
func TestLacks(t *testing.T) {
	errors := &detectors.Detector{Needs: detectors.Needs{Errors: true}}
	results := &detectors.Detector{Needs: detectors.Needs{Results: true}}
	nothing := &detectors.Detector{}
	for _, test := range []struct {
		src             string
		errors, results bool
	}{
		{`say "no calls"`, false, false},
		{`call a -> ok`, false, false},
		{`call a -> "text"`, true, false},
		{`call a -> "text" exit=0`, false, false},
		{`call a -> "[validation error] x"`, false, false},
		{`call a`, true, true},
		{"call a\ncall b -> error", false, false},
	} {
		o := replayOne(t, toys(), written(t, test.src)[0])
		if o.Lacks(errors) != test.errors || o.Lacks(results) != test.results || o.Lacks(nothing) {
			t.Errorf("%s: lacks errors %v, results %v, nothing %v", test.src, o.Lacks(errors), o.Lacks(results), o.Lacks(nothing))
		}
	}
}

func TestNewPlanNamesTheWrongSetting(t *testing.T) {
	_, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: kocoro.Presets[2], Set: detectors.Settings{"kocoro/exact_duplicate.nudge": "five"}}}})
	want := `kocoro-4ec6772: kocoro/exact_duplicate.nudge: "five" is not a whole number from 0 to 1000000`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
