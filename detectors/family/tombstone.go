package family

import (
	"fmt"
	"strings"
)

// A Tombstone remembers a detector that an agent no longer has, so that an old
// configuration gets an explanation and not "unknown detector".
type Tombstone struct {
	Name    string
	Date    string
	Why     string
	Covered string // what catches its loops now; says so where nothing does
	Preset  string // the last preset that has it
}

// String explains a removal to somebody who names the detector.
func (t *Tombstone) String() string {
	return fmt.Sprintf("%s was removed on %s (%s), covered by %s; %s still has it; groundhog list removed",
		t.Name, t.Date, t.Why, t.Covered, t.Preset)
}

// FindRemoved is the tombstone of a detector, named with or without its family;
// nil if there is none.
func FindRemoved(name string, list []Tombstone) *Tombstone {
	for i := range list {
		if _, short, _ := strings.Cut(list[i].Name, "/"); name == list[i].Name || name == short {
			return &list[i]
		}
	}
	return nil
}
