package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/replay/ledger"
)

// ledgerOf is the ledger that was named in place of recordings, or nil. It stands
// alone: which steps two sources have in common, and which of them would count
// one, can only be told from transcripts.
func ledgerOf(found *formats.Found) (*ledger.Ledger, error) {
	var one *ledger.Ledger
	transcripts := "" // a file of them
	for _, u := range found.Units {
		switch l := ledger.Of(u); {
		case l == nil:
			transcripts = u.Session.Origin.File
		case one == nil:
			one = l
		case l != one:
			return nil, usagef("%s and %s are two ledgers: name one, or make one of all their transcripts (replay PATH… --ledger FILE)", one.File, l.File)
		}
	}
	if one != nil && transcripts != "" {
		return nil, usagef("%s is a ledger and %s holds transcripts: name one or the other", one.File, transcripts)
	}
	return one, nil
}

// splitter is how text without recorded deltas is cut. A ledger has decided that.
func splitter(flag string, l *ledger.Ledger) (cut.Named, error) {
	if l == nil {
		split, err := cut.Find(flag)
		if err != nil {
			return split, usagef("--split: %v", err)
		}
		return split, nil
	}
	if flag != "" && flag != l.Splitter() {
		return cut.Named{}, usagef("--split %s: %s was measured with %s; replay the transcripts", flag, l.File, l.Splitter())
	}
	return cut.Named{Name: l.Splitter()}, nil
}

// A keeping is a ledger that is being written. The zero keeping writes none.
type keeping struct {
	file *os.File
	w    *ledger.Writer
}

// keep begins the ledger that --ledger names, and makes the engine fill it.
func keep(path string, o *outputs, e *replay.Engine, splitter string, found *formats.Found) (*keeping, error) {
	if path == "" {
		return &keeping{}, nil
	}
	for _, spec := range slices.Concat(o.more, []string{"=" + o.file}) {
		if _, file, _ := strings.Cut(spec, "="); file != "" && filepath.Clean(file) == filepath.Clean(path) {
			return nil, usagef("--ledger %s: the report goes there, too", path)
		}
	}
	if l, err := ledgerOf(found); err != nil {
		return nil, err
	} else if l != nil {
		return nil, usagef("--ledger %s: %s is a ledger already; a ledger is made of transcripts", path, l.File)
	}
	f, err := create(path, found)
	if err != nil {
		return nil, err
	}
	w, err := ledger.NewWriter(f, e.Plan, splitter)
	if err != nil {
		f.Close()
		return nil, err
	}
	e.Keeper = w.Keeper
	return &keeping{f, w}, nil
}

func (k *keeping) add(o *replay.Outcome) error {
	if k.w == nil {
		return nil
	}
	return k.w.Add(o)
}

// done completes the ledger, or takes it away again if the run failed.
func (k *keeping) done(failed error) error {
	if k.w == nil {
		return failed
	}
	if failed == nil {
		failed = k.w.Close()
	}
	if err := k.file.Close(); failed == nil {
		failed = err
	}
	if failed != nil {
		os.Remove(k.file.Name())
	}
	return failed
}
