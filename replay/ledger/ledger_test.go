package ledger_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/ledger"
	"groundhog/replay/transcript"
)

// sessions is the demo corpus and n random sessions, found anew: reading
// completes headers.
func sessions(t testing.TB, n int) []*formats.Unit {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	list := found.Units
	for seed := range n {
		list = append(list, random(uint64(seed)))
	}
	return list
}

// random makes a session with several lanes, steps of other sessions, texts that
// repeat, recorded deltas and times.
func random(seed uint64) *formats.Unit {
	r := rand.New(rand.NewPCG(seed, 7))
	var steps []*transcript.Step
	lanes := []string{"", "", "the reviewer", "", "the tester"}
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	args := []string{`{"command":"make"}`, `{"query":"news"}`, `{"url":"https://site.example/1"}`, `{}`}
	var last transcript.Call
	for i := range 5 + r.IntN(60) {
		s := &transcript.Step{Lane: lanes[r.IntN(len(lanes))], Line: i + 1, ID: fmt.Sprint(seed, "-", i)}
		switch r.IntN(20) {
		case 0:
			s.Kind = transcript.Prompt
		case 1:
			s.Kind = transcript.Injection
			s.Parts = []transcript.Part{{Text: []string{"You repeat yourself.", "It is late."}[r.IntN(2)]}}
		case 2:
			s.Flags = transcript.Synthetic
			s.Attempts = []transcript.Attempt{{Status: 529}}
		case 3:
			s.Flags = transcript.Context
		}
		if s.Kind == transcript.Response {
			if r.IntN(3) > 0 {
				s.Usage = transcript.Usage{Known: true, Input: int64(r.IntN(1000)), Output: 7, CacheRead: 3, Cost: 0.25}
				s.Time = start.Add(time.Duration(i) * 1500 * time.Microsecond)
			}
			text := strings.Repeat("let me look at it again ", []int{0, 1, 1, 9, 40}[r.IntN(5)])
			if text != "" {
				part := transcript.Part{Kind: transcript.PartKind(r.IntN(2)), Text: text}
				if r.IntN(2) == 0 {
					for at := 5; at < len(text); at += 7 {
						part.Cuts = append(part.Cuts, transcript.Cut{End: at, At: time.Duration(at) * time.Duration(r.IntN(40)) * time.Second})
					}
					part.Cuts = append(part.Cuts, transcript.Cut{End: len(text), At: -1})
				}
				s.Parts = append(s.Parts, part)
			}
			s.Finish = []transcript.Finish{transcript.FinishUnknown, transcript.FinishStop, transcript.FinishToolCalls, transcript.FinishLength}[r.IntN(4)]
			for range []int{0, 1, 1, 1, 3}[r.IntN(5)] {
				if r.IntN(5) < 2 || last.Tool == "" {
					last = transcript.Call{Tool: []string{"bash", "Grep", "web_search", "browser_click", "think"}[r.IntN(5)], Args: args[r.IntN(len(args))], Took: -1,
						Result: transcript.Result{Status: transcript.ResultStatus(r.IntN(5)), Text: "see https://site.example/1"}}
				}
				last.Line = s.Line
				s.Calls = append(s.Calls, last)
			}
		}
		steps = append(steps, s)
	}
	reward := 0.5
	return &formats.Unit{
		Session: &transcript.Session{ID: fmt.Sprintf("random-%03d", seed), Agent: "agent", Model: "m", Started: start,
			Recorded: transcript.Recorded{Task: "t", Reward: &reward, ExitStatus: "done"}, End: transcript.EndCompleted,
			Origin: transcript.Origin{File: "random", Format: "made"}},
		Size: int64(len(steps)), Records: len(steps),
		Steps: func() iter.Seq2[*transcript.Step, error] {
			return func(yield func(*transcript.Step, error) bool) {
				for _, s := range steps {
					own := *s
					if !yield(&own, nil) {
						return
					}
				}
			}
		},
	}
}

