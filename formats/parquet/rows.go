package parquet

import (
	"encoding/base64"
	"strconv"

	"groundhog/replay/transcript"
)

// This file turns the model into rows; assemble.go is its other half.

var flagWords = []struct {
	word string
	flag transcript.Flags
}{
	{"synthetic", transcript.Synthetic},
	{"sidechain", transcript.Sidechain},
	{"compacted_away", transcript.CompactedAway},
	{"error_message", transcript.ErrorMessage},
	{"ignored", transcript.Ignored},
	{"error_inferred", transcript.ErrorInferred},
}

var channels = [...]string{transcript.Text: "text", transcript.Thinking: "reasoning", transcript.ToolInput: "args"}

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
		r.TokCacheRead, r.TokCacheWrite = c.small("tok_cache_read", u.CacheRead), c.small("tok_cache_write", u.CacheWrite)
		if u.Cost != 0 {
			r.Cost = &u.Cost
		}
	}
	c.str("model", s.Model)
	w.flags(s)
	c.str("finish_raw", s.FinishRaw)
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
		c.text("role", "injection")
	case s.Kind == transcript.Prompt && set&transcript.Synthetic != 0:
		c.text("role", "prompt")
	}
	if set == 0 {
		return
	}
	c.open("flags", '[')
	for _, f := range flagWords {
		if set&f.flag != 0 {
			c.item(f.word)
		}
	}
	c.close(']')
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
		c.open("parts", '[')
		for _, p := range s.Parts {
			c.open("", '{')
			c.text("ch", channels[p.Kind])
			c.int("call", int64(p.Call))
			switch {
			case p.Kind != transcript.ToolInput:
				c.int("n", int64(len(p.Text)))
			case p.Call < 0 || p.Call >= len(s.Calls) || s.Calls[p.Call].Args != p.Text:
				c.text("text", p.Text)
			}
			c.close('}')
		}
		c.close(']')
	}
	if !cuts {
		return
	}
	c.open("deltas", '[')
	for _, p := range s.Parts {
		c.open("", '[')
		for _, cut := range p.Cuts {
			c.open("", '[')
			c.number(int64(cut.End))
			c.number(int64(max(cut.At, -1)))
			c.close(']')
		}
		c.close(']')
	}
	c.close(']')
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
	c.bool("unflagged", inferred)
	r.ErrorText = c.opt("error_text", res.ErrorText)
	if res.ExitCode != nil {
		r.ExitCode = c.small("exit_code", int64(*res.ExitCode))
	}
	c.bool("args_invalid", call.ArgsInvalid)
	c.bool("provider_executed", call.Provider)
	c.str("state", call.State)
	c.bool("denied", res.Status == transcript.ResultDenied)
	c.bool("interrupted", call.Interrupted)
	c.bool("truncated", res.Truncated)
	if g := call.Signals; g != nil {
		c.open("signals", '{')
		c.str("result_sig", g.ResultSig)
		c.str("outcome_sig", g.OutcomeSig)
		c.bool("read_only", g.ReadOnly)
		c.bool("trusts_progress", g.TrustsProgress)
		c.bool("non_actionable", g.NonActionable)
		c.close('}')
	}
	if len(res.Media) > 0 {
		c.open("media", '[')
		for _, m := range res.Media {
			c.open("", '{')
			c.str("mime", m.MIME)
			c.int("bytes", m.Bytes)
			c.str("sha256", m.SHA256)
			c.close('}')
		}
		c.close(']')
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
	c.int("max", int64(a.Max))
	c.str("name", a.Name)
	c.str("code", a.Code)
	c.str("cause", a.Cause)
	if a.Headers != nil {
		c.open("headers", '{')
		for _, h := range a.Headers {
			c.text(h.Name, h.Value)
		}
		c.close('}')
	}
	c.str("body", a.Body)
	c.str("request_id", a.RequestID)
	c.str("provider", a.Provider)
	c.str("adapter", a.Adapter)
	if a.Retryable != nil {
		c.object.raw("is_retryable", strconv.FormatBool(*a.Retryable))
	}
	c.str("error", a.Error)
	c.str("scope", a.Scope)
	c.str("phase", a.Phase)
	c.bool("after_call", a.AfterCall)
	return w.row(r)
}

// base64 writes bytes that may not be text.
func (o *object) base64(name string, b []byte) { o.text(name, base64.StdEncoding.EncodeToString(b)) }
