package parquet

import (
	"groundhog/formats/native"
	"groundhog/replay/transcript"
)

// This file turns the model into rows; assemble.go is its other half.

// The words of the column kind.
const (
	kindUser       = "user"
	kindAssistant  = "assistant"
	kindCall       = "call"
	kindAttempt    = "attempt"
	kindCompaction = "compaction"
	kindNote       = "note"
)

func stepWord(s *transcript.Step) string {
	switch s.Kind {
	case transcript.Response:
		return kindAssistant
	case transcript.Prompt, transcript.Injection:
		return kindUser
	case transcript.Compaction:
		return kindCompaction
	}
	return kindNote
}

func (w *writer) stepRow(s *transcript.Step) *eventRow {
	r := w.begin(s, stepWord(s))
	c := &w.cell
	r.TS, r.TSEnd = c.time("ts", s.Time), c.time("ts_end", s.Ended)
	r.MessageID = c.opt("message_id", s.ID)
	r.Finish = c.opt("finish", string(s.Finish))
	if text, ok := joined(s, transcript.Text); ok {
		n := hash(text)
		r.TextHash, r.TextBytes = &n, c.small("text_bytes", int64(len(text)))
		text = c.word("text", text)
		r.Text = &text
	}
	if text, ok := joined(s, transcript.Thinking); ok {
		r.ThinkingBytes = c.small("reasoning_bytes", int64(len(text)))
		text = c.word("reasoning", text)
		r.Reasoning = &text
	}
	if u := s.Usage; u.Known {
		r.TokIn, r.TokOut = c.small("tok_in", u.Input), c.small("tok_out", u.Output)
		r.TokReasoning = c.small("tok_reasoning", u.Reasoning)
		r.TokCacheRead = c.small("tok_cache_read", u.CacheRead)
		r.TokCacheWrite = c.small("tok_cache_write", u.CacheWrite)
		if u.Cost != 0 {
			r.Cost = &u.Cost
		}
	}
	c.Str("model", s.Model)
	w.flags(s)
	c.Str("finish_raw", s.FinishRaw)
	w.parts(s)
	return r
}

// joined is the text of the parts of one kind; ok is false if there is none.
func joined(s *transcript.Step, kind transcript.PartKind) (text string, ok bool) {
	for i := range s.Parts {
		if s.Parts[i].Kind == kind {
			return s.Text(kind), true
		}
	}
	return "", false
}

// flags names what is true of a step. A harness reminder is a user step that is
// synthetic, with or without the flag, so role says which where it must.
func (w *writer) flags(s *transcript.Step) {
	set := s.Flags &^ transcript.Context // which is decided anew among the sessions of each input
	c := &w.cell
	switch {
	case s.Kind == transcript.Injection && set&transcript.Synthetic == 0:
		set |= transcript.Synthetic
		c.Text("role", "injection")
	case s.Kind == transcript.Prompt && set&transcript.Synthetic != 0:
		c.Text("role", "prompt")
	}
	native.WriteFlags(&c.Builder, set)
}

// parts says how text and reasoning were cut and mixed, where it is not one of
// each at most, reasoning first; and where the recorded deltas end.
func (w *writer) parts(s *transcript.Step) {
	c := &w.cell
	simple, cuts := len(s.Parts) <= 2, false
	for i, p := range s.Parts {
		simple = simple && p.Kind != transcript.ToolInput && p.Call == 0 &&
			(i == 0 || s.Parts[0].Kind == transcript.Thinking && p.Kind == transcript.Text)
		cuts = cuts || len(p.Cuts) > 0
	}
	if !simple {
		c.Key("parts")
		c.Open('[')
		for _, p := range s.Parts {
			c.Open('{')
			c.Text("ch", native.Channel(p.Kind))
			c.Some("call", int64(p.Call))
			switch {
			case p.Kind != transcript.ToolInput:
				c.Some("n", int64(len(p.Text)))
			case p.Call < 0 || p.Call >= len(s.Calls) || s.Calls[p.Call].Args != p.Text:
				c.Text("text", p.Text)
			}
			c.Close('}')
		}
		c.Close(']')
	}
	if !cuts {
		return
	}
	c.Key("deltas")
	c.Open('[')
	for _, p := range s.Parts {
		c.Open('[')
		for _, cut := range p.Cuts {
			c.Open('[')
			c.Number(int64(cut.End))
			c.Number(int64(max(cut.At, -1)))
			c.Close(']')
		}
		c.Close(']')
	}
	c.Close(']')
}