func newPlan(t testing.TB, q replay.Question) *replay.Plan {
	t.Helper()
	p, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, e *replay.Engine, units []*formats.Unit) (list []*replay.Outcome) {
	t.Helper()
	e.Split = transcript.Words
	if err := e.Run(context.Background(), units, func(o *replay.Outcome) error {
		list = append(list, o)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// made writes a ledger of what a question measures.
func made(t testing.TB, q replay.Question, units []*formats.Unit, workers int) []byte {
	t.Helper()
	plan := newPlan(t, q)
	var out bytes.Buffer
	w, err := ledger.NewWriter(&out, plan, "word")
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: plan, Workers: workers, Split: transcript.Words, Keeper: w.Keeper}
	if err := e.Run(context.Background(), units, w.Add); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// memory is a file that is held in memory.
func memory(data []byte) *formats.File {
	return &formats.File{Name: "x.parquet", Size: int64(len(data)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(data), io.NopCloser(nil)}, nil
	}}
}

var format = ledger.Format(parquet.Format)

// opened gives the sessions of a ledger.
func opened(t testing.TB, data []byte) (list []*formats.Unit) {
	t.Helper()
	for u, err := range format.Find(memory(data), formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// kept is what a ledger gives back of an outcome: tools and the names of lanes
// are not in it, nor notes and labels.
func kept(o *replay.Outcome) *replay.Outcome {
	out := *o
	out.Tools, out.Keeper = nil, nil
	s := *o.Session
	s.Notes, s.Label, s.Origin.File = nil, nil, ""
	out.Session = &s
	out.Runs = slices.Clone(o.Runs)
	lanes := make(map[string]int)
	for i := range out.Runs {
		name := out.Runs[i].Lane
		if _, ok := lanes[name]; !ok {
			lanes[name] = len(lanes)
		}
		out.Runs[i].Lane = fmt.Sprint(lanes[name])
	}
	return &out
}

func diff(want, got []*replay.Outcome) string {
	for i := range want {
		if i == len(got) {
			return fmt.Sprintf("%d outcomes, want %d", len(got), len(want))
		}
		w, g := kept(want[i]), kept(got[i])
		if reflect.DeepEqual(w, g) { // to look closer takes long
			continue
		}
		if d := cmp.Diff(w, g, cmpopts.EquateEmpty()); d != "" {
			return w.Session.ID + ":\n" + d
		}
	}
	return ""
}

// A ledger equals the transcripts: the same outcomes, fire by fire, under the
// question it was made for.
func TestLedgerEqualsTranscripts(t *testing.T) {
	q := replay.Question{Alone: true, DropOne: true}
	for _, p := range catalog.Presets {
		q.Configs = append(q.Configs, replay.Config{Preset: p})
	}
	data := made(t, q, sessions(t, 40), 0)
	want := run(t, &replay.Engine{Plan: newPlan(t, q)}, sessions(t, 40))
	got := run(t, &replay.Engine{Plan: newPlan(t, q)}, opened(t, data))
	if d := diff(want, got); d != "" {
		t.Errorf("(-transcripts +ledger) %s", d)
	}
	fires := 0
	for _, o := range got {
		for _, p := range o.Points {
			fires += len(p.Fires)
		}
	}
	if fires < 1000 {
		t.Errorf("only %d fires were compared", fires)
	}
}

// A closed rule is one of shape: a ledger that was made with it gives its fires.
func TestLedgerOfAClosedRule(t *testing.T) {
	q := replay.Question{Configs: []replay.Config{config(t, "mimo-head", "mimo/thinking_streak.enabled=true", "mimo/thinking_streak.trigger_count=2")}, Alone: true}
	read := func() []*formats.Unit { return sessions(t, 40) }
	data := made(t, q, read(), 0)
	want := run(t, &replay.Engine{Plan: newPlan(t, q)}, read())
	if d := diff(want, run(t, &replay.Engine{Plan: newPlan(t, q)}, opened(t, data))); d != "" {
		t.Errorf("(-transcripts +ledger) %s", d)
	}
	crops := 0
	for _, o := range want {
		for _, p := range o.Points {
			for _, f := range p.Fires {
				if f.Detector == "mimo/thinking_streak" {
					crops++
				}
			}
		}
	}
	if crops == 0 {
		t.Error("nothing is cropped")
	}
}

// limits draws a change of a preset's limits that a ledger of low floors covers.
func limits(t *rapid.T, p *detectors.Preset) detectors.Settings {
	set := detectors.Settings{}
	for _, q := range p.Params() {
		if q.Shape || rapid.IntRange(0, 2).Draw(t, "leave") > 0 {
			continue
		}
		switch q.Kind {
		case detectors.Int:
			set[q.ID] = strconv.Itoa(rapid.IntRange(q.Lo, q.Hi).Draw(t, q.ID))
		case detectors.Bool:
			set[q.ID] = strconv.FormatBool(rapid.Bool().Draw(t, q.ID))
		case detectors.Choice:
			set[q.ID] = rapid.SampledFrom(q.Options).Draw(t, q.ID)
		}
	}
	return set
}

// low are the lowest limits of the meters with a floor.
var low = detectors.Settings{"mimo/text_ngram_repeat.n": "2", "mimo/text_ngram_repeat.threshold": "3"}

// A ledger answers for limits it was not made for as the transcripts do, in
// every view, in full and in brief.
func TestLedgerAnswersForOtherLimits(t *testing.T) {
	var base []replay.Config
	for _, p := range catalog.Presets {
		set := detectors.Settings{}
		for id, v := range low {
			if _, err := replay.FindParam(p.Params(), id); err == nil {
				set[id] = v
			}
		}
		base = append(base, replay.Config{Preset: p, Set: set})
	}
	data := made(t, replay.Question{Configs: base}, sessions(t, 20), 0)
	rapid.Check(t, func(rt *rapid.T) {
		q := replay.Question{Alone: rapid.Bool().Draw(rt, "alone"), DropOne: rapid.Bool().Draw(rt, "drop one"), Brief: rapid.Bool().Draw(rt, "brief")}
		for range rapid.IntRange(1, 4).Draw(rt, "configs") {
			p := rapid.SampledFrom(catalog.Presets).Draw(rt, "preset")
			q.Configs = append(q.Configs, replay.Config{Preset: p, Set: limits(rt, p)})
		}
		all, units := sessions(t, 20), opened(t, data)
		var some, same []*formats.Unit
		for range 3 {
			i := rapid.IntRange(0, len(all)-1).Draw(rt, "session")
			some, same = append(some, all[i]), append(same, units[i])
		}
		want := run(t, &replay.Engine{Plan: newPlan(t, q), Workers: 1}, some)
		got := run(t, &replay.Engine{Plan: newPlan(t, q), Workers: 1}, same)
		for i := range want { // a plan of higher limits cuts fewer texts
			got[i].Deltas = want[i].Deltas
		}
		if d := diff(want, got); d != "" {
			rt.Errorf("(-transcripts +ledger) %s", d)
		}
	})
}

// The bytes of a ledger do not depend on the number of workers.
func TestLedgerIsDeterministic(t *testing.T) {
	q := replay.Question{Configs: []replay.Config{{Preset: catalog.Presets[0]}, {Preset: catalog.Presets[3]}}}
	want := made(t, q, sessions(t, 30), 1)
	for _, workers := range []int{2, 16} {
		if got := made(t, q, sessions(t, 30), workers); !bytes.Equal(want, got) {
			t.Errorf("%d workers write other bytes than one", workers)
		}
	}
}
