package native

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// The writer puts lines together by hand, because texts must come back byte for
// byte: a JSON encoder would replace what is not UTF-8.

type writer struct {
	w    io.Writer
	buf  []byte
	sid  string
	step int
	turn int
	// calls and missing go into the end line.
	calls, missing int

	labels int // that the format has no place for
}

// Losses implements formats.Lossy.
func (w *writer) Losses() []formats.Loss {
	if w.labels == 0 {
		return nil
	}
	return []formats.Loss{{What: "labels of sessions: they stand beside a canonical file", N: w.labels}}
}

func newWriter(w io.Writer) formats.Writer { return &writer{w: w} }

func (w *writer) Begin(s *transcript.Session) error {
	*w = writer{w: w.w, buf: w.buf[:0], sid: s.ID, labels: w.labels}
	if s.Label != nil {
		w.labels++
	}
	o := w.line("session")
	o.int("v", version)
	o.str("parent", s.Parent)
	o.str("format", s.Origin.Format)
	o.str("format_version", s.Origin.FormatVersion)
	o.str("path", s.Origin.File)
	o.str("agent", s.Agent)
	o.str("agent_version", s.AgentVersion)
	o.str("model", s.Model)
	o.time("started_at", s.Started)
	if r := s.Recorded; r != (transcript.Recorded{}) {
		o.key("labels")
		o.open('{')
		o.str("task_set", r.TaskSet)
		o.str("task_id", r.Task)
		o.str("trial", r.Trial)
		if r.Reward != nil {
			o.float("reward", *r.Reward)
		}
		if r.Success != nil {
			o.bool("success", *r.Success)
		}
		o.str("exit_status", r.ExitStatus)
		o.close('}')
	}
	return w.flush(o)
}

func (w *writer) Step(s *transcript.Step) error {
	if s.Kind == transcript.Prompt {
		w.turn++
	}
	for i := range s.Attempts {
		if err := w.attempt(&s.Attempts[i], s.Lane); err != nil {
			return err
		}
	}
	if s.Kind == transcript.Response && s.Has(transcript.Synthetic) && len(s.Parts) == 0 && len(s.Calls) == 0 {
		if len(s.Attempts) > 0 {
			w.step++ // so that the attempts of the next step are told from these
		}
		return nil // it stood only for its attempts, which the reader turns into a step again
	}
	o := w.line("step")
	o.int("i", int64(w.step))
	o.int("turn", int64(w.turn))
	o.str("kind", stepWord(s))
	o.str("lane", s.Lane)
	o.str("mid", s.ID)
	o.str("model", s.Model)
	w.parts(o, s.Parts)
	o.str("finish", string(s.Finish))
	o.str("finish_raw", s.FinishRaw)
	if u := s.Usage; u.Known {
		o.key("usage")
		o.open('{')
		o.int("in", u.Input)
		o.int("out", u.Output)
		o.int("rsn", u.Reasoning)
		o.int("cr", u.CacheRead)
		o.int("cw", u.CacheWrite)
		if u.Cost != 0 {
			o.float("cost", u.Cost)
		}
		o.close('}')
	}
	o.flags(s)
	o.time("ts", s.Time)
	o.time("ts_end", s.Ended)
	if len(s.Calls) > 0 {
		o.key("calls")
		o.open('[')
		for i := range s.Calls {
			o.call(&s.Calls[i])
			w.calls++
			if s.Calls[i].Result.Status == transcript.ResultMissing {
				w.missing++
			}
		}
		o.close(']')
	}
	if err := w.flush(o); err != nil {
		return err
	}
	if err := w.deltas(s); err != nil {
		return err
	}
	w.step++
	return nil
}

// stepWord is the canonical word for the kind of a step. An injection is a user
// step that is synthetic.
func stepWord(s *transcript.Step) string {
	switch s.Kind {
	case transcript.Response:
		return "assistant"
	case transcript.Prompt, transcript.Injection:
		return "user"
	case transcript.Compaction:
		return "compaction"
	}
	return "system"
}

func (o *object) flags(s *transcript.Step) {
	set := s.Flags
	if s.Kind == transcript.Injection {
		set |= transcript.Synthetic
	}
	first := true
	for _, f := range flagWords {
		if set&f.flag == 0 {
			continue
		}
		if first {
			o.key("flags")
			o.open('[')
			first = false
		}
		o.item(f.word)
	}
	if !first {
		o.close(']')
	}
}

// parts writes reasoning and text, or the list of parts where that says more.
func (w *writer) parts(o *object, parts []transcript.Part) {
	simple := len(parts) <= 2
	for i, p := range parts {
		simple = simple && p.Kind != transcript.ToolInput && p.Call == 0 && (i == 0 || parts[0].Kind == transcript.Thinking && p.Kind == transcript.Text)
	}
	if simple {
		for _, p := range parts {
			if p.Kind == transcript.Thinking {
				o.text("reasoning", p.Text)
			} else {
				o.text("text", p.Text)
			}
		}
		return
	}
	o.key("parts")
	o.open('[')
	for _, p := range parts {
		o.open('{')
		o.str("ch", channelWord(p.Kind))
		o.text("text", p.Text)
		if p.Kind == transcript.ToolInput {
			o.int("call", int64(p.Call))
		}
		o.close('}')
	}
	o.close(']')
}

