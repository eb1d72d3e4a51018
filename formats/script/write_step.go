package script

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// block writes a response as a step statement.
func (w *writer) block(s *transcript.Step) []byte {
	line := []byte("step")
	attempts := slices.Clone(s.Attempts)
	slices.SortStableFunc(attempts, func(a, b transcript.Attempt) int { return cmp.Compare(a.N, b.N) })
	for i := range attempts {
		w.loseAttempt(&attempts[i], i+1)
		line = appendAttempt(append(line, "\n  attempt "...), &attempts[i])
	}
	line = w.content(line, s)
	if s.Finish != usual(s) {
		word := unknown
		if slices.Contains(finishes, s.Finish) {
			word = string(s.Finish)
		}
		line = append(append(line, "\n  finish "...), word...)
	}
	if u := s.Usage; u.Known {
		line = fmt.Appendf(line, "\n  usage in=%d out=%d", max(u.Input, 0), max(u.Output, 0))
		for _, more := range []struct {
			key string
			n   int64
		}{{"reasoning", u.Reasoning}, {"cache-read", u.CacheRead}, {"cache-write", u.CacheWrite}} {
			if more.n > 0 {
				line = fmt.Appendf(line, " %s=%d", more.key, more.n)
			}
		}
	}
	if s.ID != "" {
		line = appendName(append(line, "\n  id "...), s.ID)
	}
	if w.other(s) {
		line = appendName(append(line, "\n  model "...), s.Model)
	}
	if s.Has(transcript.Synthetic) {
		line = append(line, "\n  synthetic"...)
	}
	return line
}

// content writes the parts and the calls of a response. The deltas of a call's
// arguments stand before it, and the calls before that one before them.
func (w *writer) content(line []byte, s *transcript.Step) []byte {
	called := 0
	callUpTo := func(n int) {
		for ; called < n; called++ {
			w.loseCall(&s.Calls[called])
			line = appendCall(append(line, "\n  "...), &s.Calls[called])
		}
	}
	var last *transcript.Part // if it was written as deltas
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Kind == transcript.ToolInput {
			if len(p.Cuts) == 0 || p.Call < called || p.Call >= len(s.Calls) {
				known := p.Call >= 0 && p.Call < len(s.Calls) && p.Text == s.Calls[p.Call].Args
				w.lose(lostInput, len(p.Cuts) > 0 || !known)
				continue
			}
			callUpTo(p.Call)
		}
		if len(p.Cuts) == 0 {
			word := "\n  text "
			if p.Kind == transcript.Thinking {
				word = "\n  think "
			}
			line = record.AppendQuote(append(line, word...), p.Text)
			last = nil
			continue
		}
		w.lose(lostBoundary, last != nil && last.Kind == p.Kind && last.Call == p.Call)
		last = p
		line = w.deltas(line, p)
	}
	callUpTo(len(s.Calls))
	return line
}

func (w *writer) deltas(line []byte, p *transcript.Part) []byte {
	word := [...]string{transcript.Text: "text", transcript.Thinking: "think", transcript.ToolInput: "args"}[p.Kind]
	from := 0
	for i, cut := range p.Cuts {
		end := min(max(cut.End, from), len(p.Text))
		if i == len(p.Cuts)-1 {
			end = len(p.Text) // a stream that was cut off leaves a rest
		}
		line = append(line, "\n  delta "...)
		if cut.At >= 0 {
			line = append(append(append(line, "at="...), cut.At.String()...), ' ')
		}
		line = append(append(line, word...), ' ')
		line = record.AppendQuote(line, p.Text[from:end])
		from = end
	}
	return line
}

func appendAttempt(line []byte, a *transcript.Attempt) []byte {
	status := a.Status
	if status < 0 || status > maxStatus {
		status = 0
	}
	line = strconv.AppendInt(line, int64(status), 10)
	plain := a.Type == "" || isWord(a.Type) && !slices.Contains([]byte(a.Type), '=')
	if a.Type != "" {
		line = append(line, ' ')
		if plain {
			line = append(line, a.Type...)
		} else {
			line = record.AppendQuote(line, a.Type)
		}
	}
	if a.Message != "" || !plain {
		line = record.AppendQuote(append(line, ' '), a.Message)
	}
	if a.Delay >= 0 {
		line = append(append(line, " wait="...), a.Delay.String()...)
	}
	if a.RetryAfter >= 0 {
		line = append(append(line, " retry-after="...), a.RetryAfter.String()...)
	}
	for _, o := range [...]struct{ key, name string }{
		{" code=", a.Code}, {" scope=", a.Scope}, {" phase=", attemptPhase(a)},
	} {
		if o.name != "" {
			line = appendName(append(line, o.key...), o.name)
		}
	}
	return line
}

// attemptPhase is the phase as the format has it; "" for one that it has not.
func attemptPhase(a *transcript.Attempt) string {
	switch {
	case a.AfterCall && a.Phase == "stream":
		return afterCall
	case !a.AfterCall && (a.Phase == "request" || a.Phase == "stream"):
		return a.Phase
	}
	return ""
}
