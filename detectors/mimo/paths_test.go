package mimo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/detectortest"
)

// shows is the preset under which a detector is shown: mimo-2026-09, or the
// newest that has it. What no preset has is shown with its defaults, and what is
// off is switched on.
func shows(d *detectors.Detector) *detectors.Preset {
	newest := &detectors.Preset{Name: "of its own", Detectors: []*detectors.Detector{d}, Every: true}
	for _, p := range Presets {
		if !slices.Contains(p.Detectors, d) {
			continue
		}
		if newest = p; p.Name == "mimo-2026-09" {
			break
		}
	}
	if d.Off(newest.Set) {
		on := *newest
		on.Set = on.Set.With(detectors.Settings{d.Switch: "true"})
		return &on
	}
	return newest
}

func TestPaths(t *testing.T) {
	for _, d := range Detectors {
		_, name, _ := strings.Cut(d.Name, "/")
		t.Run(name, func(t *testing.T) { detectortest.Run(t, "testdata", d, shows(d)) })
	}
}

// Each file holds three sessions, and each of them says first what it shows:
// the detector fires, it nearly fires, and work that only looks like a loop.
func TestPathFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.session"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range Detectors {
		want = append(want, detectortest.Path("testdata", d))
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
}
