package steps

// A Halt is a response whose retries the policy gave up.
type Halt struct {
	ReplaySafe bool // nothing had happened that a retry could repeat
	Aborted    bool // by the user
	Retryable  bool // the error is
	Finish     string
	FinalText  bool
	States     []State // of the tool parts
}

// AutoResume reports whether the run goes on with its next step all the same
// (mimo-head): tools have done their work, and none is still at it.
func AutoResume(h *Halt) bool {
	if h.ReplaySafe || h.Aborted || !h.Retryable {
		return false
	}
	switch h.Finish {
	case "content-filter", "error":
		return false
	case "stop", "other":
		if h.FinalText {
			return false
		}
	}
	completed := false
	for _, s := range h.States {
		switch s {
		case Pending, Running:
			return false
		case Completed:
			completed = true
		}
	}
	return completed
}
