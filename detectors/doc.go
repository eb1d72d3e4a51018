// Package detectors defines what a detector is and how a set of them is run.
//
// A detector is a meter and a judge. The meter watches a session and reports
// measurements; the judge compares a measurement with limits. Because a meter
// cannot see limits and a judge cannot see the session, one pass over a
// session answers the same question for any number of limits.
//
// Meters are open loop: nothing that happens after a measurement (who won, what
// was delivered) flows back into a meter. A detector can feel its own verdicts
// in four degrees, and the least that fits is used: a consumed flag
// (Rule.Episode), a pause after firing (Rule.Rest), escalation (Ladder), and a
// verdict that changes what is seen later (Rule.Closed), which needs a panel for
// each assignment of its parameters.
//
// The package and replay/transcript import the standard library alone, so a
// live agent can run a Monitor without pulling in a reader.
//
// Considered and dropped: one Detector with Record and Check, run again for
// each grid point. It is faithful by construction, and kept as the reference in
// tests; but the first match hides the rest, and a sweep of 140 cells is 140
// passes.
package detectors
