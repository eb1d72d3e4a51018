package stream

import (
	"cmp"
	"slices"
	"strconv"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A failure is an error as providers write it: wrapped in "error" or not, and
// for some there is only a text.
type failure struct {
	id              string
	kind            string
	message, detail record.Value
	code, request   record.Value
	status          int64
	statusCode      int64
	inner           *failure
	text            record.Value
}

var failureShape = record.NewShape(
	record.String("id", func(f *failure) *string { return &f.id }),
	record.String("type", func(f *failure) *string { return &f.kind }),
	record.Raw("message", func(f *failure) *record.Value { return &f.message }),
	record.Raw("detail", func(f *failure) *record.Value { return &f.detail }),
	record.Raw("code", func(f *failure) *record.Value { return &f.code }),
	record.Raw("request_id", func(f *failure) *record.Value { return &f.request }).Or("requestId"),
	record.Count("status", func(f *failure) *int64 { return &f.status }),
	record.Count("status_code", func(f *failure) *int64 { return &f.statusCode }),
	record.Same("error", func(f *failure) *failure {
		f.inner = &failure{}
		return f.inner
	}).Only('{'),
	record.Text("error", func(f *failure) *record.Value { return &f.text }),
)

// fail takes an event that breaks a stream off. about is where it says why.
func (a *Assembler) fail(e *Event, about *failure) {
	if a.cur == nil {
		if a.last != "" && about.id == a.last {
			return // the same failure, told twice
		}
		a.begin(e)
	}
	b := a.cur
	b.touch(e)
	at := &transcript.Attempt{Phase: "stream", Outcome: "failed",
		Delay: -1, RetryAfter: -1, Time: e.at, Line: e.line, Body: string(e.whole)}
	about.describe(at)
	if at.Status > 0 && at.Code == "" {
		at.Code = strconv.Itoa(at.Status)
	}
	at.Status = 0 // the response itself began with 200; the provider's own number is in the code
	b.Failed = at
	b.end(transcript.FinishError, "")
	a.end()
}

// Arrived reports whether a response that broke off had brought a whole tool
// call: from then on sending the request again may repeat what it does. One of
// which only the beginning came was never given to a tool.
func Arrived(s *transcript.Step) bool {
	return slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return !c.ArgsInvalid })
}

// describe fills an attempt with what an error says.
func (f *failure) describe(at *transcript.Attempt) {
	in := f
	if f.inner != nil {
		in = f.inner
	}
	at.Message = cmp.Or(f.text.Text(), scalar(in.message, f.message), scalar(in.detail, f.detail))
	if at.Type = in.kind; at.Type == "error" {
		at.Type = "" // the envelope's
	}
	at.Code = scalar(in.code, f.code)
	at.RequestID = scalar(in.request, f.request)
	for _, n := range []int64{in.status, in.statusCode} {
		if at.Status == 0 && n < 1000 {
			at.Status = int(n)
		}
	}
	if n, err := strconv.Atoi(at.Code); err == nil && at.Status == 0 && n >= 400 && n < 600 {
		at.Status = n // OpenRouter and others
	}
}

// scalar is the text of a member, inside if it is there at all, or outside.
func scalar(inside, outside record.Value) string {
	v := inside
	if v == nil {
		v = outside
	}
	if k := v.Kind(); k == '{' || k == '[' {
		return ""
	}
	return v.Argument()
}