func (w *writer) deltas(s *transcript.Step) error {
	seq := 0
	for _, p := range s.Parts {
		from := 0
		for _, cut := range p.Cuts {
			o := w.line("delta")
			o.int("i", int64(w.step))
			o.int("seq", int64(seq))
			o.str("ch", channelWord(p.Kind))
			if p.Kind == transcript.ToolInput && p.Call < len(s.Calls) {
				o.str("call_id", s.Calls[p.Call].ID)
			}
			o.text("text", p.Text[from:cut.End])
			o.millis("ms", cut.At)
			if err := w.flush(o); err != nil {
				return err
			}
			from = cut.End
			seq++
		}
	}
	return nil
}

func (o *object) call(c *transcript.Call) {
	o.open('{')
	o.str("id", c.ID)
	o.text("name", c.Tool)
	switch {
	case c.ArgsInvalid:
		o.text("args_raw", c.Args)
	case c.Args != "":
		o.key("args")
		o.raw(oneLine(c.Args))
	}
	if c.Provider {
		o.bool("provider_executed", true)
	}
	if c.Result.Status == transcript.ResultDenied {
		o.str("state", "denied")
	} else {
		o.str("state", c.State)
	}
	if c.Interrupted {
		o.bool("interrupted", true)
	}
	o.time("ts", c.Time)
	if g := c.Signals; g != nil {
		o.key("signals")
		o.open('{')
		o.str("result_sig", g.ResultSig)
		o.str("outcome_sig", g.OutcomeSig)
		for _, f := range [...]struct {
			name string
			set  bool
		}{{"read_only", g.ReadOnly}, {"trusts_progress", g.TrustsProgress}, {"non_actionable", g.NonActionable}} {
			if f.set {
				o.bool(f.name, true)
			}
		}
		o.close('}')
	}
	o.result(c)
	o.close('}')
}

// oneLine is JSON without line ends, which only white space can hold.
func oneLine(args string) string {
	if !strings.ContainsAny(args, "\n\r") {
		return args
	}
	v := jsontext.Value(args)
	if v.Compact(lenient) != nil {
		return strings.NewReplacer("\n", " ", "\r", " ").Replace(args)
	}
	return string(v)
}

func (o *object) result(c *transcript.Call) {
	o.millis("dur_ms", c.Took)
	r := &c.Result
	if r.Status == transcript.ResultMissing {
		o.bool("missing", true)
		return
	}
	o.text("result", r.Text)
	switch r.Status {
	case transcript.ResultOK:
		o.bool("is_error", false)
	case transcript.ResultError, transcript.ResultDenied:
		o.bool("is_error", true)
	}
	o.str("error_text", r.ErrorText)
	if r.ExitCode != nil {
		o.int("exit_code", int64(*r.ExitCode))
	}
	if r.Truncated {
		o.bool("truncated", true)
	}
	o.time("ts_result", r.Time)
	if len(r.Media) == 0 {
		return
	}
	o.key("media")
	o.open('[')
	for _, m := range r.Media {
		o.open('{')
		o.str("mime", m.MIME)
		o.int("bytes", m.Bytes)
		o.str("sha256", m.SHA256)
		o.close('}')
	}
	o.close(']')
}

func (w *writer) attempt(a *transcript.Attempt, lane string) error {
	o := w.line("attempt")
	o.int("i", int64(w.step))
	o.str("lane", lane)
	for _, f := range [...]struct {
		name string
		n    int
	}{{"n", a.N}, {"max", a.Max}, {"status", a.Status}} {
		if f.n != 0 {
			o.int(f.name, int64(f.n))
		}
	}
	for _, f := range [...]struct{ name, text string }{{"error_type", a.Type}, {"message", a.Message}, {"name", a.Name}, {"code", a.Code},
		{"body", a.Body}, {"request_id", a.RequestID}, {"provider", a.Provider}, {"adapter", a.Adapter}, {"scope", a.Scope},
		{"outcome", a.Outcome}, {"phase", a.Phase}} {
		o.str(f.name, f.text)
	}
	for _, f := range [...]struct{ name, text string }{{"cause", a.Cause}, {"error", a.Error}} {
		switch {
		case f.text == "":
		case nested(f.text):
			o.key(f.name)
			o.raw(f.text)
		default:
			o.text(f.name, f.text)
		}
	}
	if a.Retryable != nil {
		o.bool("is_retryable", *a.Retryable)
	}
	if a.AfterCall {
		o.bool("after_call", true)
	}
	if a.Headers != nil {
		o.key("headers")
		o.open('{')
		for _, h := range a.Headers {
			o.text(h.Name, h.Value)
		}
		o.close('}')
	}
	o.millis("delay_ms", a.Delay)
	o.millis("retry_after_ms", a.RetryAfter)
	o.time("ts", a.Time)
	return w.flush(o)
}

// nested reports whether a cause is written as JSON: one that has causes itself.
func nested(s string) bool {
	return (s[0] == '{' || s[0] == '[') && !strings.ContainsAny(s, "\n\r") && jsontext.Value(s).IsValid(lenient)
}

func (w *writer) End(s *transcript.Session) error {
	o := w.line("end")
	o.time("ended_at", s.Ended)
	end := s.End
	if end == "" {
		end = "unknown"
	}
	o.str("end", string(end))
	o.int("steps", int64(w.step))
	o.int("calls", int64(w.calls))
	if w.missing > 0 {
		o.key("warnings")
		o.open('{')
		o.int("missing_results", int64(w.missing))
		o.close('}')
	}
	return w.flush(o)
}

func (w *writer) Close() error { return nil }

func (w *writer) line(t string) *object {
	o := &object{buf: append(w.buf[:0], '{')}
	o.str("t", t)
	o.text("sid", w.sid)
	return o
}

func (w *writer) flush(o *object) error {
	w.buf = append(o.buf, "}\n"...)
	_, err := w.w.Write(w.buf)
	return err
}
