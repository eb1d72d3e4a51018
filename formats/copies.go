package formats

import (
	"cmp"
	"slices"
	"time"

	"groundhog/replay/transcript"
)

// NewFound is what was found without looking at files: the same rules apply.
func NewFound(units []*Unit) *Found {
	found := &Found{Units: units}
	found.settle()
	return found
}

// settle makes sure that neither a session nor a step is counted twice: of
// several copies of a session the longest is kept, and a message that stands in
// several sessions belongs to the one that began first. It also puts the units
// into their final order.
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
	found.dropPrefixes()
	found.Copies = slices.DeleteFunc(found.Copies, func(c Copy) bool { return len(c.Dropped) == 0 })
	found.markForeign()
	for _, u := range found.Units {
		found.Bytes += u.Size
		u.Messages = nil // there is one for each response of a corpus
	}
}

func (found *Found) dropCopies() {
	kept := found.Units[:0]
	for _, u := range found.Units {
		if n := len(kept); n > 0 && kept[n-1].Session.ID == u.Session.ID {
			found.copyOf(kept[n-1].Session, u)
			continue
		}
		kept = append(kept, u)
	}
	found.Units = kept
}

// dropPrefixes leaves out request logs that a later log repeats and continues.
func (found *Found) dropPrefixes() {
	longer := make(map[uint64]*Unit) // by message: the longest log that goes on after it
	for _, u := range found.Units {
		if !u.History {
			continue
		}
		for _, m := range u.Messages[:max(len(u.Messages)-1, 0)] {
			if have := longer[m]; have == nil || len(have.Messages) < len(u.Messages) {
				longer[m] = u
			}
		}
	}
	kept := found.Units[:0]
	for _, u := range found.Units {
		if n := len(u.Messages); u.History && n > 0 {
			if by := longer[u.Messages[n-1]]; by != nil {
				found.copyOf(by.Session, u)
				continue
			}
		}
		kept = append(kept, u)
	}
	found.Units = kept
}

// copyOf notes that u is a copy of what was kept, and so are the copies of u.
func (found *Found) copyOf(kept *transcript.Session, u *Unit) {
	dropped := []string{u.Session.Origin.File}
	if i, ok := found.copies[u.Session.ID]; ok && u.Session.ID != kept.ID {
		dropped = append(dropped, found.Copies[i].Dropped...)
		found.Copies[i].Dropped = nil // removed when all are known
	}
	i, ok := found.copies[kept.ID]
	if !ok {
		if found.copies == nil {
			found.copies = make(map[string]int)
		}
		i = len(found.Copies)
		found.copies[kept.ID] = i
		found.Copies = append(found.Copies, Copy{Session: kept.ID, Kept: kept.Origin.File})
	}
	found.Copies[i].Dropped = append(found.Copies[i].Dropped, dropped...)
}

// markForeign notes, for each unit, the messages that belong to another one.
func (found *Found) markForeign() {
	twice := found.repeated()
	if len(twice) == 0 {
		return
	}
	owner := make(map[uint64]int) // of the messages in twice
	for i, u := range found.Units {
		for _, m := range u.Messages {
			if !twice[m] {
				continue
			}
			j, seen := owner[m]
			if !seen || i != j && earlier(u.Session.Started, found.Units[j].Session.Started) {
				owner[m] = i
			}
		}
	}
	for i, u := range found.Units {
		for _, m := range u.Messages {
			if !twice[m] || owner[m] == i {
				continue
			}
			if u.foreign == nil {
				u.foreign = make(map[uint64]bool)
			}
			u.foreign[m] = true
		}
	}
}

// repeated is the set of messages that stand in the units more than once. Few
// do, so that sorting them all is far smaller than a map.
func (found *Found) repeated() map[uint64]bool {
	n := 0
	for _, u := range found.Units {
		n += len(u.Messages)
	}
	all := make([]uint64, 0, n)
	for _, u := range found.Units {
		all = append(all, u.Messages...)
	}
	slices.Sort(all)
	twice := make(map[uint64]bool)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			twice[all[i]] = true
		}
	}
	return twice
}

// earlier reports whether a is known to be before b. Units are in order of id,
// so a tie goes to the smaller id.
func earlier(a, b time.Time) bool {
	return !a.IsZero() && (b.IsZero() || a.Before(b))
}
