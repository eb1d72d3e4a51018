package review_test

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/transcript"
	"groundhog/report/review"
)

// reviewed is the review of one session under presets.
type reviewed struct {
	unit  *formats.Unit
	trace *replay.Trace
	*review.Review
}

func planOf(t testing.TB, configs ...replay.Config) *replay.Plan {
	t.Helper()
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Alone: true, Calls: replay.Calls{Changes: kocoro.Changes(nil), Empty: contract.Empty(kocoro.Name(nil), kocoro.Required)}})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// everyPreset asks all there are.
func everyPreset(t testing.TB) *replay.Plan {
	var configs []replay.Config
	for _, p := range catalog.Presets {
		configs = append(configs, replay.Config{Preset: p})
	}
	return planOf(t, configs...)
}

func reviewOf(t testing.TB, u *formats.Unit, plan *replay.Plan, o review.Options) reviewed {
	t.Helper()
	tr, err := (&replay.Engine{Plan: plan, Split: transcript.Words}).Trace(context.Background(), u)
	if err != nil || tr.Outcome.Err != nil {
		t.Fatal(err, tr.Outcome.Err)
	}
	var labels corpus.Labels
	if u.Session.Label != nil {
		if err := labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File); err != nil {
			t.Fatal(err)
		}
	}
	o.Splitter = "word"
	r, err := review.New(tr, labels.Of(u.Session.ID), o)
	if err != nil {
		t.Fatal(err)
	}
	return reviewed{u, tr, r}
}

// typed are the sessions of the demo corpus and those of every detector.
func typed(t testing.TB) (units []*formats.Unit) {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	units = found.Units
	paths, err := filepath.Glob("../../detectors/*/testdata/*.session")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files of sessions, %v", len(paths), err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, session(t, path, string(src))...)
	}
	return units
}

func session(t testing.TB, name, src string) (units []*formats.Unit) {
	t.Helper()
	f := &formats.File{Name: name, Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{strings.NewReader(src), io.NopCloser(nil)}, nil
	}}
	for u, err := range script.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
	return units
}

