package corpus_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors/kocoro"
	"groundhog/detectors/mimo"
	"groundhog/replay"
	"groundhog/replay/cut"
)

func TestDemo(t *testing.T) {
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Units) < 128 || len(found.Skipped) > 0 || len(found.Copies) > 0 {
		t.Errorf("%d sessions, skipped %v, copies %v", len(found.Units), found.Skipped, found.Copies)
	}
	var labels corpus.Labels
	classes := make(map[corpus.Class]int)
	for _, u := range found.Units {
		id := u.Session.ID
		if u.Session.Origin.File != id+".session" {
			t.Errorf("session %s stands in %s", id, u.Session.Origin.File)
		}
		src, err := corpus.DemoSource(id)
		if err != nil {
			t.Error(err)
			continue
		}
		first, _, _ := strings.Cut(src, "\n")
		if text, ok := strings.CutPrefix(first, "# "); !ok || !strings.Contains(text, " ") || !strings.HasSuffix(text, ".") {
			t.Errorf("%s does not begin with a sentence: %q", id, first)
		}
		if err := labels.AddCarried(u.Session.Label, id, u.Session.Origin.File); err != nil {
			t.Error(err)
			continue
		}
		l := labels.Of(id)
		classes[l.Class]++
		if l.Reviewed != "full" || l.Source != "synthetic" {
			t.Errorf("%s: reviewed %s, source %s", id, l.Reviewed, l.Source)
		}
		for _, s := range l.Spans {
			if s.Shape == "" {
				t.Errorf("%s: a span without a shape", id)
			}
		}
	}
	for _, c := range []corpus.Class{corpus.Loop, corpus.Productive, corpus.KnownGap} {
		if classes[c] == 0 {
			t.Errorf("no session of class %s: %v", c, classes)
		}
	}
	var q replay.Question
	for _, p := range slices.Concat(kocoro.Presets, mimo.Presets) {
		q.Configs = append(q.Configs, replay.Config{Preset: p})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	spoke := make([]map[string]bool, len(q.Configs)) // what fired, by preset
	for i := range spoke {
		spoke[i] = make(map[string]bool)
	}
	err = (&replay.Engine{Plan: plan, Split: cut.All()[0].Cut}).Run(context.Background(), found.Units, func(o *replay.Outcome) error {
		if o.Err != nil || o.BadRecords > 0 || o.Context > 0 {
			t.Errorf("%s: %d bad records, %d steps of others, %v %v", o.Session.ID, o.BadRecords, o.Context, o.Bad, o.Err)
		}
		if err := labels.Fits(o); err != nil {
			t.Error(err)
		}
		for i := range spoke {
			for _, f := range o.Points[i].Fires {
				for _, w := range f.Wanted {
					spoke[i][w.Detector] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for i, c := range q.Configs {
		for _, d := range c.Preset.Detectors {
			if spoke[i][d.Name] == (silent[d.Name] != "") {
				t.Errorf("%s of %s: fires %v, against the list of those that never do", d.Name, c.Preset.Name, spoke[i][d.Name])
			}
		}
	}
}

// silent are the detectors that no session of the corpus can show, and why.
var silent = map[string]string{
	"mimo/chunk_timeout":       "deltas of a script have no times",
	"mimo/thinking_streak":     "experimental, and off in every preset",
	"kocoro/before_stable_web": "in production, web tools are not read-only",
}

func TestDemoSourceOfNoSession(t *testing.T) {
	for _, id := range []string{"none", "../demo", ""} {
		if _, err := corpus.DemoSource(id); err == nil || !strings.HasPrefix(err.Error(), "no demo session ") {
			t.Errorf("%q: %v", id, err)
		}
	}
}
