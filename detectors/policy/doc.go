// Package policy defines retry policies: what an agent or a client library does
// after a request to a model has failed.
//
// A Policy is layers of decide, budget, wait and stop. At gives it settings, and a
// Walk is one request under it, recorded or live. Failures are classed the same for
// every policy (FailureOf), so that what policies do is compared and not how each
// reads an error.
//
// Like package detectors it imports the standard library and the model alone.
package policy