// first is where a path alone first speaks under one more setting.
func first(t *testing.T, u *formats.Unit, c replay.Config, detector, param, value string) *replay.Fire {
	t.Helper()
	c.Set = detectors.Settings{param: value}
	plan := planOf(t, c)
	var fire *replay.Fire
	err := (&replay.Engine{Plan: plan, Split: transcript.Words}).Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
		for i, p := range plan.Points {
			if p.Detector == detector && len(o.Points[i].Fires) > 0 {
				fire = o.Points[i].Fires[0]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fire
}

// The reviews of all typed sessions under all presets, which are checked for what
// follows.
func TestReviews(t *testing.T) {
	plan := everyPreset(t)
	statuses := make(map[review.Quietness]int)
	changes := 0
	for i, u := range typed(t) {
		short := reviewOf(t, u, plan, review.Options{})
		full := reviewOf(t, u, plan, review.Options{Full: true})
		showsAll(t, plan, full, short)
		explainsQuiet(t, plan, short, statuses)
		for j := range short.Quiet {
			if (i+j)%11 == 0 && short.Quiet[j].Change != nil { // a replay each is too many
				changes++
				isSmallest(t, plan, short, &short.Quiet[j])
			}
		}
	}
	t.Logf("reasons: %v; %d changes", statuses, changes)
	for _, s := range []review.Quietness{review.Off, review.NotApplicable, review.Masked, review.AfterStop, review.Ends, review.Varies, review.Between,
		review.Outcomes, review.Errors, review.Exempt, review.Passes, review.Short, review.Nothing} {
		if statuses[s] == 0 {
			t.Errorf("no path is quiet because of %s", s)
		}
	}
	if changes < 80 {
		t.Errorf("%d changes: too few to say much", changes)
	}
}

// isSmallest: what another limit would do is said from measurements. A replay
// under that limit says the same, and one with a smaller change within the usual
// range says nothing.
func isSmallest(t *testing.T, plan *replay.Plan, r reviewed, q *review.Quiet) {
	t.Helper()
	c := q.Change
	config := plan.Configs[configOf(plan, q.Preset)]
	f := first(t, r.unit, config, q.Detector, c.Param, c.To)
	place := c.Place
	if c.Early != nil {
		place = *c.Early
	}
	switch {
	case f == nil:
		t.Errorf("%s: %s %s: a replay with %s %s is quiet", r.Session.ID, q.Preset, q.Detector, c.Param, c.To)
		return
	case int(f.Pos.Run) != place.Run || int(f.Pos.Step) != place.Step || c.Early == nil && f.Verdict.String() != c.Verdict:
		t.Errorf("%s: %s %s: %+v, and a replay says %v at %v", r.Session.ID, q.Preset, q.Detector, *c, f.Verdict, f.Pos)
	}
	from, err1 := strconv.Atoi(c.From)
	to, err2 := strconv.Atoi(c.To)
	if err1 != nil || err2 != nil || !c.Usual || c.Right {
		return
	}
	nearer := to + 1
	if to > from {
		nearer = to - 1
	}
	if nearer != from && first(t, r.unit, config, q.Detector, c.Param, strconv.Itoa(nearer)) != nil {
		t.Errorf("%s: %s %s: %s %d is enough, the review says %s", r.Session.ID, q.Preset, q.Detector, c.Param, nearer, c.To)
	}
}

func configOf(plan *replay.Plan, preset string) int {
	for i, c := range plan.Configs {
		if c.Preset.Name == preset {
			return i
		}
	}
	return -1
}

// showsAll: unfolded, the screen holds every call and every fire once; folded,
// every row is there or counted.
func showsAll(t *testing.T, plan *replay.Plan, full, short reviewed) {
	t.Helper()
	calls, fires := 0, make([]int, len(plan.Configs))
	for _, row := range full.Rows {
		if row.Kind == "call" {
			calls++
		}
		for i, c := range row.Cells {
			fires[i] += len(c.Fires)
		}
	}
	if calls != full.Session.Calls {
		t.Errorf("%s: %d rows of calls, want %d", full.Session.ID, calls, full.Session.Calls)
	}
	for i := range plan.Configs {
		if out, _ := full.trace.Of(i, ""); fires[i] != len(out.Fires) {
			t.Errorf("%s: %d fires of %s on the screen, want %d", full.Session.ID, fires[i], plan.Configs[i].Preset.Name, len(out.Fires))
		}
	}
	rows := 0
	for _, row := range short.Rows {
		if rows++; row.Fold != nil {
			rows += row.Fold.Rows - 1
		}
	}
	if rows != len(full.Rows) {
		t.Errorf("%s: folded, the screen accounts for %d rows of %d", full.Session.ID, rows, len(full.Rows))
	}
	if n := len(short.Rows); n > 64 {
		t.Errorf("%s: %d rows on one screen", full.Session.ID, n)
	}
}

// explainsQuiet: every path is heard or explained, and never both.
func explainsQuiet(t *testing.T, plan *replay.Plan, r reviewed, statuses map[review.Quietness]int) {
	t.Helper()
	quiet := make(map[string]bool)
	for _, q := range r.Quiet {
		statuses[q.Status]++
		quiet[q.Preset+" "+q.Detector] = true
		if q.Status == "" || q.Why == "" {
			t.Errorf("%s: %s %s: %q %q", r.Session.ID, q.Preset, q.Detector, q.Status, q.Why)
		}
	}
	for i, c := range plan.Configs {
		out, _ := r.trace.Of(i, "")
		spoke := make(map[string]bool)
		for _, f := range out.Fires {
			spoke[f.Detector] = spoke[f.Detector] || !f.After
		}
		for _, d := range c.Preset.Detectors {
			if spoke[d.Name] == quiet[c.Preset.Name+" "+d.Name] {
				t.Errorf("%s: %s %s: spoke %v, explained %v", r.Session.ID, c.Preset.Name, d.Name, spoke[d.Name], !spoke[d.Name])
			}
		}
	}
}

// One reason each, on sessions that a person can read.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		name, src, detector string
		status              review.Quietness
		why                 string
	}{
		{"one argument varies", `call fetch {"id":7,"at":"%d"} -> ok "same"`, "kocoro/consecutive_duplicate", review.Varies,
			`1 of 3 identical calls in a row. The calls of fetch differ in the digits of "at": were those equal, it would nudge at call 3`},
		{"other calls between", "call a {\"x\":1} -> ok \"r\"\ncall b {\"y\":\"%d\"} -> ok \"s\"", "kocoro/consecutive_duplicate", review.Between,
			"1 of 3 identical calls in a row. Other calls stand between the 4 equal calls of a: without those, it would nudge at call 5"},
		{"the recording ends", `call a {"x":1} -> ok "r"`, "kocoro/exact_duplicate", review.Ends,
			"4 of 5 identical calls in the window. The recording ends first: with 1 more call like the last, it would nudge"},
		{"an exempt tool", `call use_skill {"name":"pdf"} -> ok "r"`, "kocoro/consecutive_duplicate", review.Exempt,
			"use_skill is exempt here: a tool of a name it does not know would make it nudge at call 3"},
		{"failures have a wider budget", `call a {"x":1} -> error "no"`, "kocoro/consecutive_duplicate", review.Ends,
			"4 of 6 identical calls in a row, all failed. The recording ends first: with 2 more calls like the last, it would nudge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := "session s\nuser \"go\"\n"
			for i := range 4 {
				src += strings.ReplaceAll(test.src, "%d", strconv.Itoa(100+i)) + "\n"
			}
			plan := planOf(t, replay.Config{Preset: catalog.Find("kocoro-4ec6772", catalog.Presets)})
			r := reviewOf(t, session(t, "s.session", src)[0], plan, review.Options{})
			for _, q := range r.Quiet {
				if q.Detector != test.detector {
					continue
				}
				if q.Status != test.status || q.Why != test.why {
					t.Errorf("%s: %s, want %s: %s", q.Status, q.Why, test.status, test.why)
				}
				return
			}
			t.Errorf("%s is not among the quiet paths", test.detector)
		})
	}
}

