package cli

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"groundhog/replay"
)

// A progress bar on stderr, on a terminal only, once a run takes longer than
// half a second. No output depends on the clock that it reads.
type progress struct {
	bar   *progressbar.ProgressBar
	begun time.Time
	on    bool
}

func (a *app) progress(quiet bool) *progress {
	f, ok := a.Stderr.(*os.File)
	return &progress{on: ok && !quiet && term.IsTerminal(int(f.Fd())), begun: time.Now()}
}

func (p *progress) update(r replay.Progress) {
	if !p.on || time.Since(p.begun) < 500*time.Millisecond {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(r.Total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetDescription("replaying"),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true),
		)
	}
	p.bar.Set64(r.Done)
}

func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
