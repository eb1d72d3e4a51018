//go:build !unix

package bench

import "time"

// spent is the time since the start, where there is no easy way to ask for that of
// the processor.
func spent() time.Duration { return time.Since(began) }
