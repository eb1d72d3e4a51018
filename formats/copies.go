package formats

import (
	"cmp"
	"slices"
	"time"
)

// settle applies evaluation.md E2.2 to what was found, so that neither a
// session nor a step is counted twice: of several copies of a session the
// longest is kept, and a message that stands in several sessions belongs to the
// one that began first. It also puts the units into their final order.
func (found *Found) settle() {
	slices.SortFunc(found.Units, func(a, b *Unit) int {
		return cmp.Or(
			cmp.Compare(a.Session.ID, b.Session.ID),
			cmp.Compare(b.Size, a.Size), // the longest first
			cmp.Compare(a.Session.Origin.File, b.Session.Origin.File),
		)
	})
	slices.SortStableFunc(found.Skipped, func(a, b Skip) int { return cmp.Compare(a.Path, b.Path) })
	found.dropCopies()
	found.markForeign()
	for _, u := range found.Units {
		found.Bytes += u.Size
	}
}

func (found *Found) dropCopies() {
	kept := found.Units[:0]
	for _, u := range found.Units {
		if n := len(kept); n > 0 && kept[n-1].Session.ID == u.Session.ID {
			first := kept[n-1].Session
			if c := len(found.Copies); c == 0 || found.Copies[c-1].Session != first.ID {
				found.Copies = append(found.Copies, Copy{Session: first.ID, Kept: first.Origin.File})
			}
			last := &found.Copies[len(found.Copies)-1]
			last.Dropped = append(last.Dropped, u.Session.Origin.File)
			continue
		}
		kept = append(kept, u)
	}
	found.Units = kept
}

// markForeign notes, for each unit, the messages that belong to another one.
func (found *Found) markForeign() {
	owner := make(map[uint64]int32)
	shared := false
	for i, u := range found.Units {
		for _, m := range u.Messages {
			j, seen := owner[m]
			if !seen {
				owner[m] = int32(i)
				continue
			}
			if int(j) == i {
				continue
			}
			shared = true
			if earlier(u.Session.Started, found.Units[j].Session.Started) {
				owner[m] = int32(i)
			}
		}
	}
	if !shared {
		return
	}
	for i, u := range found.Units {
		for _, m := range u.Messages {
			if int(owner[m]) == i {
				continue
			}
			if u.foreign == nil {
				u.foreign = make(map[uint64]bool)
			}
			u.foreign[m] = true
		}
	}
}

// earlier reports whether a is known to be before b. Units are in order of id,
// so a tie goes to the smaller id.
func earlier(a, b time.Time) bool {
	return !a.IsZero() && (b.IsZero() || a.Before(b))
}
