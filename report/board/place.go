package board

import (
	"fmt"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
)

// CallOf is the call that a fire is about, in its run.
func CallOf(o *replay.Outcome, f *replay.Fire) int {
	i := slices.IndexFunc(o.Runs, func(r replay.Run) bool { return r.Number == int(f.Pos.Run) })
	if i < 0 {
		return int(f.Pos.Call)
	}
	return corpus.CallOf(&o.Runs[i], f)
}

// Truth is whether a fire was right at a level.
func Truth(l *corpus.Label, level detectors.Verdict, o *replay.Outcome, f *replay.Fire) corpus.Truth {
	return l.Truth(level, int(f.Pos.Run), CallOf(o, f))
}

// Position is the position of a fire: its call, after the run where that is not the first.
func Position(o *replay.Outcome, f *replay.Fire) string {
	if f.Pos.Run == 0 {
		return fmt.Sprint(CallOf(o, f))
	}
	return fmt.Sprintf("%d:%d", f.Pos.Run, CallOf(o, f))
}
