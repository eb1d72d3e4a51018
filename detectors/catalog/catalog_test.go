package catalog_test

import (
	"testing"

	"groundhog/detectors/catalog"
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
