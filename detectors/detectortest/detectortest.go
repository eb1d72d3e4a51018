// Package detectortest runs a detector over sessions that a person can read.
//
// A detector's test is the file DIR/NAME.session, where NAME is the part of the
// detector's name after the slash. It may hold several sessions; "# want"
// comments say where the detector fires (want.go). One session
// shows that it fires, one that it nearly fires, and one is work that looks like
// a loop and is not.
package detectortest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay/transcript"
)

// Run replays the detector's file with d alone, under the settings of p, and
// fails the test for a fire that no comment wants, for a want that is not met,
// for a default outside its range, and for verdicts that depend on who else is
// judged.
func Run(t *testing.T, dir string, d *detectors.Detector, p *detectors.Preset) {
	t.Helper()
	path := Path(dir, d)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("a detector has a file of sessions: %v", err)
	}
	sessions := read(t, path, src)
	t.Run("wants", func(t *testing.T) { wants(t, path, src, sessions, d, p) })
	t.Run("defaults", func(t *testing.T) { defaults(t, d) })
	t.Run("limits", func(t *testing.T) { limits(t, sessions, d, p) })
}

// Path is where the sessions of a detector are.
func Path(dir string, d *detectors.Detector) string {
	_, name, _ := strings.Cut(d.Name, "/")
	return filepath.Join(dir, name+".session")
}

// A session has been read whole.
type session struct {
	id    string
	steps []*transcript.Step
}

func read(t *testing.T, path string, src []byte) (list []session) {
	t.Helper()
	f := &formats.File{Name: path, Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(src), io.NopCloser(nil)}, nil
	}}
	for u, err := range script.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s := session{id: u.Session.ID}
		for step, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			s.steps = append(s.steps, step)
		}
		list = append(list, s)
	}
	return list
}

// A place is a line of the file, and the index, from 1, of the call or step among
// those that the line makes.
type place struct{ line, repeat int }

// A fire is what the detector said, and the place a want would stand at.
type fire struct {
	detectors.Fire
	place place
}

// fires replays a session through one arbiter for each variant of limits, all
// over one panel.
func fires(t *testing.T, s session, d *detectors.Detector, shape detectors.Settings,
	variants []detectors.Settings) [][]fire {

	t.Helper()
	list := []*detectors.Detector{d}
	lanes := make(map[string]*lane)
	points := make([]*detectors.Point, len(variants))
	for i := range variants {
		points[i] = &detectors.Point{On: []int{0}, Variant: []int{i}}
	}
	out := make([][]fire, len(variants))
	calls, steps := make(map[int]int), make(map[int]int)
	var cur transcript.Cursor
	for _, step := range s.steps {
		l := lanes[step.Lane]
		if l == nil {
			panel, err := detectors.NewPanel(list, shape, [][]detectors.Settings{variants})
			if err != nil {
				t.Fatal(err)
			}
			l = &lane{panel: panel}
			for _, p := range points {
				l.arbiters = append(l.arbiters, detectors.NewArbiter(p))
			}
			lanes[step.Lane] = l
		}
		steps[step.Line]++
		at := make([]place, len(step.Calls))
		for i, c := range step.Calls {
			calls[c.Line]++
			at[i] = place{c.Line, calls[c.Line]}
		}
		first := int32(0) // number of the step's first call
		for ev := range cur.Events(step) {
			if ev.Call != nil && first == 0 {
				first = ev.Pos.Call
			}
			here := place{step.Line, steps[step.Line]}
			if ev.Call != nil {
				here = at[ev.Pos.Call-first]
			}
			frame := l.panel.Observe(ev)
			for i, a := range l.arbiters {
				if ev.Kind == transcript.RunBegins {
					a.RunBegins()
				}
				if frame == nil {
					continue
				}
				if d, ok := a.Add(frame); ok {
					out[i] = append(out[i], fire{frame.Explain(points[i], d, list), here})
				}
			}
		}
	}
	return out
}

type lane struct {
	panel    *detectors.Panel
	arbiters []*detectors.Arbiter
}

