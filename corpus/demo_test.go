package corpus_test

import (
	"context"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors/kocoro"
	"groundhog/replay"
)

func TestDemo(t *testing.T) {
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Units) < 48 || len(found.Skipped) > 0 || len(found.Copies) > 0 {
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
	for _, p := range kocoro.Presets {
		q.Configs = append(q.Configs, replay.Config{Preset: p})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	spoke := make([]bool, len(q.Configs))
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), found.Units, func(o *replay.Outcome) error {
		if o.Err != nil || o.BadRecords > 0 || o.Context > 0 {
			t.Errorf("%s: %d bad records, %d steps of others, %v %v", o.Session.ID, o.BadRecords, o.Context, o.Bad, o.Err)
		}
		if err := labels.Fits(o); err != nil {
			t.Error(err)
		}
		for i := range spoke {
			spoke[i] = spoke[i] || len(o.Points[i].Fires) > 0
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for i, c := range q.Configs {
		if !spoke[i] {
			t.Errorf("%s says nothing about the corpus", c.Preset.Name)
		}
	}
}

func TestDemoSourceOfNoSession(t *testing.T) {
	for _, id := range []string{"none", "../demo", ""} {
		if _, err := corpus.DemoSource(id); err == nil || !strings.HasPrefix(err.Error(), "no demo session ") {
			t.Errorf("%q: %v", id, err)
		}
	}
}
