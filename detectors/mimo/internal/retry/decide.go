package retry

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"groundhog/detectors/mimo/internal/js"
)

// The kinds of a decision.
const (
	Terminal  = "terminal"
	Network   = "network"
	RateLimit = "rate_limit"
	Server    = "server"
	Stream    = "stream"
	Unknown   = "unknown"
)

// The phases and scopes.
const (
	PhaseRequest   = "request"
	PhaseStream    = "stream"
	ScopeRequest   = "request"
	ScopeLive      = "live-step"
	ScopeCandidate = "max-candidate"
	ScopeJudge     = "max-judge"
)

const (
	requestFailed   = "Provider request failed"
	transient       = "Transient provider failure"
	tooMany         = "Too Many Requests"
	overloaded      = "Provider is overloaded"
	upstreamFailed  = "Upstream stream read failed"
	windowExceeded  = "Context window exceeded"
	usageReached    = "Usage limit reached"
	sseTimeout      = "SSE read timed out"
	sseTimeoutLower = "sse read timed out"
	freeUsage       = "FreeUsageLimitError"
	subscription    = "SubscriptionUsageLimitError"
)

// Notice is what the user is told where the usage of a plan has ended. The
// product's own wording is longer.
const Notice = "usage limit reached: subscribe for more"

// A Version says which revision decides.
type Version struct {
	Head bool // the newest stored versions; else the article of 2026-09
	// ByMetadata takes an object for a network error if its metadata or its
	// message says so, as the article means it. The code does not look there.
	ByMetadata bool
}

// A Decision is the classification of one error.
type Decision struct {
	Retry   bool
	Kind    string
	Phase   string
	Scope   string
	Message string
	Notice  string // for the user; "" if there is none
	Status  int    // 0 if there is none
	Hint    Asked
	Silent  bool // an overload that is retried without a word
}

var timeoutText = regexp.MustCompile(`(?:^|[^0-9A-Za-z_])(?:request timed out|etimedout)(?:[^0-9A-Za-z_]|$)`)

// Decide is the ordered table of 11.2; now is the clock that dates are held
// against.
func Decide(e *Error, phase, scope string, v Version, now time.Time) Decision {
	if phase == "" {
		phase = PhaseStream
	}
	if scope == "" {
		scope = ScopeLive
		if phase == PhaseRequest {
			scope = ScopeRequest
		}
	}
	d := Decision{Phase: phase, Scope: scope, Message: e.message(), Status: e.status()}
	d.Kind = d.classify(e, v)
	d.Retry = d.Kind != Terminal
	if d.Message == "" {
		d.Message = requestFailed
		if d.Retry {
			d.Message = transient
		}
	}
	if d.Retry {
		d.Hint = hint(e, now)
		d.Silent = silent(e)
	}
	return d
}

// classify is the kind; it changes phase, message and notice where a row says so.
func (d *Decision) classify(e *Error, v Version) string {
	list, data, message := chain(e), e.data(), d.Message
	text := e.bodyText()
	b := readBody(text)
	switch {
	case e.named(Overflow):
		d.Message = windowExceeded
		return Terminal
	case e.named(Aborted) || e.named(ProviderAuth), !e.Thrown && !e.isAPI() && !data.Message.OK, aborted(list):
		return Terminal
	case b.code == freeUsage || strings.Contains(text, freeUsage):
		d.Message, d.Notice = usageReached, Notice
		return Terminal
	case b.code == subscription || strings.Contains(text, subscription),
		v.terminalStatus(d.Status), d.Status == 404 && !(e.isAPI() && data.Allow404):
		return Terminal
	case v.Head && data.HostCode.OK && data.HostCode.S != "":
		if slices.Contains([]string{Network, RateLimit, Server, Stream, Unknown}, data.HostClass.S) {
			return data.HostClass.S
		}
		return Terminal
	case b.code == "stream_read_error" || b.typ == "upstream_error":
		d.Phase, d.Message = PhaseStream, b.message
		if d.Message == "" {
			d.Message = upstreamFailed
		}
		return Stream
	case isNetwork(list, v.Head), v.ByMetadata && lostNetwork(e, v):
		return Network
	case v.Head && (e.isAPI() && data.MetadataCode.S == "ETIMEDOUT" || timeoutText.MatchString(asciiLower(message))):
		return Network
	case message == sseTimeout:
		d.Phase = PhaseStream
		return Stream
	case b.typ == "too_many_requests" || strings.Contains(b.typ, "rate_limit") ||
		strings.Contains(b.code, "rate_limit") || b.code == "429" || isRateText(b.message):
		d.Message = tooMany
		return RateLimit
	case isRateText(message):
		return RateLimit
	case strings.Contains(b.code, "exhausted") || strings.Contains(b.code, "unavailable"):
		d.Message = overloaded
		return Server
	case d.Status == 429:
		return RateLimit
	case d.Status == 408 || d.Status == 425 || d.Status >= 500 && d.Status <= 599 && d.Status != 501 && d.Status != 505:
		return Server
	case e.isAPI() && !v.Head && slices.Contains([]int{400, 401, 403, 422}, d.Status):
		return Terminal
	case e.isAPI() && data.Retryable:
		return Unknown
	case v.Head && e.named(UnknownError):
		return Unknown
	}
	return Terminal
}

// terminalStatus is row 7.
func (v Version) terminalStatus(status int) bool {
	switch status {
	case 402, 501, 505:
		return true
	case 400, 401, 403, 422:
		return v.Head
	}
	return false
}

// lostNetwork reports whether an object was a network error before it was
// normalised, which only its metadata and its message still tell.
func lostNetwork(e *Error, v Version) bool {
	if e.Thrown {
		return false
	}
	d := e.data()
	return networkCode(d.MetadataCode.S, v.Head) || d.Message.OK && networkMessage(d.Message.S)
}

// LostNetwork reports whether a network error loses its kind in this version
// because it was normalised before it was classified.
func LostNetwork(e *Error, v Version) bool {
	code, meant := v, v
	code.ByMetadata, meant.ByMetadata = false, true
	return Decide(e, "", "", meant, time.Time{}).Kind == Network && Decide(e, "", "", code, time.Time{}).Kind != Network
}

// isRateText reports whether a text speaks of a rate limit.
func isRateText(s string) bool {
	s = js.Lower(s)
	for _, part := range []string{"too many requests", "too_many_requests", "rate limit", "rate_limit", "rate limited",
		"rate increased too quickly"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// silent reports whether the body is the overload that gets a channel of its
// own.
func silent(e *Error) bool {
	v := parse(e.bodyText())
	inner := field(v, "error")
	return str(field(v, "type")).S == "error" && str(field(inner, "type")).S == "service_unavailable_error" &&
		str(field(inner, "code")).S == "server_is_overloaded"
}