// At head, a read whose outcome changes is no repetition.
func TestReasonOfAChangedOutcome(t *testing.T) {
	src := "session s\nuser \"go\"\n"
	for i := range 5 {
		src += `call file_read {"path":"a"} -> ok "line ` + strconv.Itoa(i) + "\"\n"
	}
	plan := planOf(t, replay.Config{Preset: catalog.Find("kocoro-head", catalog.Presets)})
	r := reviewOf(t, session(t, "s.session", src)[0], plan, review.Options{})
	for _, q := range r.Quiet {
		if q.Detector == "kocoro/consecutive_duplicate" {
			want := "1 of 3 identical reads in a row with one outcome. What file_read gave back changed: had each call ended as the first, it would nudge at call 3"
			if q.Status != review.Outcomes || q.Why != want {
				t.Errorf("%s: %s, want %s", q.Status, q.Why, want)
			}
			return
		}
	}
	t.Error("consecutive_duplicate is not among the quiet paths")
}

// A place that is not there is an error with its name.
func TestReviewOfNoCall(t *testing.T) {
	u := session(t, "s.session", "session s\nuser \"go\"\ncall a {} -> ok \"r\"\n")[0]
	tr, err := (&replay.Engine{Plan: everyPreset(t)}).Trace(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []review.Options{{Call: &corpus.Place{Call: 2}}, {Around: &corpus.Place{Run: 1, Call: 1}}} {
		if _, err := review.New(tr, nil, o); err == nil || !strings.Contains(err.Error(), "session s has no call") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// A session that is too large to be held is still reviewed: long texts are cut, and
// nothing is said to have been tried out.
func TestReviewOfAHugeSession(t *testing.T) {
	u := session(t, "s.session", "session s\nuser \"go\"\ncall a {\"x\":1} -> ok \"r\" x6\n")[0]
	steps := u.Steps
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for s, err := range steps() {
				for i := range s.Calls {
					s.Calls[i].Result.Text = strings.Repeat("x", 20<<20)
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	r := reviewOf(t, u, planOf(t, replay.Config{Preset: catalog.Find("kocoro-4ec6772", catalog.Presets)}), review.Options{})
	if !r.trace.Cut || r.Presets[0].Stop == nil || r.Presets[0].Stop.Place.Call != 4 {
		t.Errorf("cut %v, first stop %+v", r.trace.Cut, r.Presets[0].Stop)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "too large to be held whole") {
		t.Errorf("notes %q", r.Notes)
	}
	for _, q := range r.Quiet {
		if q.Status == review.Ends || q.Status == review.Varies {
			t.Errorf("%s: %s although nothing was tried out", q.Detector, q.Status)
		}
	}
}
