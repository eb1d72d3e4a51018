package claudecode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// maxErrorDepth is how many errors inside errors are looked at. The client
// wraps the server's error twice; more is noise.
const maxErrorDepth = 4

// A failure is what a system record of subtype api_error knows of a request.
// Over the years the same facts moved between error, error.error.error and the
// record itself, so the innermost that is there wins.
type failure struct {
	status        int64
	kind, message string
	formatted     string
	name, code    string
	request       string
	headers       []transcript.Header
	retryAfter    time.Duration // negative if not recorded
	inner, cause  record.Value  // errors within
}

// failureShape reads an error: usually an object, perhaps an empty one. A bare
// text is its message.
var failureShape = record.NewShape(
	record.String(record.Itself, func(f *failure) *string { return &f.message }),
	record.Count("status", func(f *failure) *int64 { return &f.status }),
	record.String("type", func(f *failure) *string { return &f.kind }),
	record.String("message", func(f *failure) *string { return &f.message }),
	record.String("formatted", func(f *failure) *string { return &f.formatted }),
	record.String("name", func(f *failure) *string { return &f.name }),
	record.String("code", func(f *failure) *string { return &f.code }),
	record.In("connection", record.String("code", func(f *failure) *string { return &f.code })),
	record.String("requestID", func(f *failure) *string { return &f.request }).Or("requestId", "request_id"),
	record.Visit("headers", (*failure).readHeaders),
	record.In("rateLimits", record.Func("retryAfterSeconds", (*failure).readWait)),
	record.Raw("cause", func(f *failure) *record.Value { return &f.cause }),
	record.Raw("error", func(f *failure) *record.Value { return &f.inner }),
).From(failure{retryAfter: -1})

// readHeaders keeps the order; a header with several values is kept several times.
func (f *failure) readHeaders(r *record.Reader) error {
	f.headers = nil
	for name := range r.Members() {
		h := transcript.Header{Name: strings.ToLower(name)}
		v, err := r.Value()
		if err != nil {
			return err
		}
		list := []record.Value{v}
		if v.Kind() == '[' {
			list = slices.Collect(v.Elements())
		}
		for _, v := range list {
			if k := v.Kind(); k != 'n' && k != '{' && k != '[' {
				h.Value = v.Argument()
				f.headers = append(f.headers, h)
			}
		}
	}
	return nil
}

func (f *failure) readWait(v record.Value) {
	if n, ok := v.Number(); ok {
		if d, ok := record.Duration(n, time.Second); ok {
			f.retryAfter = d
		}
	}
}

// take looks into the errors within, at most so many of them, and prefers what
// they say. Their type "error" is an envelope's.
func (f *failure) take(errors, causes int) {
	if causes > 0 && f.cause.Kind() == '{' {
		f.code = cmp.Or(f.code, within(f.cause, 0, causes-1).code)
	}
	if errors > 0 || f.inner.Kind() == '"' {
		inner := within(f.inner, errors-1, causes)
		if inner.kind != "error" {
			f.kind = cmp.Or(inner.kind, f.kind)
		}
		f.message = cmp.Or(inner.message, f.message)
		f.code = cmp.Or(f.code, inner.code)
		f.request = cmp.Or(f.request, inner.request)
	}
	f.message = cmp.Or(f.message, f.formatted)
}

// within reads an error inside another.
func within(v record.Value, errors, causes int) (f failure) {
	if !v.Null() {
		failureShape.Parse(v, &f)
		f.take(errors, causes)
	}
	return f
}

// causeOf keeps a cause as a text: its message, its code, or its JSON.
func causeOf(v record.Value) string {
	if v.Kind() != '{' {
		return v.Text()
	}
	c := within(v, 0, maxErrorDepth)
	text := cmp.Or(c.message, c.code)
	if text == "" && len(v) > len("{}") {
		text = string(v)
	}
	return text
}

// newAttempt is the failed request that a system record reports.
func newAttempt(e *event) transcript.Attempt {
	f := &e.failure
	if e.cause.Kind() == '"' || e.cause.Kind() == '{' {
		f.cause = e.cause
	}
	f.take(maxErrorDepth, maxErrorDepth)
	a := transcript.Attempt{
		N: int(e.attempt), Max: int(e.most), Status: int(f.status),
		Type: f.kind, Message: f.message, Name: f.name, Code: f.code, Cause: causeOf(f.cause),
		Headers: f.headers, RequestID: cmp.Or(f.request, e.request),
		Delay: e.delay, RetryAfter: f.retryAfter,
		Outcome: "retry", Time: e.time, Line: e.line,
	}
	if f.inner.Kind() == '{' {
		a.Body = string(f.inner) // the server's answer
	}
	if d := record.RetryAfter(f.headers, e.time); d >= 0 {
		a.RetryAfter = d
	}
	return a
}
