package native

import (
	"time"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The lines as they stand on disk. A value that is nil, or a duration below
// zero, is absent, which empty is not.

type stepLine struct {
	i               int
	kind, lane      string
	id, model       string
	text, reasoning record.Value
	parts           []partLine
	finish          string
	finishRaw       string
	usage           *transcript.Usage
	flags           []string
	time, ended     time.Time
	calls           []callLine
}

type partLine struct {
	channel, text string
	call          int
}

type callLine struct {
	resultLine
	name        string
	args, raw   record.Value
	provider    bool
	state       string
	interrupted bool
	signals     *transcript.Signals
	time        time.Time
}

// A resultLine is the outcome of a call, in the step or as a line of its own.
type resultLine struct {
	id        string // of the call
	text      record.Value
	failed    *bool
	missing   bool
	errorText string
	exit      *int
	truncated bool
	took      time.Duration
	arrived   time.Time
	media     []transcript.Media
}

type attemptLine struct {
	transcript.Attempt
	i                    int
	lane                 string
	status               record.Value
	cause, errors, error record.Value
	headers              record.Value
}

type deltaLine struct {
	i, seq  int
	channel string
	call    string
	text    string
	at      time.Duration
}

type endLine struct {
	ended time.Time
	end   string
}

var stepShape = record.NewShape(
	record.Int("i", func(l *stepLine) *int { return &l.i }),
	record.Word("kind", func(l *stepLine) *string { return &l.kind }),
	record.Word("lane", func(l *stepLine) *string { return &l.lane }),
	record.String("mid", func(l *stepLine) *string { return &l.id }),
	record.Word("model", func(l *stepLine) *string { return &l.model }),
	record.Text("text", func(l *stepLine) *record.Value { return &l.text }),
	record.Text("reasoning", func(l *stepLine) *record.Value { return &l.reasoning }),
	record.Each("parts", partShape, func(l *stepLine) *[]partLine { return &l.parts }),
	record.Word("finish", func(l *stepLine) *string { return &l.finish }),
	record.Word("finish_raw", func(l *stepLine) *string { return &l.finishRaw }),
	record.Object("usage", usageShape, func(l *stepLine) *transcript.Usage {
		l.usage = &transcript.Usage{}
		return l.usage
	}),
	record.Strings("flags", func(l *stepLine) *[]string { return &l.flags }),
	record.Time("ts", func(l *stepLine) *time.Time { return &l.time }),
	record.Time("ts_end", func(l *stepLine) *time.Time { return &l.ended }),
	record.Each("calls", callShape, func(l *stepLine) *[]callLine { return &l.calls }),
).Strict()

var partShape = record.NewShape(
	record.Word("ch", func(l *partLine) *string { return &l.channel }),
	record.String("text", func(l *partLine) *string { return &l.text }),
	record.Int("call", func(l *partLine) *int { return &l.call }),
)

var usageShape = record.NewShape(
	record.Int("in", func(u *transcript.Usage) *int64 { return &u.Input }),
	record.Int("out", func(u *transcript.Usage) *int64 { return &u.Output }),
	record.Int("rsn", func(u *transcript.Usage) *int64 { return &u.Reasoning }),
	record.Int("cr", func(u *transcript.Usage) *int64 { return &u.CacheRead }),
	record.Int("cw", func(u *transcript.Usage) *int64 { return &u.CacheWrite }),
	record.Number("cost", func(u *transcript.Usage) *float64 { return &u.Cost }),
).From(transcript.Usage{Known: true})

var resultShape = record.NewShape(
	record.String("id", func(l *resultLine) *string { return &l.id }),
	record.Text("result", func(l *resultLine) *record.Value { return &l.text }),
	record.Maybe("is_error", func(l *resultLine) **bool { return &l.failed }),
	record.Bool("missing", func(l *resultLine) *bool { return &l.missing }),
	record.String("error_text", func(l *resultLine) *string { return &l.errorText }),
	record.Int("exit_code", func(l *resultLine) *int { l.exit = new(int); return l.exit }),
	record.Bool("truncated", func(l *resultLine) *bool { return &l.truncated }),
	record.Millis("dur_ms", func(l *resultLine) *time.Duration { return &l.took }),
	record.Time("ts_result", func(l *resultLine) *time.Time { return &l.arrived }),
	record.Each("media", MediaShape, func(l *resultLine) *[]transcript.Media { return &l.media }),
).From(noResult).Strict()

var noResult = resultLine{took: -1}

// MediaShape reads what is said of a binary.
var MediaShape = record.NewShape(
	record.String("mime", func(m *transcript.Media) *string { return &m.MIME }),
	record.Int("bytes", func(m *transcript.Media) *int64 { return &m.Bytes }),
	record.String("sha256", func(m *transcript.Media) *string { return &m.SHA256 }),
)

var callShape = record.NewShape(
	record.Embed(resultShape, func(l *callLine) *resultLine { return &l.resultLine }),
	record.Word("name", func(l *callLine) *string { return &l.name }),
	record.Raw("args", func(l *callLine) *record.Value { return &l.args }),
	record.Text("args_raw", func(l *callLine) *record.Value { return &l.raw }),
	record.Bool("provider_executed", func(l *callLine) *bool { return &l.provider }),
	record.Word("state", func(l *callLine) *string { return &l.state }),
	record.Bool("interrupted", func(l *callLine) *bool { return &l.interrupted }),
	record.Object("signals", SignalsShape, func(l *callLine) *transcript.Signals {
		l.signals = &transcript.Signals{}
		return l.signals
	}),
	record.Time("ts", func(l *callLine) *time.Time { return &l.time }),
).From(callLine{resultLine: noResult})

// SignalsShape reads what an instrumented agent knew of a call.
var SignalsShape = record.NewShape(
	record.String("result_sig", func(s *transcript.Signals) *string { return &s.ResultSig }),
	record.String("outcome_sig", func(s *transcript.Signals) *string { return &s.OutcomeSig }),
	record.Bool("read_only", func(s *transcript.Signals) *bool { return &s.ReadOnly }),
	record.Bool("trusts_progress", func(s *transcript.Signals) *bool { return &s.TrustsProgress }),
	record.Bool("non_actionable", func(s *transcript.Signals) *bool { return &s.NonActionable }),
)

var attemptShape = record.NewShape(
	record.Int("i", func(l *attemptLine) *int { return &l.i }),
	record.Word("lane", func(l *attemptLine) *string { return &l.lane }),
	record.Int("n", func(l *attemptLine) *int { return &l.N }),
	record.Int("max", func(l *attemptLine) *int { return &l.Max }),
	record.Raw("status", func(l *attemptLine) *record.Value { return &l.status }),
	record.Word("error_type", func(l *attemptLine) *string { return &l.Type }),
	record.String("message", func(l *attemptLine) *string { return &l.Message }),
	record.Word("name", func(l *attemptLine) *string { return &l.Name }),
	record.Word("code", func(l *attemptLine) *string { return &l.Code }),
	record.Raw("cause", func(l *attemptLine) *record.Value { return &l.cause }),
	record.Raw("errors", func(l *attemptLine) *record.Value { return &l.errors }),
	record.Raw("error", func(l *attemptLine) *record.Value { return &l.error }),
	record.Raw("headers", func(l *attemptLine) *record.Value { return &l.headers }),
	record.String("body", func(l *attemptLine) *string { return &l.Body }),
	record.String("request_id", func(l *attemptLine) *string { return &l.RequestID }),
	record.Word("provider", func(l *attemptLine) *string { return &l.Provider }),
	record.Word("adapter", func(l *attemptLine) *string { return &l.Adapter }),
	record.Maybe("is_retryable", func(l *attemptLine) **bool { return &l.Retryable }),
	record.Word("scope", func(l *attemptLine) *string { return &l.Scope }),
	record.Millis("delay_ms", func(l *attemptLine) *time.Duration { return &l.Delay }),
	record.Millis("retry_after_ms", func(l *attemptLine) *time.Duration { return &l.RetryAfter }),
	record.Word("outcome", func(l *attemptLine) *string { return &l.Outcome }),
	record.Word("phase", func(l *attemptLine) *string { return &l.Phase }),
	record.Bool("after_call", func(l *attemptLine) *bool { return &l.AfterCall }),
	record.Time("ts", func(l *attemptLine) *time.Time { return &l.Time }),
).From(attemptLine{Attempt: transcript.Attempt{Delay: -1, RetryAfter: -1}}).Strict()

var deltaShape = record.NewShape(
	record.Int("i", func(l *deltaLine) *int { return &l.i }),
	record.Int("seq", func(l *deltaLine) *int { return &l.seq }),
	record.Word("ch", func(l *deltaLine) *string { return &l.channel }),
	record.Word("call_id", func(l *deltaLine) *string { return &l.call }),
	record.String("text", func(l *deltaLine) *string { return &l.text }),
	record.Millis("ms", func(l *deltaLine) *time.Duration { return &l.at }),
).From(deltaLine{at: -1}).Strict()

var endShape = record.NewShape(
	record.Time("ended_at", func(l *endLine) *time.Time { return &l.ended }),
	record.Word("end", func(l *endLine) *string { return &l.end }),
).Strict()
