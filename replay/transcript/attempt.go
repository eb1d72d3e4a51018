package transcript

import "time"

// An Attempt is one request to a model endpoint, as far as it was recorded.
// Most recordings keep only attempts that failed.
type Attempt struct {
	N, Max     int // 1-based number and limit; 0 if not recorded
	Status     int // HTTP status; 0 if the failure was below HTTP or not recorded
	Type       string
	Message    string
	Name       string
	Code       string
	Cause      string
	Headers    []Header // in the source's order; empty and not nil if there were none
	Body       string
	RequestID  string
	Provider   string
	Adapter    string // the client library that spoke to the provider
	Retryable  *bool  // the client's own flag; nil if not recorded
	Error      string // the agent's own error, as JSON, as it held it
	Scope      string
	Delay      time.Duration // what the client waited; negative if not recorded
	RetryAfter time.Duration // what the server asked for; negative if not recorded
	Outcome    string        // retry, failed, ok
	Phase      string        // request, stream; "" if not recorded
	AfterCall  bool          // a tool call had already arrived: replaying is unsafe
	Time       time.Time
	Line       int
}

// A Header is one HTTP header of a response. Readers of what went over the wire
// lower its name, as every client library does.
type Header struct{ Name, Value string }
