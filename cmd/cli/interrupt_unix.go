//go:build !windows

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals end a run: Ctrl-C, a scheduler, a closed terminal.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }
