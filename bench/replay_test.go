package bench

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/replay/transcript"
)

// An input is a set of sessions written in one shape, in memory.
type input struct {
	shape Shape
	data  []byte
	file  *formats.File
}

func write(t testing.TB, spec Spec, shape Shape) *input {
	t.Helper()
	var out bytes.Buffer
	if err := spec.Write(&out, shape); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	return &input{shape, data, &formats.File{
		Name: shape.Name, Size: int64(len(data)),
		Open: func() (formats.ReadAtCloser, error) { return opened{bytes.NewReader(data)}, nil },
	}}
}

type opened struct{ io.ReaderAt }

func (opened) Close() error { return nil }

// find finds the sessions, through the real reader.
func (in *input) find(t testing.TB) []*formats.Unit {
	t.Helper()
	var units []*formats.Unit
	for u, err := range in.shape.Format.Find(in.file, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
	return formats.NewFound(units).Units
}

// plan resolves configurations.
func plan(t testing.TB, configs ...replay.Config) *replay.Plan {
	t.Helper()
	p, err := replay.NewPlan(replay.Question{Configs: configs})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// preset is a published one.
func preset(t testing.TB, name string) *detectors.Preset {
	t.Helper()
	p := catalog.Find(name, catalog.Presets)
	if p == nil {
		t.Fatalf("no preset %s", name)
	}
	return p
}

const current = "kocoro-4ec6772"

// replayed runs a plan over units.
func replayed(t testing.TB, p *replay.Plan, units []*formats.Unit, workers int, sink func(*replay.Outcome)) {
	t.Helper()
	engine := &replay.Engine{Plan: p, Workers: workers, Split: cut.All()[0].Cut}
	replayedBy(t, engine, units, sink)
}

// compared runs a plan as `groundhog replay` does: fires in the stream are compared
// under every way of cutting, and what came after them is counted.
func compared(t testing.TB, p *replay.Plan, units []*formats.Unit, near replay.Nearness) {
	t.Helper()
	engine := &replay.Engine{Plan: p, Workers: 1, Split: cut.All()[0].Cut, Chosen: cut.All()[0].Name, Count: cut.Count, Near: near}
	for _, n := range cut.Apart() {
		engine.Cuts = append(engine.Cuts, replay.Cut{Name: n.Name, Split: n.Cut})
	}
	replayedBy(t, engine, units, func(*replay.Outcome) {})
}

func replayedBy(t testing.TB, engine *replay.Engine, units []*formats.Unit, sink func(*replay.Outcome)) {
	t.Helper()
	err := engine.Run(context.Background(), units, func(o *replay.Outcome) error {
		if o.Err != nil {
			t.Fatalf("%s: %v", o.Session.ID, o.Err)
		}
		sink(o)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A told is what a session tells, whatever shape it is written in. Lines, and
// so the text of a position, differ, and so does what is dated: a response, or its
// first block.
type told struct {
	Steps, Calls, Errors int
	Tokens               replay.Tokens
	Runs                 []replay.Run
	Tools                []replay.Tool
	Fires                []fire
}

type fire struct {
	Run, Step, Call int32
	Detector        string
	Verdict         detectors.Verdict
	Delivered       detectors.Verdict
	Reason, Text    string
	Masked          []string
}

func tell(o *replay.Outcome) told {
	s := told{Steps: o.Steps, Calls: o.Calls, Errors: o.Errors, Tokens: o.Tokens, Runs: o.Runs, Tools: o.Tools}
	for i := range s.Runs {
		for j := range s.Runs[i].Trail {
			s.Runs[i].Trail[j].Time = time.Time{}
		}
	}
	for _, f := range o.Points[0].Fires {
		s.Fires = append(s.Fires, fire{f.Pos.Run, f.Pos.Step, f.Pos.Call, f.Detector, f.Verdict, f.Delivered, f.Reason, f.Text, f.Masked})
	}
	return s
}

// The shapes of one session lead to the same fires, and so do the steps
// that were never written.
func TestShapesAgree(t *testing.T) {
	spec := Spec{Sessions: 150, Seed: 5}
	p := plan(t, replay.Config{Preset: preset(t, current)})
	want := make(map[string]told)
	fires := make(map[string]int)
	replayed(t, p, modelUnits(spec), 0, func(o *replay.Outcome) {
		want[o.Session.ID] = tell(o)
		for _, f := range o.Points[0].Fires {
			fires[f.Detector]++
		}
	})
	if len(want) != spec.Sessions {
		t.Fatalf("%d sessions, want %d", len(want), spec.Sessions)
	}
	t.Logf("fires by detector: %v", fires)
	if len(fires) < 6 {
		t.Errorf("only %d detectors fire: agreement says little", len(fires))
	}
	for _, shape := range append(slices.Clone(Shapes), Parquet(parquet.Args|parquet.Results)) {
		t.Run(shape.Name, func(t *testing.T) {
			units := write(t, spec, shape).find(t)
			if len(units) != spec.Sessions {
				t.Fatalf("found %d sessions, want %d", len(units), spec.Sessions)
			}
			replayed(t, p, units, 0, func(o *replay.Outcome) {
				if diff := cmp.Diff(want[o.Session.ID], tell(o)); diff != "" {
					t.Errorf("%s (-generated +read):\n%s", o.Session.ID, diff)
				}
				if n := len(o.Session.Notes); n > 0 {
					t.Errorf("%s: the reader notes %q", o.Session.ID, o.Session.Notes[0].Text)
				}
			})
		})
	}
}

// modelUnits are the generated sessions as units that need no reader.
func modelUnits(spec Spec) []*formats.Unit {
	var units []*formats.Unit
	for s := range spec.All() {
		steps := slices.Collect(s.Steps())
		units = append(units, &formats.Unit{
			Session: s.Header, Size: 1, Records: len(steps),
			Steps: func() iter.Seq2[*transcript.Step, error] {
				return func(yield func(*transcript.Step, error) bool) {
					for _, step := range steps {
						if !yield(step, nil) {
							return
						}
					}
				}
			},
		})
	}
	return units
}