func wants(t *testing.T, path string, src []byte, sessions []session, d *detectors.Detector, p *detectors.Preset) {
	list, err := readWants(src)
	if err != nil {
		t.Fatalf("%s%v", path, err)
	}
	_, short, _ := strings.Cut(d.Name, "/")
	list = slices.DeleteFunc(list, func(w want) bool {
		if w.detector == d.Name || w.detector == short {
			return false
		}
		if !slices.ContainsFunc(p.Detectors, func(o *detectors.Detector) bool {
			return o.Name == w.detector || strings.HasSuffix(o.Name, "/"+w.detector)
		}) {
			t.Errorf("%s:%d: %s has no detector %s", path, w.line, p.Name, w.detector)
		}
		return true
	})
	if len(list) == 0 {
		t.Errorf("%s: nothing is wanted of %s: no session shows that it fires", path, d.Name)
	}
	met := make([]bool, len(list))
	for _, s := range sessions {
		for _, f := range fires(t, s, d, p.Set, []detectors.Settings{p.Set})[0] {
			wanted := false
			for i, w := range list {
				if f.place == (place{w.line, w.repeat}) && f.Verdict.String() == w.verdict &&
					(w.pattern == nil || w.pattern.MatchString(f.Text)) {
					met[i], wanted = true, true
				}
			}
			if !wanted {
				t.Errorf("%s:%d: session %s, call %d (@%d of the line): nobody wants %v %q", path, f.place.line, s.id,
					f.Pos.Call, f.place.repeat, f.Verdict, f.Text)
			}
		}
	}
	for i, w := range list {
		if !met[i] {
			t.Errorf("%s:%d: wants %s at @%d, and %s does not say it", path, w.line, w.verdict, w.repeat, d.Name)
		}
	}
}

// defaults checks that each default lies in its range, or that the parameter's
// doc says so itself by naming the value.
func defaults(t *testing.T, d *detectors.Detector) {
	for _, q := range slices.Concat(d.Shared, d.Params) {
		if q.Doc == "" {
			t.Errorf("%s has no doc", q.ID)
		}
		switch q.Kind {
		case detectors.Int:
			n, err := strconv.Atoi(q.Default)
			if err != nil || q.Lo > q.Hi || (n < q.Lo || n > q.Hi) && !strings.Contains(q.Doc, q.Default) {
				t.Errorf("%s: default %s, range %d to %d, and the doc does not say why: %s", q.ID, q.Default, q.Lo, q.Hi, q.Doc)
			}
		case detectors.Choice:
			if !slices.Contains(q.Options, q.Default) {
				t.Errorf("%s: default %s is none of %v", q.ID, q.Default, q.Options)
			}
		}
	}
}

// mostLimits bounds the limits of one range that are tried. Milliseconds have wide
// ranges, of which a few hundred are looked at.
const mostLimits = 300

// limits checks that a measurement is sufficient and the judge pure: every limit
// of every range, all over one panel, in both orders, says what it says over a
// panel of its own.
func limits(t *testing.T, sessions []session, d *detectors.Detector, p *detectors.Preset) {
	variants := []detectors.Settings{p.Set}
	for _, q := range d.Params {
		if q.Shape || q.Kind != detectors.Int {
			continue
		}
		for n := q.Lo; n <= q.Hi; n += 1 + (q.Hi-q.Lo)/mostLimits {
			variants = append(variants, p.Set.With(detectors.Settings{q.ID: strconv.Itoa(n)}))
		}
	}
	backwards := slices.Clone(variants)
	slices.Reverse(backwards)
	for _, s := range sessions {
		together := fires(t, s, d, p.Set, variants)
		reversed := fires(t, s, d, p.Set, backwards)
		for i, set := range variants {
			alone := fires(t, s, d, p.Set, variants[i:i+1])[0]
			if !reflect.DeepEqual(alone, together[i]) || !reflect.DeepEqual(alone, reversed[len(variants)-1-i]) {
				t.Errorf("session %s under %v: %s alone, %s and %s among others", s.id, changed(p.Set, set), say(alone),
					say(together[i]), say(reversed[len(variants)-1-i]))
			}
		}
	}
}

// changed are the settings that differ from those of the preset.
func changed(base, set detectors.Settings) (list []string) {
	for id, v := range set {
		if base[id] != v {
			list = append(list, id+"="+v)
		}
	}
	return list
}

func say(list []fire) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%v at %d/%d %q", f.Verdict, f.Pos.Step, f.Pos.Call, f.Text))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
