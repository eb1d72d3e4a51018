// Package retry walks recorded error episodes through retry policies. Requests
// gathers the failed attempts of one session into episodes as its steps go by, and
// Run says what a policy would have made of one episode: its waits, why it would
// have stopped, and whether that would have been enough.
package retry
