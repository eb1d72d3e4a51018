// Package detectors defines what a detector is and how a set of them is run.
//
// A detector is a meter and a judge. The meter watches a session and reports
// measurements; the judge compares a measurement with limits. Because a meter
// cannot see limits and a judge cannot see the session, one pass over a
// session answers the same question for any number of limits.
//
// Most detectors count something, and are written as such: what is counted, and
// the counts that nudge, veto or stop (Rule.Count, Rule.Against). The example of
// this package is a whole one.
//
// Meters are open loop: nothing that happens after a measurement (who won, what
// was delivered) flows back into a meter. A detector can feel its own verdicts
// in four degrees, and the least that fits is used: a consumed flag
// (Rule.Episode), a pause after firing (Rule.Rest), escalation (Ladder), and a
// verdict that changes what is seen later (Rule.Closed), which needs a panel for
// each assignment of its parameters.
//
// # What a rule leaves out, and what its user then misses
//
// Only a few fields of a Rule are required. A nil one is never an error, and each
// costs whoever uses the program something:
//
//   - Count and Gauge: the detector has no count. Its fires carry no "3/3", and
//     review says of a session on which it was quiet that it was quiet, but not how
//     near it came. A rule with Count has a gauge.
//   - Episode: the detector is heard at every event at which its limits are reached.
//     Six steps over the limit are six nudges, and ladders count them all.
//   - Text: a fire says the count and what it is of, "3 identical calls in a row".
//   - Explain: a fire has a sentence but no reason, so that reports, baselines and
//     vet cannot tell the parts of the detector from one another.
//   - Reach: vet cannot say that a verdict is impossible, always answered earlier, or
//     never turned into a stop. It says nothing of the detector, which is not "all
//     is well".
//   - Case: vet speaks of the detector as a whole ("it needs 24 calls"), where the
//     number differs from case to case.
//   - Near: replay --near and review leave the detector out of their lists.
//   - Dismiss and Floor: nothing is missing, but long texts take longer.
//   - Targets: justify counts no loop as one that the detector is for, and so has
//     nothing to say for keeping it.
//   - Needs: a session that cannot answer counts as one on which it was quiet.
//
// # Dependencies
//
// The package and replay/transcript import the standard library alone, so a
// live agent can run a Monitor without pulling in a reader.
//
// # Considered and dropped
//
// One Detector with Record and Check, run again for each grid point. It is faithful
// by construction, and kept as the reference in tests; but the first match hides
// the rest, and a sweep of 140 cells is 140 passes.
package detectors
