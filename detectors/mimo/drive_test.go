package mimo

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay/transcript"
)

// A tester is a test, or one draw of a property.
type tester interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// preset is one of Presets.
func preset(t tester, name string) *detectors.Preset {
	t.Helper()
	for _, p := range Presets {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no preset %s", name)
	return nil
}

// session reads the steps of a script.
func session(t tester, src string) (steps []*transcript.Step) {
	t.Helper()
	f := &formats.File{Name: t.Name(), Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader([]byte(src)), io.NopCloser(nil)}, nil
	}}
	for u, err := range script.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for step, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step)
		}
	}
	return steps
}

// alarms is everything that a monitor of p says about a session.
func alarms(t tester, p *detectors.Preset, set detectors.Settings, split transcript.Splitter, steps []*transcript.Step) (list []detectors.Alarm) {
	t.Helper()
	m, err := detectors.NewMonitor(p, set)
	if err != nil {
		t.Fatal(err)
	}
	cur := transcript.Cursor{Split: split}
	for _, s := range steps {
		for ev := range cur.Events(s) {
			if _, ok := m.Observe(ev); ok {
				list = append(list, m.Alarms()...)
			}
		}
	}
	return list
}

// said is what some detectors delivered, as run/step and verdict, with the
// detector's name where there are several. A stop that a ladder made is marked.
func said(t tester, p *detectors.Preset, set detectors.Settings, steps []*transcript.Step, of ...*detectors.Detector) string {
	t.Helper()
	var list []string
	for _, a := range alarms(t, p, set, nil, steps) {
		if !slices.ContainsFunc(of, func(d *detectors.Detector) bool { return d.Name == a.Detector }) {
			continue
		}
		out := fmt.Sprintf("%d/%d %s", a.Pos.Run, a.Pos.Step, a.Delivered)
		if a.Ladder {
			out += "!"
		}
		if len(of) > 1 {
			_, name, _ := strings.Cut(a.Detector, "/")
			out += " " + name
		}
		list = append(list, out)
	}
	return strings.Join(list, ", ")
}
