package corpus

import "groundhog/replay"

// After is what the recording holds after the step of a fire, to the end of its
// run (E7): relative to the recorded continuation.
func After(run *replay.Run, f *replay.Fire) Amount {
	return amount(run, markIndex(run, int(f.Pos.Step)), len(run.Trail)-1)
}
