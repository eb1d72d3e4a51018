package policy

import (
	"slices"
	"strconv"
	"strings"

	"groundhog/replay/transcript"
)

// A Failure is what a failed request was, judged by the record and not by any
// policy. Reports group episodes by it, and it says what was terminal.
type Failure string

const (
	RateLimited   Failure = "rate_limit"
	Overloaded    Failure = "overloaded" // the provider has too much to do: 529, 503 and what says so
	ServerFailed  Failure = "server"
	NetworkFailed Failure = "network"
	StreamFailed  Failure = "stream" // broken off or refused in the middle of an answer
	QuotaEnded    Failure = "quota"
	ContextTooBig Failure = "context_overflow"
	NotAllowed    Failure = "auth"
	BadRequest    Failure = "bad_request"
	Cancelled     Failure = "aborted"
	OtherFailure  Failure = "other"
	Undescribed   Failure = "undescribed" // the record says that it failed, and nothing else
)

// All lists them in the order of reports.
var All = []Failure{RateLimited, Overloaded, ServerFailed, NetworkFailed, StreamFailed, QuotaEnded, ContextTooBig,
	NotAllowed, BadRequest, Cancelled, OtherFailure}

// Terminal reports whether waiting cannot help: the same request fails again.
func (f Failure) Terminal() bool {
	switch f {
	case QuotaEnded, ContextTooBig, NotAllowed, BadRequest, Cancelled:
		return true
	}
	return false
}

// NetworkCodes are the codes of failures below HTTP, of the platforms whose
// agents are replayed.
var NetworkCodes = []string{
	"ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH", "EPIPE", "ENETDOWN", "ENETUNREACH",
	"EAI_AGAIN", "ENOTFOUND", "EPROTO", "ETIMEDOUT", "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT",
	"UND_ERR_HEADERS_TIMEOUT", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_ABORTED", "UND_ERR_SOCKET",
	"ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", "ERR_STREAM_PREMATURE_CLOSE",
	"FailedToOpenSocket",
}

// FailureOf judges one failed attempt.
func FailureOf(a *transcript.Attempt) Failure {
	text := strings.ToLower(strings.Join([]string{a.Type, a.Code, a.Name, a.Message, a.Cause, a.Body, a.Error}, "\n"))
	has := func(parts ...string) bool { return containsAny(text, parts) }
	status := StatusOf(a)
	switch {
	case status == 0 && len(a.Headers) == 0 && (strings.Trim(text, "\n") == "" || strings.Trim(text, "\n") == unknownType):
		return Undescribed
	case a.Name == "AbortError" || a.Code == "ABORT_ERR":
		return Cancelled
	case has("insufficient_quota", "usagelimiterror", "usage_not_included", "credit balance is too low",
		"quota_exhausted", "usage limit reached") || status == 402:
		return QuotaEnded
	case has("context_length_exceeded", "prompt is too long", "contextoverflowerror", "maximum context length",
		"exceeds the context window", "input is too long", "context window exceeded") || status == 413:
		return ContextTooBig
	case status == 401 || status == 403,
		has("authentication_error", "invalid_api_key", "providerautherror", "permission_error"):
		return NotAllowed
	case status == 429 || has("rate_limit", "rate limit", "too many requests", "too_many_requests"):
		return RateLimited
	case status == 529 || has("overloaded", "unavailable_error", "server_is_overloaded"):
		return Overloaded
	case IsNetwork(a):
		if a.Phase == "stream" {
			return StreamFailed
		}
		return NetworkFailed
	case status == 408 || status == 425 || status >= 500:
		return ServerFailed
	case status >= 400 && status != 409:
		return BadRequest
	case a.Phase == "stream":
		return StreamFailed
	case has("api_error", "server_error", "internal server error"):
		return ServerFailed
	case has("invalid_request_error"):
		return BadRequest
	}
	return OtherFailure
}

// unknownType is what clients write as the type of a failure that they cannot
// name; alone it says nothing.
const unknownType = "unknown"

// StatusOf is the HTTP status of a failure, wherever the record has it: an
// error inside a stream has the provider's own number in its code.
func StatusOf(a *transcript.Attempt) int {
	if a.Status > 0 {
		return a.Status
	}
	if n, err := strconv.Atoi(a.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	return 0
}

// networkWords are how a failure below HTTP is told where it has no code.
var networkWords = []string{
	"fetch failed", "connection error", "connection reset", "connection refused", "connection closed",
	"connection aborted", "network error", "network connection", "socket hang up", "timed out", "terminated",
	"stream has no end",
}

// IsNetwork reports whether a failure was below HTTP, by its code or its words.
func IsNetwork(a *transcript.Attempt) bool {
	if slices.Contains(NetworkCodes, a.Code) || containsAny(a.Error+a.Cause, NetworkCodes) {
		return true
	}
	return a.Status <= 0 && containsAny(strings.ToLower(a.Message+"\n"+a.Cause), networkWords)
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// SegmentOf says whether a request failed before anything of an answer had come,
// or in the middle of it. Where that is not recorded, a call that had arrived
// tells.
func SegmentOf(a *transcript.Attempt) string {
	switch {
	case a.Phase != "":
		return a.Phase
	case a.AfterCall:
		return "stream"
	}
	return "request"
}
