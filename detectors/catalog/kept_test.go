package catalog_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay/transcript"
)

// A lane is what one panel hears of a session, in order.
type lane struct {
	of     string // the short name of the detector it was written for; "" for none
	events []*transcript.Event
}

// heard lists the lanes of the demo corpus and of every detector's own sessions.
func heard(t testing.TB) (list []lane) {
	t.Helper()
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	units, of := demo.Units, make(map[*formats.Unit]string)
	paths, err := filepath.Glob("../*/testdata/*.session")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files of sessions, %v", len(paths), err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &formats.File{Name: path, Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
			return struct {
				io.ReaderAt
				io.Closer
			}{strings.NewReader(string(src)), io.NopCloser(nil)}, nil
		}}
		for u, err := range script.Format.Find(f, formats.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			units = append(units, u)
			of[u] = strings.TrimSuffix(filepath.Base(path), ".session")
		}
	}
	for _, u := range units {
		var steps []*transcript.Step
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, s)
		}
		list = append(list, lanes(of[u], steps)...)
	}
	return list
}

func lanes(of string, steps []*transcript.Step) (list []lane) {
	at := make(map[string]int)
	cur := transcript.Cursor{Split: transcript.Words}
	for _, s := range steps {
		i, ok := at[s.Lane]
		if !ok {
			i = len(list)
			at[s.Lane] = i
			list = append(list, lane{of: of})
		}
		for ev := range cur.Events(s) {
			kept := *ev
			if ev.Delta != nil {
				delta := *ev.Delta
				kept.Delta = &delta
			}
			list[i].events = append(list[i].events, &kept)
		}
	}
	return list
}

// limits draws an assignment of a detector's limits, some outside their ranges.
func limits(t *rapid.T, d *detectors.Detector) detectors.Settings {
	set := detectors.Settings{}
	for _, q := range d.Params {
		if q.Shape || rapid.IntRange(0, 2).Draw(t, "leave out") == 0 {
			continue
		}
		switch q.Kind {
		case detectors.Int:
			set[q.ID] = strconv.Itoa(rapid.IntRange(q.Lo, q.Hi).Draw(t, q.ID))
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 && !strings.HasSuffix(q.ID, "text_ngram_repeat.n") {
				set[q.ID] = rapid.SampledFrom([]string{"0", "1", strconv.Itoa(q.Hi + 1)}).Draw(t, q.ID)
			}
		case detectors.Bool:
			set[q.ID] = strconv.FormatBool(rapid.Bool().Draw(t, q.ID))
		case detectors.Choice:
			set[q.ID] = rapid.SampledFrom(q.Options).Draw(t, q.ID)
		}
	}
	return set
}

