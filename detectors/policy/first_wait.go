package policy

import (
	"time"

	"groundhog/replay/transcript"
)

// What a layer says of a budget without any failure.

// Most is how many retries a budget allows in this layer; negative is any number.
func (l *Layer) Most(b Budget) int {
	switch {
	case b.Persistent:
		return -1
	case b.Retries < 0 && l.NeedsCount:
		return 0
	}
	return b.Retries
}

// FirstWait is the wait before the first retry on a budget, at both ends of the
// jitter, where the server asks for none.
func (l *Layer) FirstWait(b Budget) (low, high time.Duration) {
	d, a := Decision{Retry: true, Hint: -1}, &transcript.Attempt{RetryAfter: -1}
	return l.wait(b, d, a, 1, 0), l.wait(b, d, a, 1, 1)
}

// HintedWait is the first wait where the server asks for the shortest, at the
// long end of the jitter.
func (l *Layer) HintedWait(b Budget) time.Duration {
	return l.wait(b, Decision{Retry: true}, &transcript.Attempt{}, 1, 1)
}
