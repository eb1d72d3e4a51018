package stream

import (
	"groundhog/formats"
	"groundhog/replay/transcript"
)

// turnsOf makes steps of what is new in a request, and gives results to the
// calls they belong to. It returns the conversation that the request is of.
func (t *tape) turnsOf(r request, x *exchange) *thread {
	th, from := t.follows(r)
	if th == nil {
		th = &thread{first: len(t.steps)}
		t.threads = append(t.threads, th)
	}
	if t.session.Model == "" {
		t.session.Model = r.model
	}
	fresh := len(th.steps) == 0
	for i := from; i < len(r.turns); i++ {
		turn := &r.turns[i]
		for _, out := range turn.results {
			out.Time, out.Line = x.at, x.line
			t.outcome(th, out)
		}
		step := &transcript.Step{Time: x.at, Line: x.line}
		if turn.text != "" {
			step.Parts = []transcript.Part{{Kind: transcript.Text, Text: turn.text}}
		}
		switch turn.role {
		case "system":
			if step.Kind = transcript.System; !fresh {
				continue // sent with each request
			}
		case "user":
			step.Kind = transcript.Prompt
			if len(turn.results) > 0 {
				step.Kind, step.Flags = transcript.Injection, transcript.Synthetic
			}
		case "assistant":
			if i == len(r.turns)-1 {
				continue // the beginning of the answer that is asked for
			}
			step.Kind, step.Flags = transcript.Response, transcript.Context
			turn.fill(step, x)
		default:
			continue
		}
		t.put(th, step)
	}
	return th
}

// fill makes a response of a turn that the cassette has no answer of.
func (turn *turn) fill(step *transcript.Step, x *exchange) {
	if turn.thinking != "" {
		step.Parts = append([]transcript.Part{{Kind: transcript.Thinking, Text: turn.thinking}}, step.Parts...)
	}
	step.Calls = turn.calls
	for i := range step.Calls {
		step.Calls[i].Line = x.line
		step.Parts = append(step.Parts, transcript.Part{Kind: transcript.ToolInput, Text: step.Calls[i].Args, Call: i})
	}
}

// follows finds the conversation that a request goes on with, and the first of
// its turns that is new.
func (t *tape) follows(r request) (th *thread, from int) {
	if r.previous != "" {
		if th = t.ids[r.previous]; th != nil {
			return th, 0
		}
	}
	last := -1
	for i := len(r.turns) - 1; i >= 0; i-- {
		if r.turns[i].role != "assistant" || i == len(r.turns)-1 {
			continue
		}
		last = max(last, i)
		if th = t.said[digestOf(r.turns[i].text, r.turns[i].calls)]; th == nil {
			continue
		}
		if i == last {
			return th, i + 1
		}
		// It goes on from an earlier answer: another branch.
		return nil, i + 1
	}
	// The answer was changed, but its calls are told by the results.
	for i := last + 1; i < len(r.turns); i++ {
		for _, out := range r.turns[i].results {
			for _, th := range t.threads {
				for _, s := range th.steps {
					if out.id != "" && openCall(s, out.id) != nil {
						return th, last + 1
					}
				}
			}
		}
	}
	return nil, 0
}

// outcome gives a result to the latest call with its id. A result that is
// there already was sent again.
func (t *tape) outcome(th *thread, out outcome) {
	known := false
	for i := len(th.steps) - 1; i >= 0; i-- {
		s := th.steps[i]
		if c := openCall(s, out.id); c != nil {
			c.Result = out.Result
			return
		}
		for j := range s.Calls {
			c := &s.Calls[j]
			if c.ID == "" && c.Tool == out.id && c.Result.Status == transcript.ResultMissing {
				c.Result = out.Result // the old function calls have names alone
				return
			}
			known = known || c.ID == out.id
		}
	}
	if !known {
		t.session.Note(out.Line, formats.NoteOrphanResult)
	}
}
