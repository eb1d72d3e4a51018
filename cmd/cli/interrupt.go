package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"
)

// A run can be stopped at any time. The first signal cancels it: sessions that are done
// make a partial report on stdout, files stay as they were. What does not end in time,
// because a read blocks, is abandoned; a second signal abandons at once.

// grace is how long a cancelled command may take to say how far it came.
const grace = 800 * time.Millisecond

// errInterrupted says that a run was stopped. What it had done has been printed.
var errInterrupted = errors.New("interrupted")

// supervise runs a command until it ends or a signal does.
func (a *app) supervise(command func(context.Context) error) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals...)
	defer signal.Stop(signals)
	ignoreBrokenPipes() // so that a closed stdout is an error of a write, and files are cleaned up
	ended := make(chan int, 1)
	go func() { ended <- a.guard(ctx, command) }()
	select {
	case code := <-ended:
		return code
	case <-signals:
		cancel()
	}
	select {
	case code := <-ended:
		return code
	case <-signals:
	case <-time.After(grace):
	}
	a.temporary.removeAll()
	a.warnf("interrupted")
	return exitInterrupt
}

// guard turns a panic, which is a mistake of this program, into an exit code.
func (a *app) guard(ctx context.Context, command func(context.Context) error) (code int) {
	defer func() {
		if r := recover(); r != nil {
			a.temporary.removeAll()
			fmt.Fprintf(a.Stderr, "groundhog: internal error: %v\n%s", r, debug.Stack())
			code = exitInternal
		}
	}()
	return a.exit(command(ctx))
}

// temporaryFiles are files that are not complete yet, by path. They are taken away
// where a run is abandoned.
type temporaryFiles struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (t *temporaryFiles) add(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paths == nil {
		t.paths = make(map[string]bool)
	}
	t.paths[path] = true
}

func (t *temporaryFiles) done(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.paths, path)
}

func (t *temporaryFiles) removeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path := range t.paths {
		os.Remove(path)
	}
}
