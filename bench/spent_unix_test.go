//go:build unix

package bench

import (
	"syscall"
	"time"
)

// spent is the processor time of this process so far. Time on the wall would count
// what else the machine does.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(began)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
