// Package steps holds the algorithms of MiMo Code's detectors that look at
// whole steps, and of OpenCode's doom_loop: what is repeated, classified or
// cropped, without verdicts, parameters or deliveries.
//
// Where the original is closed (what it did changes what it sees later) and the
// change is only a pause, the type here is an open meter, and the tests have a
// straightforward closed simulation of it: TextLoop and TextLoopRun, RepeatedAction
// and ActionRun. ThinkingStreak cannot be opened: a stored crop joins what lay
// before it and after it.
//
// A string here is a JavaScript string: UTF-8, in which a lone surrogate keeps
// its three-byte form. Lengths count UTF-16 code units. A byte that is neither
// counts as U+FFFD, which is what the original's decoder made of it.
//
// Nothing here is safe for concurrent use; a session is a sequence.
package steps
