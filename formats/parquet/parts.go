package parquet

import (
	"fmt"
	"time"

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
		part := transcript.Part{Call: p.Call}
		switch string(p.Ch) {
		case channels[transcript.Text], channels[transcript.Thinking]:
			if string(p.Ch) == channels[transcript.Thinking] {
				part.Kind = transcript.Thinking
			}
			text := &a.text[part.Kind]
			if p.N < 0 || p.N > len(*text) {
				return fmt.Errorf("more: parts go beyond the %s", p.Ch)
			}
			part.Text, *text = (*text)[:p.N], (*text)[p.N:]
		case channels[transcript.ToolInput]:
			part.Kind = transcript.ToolInput
			switch {
			case p.Text != nil:
				part.Text = string(*p.Text)
			case p.Call < 0 || p.Call >= len(s.Calls):
				return fmt.Errorf("more: a part belongs to call %d of %d", p.Call, len(s.Calls))
			default:
				part.Text = s.Calls[p.Call].Args
			}
		default:
			return fmt.Errorf("more: part of channel %q: expected text, reasoning or args", p.Ch)
		}
		s.Parts = append(s.Parts, part)
	}
	return cut(s.Parts, a.rest.Deltas)
}

// cut puts the ends of the recorded deltas into their parts.
func cut(parts []transcript.Part, deltas [][][2]int64) error {
	if len(deltas) > len(parts) {
		return fmt.Errorf("more: deltas of %d parts, and there are %d", len(deltas), len(parts))
	}
	for i, list := range deltas {
		p := &parts[i]
		last := int64(0)
		for _, d := range list {
			if d[0] < last || d[0] > int64(len(p.Text)) {
				return fmt.Errorf("more: a delta ends at byte %d of %d", d[0], len(p.Text))
			}
			last = d[0]
			p.Cuts = append(p.Cuts, transcript.Cut{End: int(d[0]), At: time.Duration(max(d[1], -1))})
		}
	}
	return nil
}
