package cli_test

import (
	"os/exec"
	"strings"
	"testing"
)

// layers is the order of the packages, lowest first: an import points down or stays in
// its layer. A name stands for the packages below it, too, unless those have a layer of
// their own. Packages of one line are one layer.
var layers = [][]string{
	{"replay/transcript"},
	{"formats", "detectors", "replay/cut", "report/stat"},
	{"replay"},
	{"corpus"},
	{"report"},
	{"report/board"},
	{"report/overview", "report/sweep", "report/compare", "report/justify", "report/gate", "report/review", "report/retry",
		"report/labels", "report/vet"},
	{"report/render"},
	{"cmd/cli"},
	{"cmd/groundhog"},
}

// layerOf is the layer of a package and the name in layers that it falls under.
func layerOf(pkg string) (layer int, name string) {
	layer = -1
	pkg = strings.TrimPrefix(pkg, "groundhog/")
	for i, names := range layers {
		for _, n := range names {
			if (pkg == n || strings.HasPrefix(pkg, n+"/")) && len(n) > len(name) {
				layer, name = i, n
			}
		}
	}
	return layer, name
}

// forTests are packages that only tests and programs of others import.
func forTests(pkg string) bool {
	return strings.HasSuffix(pkg, "test") || strings.HasPrefix(pkg, "groundhog/bench")
}

func TestDataFlowsOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "groundhog/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := fields[0]
		if forTests(from) {
			continue
		}
		at, self := layerOf(from)
		if at < 0 {
			t.Errorf("%s is in no layer", from)
		}
		for _, to := range fields[1:] {
			if !strings.HasPrefix(to, "groundhog/") {
				if live(from) && strings.Contains(to, ".") {
					t.Errorf("%s imports %s: a live agent must get by with the standard library", from, to)
				}
				continue
			}
			below, other := layerOf(to)
			switch {
			case forTests(to):
				t.Errorf("%s imports %s, which is for tests", from, to)
			case below > at:
				t.Errorf("%s imports %s, which is above it", from, to)
			case below == at && self != other:
				t.Errorf("%s imports %s, which is beside it", from, to)
			case strings.HasPrefix(self, "detectors") && sibling(from, to):
				t.Errorf("%s imports %s: a family knows no other", from, to)
			}
		}
	}
}

// live reports whether a package is part of what a live agent links.
func live(pkg string) bool {
	return pkg == "groundhog/replay/transcript" || pkg == "groundhog/detectors" || pkg == "groundhog/detectors/policy" ||
		pkg == "groundhog/detectors/kocoro"
}

// sibling reports whether two packages are of two families of detectors.
func sibling(a, b string) bool {
	family := func(pkg string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "groundhog/detectors/"), "/")
		switch name {
		case "groundhog", "policy", "family", "catalog":
			return ""
		}
		return name
	}
	x, y := family(a), family(b)
	return x != "" && y != "" && x != y
}
