package corpus

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"groundhog/detectors/kocoro"
	"groundhog/replay"
)

// The rules that come with the demo corpus hold for the preset they name.
func TestDemoRules(t *testing.T) {
	rs, err := ReadDemoRules()
	if err != nil {
		t.Fatal(err)
	}
	cells := make(map[Cell]int)
	for _, p := range kocoro.Presets {
		if p.Name != rs.Preset {
			continue
		}
		results, err := rs.Check(t.Context(), replay.Config{Preset: p})
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			cells[results[i].Example.Cell]++
			if r := &results[i]; !r.OK() {
				t.Errorf("%s:%d: %s: %s: %+v", rs.From, r.Example.Line, r.Example.Cell, r.Example.Name, r.Fire)
			}
		}
	}
	for _, c := range Cells {
		if cells[c] == 0 {
			t.Errorf("no session shows %s", c)
		}
	}
}

// No file of rules makes the reader panic, and what it reads can be run.
func FuzzRules(f *testing.F) {
	demo, err := ReadDemoRules()
	if err != nil || len(demo.List) == 0 {
		f.Fatal(err)
	}
	for _, s := range []string{
		"rules: [{must_fire: [call x]}]",
		"preset: a\nset: {b: c}\nrules:\n- level: block\n  must_not_fire:\n  - {name: n, session: 'call x x3'}\n",
		"rules: [{must_fire: [x.session]}]",
		"rules: [{must_fire: [&a {session: call x}, *a]}]",
		"rules: [[]]", "rules: 1", "- a", "a: b: c", "rules: [{must_fire: [{session: {}}]}]", "---\n---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		rs, err := readRules("rules.yaml", func(name string) ([]byte, error) {
			if name == "rules.yaml" {
				return []byte(src), nil
			}
			return nil, fs.ErrNotExist
		})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "rules.yaml") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(src) > 4096 || strings.Contains(src, "x") { // a session may be repeated a million times
			return
		}
		var unknown *UnknownPathError
		if _, err := rs.Check(t.Context(), replay.Config{Preset: kocoro.Presets[2]}); err != nil && !errors.As(err, &unknown) && !strings.HasPrefix(err.Error(), "rules.yaml") {
			t.Error(err)
		}
	})
}
