package transcript

import "time"

// An Attempt is one request to a model endpoint, as far as it was recorded. Most
// recordings keep only attempts that failed.
type Attempt struct {
	N, Max     int // 1-based number and limit; 0 if not recorded
	Status     int // HTTP status; 0 if the failure was below HTTP or not recorded
	Type       string
	Message    string
	Name       string
	Code       string
	Cause      string
	Headers    []Header // in the order of the source; nil if not recorded, empty if there were none
	Body       string
	RequestID  string
	Provider   string
	Adapter    string // the client library that spoke to the provider
	Retryable  *bool  // the client's own flag; nil if not recorded
	Error      string // the agent's own error object, as JSON
	Scope      string
	Delay      time.Duration // what the client waited; negative if not recorded
	RetryAfter time.Duration // what the server asked for; negative if not recorded
	Outcome    string        // retry, failed, ok
	Phase      string        // request, stream; "" if not recorded
	AfterCall  bool          // a tool call had already arrived, so a retry may run it twice
	Time       time.Time
	Line       int
}

// A Header is one HTTP header of a response. Readers of recorded HTTP traffic turn names
// to lower case, as client libraries do.
type Header struct{ Name, Value string }
