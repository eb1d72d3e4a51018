package cli_test

import (
	"os/exec"
	"strings"
	"testing"
)

// layers is the order in which data flows. A package may import those of its
// own line's left side and below: nothing may point up.
var layers = []string{
	"groundhog/replay/transcript",
	"groundhog/formats",
	"groundhog/detectors",
	"groundhog/replay",
	"groundhog/corpus",
	"groundhog/report",
	"groundhog/cmd",
}

func layer(pkg string) int {
	best := -1
	for i, l := range layers {
		if pkg == l || strings.HasPrefix(pkg, l+"/") {
			if best < 0 || len(l) > len(layers[best]) {
				best = i
			}
		}
	}
	return best
}

func TestDataFlowsOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "groundhog/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := fields[0]
		for _, to := range fields[1:] {
			up := layer(to) > layer(from)
			test := strings.Contains(from, "detectortest") || strings.HasPrefix(from, "groundhog/bench")
			if strings.HasPrefix(to, "groundhog/") && up && !test {
				t.Errorf("%s imports %s, which is above it", from, to)
			}
			switch {
			case strings.HasPrefix(from, "groundhog/formats") && strings.HasPrefix(to, "groundhog/detectors"),
				strings.HasPrefix(from, "groundhog/detectors") && strings.HasPrefix(to, "groundhog/formats") && !test:
				t.Errorf("%s imports %s: readers and detectors know nothing of each other", from, to)
			case strings.HasPrefix(from, "groundhog/replay/transcript") || from == "groundhog/detectors" || from == "groundhog/detectors/kocoro":
				if strings.Contains(to, ".") {
					t.Errorf("%s imports %s: a live agent must get by with the standard library", from, to)
				}
			}
		}
	}
}
