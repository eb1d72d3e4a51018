package native

import (
	"fmt"

	"groundhog/replay/transcript"
)

// Deltas stand after their step, or before it where a recorder writes live.
// They cut the text of the step; where the step has none they are the text.

// delta adds one delta to its step.
func (d *decoder) delta(l deltaLine) error {
	for i := len(d.pending) - 1; i >= 0; i-- {
		if d.pending[i].i == l.i {
			return d.pending[i].add(l)
		}
	}
	d.early = append(d.early, l)
	return nil
}

// takeEarly gives the deltas that came before step i, and forgets all others:
// their step has passed.
func (d *decoder) takeEarly(i int) []deltaLine {
	var mine []deltaLine
	for _, l := range d.early {
		if l.i == i {
			mine = append(mine, l)
		}
	}
	d.early = nil
	return mine
}

// add extends the part that a delta belongs to: the last one, if the channel is
// the same, or else the next of its channel that has no cuts yet.
func (p *pending) add(l deltaLine) error {
	k, ok := KindOf(l.channel)
	if !ok {
		return fmt.Errorf("delta of channel %q: expected text, reasoning or args", l.channel)
	}
	call := 0
	for i := range p.step.Calls {
		if l.call != "" && p.step.Calls[i].ID == l.call {
			call = i
		}
	}
	at := p.last
	if at < 0 || p.step.Parts[at].Kind != k || p.step.Parts[at].Call != call || p.full(at) {
		at = p.next(k, call)
	}
	p.last = at
	part := &p.step.Parts[at]
	end := len(l.text)
	if n := len(part.Cuts); n > 0 {
		end += part.Cuts[n-1].End
	}
	if end > len(part.Text) {
		n := len(part.Cuts)
		if whole := n == 0 && part.Text == "" || n > 0 && part.Cuts[n-1].End == len(part.Text); !whole {
			return fmt.Errorf("delta %d goes beyond the text of its step", l.seq)
		}
		part.Text += l.text
	}
	if part.Text[end-len(l.text):end] != l.text {
		return fmt.Errorf("delta %d differs from the text of its step", l.seq)
	}
	part.Cuts = append(part.Cuts, transcript.Cut{End: end, At: l.at})
	return nil
}

// full reports whether the deltas of a part already cover its text, and another
// part of its kind follows.
func (p *pending) full(at int) bool {
	part := &p.step.Parts[at]
	if n := len(part.Cuts); n == 0 || part.Cuts[n-1].End < len(part.Text) {
		return false
	}
	for i := at + 1; i < len(p.step.Parts); i++ {
		if q := &p.step.Parts[i]; q.Kind == part.Kind && q.Call == part.Call && len(q.Cuts) == 0 {
			return true
		}
	}
	return false
}

// next is the first part of a kind without cuts, made if there is none.
func (p *pending) next(k transcript.PartKind, call int) int {
	for i := range p.step.Parts {
		if q := &p.step.Parts[i]; q.Kind == k && q.Call == call && len(q.Cuts) == 0 {
			return i
		}
	}
	p.step.Parts = append(p.step.Parts, transcript.Part{Kind: k, Call: call})
	return len(p.step.Parts) - 1
}
