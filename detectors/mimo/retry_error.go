package mimo

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/mimo/internal/retry"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// This file makes the error that the agent would have held of what a recording
// says about a failed request:
//
//   - the agent's own error, where it was recorded, is decided as it is; only the
//     error of an HTTP call (AI_APICallError) is normalised first, as every error
//     in the product is;
//   - an attempt whose name is that of a normalised error is one;
//   - one with a status is an HTTP call, one with only a JSON body a frame of a
//     stream, anything else a thrown error. These are normalised.

// apiCall is the name of the SDK's error of an HTTP call.
const apiCall = "AI_APICallError"

// retryWrapper is the SDK's error around the errors of several tries.
const retryWrapper = "AI_RetryError"

// errorOf is the error of an attempt, and the clock that dates are held against:
// the time of the failure, else the server's own.
func errorOf(a *transcript.Attempt) (*retry.Error, time.Time) {
	now := a.Time
	if now.IsZero() {
		if date, ok := header(a, "date"); ok {
			now, _ = retry.ParseDate(date)
		}
	}
	ctx := retry.Context{Provider: a.Provider, Allow404: retry.Retries404(adapter(a)), Aborted: a.Outcome == "aborted"}
	if raw := retry.ReadRaw(a.Error); raw != nil {
		if raw.HTTP == nil {
			return &raw.Error, now
		}
		return retry.Normalise(raw, ctx), now
	}
	if retry.Normalised(a.Name) {
		return normalised(a), now
	}
	return retry.Normalise(rawOf(a), ctx), now
}

func header(a *transcript.Attempt, name string) (string, bool) {
	for _, h := range a.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// adapter is the client library; where it is not recorded, the provider's own.
func adapter(a *transcript.Attempt) string {
	if a.Adapter != "" {
		return a.Adapter
	}
	return a.Provider
}

// normalised is an attempt that was recorded as an agent of this family holds
// it, taken apart.
func normalised(a *transcript.Attempt) *retry.Error {
	d := &retry.Data{
		Message: retry.Some(a.Message), Status: a.Status, Retryable: retryable(a),
		Headers: headers(a), HasHeaders: a.Headers != nil,
		Body: text(a.Body), MetadataCode: text(a.Code), Allow404: retry.Retries404(adapter(a)),
	}
	return &retry.Error{Name: retry.Some(a.Name), Data: d}
}

func text(s string) retry.Text { return retry.Text{S: s, OK: s != ""} }

// retryable is the client's flag, or its default by the status. An error below
// HTTP is retryable.
func retryable(a *transcript.Attempt) bool {
	if a.Retryable != nil {
		return *a.Retryable
	}
	return a.Status == 0 || a.Status == 408 || a.Status == 409 || a.Status == 429 || a.Status >= 500
}

// headers are the recorded ones. A wait that the server asked for and that
// stands apart is one of them.
func headers(a *transcript.Attempt) []retry.Header {
	list := make([]retry.Header, 0, len(a.Headers)+1)
	for _, h := range a.Headers {
		list = append(list, retry.Header(h))
	}
	_, ms := header(a, "retry-after-ms")
	_, after := header(a, "retry-after")
	if a.RetryAfter >= 0 && !ms && !after {
		list = append(list, retry.Header{Name: "retry-after-ms",
			Value: strconv.FormatFloat(float64(a.RetryAfter)/float64(time.Millisecond), 'f', -1, 64)})
	}
	return list
}

// rawOf is the error before it was normalised.
func rawOf(a *transcript.Attempt) *retry.Raw {
	thrown := retry.Error{Thrown: true, Name: text(a.Name), Message: retry.Some(a.Message), Code: text(a.Code),
		Causes: retry.ReadCauses(a.Cause)}
	if a.Name == retryWrapper {
		if last := retry.LastOf(a.Cause); last != nil {
			return last
		}
	}
	body := bodyOf(a)
	switch {
	case a.Status > 0:
		// The provider's code is no code of the platform.
		thrown.Code = retry.Text{}
		return &retry.Raw{Error: thrown, HTTP: &retry.Call{Status: a.Status, Headers: headers(a), HasHeaders: true,
			Body: text(body), Retryable: a.Retryable}}
	case a.Name == "" && !slices.Contains(policy.NetworkCodes, a.Code) && retry.IsObject(body):
		return &retry.Raw{Frame: body}
	}
	return &retry.Raw{Error: thrown}
}

// bodyOf is the body of an answer. Where only its type was recorded it is put
// together again, in the shape that the providers share.
func bodyOf(a *transcript.Attempt) string {
	if a.Body != "" || a.Type == "" {
		return a.Body
	}
	kind, _ := jsontext.AppendQuote(nil, a.Type)
	message, _ := jsontext.AppendQuote(nil, a.Message)
	return `{"type":"error","error":{"type":` + string(kind) + `,"message":` + string(message) + `}}`
}
