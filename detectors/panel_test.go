package detectors_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A recent is a feature: the newest calls of a run, as many as its size says.
type recent struct {
	size  int
	calls []string
	runs  int
}

var window = &detectors.Feature[recent]{
	Name:   "toys",
	Doc:    "the newest calls",
	New:    func(*detectors.Inputs) *recent { return &recent{} },
	Shape:  func(r *recent, p *detectors.Params) { p.Int(&r.size, "size", 5, 2, 9, "calls remembered") },
	OnRun:  func(r *recent) { r.calls = r.calls[:0]; r.runs++ },
	OnCall: func(r *recent, c *transcript.Call) { r.calls = append(r.calls, c.Args); r.trim() },
}

func (r *recent) trim() {
	if over := len(r.calls) - r.size; over > 0 {
		r.calls = append(r.calls[:0], r.calls[over:]...)
	}
}

type equal struct{ Calls, Window int }
type atLeast struct{ nudge, stop int }

// counter counts the calls of the window that equal this one.
func counter(name string) *detectors.Detector {
	return detectors.Define(detectors.Rule[recent, atLeast, equal]{
		Name:   "toy/" + name,
		Doc:    "equal calls",
		Origin: detectors.Origin{Source: "this test"},
		New:    window.From,
		Limits: func(l *atLeast, p *detectors.Params) {
			p.Int(&l.nudge, "nudge", 2, 1, 6, "calls before a nudge")
			p.Int(&l.stop, "stop", 4, 1, 6, "calls before a stop")
		},
		OnCall: func(r *recent, c *transcript.Call) (equal, bool) {
			n := 0
			for _, args := range r.calls {
				if args == c.Args {
					n++
				}
			}
			return equal{n, len(r.calls)}, true
		},
		Judge: func(m equal, l atLeast) detectors.Verdict {
			switch {
			case m.Calls >= l.stop:
				return detectors.ForceStop
			case m.Calls >= l.nudge:
				return detectors.Nudge
			}
			return detectors.Continue
		},
		Explain: func(m equal, l atLeast, _ detectors.Verdict) (reason, text string) {
			return "", fmt.Sprintf("%d of %d calls (nudges at %d, stops at %d)", m.Calls, m.Window, l.nudge, l.stop)
		},
	})
}

// fires replays steps through a panel and lists the fires of each point.
func fires(t testing.TB, list []*detectors.Detector, variants [][]detectors.Settings, points []*detectors.Point, steps []*transcript.Step) [][]detectors.Fire {
	t.Helper()
	panel, err := detectors.NewPanel(list, detectors.Settings{}, variants)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]detectors.Fire, len(points))
	var arbiters []*detectors.Arbiter
	for _, p := range points {
		arbiters = append(arbiters, detectors.NewArbiter(p))
	}
	var cur transcript.Cursor
	for _, s := range steps {
		for ev := range cur.Events(s) {
			f := panel.Observe(ev)
			for i, a := range arbiters {
				if ev.Kind == transcript.RunBegins {
					a.RunBegins()
				}
				if f == nil {
					continue
				}
				if d, ok := a.Add(f); ok {
					out[i] = append(out[i], f.Explain(points[i], d, list))
				}
			}
		}
	}
	return out
}

// One panel that judges under many limits says what a panel for each of them says.
func TestOnePanelEqualsAPanelForEach(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := []*detectors.Detector{counter("x"), toy("a", "call"), counter("y")}
		names := []string{"toy/x.nudge", "toy/x.stop", "toy/y.nudge", "toy/y.stop", "toy/a.least", "toy/a.rest"}
		var sets []detectors.Settings
		for range rapid.IntRange(1, 6).Draw(rt, "points") {
			set := detectors.Settings{}
			for _, name := range names {
				if rapid.Bool().Draw(rt, "set") {
					set[name] = strconv.Itoa(rapid.IntRange(1, 5).Draw(rt, name))
				}
			}
			sets = append(sets, set)
		}
		order := rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order")
		var steps []*transcript.Step
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			var calls []string
			for range rapid.IntRange(1, 3).Draw(rt, "calls") {
				calls = append(calls, speech(rt, "a"))
			}
			if rapid.IntRange(0, 4).Draw(rt, "prompt") == 0 {
				steps = append(steps, prompt())
			}
			steps = append(steps, step(calls...))
		}
		shared := make([][]detectors.Settings, len(list))
		var points []*detectors.Point
		for i := range sets {
			for j := range shared {
				shared[j] = append(shared[j], sets[i])
			}
			points = append(points, &detectors.Point{On: order, Variant: []int{i, i, i}})
		}
		got := fires(t, list, shared, points, steps)
		for i, set := range sets {
			alone := [][]detectors.Settings{{set}, {set}, {set}}
			want := fires(t, list, alone, []*detectors.Point{{On: order, Variant: []int{0, 0, 0}}}, steps)
			if diff := cmp.Diff(want[0], got[i]); diff != "" {
				rt.Errorf("limits %v (-a panel of its own +shared):\n%s", set, diff)
			}
		}
	})
}

