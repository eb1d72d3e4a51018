package native

import (
	"io"
	"strings"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The writer puts lines together by hand, because texts must come back byte for
// byte: a JSON encoder would replace what is not UTF-8.

// A line is an object in the making.
type line struct{ record.Builder }

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
	o.Int("v", version)
	o.Str("parent", s.Parent)
	o.Str("format", s.Origin.Format)
	o.Str("format_version", s.Origin.FormatVersion)
	o.Str("path", s.Origin.File)
	o.Str("agent", s.Agent)
	o.Str("agent_version", s.AgentVersion)
	o.Str("model", s.Model)
	o.Time("started_at", s.Started)
	if r := s.Recorded; r != (transcript.Recorded{}) {
		o.Key("labels")
		o.Open('{')
		o.Str("task_set", r.TaskSet)
		o.Str("task_id", r.Task)
		o.Str("trial", r.Trial)
		if r.Reward != nil {
			o.Float("reward", *r.Reward)
		}
		if r.Success != nil {
			o.Bool("success", *r.Success)
		}
		o.Str("exit_status", r.ExitStatus)
		o.Close('}')
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
	o.Int("i", int64(w.step))
	o.Int("turn", int64(w.turn))
	o.Str("kind", stepWord(s))
	o.Str("lane", s.Lane)
	o.Str("mid", s.ID)
	o.Str("model", s.Model)
	w.parts(o, s.Parts)
	o.Str("finish", string(s.Finish))
	o.Str("finish_raw", s.FinishRaw)
	o.usage(&s.Usage)
	flags := s.Flags
	if s.Kind == transcript.Injection {
		flags |= transcript.Synthetic
	}
	WriteFlags(&o.Builder, flags)
	o.Time("ts", s.Time)
	o.Time("ts_end", s.Ended)
	if len(s.Calls) > 0 {
		o.Key("calls")
		o.Open('[')
		for i := range s.Calls {
			o.call(&s.Calls[i])
			w.calls++
			if s.Calls[i].Result.Status == transcript.ResultMissing {
				w.missing++
			}
		}
		o.Close(']')
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

func (o *line) usage(u *transcript.Usage) {
	if !u.Known {
		return
	}
	o.Key("usage")
	o.Open('{')
	o.Int("in", u.Input)
	o.Int("out", u.Output)
	o.Int("rsn", u.Reasoning)
	o.Int("cr", u.CacheRead)
	o.Int("cw", u.CacheWrite)
	if u.Cost != 0 {
		o.Float("cost", u.Cost)
	}
	o.Close('}')
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

// parts writes reasoning and text, or the list of parts where that says more.
func (w *writer) parts(o *line, parts []transcript.Part) {
	simple := len(parts) <= 2
	for i, p := range parts {
		inOrder := i == 0 || parts[0].Kind == transcript.Thinking && p.Kind == transcript.Text
		simple = simple && inOrder && p.Kind != transcript.ToolInput && p.Call == 0
	}
	if simple {
		for _, p := range parts {
			if p.Kind == transcript.Thinking {
				o.Text("reasoning", p.Text)
			} else {
				o.Text("text", p.Text)
			}
		}
		return
	}
	o.Key("parts")
	o.Open('[')
	for _, p := range parts {
		o.Open('{')
		o.Str("ch", Channel(p.Kind))
		o.Text("text", p.Text)
		if p.Kind == transcript.ToolInput {
			o.Int("call", int64(p.Call))
		}
		o.Close('}')
	}
	o.Close(']')
}

func (w *writer) deltas(s *transcript.Step) error {
	seq := 0
	for _, p := range s.Parts {
		from := 0
		for _, cut := range p.Cuts {
			o := w.line("delta")
			o.Int("i", int64(w.step))
			o.Int("seq", int64(seq))
			o.Str("ch", Channel(p.Kind))
			if p.Kind == transcript.ToolInput && p.Call < len(s.Calls) {
				o.Str("call_id", s.Calls[p.Call].ID)
			}
			o.Text("text", p.Text[from:cut.End])
			o.Millis("ms", cut.At)
			if err := w.flush(o); err != nil {
				return err
			}
			from = cut.End
			seq++
		}
	}
	return nil
}

func (o *line) call(c *transcript.Call) {
	o.Open('{')
	o.Str("id", c.ID)
	o.Text("name", c.Tool)
	switch {
	case c.ArgsInvalid:
		o.Text("args_raw", c.Args)
	case c.Args != "":
		o.Key("args")
		o.JSON(oneLine(c.Args))
	}
	o.True("provider_executed", c.Provider)
	switch c.Result.Status {
	case transcript.ResultDenied:
		o.Str("state", "denied")
	case transcript.ResultCancelled:
		o.Str("state", "cancelled")
	default:
		o.Str("state", c.State)
	}
	o.True("interrupted", c.Interrupted)
	o.Time("ts", c.Time)
	WriteSignals(&o.Builder, c.Signals)
	o.result(c)
	o.Close('}')
}

// oneLine is JSON without line ends, which only white space can hold.
func oneLine(args string) string {
	if !strings.ContainsAny(args, "\n\r") {
		return args
	}
	v, ok := record.Compact(args)
	if !ok {
		return strings.NewReplacer("\n", " ", "\r", " ").Replace(args)
	}
	return string(v)
}

func (o *line) result(c *transcript.Call) {
	o.Millis("dur_ms", c.Took)
	r := &c.Result
	if r.Status == transcript.ResultMissing {
		o.Bool("missing", true)
		return
	}
	o.Text("result", r.Text)
	switch r.Status {
	case transcript.ResultOK:
		o.Bool("is_error", false)
	case transcript.ResultError, transcript.ResultDenied:
		o.Bool("is_error", true)
	}
	o.Str("error_text", r.ErrorText)
	if r.ExitCode != nil {
		o.Int("exit_code", int64(*r.ExitCode))
	}
	o.True("truncated", r.Truncated)
	o.Time("ts_result", r.Time)
	if len(r.Media) == 0 {
		return
	}
	o.Key("media")
	o.Open('[')
	for _, m := range r.Media {
		o.Open('{')
		o.Str("mime", m.MIME)
		o.Int("bytes", m.Bytes)
		o.Str("sha256", m.SHA256)
		o.Close('}')
	}
	o.Close(']')
}

func (w *writer) attempt(a *transcript.Attempt, lane string) error {
	o := w.line("attempt")
	o.Int("i", int64(w.step))
	o.Str("lane", lane)
	o.Some("n", int64(a.N))
	o.Some("max", int64(a.Max))
	o.Some("status", int64(a.Status))
	for _, f := range [...]struct{ name, text string }{
		{"error_type", a.Type}, {"message", a.Message}, {"name", a.Name}, {"code", a.Code}, {"body", a.Body},
		{"request_id", a.RequestID}, {"provider", a.Provider}, {"adapter", a.Adapter}, {"scope", a.Scope},
		{"outcome", a.Outcome}, {"phase", a.Phase},
	} {
		o.Str(f.name, f.text)
	}
	for _, f := range [...]struct{ name, text string }{{"cause", a.Cause}, {"error", a.Error}} {
		switch {
		case f.text == "":
		case nested(f.text):
			o.Key(f.name)
			o.JSON(f.text)
		default:
			o.Text(f.name, f.text)
		}
	}
	if a.Retryable != nil {
		o.Bool("is_retryable", *a.Retryable)
	}
	o.True("after_call", a.AfterCall)
	WriteHeaders(&o.Builder, a.Headers)
	o.Millis("delay_ms", a.Delay)
	o.Millis("retry_after_ms", a.RetryAfter)
	o.Time("ts", a.Time)
	return w.flush(o)
}

// nested reports whether a cause is written as JSON: one that has causes itself.
func nested(s string) bool {
	return (s[0] == '{' || s[0] == '[') && !strings.ContainsAny(s, "\n\r") && record.Valid(s)
}

func (w *writer) End(s *transcript.Session) error {
	o := w.line("end")
	o.Time("ended_at", s.Ended)
	end := s.End
	if end == "" {
		end = "unknown"
	}
	o.Str("end", string(end))
	o.Int("steps", int64(w.step))
	o.Int("calls", int64(w.calls))
	if w.missing > 0 {
		o.Key("warnings")
		o.Open('{')
		o.Int("missing_results", int64(w.missing))
		o.Close('}')
	}
	return w.flush(o)
}

func (w *writer) Close() error { return nil }

func (w *writer) line(t string) *line {
	o := &line{record.Builder{Buf: append(w.buf[:0], '{')}}
	o.Str("t", t)
	o.Text("sid", w.sid)
	return o
}

func (w *writer) flush(o *line) error {
	w.buf = append(o.Buf, "}\n"...)
	_, err := w.w.Write(w.buf)
	return err
}