func (w *writer) callRow(s *transcript.Step, i int) *eventRow {
	r := w.begin(s, kindCall)
	c := &w.cell
	call := &s.Calls[i]
	res := &call.Result
	r.CallIndex = c.small("call_index", int64(i))
	r.TS, r.TSEnd = c.time("ts", call.Time), c.time("ts_end", res.Time)
	r.CallID = c.opt("call_id", call.ID)
	tool := c.word("tool", call.Tool)
	r.Tool = &tool
	argsHash := w.hash.args(call.Args)
	r.ArgsHash, r.ArgsBytes = &argsHash, c.small("args_bytes", int64(len(call.Args)))
	if call.Args != "" || call.ArgsInvalid {
		args := c.word("args", call.Args)
		r.Args = &args
	}
	r.DurationMS = c.millis("duration_ms", call.Took)
	r.ResultMissing = res.Status == transcript.ResultMissing
	if !r.ResultMissing {
		raw, norm := w.hash.result(res)
		r.ResultHash, r.NormHash, r.ResultBytes = &raw, &norm, c.small("result_bytes", int64(len(res.Text)))
		text := c.word("result", res.Text)
		r.Result = &text
	}
	failed, inferred := res.Failed()
	if inferred || res.Status != transcript.ResultUnflagged && !r.ResultMissing {
		r.IsError = &failed
		r.ErrorInferred = inferred || failed && s.Has(transcript.ErrorInferred)
	}
	c.True("unflagged", inferred)
	r.ErrorText = c.opt("error_text", res.ErrorText)
	if res.ExitCode != nil {
		r.ExitCode = c.small("exit_code", int64(*res.ExitCode))
	}
	c.True("args_invalid", call.ArgsInvalid)
	c.True("provider_executed", call.Provider)
	c.Str("state", call.State)
	c.True("denied", res.Status == transcript.ResultDenied)
	c.True("cancelled", res.Status == transcript.ResultCancelled)
	c.True("interrupted", call.Interrupted)
	c.True("truncated", res.Truncated)
	native.WriteSignals(&c.Builder, call.Signals)
	if len(res.Media) > 0 {
		c.Key("media")
		c.Open('[')
		for _, m := range res.Media {
			c.Open('{')
			c.Str("mime", m.MIME)
			c.Some("bytes", m.Bytes)
			c.Str("sha256", m.SHA256)
			c.Close('}')
		}
		c.Close(']')
	}
	return r
}

func (w *writer) attempt(s *transcript.Step, a *transcript.Attempt) error {
	r := w.begin(s, kindAttempt)
	c := &w.cell
	r.TS = c.time("ts", a.Time)
	r.Attempt, r.Status = c.positive("attempt", int64(a.N)), c.positive("http_status", int64(a.Status))
	r.DelayMS, r.RetryAfterMS = c.millis("delay_ms", a.Delay), c.millis("retry_after_ms", a.RetryAfter)
	r.ErrorType, r.Outcome = c.opt("error_type", a.Type), c.opt("outcome", a.Outcome)
	r.ErrorText = c.opt("error_text", a.Message)
	c.Some("max", int64(a.Max))
	c.Str("name", a.Name)
	c.Str("code", a.Code)
	c.Str("cause", a.Cause)
	native.WriteHeaders(&c.Builder, a.Headers)
	c.Str("body", a.Body)
	c.Str("request_id", a.RequestID)
	c.Str("provider", a.Provider)
	c.Str("adapter", a.Adapter)
	if a.Retryable != nil {
		c.Bool("is_retryable", *a.Retryable)
	}
	c.Str("error", a.Error)
	c.Str("scope", a.Scope)
	c.Str("phase", a.Phase)
	c.True("after_call", a.AfterCall)
	return w.row(r)
}
