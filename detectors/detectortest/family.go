package detectortest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/family"
)

// Family runs what the tests of every family begin with: the family by itself is
// sound (family.Check), every detector has its file of sessions in dir and passes
// Run under the preset that Shown gives, and dir holds no other (Files).
func Family(t *testing.T, dir string, f family.Family) {
	t.Helper()
	if err := family.Check([]family.Family{f}); err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Detectors {
		_, name, _ := strings.Cut(d.Name, "/")
		t.Run(name, func(t *testing.T) { Run(t, dir, d, Shown(f, d)) })
	}
	t.Run("files", func(t *testing.T) { Files(t, dir, f.Detectors) })
}

// Shown is the preset under which a detector is shown: the family's default, else
// the newest that has it, else one of its own. A detector that is off is switched on.
func Shown(f family.Family, d *detectors.Detector) *detectors.Preset {
	shown := &detectors.Preset{Name: "of its own", Detectors: []*detectors.Detector{d}, Every: true}
	for _, p := range f.Presets {
		if !slices.Contains(p.Detectors, d) {
			continue
		}
		if shown = p; slices.Contains(f.Default, p.Name) {
			break
		}
	}
	if d.Off(shown.Set) {
		on := *shown
		on.Set = on.Set.With(detectors.Settings{d.Switch: "true"})
		return &on
	}
	return shown
}

// Files fails the test unless dir has one file of sessions for each detector and no
// other, and each file holds three sessions: the detector fires, it nearly fires,
// and work that only looks like a loop. A comment before a session says what it shows.
func Files(t *testing.T, dir string, list []*detectors.Detector) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.session"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range list {
		want = append(want, Path(dir, d))
	}
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("files %v, want one for each detector: %v", files, want)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		threeSessions(t, path, src)
	}
}

func threeSessions(t *testing.T, path string, src []byte) {
	t.Helper()
	var wanted []int // in each session
	before := ""
	for raw := range bytes.Lines(src) {
		line := strings.TrimRight(string(raw), "\n")
		if strings.HasPrefix(line, "session ") {
			if !strings.HasPrefix(before, "# ") {
				t.Errorf("%s: %q is not told what it shows", path, line)
			}
			wanted = append(wanted, 0)
		}
		if strings.Contains(line, "# want ") && len(wanted) > 0 {
			wanted[len(wanted)-1]++
		}
		before = line
	}
	if len(wanted) != 3 || wanted[0] == 0 || wanted[1]+wanted[2] > 0 {
		t.Errorf("%s: wants in each session: %v; expected three sessions, and wants in the first alone", path, wanted)
	}
}

// Targets fails the test for a target that is not among the shapes of loops that
// labels know: what a detector catches of it would count nowhere.
func Targets(t *testing.T, list []*detectors.Detector, shapes []string) {
	t.Helper()
	for _, d := range list {
		for _, target := range d.UnknownTargets(shapes) {
			t.Errorf("%s is for loops of the shape %s, which no label knows", d.Name, target)
		}
	}
}