// A feature is made once, hears every event before the meters do, and shows its
// parameters once.
func TestFeatureIsShared(t *testing.T) {
	made := 0
	shared := *window
	shared.New = func(*detectors.Inputs) *recent { made++; return &recent{} }
	first, second := counterOf("x", &shared), counterOf("y", &shared)
	made = 0
	p := preset(nil, first, second)
	got := told(t, p, nil, step("same", "same"))
	if made != 1 {
		t.Errorf("the feature was made %d times", made)
	}
	want := []string{"0/1/2 x nudge post masks y", "0/1/2 x delivered -> nudge"}
	if !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var ids []string
	for _, q := range p.Params() {
		ids = append(ids, fmt.Sprintf("%s=%s %v", q.ID, q.Default, q.Shape))
	}
	wantIDs := []string{"toys.size=5 true", "toy/x.nudge=2 false", "toy/x.stop=4 false", "toy/y.nudge=2 false", "toy/y.stop=4 false"}
	if !cmp.Equal(ids, wantIDs) {
		t.Errorf("params %q, want %q", ids, wantIDs)
	}
}

func counterOf(name string, f *detectors.Feature[recent]) *detectors.Detector {
	return detectors.Define(detectors.Rule[recent, atLeast, equal]{
		Name: "toy/" + name, Doc: "equal calls", Origin: detectors.Origin{Source: "this test"},
		New: f.From,
		Limits: func(l *atLeast, p *detectors.Params) {
			p.Int(&l.nudge, "nudge", 2, 1, 6, "calls before a nudge")
			p.Int(&l.stop, "stop", 4, 1, 6, "calls before a stop")
		},
		OnCall:  func(r *recent, c *transcript.Call) (equal, bool) { return equal{Calls: len(r.calls)}, true },
		Judge:   func(m equal, l atLeast) detectors.Verdict { return verdictIf(m.Calls >= l.nudge) },
		Explain: func(equal, atLeast, detectors.Verdict) (reason, text string) { return "", "" },
	})
}

func verdictIf(fires bool) detectors.Verdict {
	if fires {
		return detectors.Nudge
	}
	return detectors.Continue
}

// A shape parameter changes what is measured, and only through the panel's settings.
func TestShape(t *testing.T) {
	p := preset(nil, counter("x"))
	steps := []*transcript.Step{step("a", "b", "c", "a")}
	if got := told(t, p, nil, steps...); len(got) != 2 {
		t.Errorf("within a window of five: %q", got)
	}
	if got := told(t, p, detectors.Settings{"toys.size": "3"}, steps...); got != nil {
		t.Errorf("within a window of three: %q", got)
	}
	err := p.Check(detectors.Settings{"toys.size": "none"})
	if want := `toys.size: "none" is not a whole number from 0 to 1000000`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Most events say nothing, and then there is no frame for anybody to look at.
func TestNoFrameWithoutAVerdict(t *testing.T) {
	panel, err := detectors.NewPanel([]*detectors.Detector{toy("a", "call")}, nil, [][]detectors.Settings{{{"toy/a.least": "2"}, {"toy/a.least": "3"}}})
	if err != nil {
		t.Fatal(err)
	}
	var cur transcript.Cursor
	var got []string
	for ev := range cur.Events(step("", "a=0", "a=1", "a=2", "a=3")) {
		if f := panel.Observe(ev); f != nil {
			var verdicts []string
			for _, v := range f.Rows[0].Verdicts {
				verdicts = append(verdicts, v.String())
			}
			got = append(got, fmt.Sprintf("call %d %s", f.Pos.Call, strings.Join(verdicts, " ")))
		}
	}
	want := []string{"call 4 nudge continue", "call 5 block block"}
	if !cmp.Equal(got, want) {
		t.Errorf("frames %q, want %q", got, want)
	}
}

// A call that was cancelled before it ran was never shown to a detector; one that was
// refused was, since the model was told that it failed.
func TestCancelledCallsAreNotSeen(t *testing.T) {
	for _, tt := range []struct {
		status transcript.ResultStatus
		want   bool
	}{
		{transcript.ResultOK, true},
		{transcript.ResultDenied, true},
		{transcript.ResultCancelled, false},
	} {
		p, err := detectors.NewPanel([]*detectors.Detector{counter("a")}, nil, [][]detectors.Settings{{nil}})
		if err != nil {
			t.Fatal(err)
		}
		call := &transcript.Call{Tool: "x", Args: "{}", Result: transcript.Result{Status: tt.status}}
		fired := false
		for range 3 {
			for _, kind := range []transcript.Kind{transcript.Proposed, transcript.Called} {
				fired = p.Observe(&transcript.Event{Kind: kind, Call: call, Step: &transcript.Step{}}) != nil || fired
			}
		}
		if fired != tt.want {
			t.Errorf("with status %d fired = %v, want %v", tt.status, fired, tt.want)
		}
	}
}
