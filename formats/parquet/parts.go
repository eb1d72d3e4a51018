package parquet

import (
	"fmt"
	"time"

	"groundhog/formats/native"
	"groundhog/replay/transcript"
)

// parts cuts text and reasoning as they were.
func (a *assembler) parts(s *transcript.Step) error {
	if a.rest.Parts == nil {
		for _, kind := range [...]transcript.PartKind{transcript.Thinking, transcript.Text} {
			if a.has[kind] {
				s.Parts = append(s.Parts, transcript.Part{Kind: kind, Text: a.text[kind]})
			}
		}
	}
	for _, p := range a.rest.Parts {
		kind, ok := native.KindOf(p.channel)
		if !ok {
			return fmt.Errorf("more: part of channel %q: expected text, reasoning or args", p.channel)
		}
		part := transcript.Part{Kind: kind, Call: p.call}
		switch {
		case kind != transcript.ToolInput:
			text := &a.text[kind]
			if p.n < 0 || p.n > len(*text) {
				return fmt.Errorf("more: parts go beyond the %s", p.channel)
			}
			part.Text, *text = (*text)[:p.n], (*text)[p.n:]
		case p.text != nil:
			part.Text = p.text.Text()
		case p.call < 0 || p.call >= len(s.Calls):
			return fmt.Errorf("more: a part belongs to call %d of %d", p.call, len(s.Calls))
		default:
			part.Text = s.Calls[p.call].Args
		}
		s.Parts = append(s.Parts, part)
	}
	return cut(s.Parts, a.rest.Deltas)
}

// cut puts the ends of the recorded deltas into their parts.
func cut(parts []transcript.Part, deltas [][][]int64) error {
	if len(deltas) > len(parts) {
		return fmt.Errorf("more: deltas of %d parts, and there are %d", len(deltas), len(parts))
	}
	for i, list := range deltas {
		p := &parts[i]
		last := int64(0)
		for _, d := range list {
			if len(d) != 2 {
				return fmt.Errorf("more: a delta of %d numbers: expected where it ends and when", len(d))
			}
			if d[0] < last || d[0] > int64(len(p.Text)) {
				return fmt.Errorf("more: a delta ends at byte %d of %d", d[0], len(p.Text))
			}
			last = d[0]
			p.Cuts = append(p.Cuts, transcript.Cut{End: int(d[0]), At: time.Duration(max(d[1], -1))})
		}
	}
	return nil
}
