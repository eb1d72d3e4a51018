package cli

import (
	"groundhog/replay"
	"groundhog/replay/ledger"
)

// A ledgerOut is a ledger that is being written. The zero value writes none.
type ledgerOut struct{ w *ledger.Writer }

// keep begins the ledger that --ledger names, and makes the engine fill it.
func (s *source) keep(path string, w *writing, e *replay.Engine) (*ledgerOut, error) {
	if path == "" {
		return &ledgerOut{}, nil
	}
	if s.past != nil {
		return nil, usagef("--ledger %s: %s is a ledger already; a ledger is made of transcripts", path, s.past.File)
	}
	f, err := w.create(path)
	if err != nil {
		return nil, err
	}
	kept, err := ledger.NewWriter(f, e.Plan, e.Chosen)
	if err != nil {
		return nil, err
	}
	e.Keeper = kept.Keeper
	return &ledgerOut{kept}, nil
}

func (k *ledgerOut) add(o *replay.Outcome) error {
	if k.w == nil {
		return nil
	}
	return wroteErr(k.w.Add(o))
}

func (k *ledgerOut) close() error {
	if k.w == nil {
		return nil
	}
	return wroteErr(k.w.Close())
}
