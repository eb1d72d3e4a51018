package catalog_test

import (
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/detectortest"
	"groundhog/detectors/family"
	"groundhog/replay/transcript"
)

func TestFamilies(t *testing.T) {
	if err := family.Check(catalog.All()); err != nil {
		t.Error(err)
	}
}

// What a family says of tools fits together: a mapping leads to a name that its
// function gives, and what must be told is told to tools that it names.
func TestTools(t *testing.T) {
	for _, f := range catalog.All() {
		if f.Tools == nil {
			continue
		}
		name, changes := f.Tools.Name(nil), f.Tools.Changes(nil)
		if id := f.Tools.Setting; id != "" {
			if got := f.Tools.Name(detectors.Settings{id: "hammer=nail"})(&transcript.Call{Tool: "hammer"}); got != "nail" {
				t.Errorf("%s: under %s=hammer=nail, hammer stands for %s", f.Name, id, got)
			}
		}
		own := make(map[string]bool)
		for i, m := range f.Tools.Mappings {
			if got := name(&transcript.Call{Tool: m.Foreign}); got != m.Own {
				t.Errorf("%s: %s stands for %s, want %s", f.Name, m.Foreign, got, m.Own)
			}
			if i > 0 && m.Foreign <= f.Tools.Mappings[i-1].Foreign {
				t.Errorf("%s: %s is out of order", f.Name, m.Foreign)
			}
			own[m.Own] = true
		}
		for tool, needs := range f.Tools.Required.Tools {
			if got := name(&transcript.Call{Tool: tool}); got != tool || len(needs) == 0 {
				t.Errorf("%s: %s needs %v and stands for %s", f.Name, tool, needs, got)
			}
		}
		write := &transcript.Call{Tool: "Write", Args: `{"file_path":"a","content":"b"}`}
		if _, ok := changes(write); own["file_write"] && !ok {
			t.Errorf("%s: writing a file changes nothing", f.Name)
		}
	}
}

// Every target is a shape that a label of the embedded corpus has, or one of those
// that none has yet.
func TestTargets(t *testing.T) {
	shapes := []string{"stalled_stream", "failed_response", "filtered_response"}
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	var labels corpus.Labels
	for _, u := range demo.Units {
		if u.Session.Label == nil {
			continue
		}
		if err := labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File); err != nil {
			t.Fatal(err)
		}
		for _, span := range labels.Of(u.Session.ID).Spans {
			shapes = append(shapes, span.Shape)
		}
	}
	detectortest.Targets(t, catalog.Detectors, shapes)
}