// newPanel is a panel of one detector, in the shape of the newest preset that has
// it, and switched on.
func newPanel(t testing.TB, d *detectors.Detector, sets ...detectors.Settings) *detectors.Panel {
	t.Helper()
	var shape detectors.Settings
	for _, p := range catalog.Presets {
		if slices.Contains(p.Detectors, d) {
			shape = p.Set
		}
	}
	if d.Switch != "" {
		shape = shape.With(detectors.Settings{d.Switch: "true"})
	}
	p, err := detectors.NewPanel([]*detectors.Detector{d}, shape, [][]detectors.Settings{sets})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// said is what one variant of a frame says.
type said struct {
	Episode int64
	Fire    detectors.Fire
}

func saying(f *detectors.Frame, variant int) (s said) {
	if f == nil || f.Rows[0] == nil || f.Rows[0].Verdicts[variant] == detectors.Continue {
		return s
	}
	return said{f.Rows[0].Episode, f.Rows[0].Fire(variant)}
}

// What was measured, judged again, gives what a panel says at once: verdict,
// episode, reason, text, evidence and place, for limits that were in the plan
// and for others that the recording meter covers.
func TestKeptMeasurementsAreJudgedAlike(t *testing.T) {
	all := heard(t)
	for _, d := range catalog.Detectors {
		t.Run(d.Name, func(t *testing.T) {
			_, short, _ := strings.Cut(d.Name, "/")
			own := slices.DeleteFunc(slices.Clone(all), func(l lane) bool { return l.of != short })
			fires := 0
			rapid.Check(t, func(rt *rapid.T) {
				made := []detectors.Settings{{}, limits(rt, d)}
				asked := limits(rt, d)
				covered, err := d.Covers(made, asked)
				if err != nil {
					rt.Fatal(err)
				}
				if !covered && !d.HasFloor() {
					rt.Fatalf("it has no floor and does not cover %v", asked)
				}
				if !covered {
					asked = made[1]
				}
				among := all
				if rapid.Bool().Draw(rt, "own") {
					among = own
				}
				fires += replayKept(rt, t, d, made, asked, among[rapid.IntRange(0, len(among)-1).Draw(rt, "lane")])
			})
			if fires == 0 {
				t.Errorf("%s never fires", d.Name)
			}
		})
	}
}

// replayKept compares a lane's measurements, judged later, with a panel.
func replayKept(rt *rapid.T, t *testing.T, d *detectors.Detector, made []detectors.Settings, asked detectors.Settings, l lane) (fires int) {
	judge, err := d.Bind(asked)
	if err != nil {
		rt.Fatal(err)
	}
	recorder, direct, recalls := newPanel(t, d, made...), newPanel(t, d, asked), newPanel(t, d, asked)
	var kept []detectors.Measurement
	recorder.Record(func(m *detectors.Measurement) {
		kept = append(kept, *m)
		kept[len(kept)-1].Values = slices.Clone(m.Values)
	})
	for _, ev := range l.events {
		kept = kept[:0]
		recorder.Observe(ev)
		want := saying(direct.Observe(ev), 0)
		if diff := cmp.Diff(want, saying(recalls.Recall(kept), 0)); diff != "" {
			rt.Fatalf("made under %v, asked %v (-panel +recalled):\n%s", made, asked, diff)
		}
		for _, m := range kept {
			if diff := judged(judge, m, want); diff != "" {
				rt.Fatalf("under %v: %s", asked, diff)
			}
		}
		if want.Fire.Verdict > detectors.Continue {
			fires++
		}
	}
	return fires
}

// judged compares a kept measurement with what a panel says at its event.
func judged(j *detectors.Judge, m detectors.Measurement, want said) string {
	if err := j.Detector.Fits(m.Values); err != nil {
		return err.Error()
	}
	v := j.Verdict(m.Values)
	if v != want.Fire.Verdict {
		return fmt.Sprintf("%v judged %v, the panel says %v", m.Values, v, want.Fire.Verdict)
	}
	if v == detectors.Continue {
		return ""
	}
	got := said{j.Episode(m.Values), detectors.Fire{Detector: j.Detector.Name, Verdict: v, Phase: detectors.PhaseOf(m.Kind), Pos: m.Pos,
		Part: m.Part, Offset: m.Offset, Recorded: m.Recorded, Evidence: j.Evidence(m.Values), Case: j.Case(m.Values)}}
	got.Fire.Reason, got.Fire.Text = j.Explain(m.Values, v)
	if got.Episode != m.Episode {
		return fmt.Sprintf("episode %d, it was recorded as %d", got.Episode, m.Episode)
	}
	return cmp.Diff(want, got)
}

// What comes from a file may be any numbers. Those that fit can be judged, and
// those that do not are refused.
func TestAnyNumbersCanBeJudged(t *testing.T) {
	sizes := []*rapid.Generator[int64]{rapid.Int64(), rapid.Int64Range(math.MinInt32, math.MaxInt32), rapid.Int64Range(-3, 40),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32, 0})}
	for _, d := range catalog.Detectors {
		t.Run(d.Name, func(t *testing.T) {
			fit := 0
			rapid.Check(t, func(rt *rapid.T) {
				values := rapid.SliceOfN(rapid.SampledFrom(sizes).Draw(rt, "size"), len(d.Measures), len(d.Measures)).Draw(rt, "values")
				for i, name := range d.Measures { // flags are 0 or 1
					if err := d.Fits(values); err != nil && strings.HasSuffix(err.Error(), "expected 0 or 1") && strings.Contains(err.Error(), ": "+name+" is ") {
						values[i] &= 1
					}
				}
				judge, err := d.Bind(limits(rt, d))
				if err != nil {
					rt.Fatal(err)
				}
				if d.Fits(values[1:]) == nil {
					rt.Errorf("one number too few fits")
				}
				if d.Fits(values) != nil {
					return
				}
				fit++
				judge.Episode(values)
				judge.Evidence(values)
				if v := judge.Verdict(values); v > detectors.Continue {
					judge.Explain(values, v)
				}
			})
			if fit == 0 {
				t.Error("no numbers fit")
			}
		})
	}
}

// Some meters leave out what no limits of their plan could see. Whoever adds one
// says here what it covers.
func TestFloors(t *testing.T) {
	set := func(n, threshold string) detectors.Settings {
		return detectors.Settings{"mimo/text_ngram_repeat.n": n, "mimo/text_ngram_repeat.threshold": threshold}
	}
	var floors []string
	for _, d := range catalog.Detectors {
		if !d.HasFloor() {
			continue
		}
		floors = append(floors, d.Name)
		for _, test := range []struct {
			made  []detectors.Settings
			asked detectors.Settings
			want  bool
		}{
			{[]detectors.Settings{{}}, detectors.Settings{}, true},
			{[]detectors.Settings{{}}, set("5", "21"), true},
			{[]detectors.Settings{{}}, set("4", "19"), false},
			{[]detectors.Settings{{}}, set("3", "40"), false},
			{[]detectors.Settings{set("3", "40"), set("8", "10")}, set("3", "10"), true},
			{[]detectors.Settings{set("3", "40"), set("8", "10")}, set("2", "10"), false},
			{[]detectors.Settings{set("4", "0")}, set("4", "20"), false},
			{[]detectors.Settings{set("4", "20")}, set("2", "0"), true}, // it never fires
			{nil, detectors.Settings{}, false},
		} {
			if got, err := d.Covers(test.made, test.asked); err != nil || got != test.want {
				t.Errorf("%s made under %v covers %v: %v, %v, want %v", d.Name, test.made, test.asked, got, err, test.want)
			}
		}
		if _, err := d.Covers(nil, set("0", "20")); err == nil {
			t.Errorf("%s: a length of 0 is no error", d.Name)
		}
	}
	if want := []string{"mimo/text_ngram_repeat"}; !cmp.Equal(floors, want) {
		t.Errorf("detectors with a floor: %v, want %v", floors, want)
	}
}
