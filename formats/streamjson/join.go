package streamjson

import "groundhog/replay/transcript"

// join puts the deltas of a message into the parts that its records gave.
//
// The records are the truth about what the client took, and the events about
// how it came. Where both have a text they agree; an input is written anew by
// the client, so the model's own bytes replace it. What only the events have
// behind the last common part was cut off and is added.
func (r *reader) join(e *entry) {
	p, s := e.partial, e.step
	if e.partial = nil; p == nil {
		return
	}
	used := make([]bool, len(p.Parts))
	last := -1
	for i := range s.Parts {
		part := &s.Parts[i]
		k := counterpart(s, part, p, used)
		if k < 0 {
			continue
		}
		used[k] = true
		last = max(last, k)
		from := &p.Parts[k]
		part.Text, part.Cuts = from.Text, from.Cuts
		if part.Kind == transcript.ToolInput {
			c := &s.Calls[part.Call]
			c.Args, c.ArgsInvalid = from.Text, p.Calls[from.Call].ArgsInvalid
		}
	}
	for k := range p.Parts {
		if used[k] {
			continue
		}
		if k < last || len(s.Parts) > 0 && last < 0 {
			r.header.Note(s.Line, noteDiffers)
			continue
		}
		part := p.Parts[k]
		if part.Kind == transcript.ToolInput {
			call := p.Calls[part.Call]
			part.Call = len(s.Calls)
			s.Calls = append(s.Calls, call)
		}
		s.Parts = append(s.Parts, part)
	}
}

// counterpart is the part of a streamed message that is the same as one of its
// records: the same text, or the input of the same call.
func counterpart(s *transcript.Step, part *transcript.Part, p *transcript.Step, used []bool) int {
	for k := range p.Parts {
		q := &p.Parts[k]
		if used[k] || q.Kind != part.Kind {
			continue
		}
		if q.Kind == transcript.ToolInput {
			if s.Calls[part.Call].ID == p.Calls[q.Call].ID {
				return k
			}
			continue
		}
		if q.Text == part.Text {
			return k
		}
	}
	return -1
}
