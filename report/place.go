package report

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
)

// callOf is the call that a fire is about, in its run.
func callOf(o *replay.Outcome, f *replay.Fire) int {
	i := slices.IndexFunc(o.Runs, func(r replay.Run) bool { return r.Number == int(f.Pos.Run) })
	if i < 0 {
		return int(f.Pos.Call)
	}
	return corpus.CallOf(&o.Runs[i], f)
}

// truth is whether a fire was right at a level.
func truth(l *corpus.Label, level detectors.Verdict, o *replay.Outcome, f *replay.Fire) corpus.Truth {
	return l.Truth(level, int(f.Pos.Run), callOf(o, f))
}

// at is the position of a fire: its call, after the run where that is not the first.
func at(o *replay.Outcome, f *replay.Fire) string {
	if f.Pos.Run == 0 {
		return fmt.Sprint(callOf(o, f))
	}
	return fmt.Sprintf("%d:%d", f.Pos.Run, callOf(o, f))
}
