package cli

import (
	"os"
	"syscall"
)

// stopSignals end a run: Ctrl-C, and what the system sends when a console closes.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

func ignoreBrokenPipes() {} // a write to a closed pipe is an error by itself here
